# What is instrumented and what is refused; the program's identity.
cat >asm.c <<'C'
int x;
int main(void)
{
	__asm__ volatile("" ::: "memory");
	__asm__ volatile("rep; nop");
	__asm__ volatile("mfence" ::: "memory");
	__asm__ volatile("incl %0" : "+m"(x));
	return 0;
}
C
expect assembly cc asm.c -o asm
strings -a asm | grep -q '^inline assembly `incl' && ok assembly-refused || fail assembly-refused "no message in the program"
[ "$(strings -a asm | grep -c '^inline assembly')" = 1 ] && ok harmless-assembly || fail harmless-assembly "refused too"

cat >simple.c <<'C'
int x;
int main(void) { return x++; }
C
mkdir -p one two
cp simple.c one
cp simple.c two
(cd one && cc simple.c -o program)
(cd two && TMPDIR="$work/tmp" cc simple.c -o program)
(cd two && cc -c simple.c && cc simple.o -o from-object)
id() { sites "$1" | head -1; }
[ "$(id one/program)" = "$(id two/program)" ] && ok identity-of-places || fail identity-of-places "differs"
[ "$(id two/program)" = "$(id two/from-object)" ] && ok identity-of-objects || fail identity-of-objects "differs"
sed 's/x++/x--/' simple.c >one/other.c
(cd one && cc other.c -o other)
[ "$(id one/program)" != "$(id one/other)" ] && ok identity-of-code || fail identity-of-code "does not differ"

# no library call may be expanded into accesses that nobody announces
cat >compare.c <<'C'
#include <string.h>
char a[4], b[4];
int main(void) { return memcmp(a, b, 4) == 0; }
C
expect memcmp cc compare.c -o compare
calls_in() { objdump -d --no-show-raw-insn "$1" --disassemble="$2" | sed -n 's/.*call.*<\([^@>]*\).*/\1/p'; }
calls_in compare __inspect_main | grep -q '^__inspect_libc_memcmp$' && ok memcmp-stays || fail memcmp-stays "expanded"

# functions of the C library lead to their wrappers, all their names to one, and their addresses, too
cat >wrapped.c <<'C'
#include <stdio.h>
#include <string.h>
extern char *rindex(const char *, int), *strrchr(const char *, int);
char a[4], b[4];
void *(*copy)(void *, const void *, size_t) = memcpy;
void *direct(void) { return memcpy(a, copy == memcpy ? b : a, 4); }
int strverscmp(const char *x, const char *y) { return x == y; }
int main(void) { strlen(a); return rindex(a, 'x') == strrchr(b, 'x') && strverscmp(a, b) && direct(); }
C
expect wrapped cc -w -fno-builtin wrapped.c -o wrapped
calls=$(calls_in wrapped __inspect_main)
grep -q '^__inspect_libc_strlen$' <<<"$calls" && ok wrapped-unused-result || fail wrapped-unused-result "dropped: $calls"
[ "$(grep -c '^__inspect_libc_strrchr$' <<<"$calls")" = 2 ] && ok wrapped-names || fail wrapped-names "$calls"
grep -q '^strverscmp.program$' <<<"$calls" && ok wrapped-not-own || fail wrapped-not-own "$calls"
calls_in wrapped direct | grep -q '^__inspect_copy$' && ok wrapped-copy || fail wrapped-copy "$(calls_in wrapped direct)"

# interrupted: nothing stays behind (checked at the end)
for i in 1 2 3; do
	cc "$here/programs/names.c" -o interrupted 2>/dev/null &
	sleep 0.0$i
	kill -TERM $! 2>/dev/null
	wait $! 2>/dev/null
done
ok interrupted
