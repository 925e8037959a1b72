# One clear line and exit status 2 for what cannot be built.
echo 'int main(void) { return 0; }' >good.c
echo 'int f(void) { return 1; }' >twice1.c
echo 'int f(void) { return 2; } int main(void) { return f(); }' >twice2.c
: >empty.c
mkdir directory
echo text >notes.txt

expect_error missing-file "inspect: absent.c: no such file" cc absent.c
expect_error missing-object "inspect: absent.o: no such file" cc good.c absent.o
expect_error directory "inspect: directory: is a directory, not a source" cc directory
expect_error no-object "inspect: notes.txt: not a C or C++ source, object file or library" cc good.c notes.txt
expect_error no-main "inspect: no main function in empty.c: nothing to check" cc empty.c
expect_error no-main-in-two "inspect: no main function in empty.c, twice1.c: nothing to check" cc empty.c twice1.c
expect_error duplicate "inspect: 'f' is defined in twice1.c and again in twice2.c" cc twice1.c twice2.c
expect_error missing-cplusplus "inspect: absent.cpp: no such file" cxx absent.cpp
expect_error static "inspect: -static: a program to be checked must be linked dynamically" cc -static good.c
expect_error option-value "inspect: -o: a value must follow" cc good.c -o
printf '!<arch>\nrubbish rubbish rubbish rubbish rubbish rubbish rubbish rubbish rubbish' >bad.a
expect_error damaged-archive "inspect: bad.a: damaged archive" cc good.c bad.a

echo 'int main(void) { return undeclared; }' >wrong.c
cc wrong.c -o wrong 2>errors
status=$?
if [ $status = 0 ] || [ -e wrong ]; then fail compile-error "accepted"
elif ! grep -q "wrong.c:1:25: error" errors; then fail compile-error "$(cat errors)"
else ok compile-error; fi
