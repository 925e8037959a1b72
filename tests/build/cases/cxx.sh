# C++: separate compilation, an unmodified Makefile with a library, C and C++ in one program, what is drawn from headers.
mkdir cxx
cd cxx || exit 1
cat >stack.h <<'C'
#ifdef __cplusplus
#include <mutex>
#include <stdexcept>
template <typename T> class stack {
	std::mutex lock;
	T items[4];
	int count = 0;

public:
	void push(const T &item)
	{
		std::lock_guard<std::mutex> guard(lock);
		if (count == 4)
			throw std::length_error("full");
		items[count++] = item;
	}
	int size() const { return count; }
};
extern stack<int> numbers;
extern "C"
#endif
int total(int n);
C
cat >stack.cc <<'C'
#include "stack.h"
stack<int> numbers;
inline int twice(int n) { return 2 * n; }
extern "C" int total(int n) { numbers.push(n); return twice(numbers.size()); }
C
cat >main.cpp <<'C'
#include "stack.h"
#include <thread>
#include <vector>
inline int twice(int n) { return 2 * n; }
int main()
{
	std::thread thread([] { numbers.push(1); });
	thread.join();
	std::vector<int> kept(3);
	kept.push_back(total(2));
	return kept.at(3) != twice(2);
}
C
cat >plain.c <<'C'
#include "stack.h"
int class = 1; /* not a name of C++ */
int main(void) { return total(class) != 2; }
C
cat >Makefile <<'C'
CXXFLAGS = -O2 -g -Wall
prog: main.o libstack.a
	$(CXX) -o $@ main.o -L. -lstack -pthread
libstack.a: stack.o
	$(AR) rcs $@ stack.o
%.o: %.cc
	$(CXX) $(CXXFLAGS) -c $<
C

expect cxx-makefile env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s CXX="$build/inspect c++"
[ "$(./prog; echo $?)" = 0 ] && ok cxx-makefile-runs || fail cxx-makefile-runs "exit status not 0"
has_site cxx-line-of-the-program prog 'push this->lock'
has_site cxx-library-instrumented prog 'push this->count'
sites prog | grep -q 'gthr-default.h' && fail cxx-no-header-lines "a lock is at a line of a header" || ok cxx-no-header-lines
nm -C main.o | grep -q ' W stack<int>::push' && ok cxx-objects-stay-native || fail cxx-objects-stay-native "no weak symbol"

expect cxx-compile cxx -std=c++17 -c stack.cc -o stack.o
expect cxx-link-name "$build/inspect-c++" main.cpp stack.o -o prog2
expect cxx-mixed-check cc -std=c17 plain.c -c -o plain.o
expect cxx-mixed-link cxx plain.o stack.o -o mixed
[ "$(./mixed; echo $?)" = 0 ] && ok cxx-mixed-runs || fail cxx-mixed-runs "exit status not 0"
expect cxx-mixed-sources cc -std=c17 -std=c++20 plain.c stack.cc -o mixed2
[ "$(./mixed2; echo $?)" = 0 ] && ok cxx-mixed-sources-runs || fail cxx-mixed-sources-runs "exit status not 0"
for suffix in cpp cxx c++ C CPP; do
	cp main.cpp "suffix.$suffix"
	expect "cxx-suffix-$suffix" cc "suffix.$suffix" stack.o -o x
done
cp main.cpp main.txt
expect cxx-language cc -x c++ main.txt -x none stack.o -o x
expect cxx-c-source-is-cplusplus cxx -Wno-deprecated -x c++ stack.cc main.cpp -x none -o x
expect cxx-shared cxx -shared -fPIC stack.cc -o libstack.so
expect cxx-with-shared cxx main.cpp ./libstack.so -o with-shared
has_site cxx-shared-instrumented with-shared 'push this->count'
expect cxx-static-library cxx -static-libstdc++ -static-libgcc main.cpp stack.cc -o static
[ "$(./static; echo $?)" = 0 ] && ok cxx-static-library-runs || fail cxx-static-library-runs "exit status not 0"
expect cxx-version cxx --version
cp main.cpp conftest.cpp
expect cxx-configure-test cxx conftest.cpp stack.cc -o conftest
[ "$(sites conftest 2>&1)" = "no site table" ] && ok cxx-configure-test-plain || fail cxx-configure-test-plain "instrumented"

cat >twice.cc <<'C'
int value() { return 1; }
C
cp twice.cc again.cc
expect_error cxx-duplicate "inspect: 'value()' is defined in twice.cc and again in again.cc" cxx main.cpp stack.cc twice.cc again.cc
cxx main.cpp -o x 2>errors
[ $? = 2 ] && grep -q "undefined reference to .total" errors && ok cxx-undefined-symbol || fail cxx-undefined-symbol "$(cat errors)"
echo 'int main() { return undeclared; }' >wrong.cpp
cxx wrong.cpp -o wrong 2>errors
if [ $? = 0 ] || [ -e wrong ]; then fail cxx-compile-error "accepted"
elif grep -q "wrong.cpp:1:.*undeclared" errors; then ok cxx-compile-error
else fail cxx-compile-error "$(cat errors)"; fi
expect_error cxx-no-main "inspect: no main function in stack.cc: nothing to check" cxx stack.cc

cat >coroutine.cpp <<'C'
#include <coroutine>
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
static task run() { co_return; }
int main() { run(); }
C
expect_error cxx-coroutines "inspect: the program has coroutines, which are not supported" cxx -std=c++20 coroutine.cpp

# a class template of the program, members of base classes, references
cat >names.cpp <<'C'
struct base { int first, second; };
class derived : public base { public: static int all; int third; int get() { return third; } };
int derived::all;
derived object;
static int use(derived &one) { one.second++; derived::all++; return one.get(); }
int main() { return use(object); }
C
expect cxx-names-build cxx names.cpp -o names
has_site cxx-base-member names 'use one->second'
has_site cxx-static-member names 'use all'
has_site cxx-this-member names 'get this->third'
cd ..
