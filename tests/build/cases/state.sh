# Programs that keep their state (--stateful): what they know at a place, and that others are as before.
programs=$here/programs
gcc -std=gnu17 -O1 -I"$source_tree/src" -c "$programs/live_native.c" -o live_native.o || exit 1
expect stateful cc --stateful -I"$source_tree/src" "$programs/live.c" live_native.o -o live
got=$(./live 2>&1)
[ "$got" = "all as wanted" ] && ok live-values || fail live-values "$got"
nm live | grep -q ' __inspect_keeps_state$' && ok keeps-state || fail keeps-state "no such constant"

cat >private.c <<'C'
int main(int argc, char **argv)
{
	volatile int array[4];

	(void)argv;
	array[argc & 3] = argc;
	return array[0];
}
C
# hooks OBJECT: the hooks that it calls
hooks() { nm -u "$1" | grep -o '__inspect_[a-z_]*' | sort | paste -sd' '; }
expect private-object cc -c private.c -o private.o
"$build/inspect-instrument" -o ordinary.o private.o
"$build/inspect-instrument" -s -o stateful.o private.o
[ -z "$(hooks ordinary.o)" ] && ok ordinary-hooks || fail ordinary-hooks "$(hooks ordinary.o)"
[ "$(hooks stateful.o)" = "__inspect_changes __inspect_dead __inspect_entered" ] && ok stateful-hooks ||
	fail stateful-hooks "$(hooks stateful.o)"

# a variable that others can reach is written by an ordinary operation, and ends like the others
sed 's/return array/extern void take(volatile int *); take(array); array[1] = 2; return array/' private.c >shared.c
expect shared-object cc -c shared.c -o shared.o
"$build/inspect-instrument" -s -o shared-s.o shared.o
[ "$(hooks shared-s.o)" = "__inspect_dead __inspect_entered __inspect_outside __inspect_read __inspect_unknown __inspect_write" ] &&
	ok shared-hooks || fail shared-hooks "$(hooks shared-s.o)"

# unknown EXPRESSION: is the state unknown after it?
unknown() {
	cat >effects.c <<-C
	#define _GNU_SOURCE
	#include <math.h>
	#include <pthread.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	char text[80], more[80];
	pthread_mutexattr_t attributes;
	extern void elsewhere(void);
	extern int sin_of_mine(int);
	int main(int argc, char **argv) { $1; (void)argc; (void)argv; return 0; }
	C
	cc -w -c effects.c -o effects.o && "$build/inspect-instrument" -s -o effects-s.o effects.o &&
		hooks effects-s.o | grep -q __inspect_unknown
}
for known in 'printf("%d", argc)' 'text[0] = sqrt(argc)' 'strcpy(text, more)' 'free(malloc(argc))' \
	'pthread_mutexattr_init(&attributes)' 'sscanf(text, "%s", more)' 'puts(text)' 'atoi(text)'; do
	unknown "$known" && fail "known-effects" "$known" || ok "known-effects"
done
for strange in 'elsewhere()' 'text[0] = rand()' 'strtok(text, more)' 'fgets(text, 80, stdin)' 'system(text)' \
	'((int (*)(void))argv[0])(), text[0] = (long)rand' 'char array[argc]; strcpy(array, text)'; do
	unknown "$strange" && ok "unknown-effects" || fail "unknown-effects" "$strange"
done

# a function that is called in a round of waiting may write to its own variables: it is still waiting
cat >waiting.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int ready(void)
{
	volatile int copy[3];

	copy[1] = flag;
	return copy[1];
}
static void *set(void *unused)
{
	flag = 1;
	return unused;
}
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, set, NULL);
	while (!ready())
		continue;
	return pthread_join(thread, NULL);
}
C
cc waiting.c -o waiting && cc --stateful waiting.c -o waiting-s
counts() { "$build/inspect" check --no-progress "./$1" | grep -o '[0-9]* executions\?, [0-9]* blocked, [0-9]* transitions'; }
[ -n "$(counts waiting)" ] && [ "$(counts waiting)" = "$(counts waiting-s)" ] && ok stateful-waiting ||
	fail stateful-waiting "$(counts waiting-s) instead of $(counts waiting)"

# what is only looked at is not ours to read; without a program to make, the option is nothing
expect stateful-preprocessor cc --stateful -E private.c -o private.i
expect stateful-object cc --stateful -c private.c -o private-s.o
cmp -s private.o private-s.o && ok stateful-object-same || fail stateful-object-same "differs"
