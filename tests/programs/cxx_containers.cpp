// Races on containers are found where the program uses them.
// expect: source bug=race executions=1 line=@use replay [cc: -DWAY=1] [says: data race on numbers]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=2] [says: data race on text]
// expect: source bug=race executions=1 line=@use [cc: -DWAY=3] [says: data race on text]
#include <iostream>
#include <string>
#include <thread>
#include <vector>

static std::vector<int> numbers;
static std::string text = "text";

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
	}
}

int main()
{
	std::thread x(use, 0), y(use, 1);

	x.join();
	y.join();
}
