# A program may use any name that the runtime uses inside.  All of those are tried: as variables and as functions
# of the program, of a native object, of an archive and of a shared library.

inside=$(nm "$build/inspect-runtime.o" | awk '$2 ~ /[tbdr]/ && $3 ~ /^[A-Za-z_][A-Za-z0-9_]*$/ { print $3 }' | sort -u |
	grep -v '^_\|^main$')
[ "$(echo "$inside" | wc -l)" -gt 200 ] && ok clashes-are-many || fail clashes-are-many "$(echo "$inside" | wc -l) names"

# check NAME COMMAND…: verified, and the program prints what it prints without Inspect
clash_check() {
	local name=$1 wanted=$2 got
	shift 2
	got=$("$build/inspect" check -q "$@" 2>&1)
	case $got in
	verified:*) ok "$name" ;;
	*) fail "$name" "$got" ;;
	esac
	cc -w -o clash-program "$@" && got=$(./clash-program)
	[ "$got" = "$wanted" ] && ok "$name-output" || fail "$name-output" "printed '$got' instead of '$wanted'"
}

count=$(echo "$inside" | wc -l)
cat >clash-threads.h <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m_ = PTHREAD_MUTEX_INITIALIZER;
static long sum_;
static void *run_(void *p) { pthread_mutex_lock(&m_); sum_ += (long)p; pthread_mutex_unlock(&m_); return NULL; }
static long threads_(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run_, (void *)(i + 1L));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return sum_ - 3;
}
C
{
	echo '#include "clash-threads.h"'
	echo "$inside" | sed 's/.*/int &;/'
	echo "int main(void) { long sum = threads_();"
	echo "$inside" | sed 's/.*/&++; sum += &;/'
	echo 'printf("%ld\n", sum); return 0; }'
} >clash-variables.c
clash_check clashing-variables "$count" -w clash-variables.c
sed 's/_Atomic//; 1s/^/extern "C++" {\n/; $s/$/\n}/' clash-variables.c >clash-variables.cpp
clash_check clashing-variables-cxx "$count" -w clash-variables.cpp -lstdc++

echo "$inside" | sed 's/.*/int &(void) { return 1; }/' >clash-functions.c
{
	echo '#include "clash-threads.h"'
	echo '#ifdef __cplusplus'
	echo 'extern "C" {'
	echo '#endif'
	echo "$inside" | sed 's/.*/int &(void);/'
	echo '#ifdef __cplusplus'
	echo '}'
	echo '#endif'
	echo "int main(void) { long sum = threads_();"
	echo "$inside" | sed 's/.*/sum += &();/'
	echo 'printf("%ld\n", sum); return 0; }'
} >clash-calls.c
cp clash-calls.c clash-calls.cpp
gcc -w -fno-builtin -fPIC -c clash-functions.c -o clash-native.o
rm -f libclash.a
ar rcs libclash.a clash-native.o
gcc -shared clash-native.o -o libclash.so
clash_check clashing-functions "$count" -w -fno-builtin clash-calls.c clash-functions.c
clash_check clashing-native-object "$count" -w -fno-builtin clash-calls.c clash-native.o
clash_check clashing-archive "$count" -w -fno-builtin clash-calls.c libclash.a
clash_check clashing-shared "$count" -w -fno-builtin clash-calls.c ./libclash.so
clash_check clashing-shared-cxx "$count" -w -fno-builtin clash-calls.cpp ./libclash.so -lstdc++
cc -fno-builtin -w -c clash-functions.c -o clash-ours.o
rm -f libclash-ours.a
ar rcs libclash-ours.a clash-ours.o
clash_check clashing-archive-of-ours "$count" -w -fno-builtin clash-calls.c libclash-ours.a

# Functions of the C library that a program, or a library of its, has instead: the runtime keeps the real ones.
cat >own-functions.c <<'C'
#include <stddef.h>
int called;
size_t strlen(const char *s) { size_t n = 0; called += COUNT; while (s[n]) n++; return n; }
void *memset(void *p, int c, size_t n) { called += COUNT; for (char *q = p; n--;) *q++ = (char)c; return p; }
int sem_wait(int *s) { called++; return --*s; }
int mtx_lock(int *s) { called++; return --*s; }
int atoi(const char *p) { called++; return *p; }
unsigned sleep(unsigned n) { called++; return n; }
unsigned usleep(unsigned n) { called++; return n; }
void err(int x) { called += x; }
int getenv(void) { called++; return 1; }
int mmap(void) { called++; return 1; }
int time(int x) { called++; return x; }
int kill(int x) { called++; return x; }
int clock_gettime(int x) { called++; return x; }
C
cat >calls-own.c <<'C'
#include "clash-threads.h"
#include <stddef.h>
#undef NULL
size_t strlen(const char *s);
void *memset(void *p, int c, size_t n);
int sem_wait(int *s), mtx_lock(int *s), atoi(const char *p), getenv(void), mmap(void), kill(int);
unsigned sleep(unsigned n), usleep(unsigned n);
void err(int x);
extern int called;
int main(void)
{
	int s = 3;
	char text[4] = "abc";
	long sum = threads_() + sem_wait(&s) + mtx_lock(&s) + atoi("1") + sleep(5) + usleep(6) + getenv() + mmap() + kill(2);
	err(10);
	memset(text, 'x', 2);
	sum += (long)strlen(text);
	printf("%d %ld\n", called, sum);
	return 0;
}
C
# (that the runtime uses those of these that are native and do what the C library's do is all right)
gcc -w -fno-builtin -fPIC -DCOUNT=0 -c own-functions.c -o own-native.o
clash_check own-functions "20 70" -w -fno-builtin -DCOUNT=1 calls-own.c own-functions.c
clash_check own-functions-native "18 70" -w -fno-builtin calls-own.c own-native.o
