// Races on containers are found where the program uses them.
// expect: source bug=race executions=1 line=@use replay [cc: -DWAY=1] [says: data race on numbers]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=2] [says: data race on text]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=3] [says: data race on text]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=4] [says: data race on table]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=5] [says: data race on queue]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=6] [says: data race on *words]
// expect: source verified executions=2 fork [cc: -DWAY=7]
#include <cassert>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::vector<int> numbers;
static std::string text = "text";
static std::map<int, int> table{{3, 3}};
static std::list<int> queue{3};
static std::unordered_map<std::string, int> words{{"three", 3}};
static std::mutex mutex;

/* All that lists and trees are made of, against what must come out; each thread has its own. */
static void use_all()
{
	std::set<int> set;
	std::list<int> a, b;

	for (int i = 0; i < 40; i++) {
		set.insert(i * 17 % 40);
		a.push_back(i);
		b.push_front(-i);
	}
	int n = 0;
	for (int i : set)
		assert(i == n++);
	for (auto at = set.rbegin(); at != set.rend(); ++at)
		assert(*at == --n);
	for (int i = 0; i < 40; i += 2)
		set.erase(i);
	assert(set.size() == 20 && *set.begin() == 1 && *set.rbegin() == 39);
	set.erase(set.begin(), --set.end());
	assert(set.size() == 1 && ++set.begin() == set.end() && --set.end() == set.begin());
	a.reverse();
	a.swap(b);
	b.sort();
	assert(a.front() == -39 && a.back() == 0 && b.front() == 0 && b.back() == 39);
	a.splice(a.begin(), b, ++b.begin(), b.end());
	assert(a.size() == 79 && b.size() == 1 && a.front() == 1);
	a.remove_if([](int i) { return i != 5; });
	a.merge(b);
	assert(a == (std::list<int>{0, 5}) && b.empty());
	a.swap(b);
	assert(a.empty() && b.size() == 2);
}

static void use(int who)
{
	switch (WAY) {
	case 1: numbers.push_back(who); break; // @use
	case 2: text += "more text than fits into the object"; break; // @use
	case 3:
		if (who)
			std::cout << text; // @use
		else
			text.clear(); // @use
		break;
	case 4:
		if (who)
			table.emplace(who, who); // @use
		else
			table.find(3); // @use
		break;
	case 5:
		if (who)
			queue.pop_front(); // @use
		else
			queue.push_back(who); // @use
		break;
	case 6: words["four"] = who; break; // @use
	case 7:
		use_all();
		std::lock_guard<std::mutex> lock(mutex);
		table[who] = who;
		queue.push_back(who);
		words["four"] = who;
	}
}

int main()
{
	std::thread x(use, 0), y(use, 1);

	x.join();
	y.join();
}
