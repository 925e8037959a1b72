# Separate compilation, archives, libraries, and what the linker says.
cat >main.c <<'C'
int helper(int);
extern int shared;
static int twice(int x) { shared = x; return helper(x); }
int main(void) { return twice(1) == 0; }
C
cat >helper.c <<'C'
int shared;
static int twice(int x) { shared += x; return 2 * x; }
int helper(int x) { return twice(x); }
C
cat >unused.c <<'C'
int never_linked;
int unused(void) { return never_linked++; }
C
cat >plain.c <<'C'
int native_helper(void) { return 3; }
C

expect compile-main cc -c main.c -o main.o
expect compile-helper cc -O2 -g3 -flto -c helper.c
expect compile-two cc -c helper.c unused.c
expect link-objects cc main.o helper.o -o linked
has_site statics-of-one-name-1 linked 'twice shared'
[ "$(sites linked | grep -c ' twice shared$')" = 2 ] && ok statics-of-one-name-2 || fail statics-of-one-name-2 "not both there"
expect objects-stay-native nm -g --defined-only main.o

rm -f libhelp.a
expect archive ar rcs libhelp.a unused.o helper.o
expect link-archive cc main.o libhelp.a -o from-archive
no_site archive-on-demand from-archive 'unused never_linked'
expect link-library cc main.c -L. -lhelp -o from-library
has_site library-instrumented from-library 'twice shared'
expect link-whole-archive cc main.o -Wl,--whole-archive libhelp.a -Wl,--no-whole-archive -o whole
has_site whole-archive whole 'unused never_linked'

mkdir -p long
cp helper.c long/a_very_long_name_for_a_member_of_an_archive.c
cc -c long/a_very_long_name_for_a_member_of_an_archive.c
ar rcs liblong.a a_very_long_name_for_a_member_of_an_archive.o
expect long-member-names cc main.o liblong.a -o from-long
rm -f libthin.a
ar rcsT libthin.a helper.o
expect_error thin-archive "inspect: libthin.a: is a thin archive; make an ordinary one (ar without T)" cc main.o libthin.a -o x

expect link-relocatable cc -r main.o helper.o -o both.o
expect relocatable-to-program cc both.o -o from-relocatable
[ "$(sites from-relocatable | grep -c ' twice shared$')" = 2 ] && ok two-modules-in-one || fail two-modules-in-one "not both there"

expect compile-pic cc -fPIC -c helper.c -o helper-pic.o
expect link-shared cc -shared helper-pic.o -o libshared.so
expect link-with-shared cc main.o ./libshared.so -o from-shared
has_site shared-object-instrumented from-shared 'twice shared'

cat >chosen.c <<'C'
static int two(void) { return 2; }
static int (*choose(void))(void) { return two; }
int chosen(void) __attribute__((ifunc("choose")));
C
cat >uses-chosen.c <<'C'
int chosen(void);
int main(void) { return chosen() - 2; }
C
cc -c chosen.c
rm -f libchosen.a
ar rcs libchosen.a chosen.o
expect ifunc-in-archive cc --stateful uses-chosen.c libchosen.a -o with-ifunc
expect ifunc-is-called ./with-ifunc

gcc -c plain.c -o plain.o
cat >uses-native.c <<'C'
int native_helper(void);
int main(void) { return native_helper(); }
C
expect native-object cc uses-native.c plain.o -o with-native
cat >own-function.c <<'C'
unsigned long strverscmp(long x) { return x; }
C
cat >uses-own.c <<'C'
unsigned long strverscmp(long x);
int main(void) { return (int)strverscmp(7) - 7; }
C
gcc -w -c own-function.c -o own-function.o
expect native-with-library-name cc -w uses-own.c own-function.o -o with-own
expect native-is-called ./with-own
rm -f libmixed.a
ar rcs libmixed.a plain.o helper.o
expect mixed-archive cc uses-native.c main.o libmixed.a -Wl,--allow-multiple-definition -Dmain=other_main -o x 2>/dev/null

echo "main.c 'helper.c' -o from-response" >files.rsp
expect response-file cc @files.rsp
[ -x from-response ] && ok response-file-output || fail response-file-output "no program"

expect dependencies cc -MMD -MF main.d -MT target -c main.c -o main.o
grep -q '^target: main.c' main.d && ok dependencies-file || fail dependencies-file "wrong rule"
expect dependencies-while-linking cc -MD main.c helper.c -o x
[ -s main.d ] && [ -s helper.d ] && ok dependencies-while-linking-file || fail dependencies-while-linking-file "no file"

expect other-language-name cc -x c -DX=1 main.c -x none helper.o -o x
expect version cc --version
expect preprocess cc -E main.c
echo 'int main(void) { return 0; }' >conftest.c
expect configure-test cc conftest.c -o conftest
[ "$(sites conftest 2>&1)" = "no site table" ] && ok configure-test-plain || fail configure-test-plain "instrumented"

cc main.c -o x 2>errors
status=$?
if [ $status != 2 ]; then fail undefined-symbol "exit status $status"
elif ! grep -q "undefined reference to .helper" errors; then fail undefined-symbol "$(cat errors)"
elif grep -q "inspect-\|__inspect_main" errors; then fail undefined-symbol "names our own files: $(cat errors)"
else ok undefined-symbol; fi
