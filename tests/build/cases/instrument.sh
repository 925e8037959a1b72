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
nm compare | grep -q ' memcmp' && ok memcmp-stays || fail memcmp-stays "expanded"

# interrupted: nothing stays behind (checked at the end)
for i in 1 2 3; do
	cc "$here/programs/names.c" -o interrupted 2>/dev/null &
	sleep 0.0$i
	kill -TERM $! 2>/dev/null
	wait $! 2>/dev/null
done
ok interrupted
