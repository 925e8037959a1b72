// Accesses of different size: four bytes written, one of them read, is a conflict; neighbouring bytes are not.
// expect: source bug=race executions=2 line=@race fork replay [options: --keep-going] [cc: -DBYTE=3]
// expect: dpor bug=race executions=2 line=@race [options: --keep-going] [cc: -DBYTE=3]
// expect: source verified executions=1 [cc: -DBYTE=4]
#include <pthread.h>
#include <stdint.h>

static union {
	uint32_t word[2];
	uint8_t byte[8];
} shared;

static void *write_word(void *unused)
{
	shared.word[0] = 0x01020304; // @race
	return unused;
}

static void *read_byte(void *unused)
{
	return shared.byte[BYTE] ? unused : NULL; // @race
}

int main(void)
{
	pthread_t t1, t2;

	pthread_create(&t1, NULL, write_word, NULL);
	pthread_create(&t2, NULL, read_byte, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);
	return 0;
}
