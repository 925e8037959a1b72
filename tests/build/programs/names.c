/* Every way to reach memory that the site table has a name for; cases/names.sh lists the names. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct node {
	int key;
	struct node *next;
	int items[4];
	struct {
		int a, b;
	} in;
};

struct queue {
	pthread_mutex_t lock;
	struct node *head;
	int n;
};

struct pair {
	int a, b;
};

struct flex {
	int n;
	int data[];
};

struct bits {
	unsigned a : 3, b : 5;
	unsigned : 0;
	unsigned c : 20;
};

union word {
	int i;
	char c[8];
	double d;
};

static int counter;
static const int constants[3] = {1, 2, 3};
int table[10], grid[3][4], *pointer;
struct queue queue, *chosen;
struct node nodes[5];
struct bits flags;
union word word;
struct flex *flexible;
struct {
	struct queue q[2];
} deep;
_Atomic int atom;
_Atomic struct pair pair;
_Atomic(struct node *) top;
__thread int own;
char buffer[64];
static pthread_t threads[4];

static int count_calls(int x)
{
	static int calls;

	calls++;
	return x + 1;
}

static void *worker(void *argument)
{
	struct queue *q = argument;

	pthread_mutex_lock(&q->lock);
	q->head->next->key = 3;
	q->n++;
	for (struct node *p = q->head; p; p = p->next)
		p->items[counter & 3] += p->in.b;
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

static void through_pointer(int *p, int i)
{
	*p = 1;
	p[i] = 2;
	p[3] = 4;
}

static void blocks(struct node *heap)
{
	struct node copy;

	memcpy(&copy, &nodes[1], sizeof copy);
	nodes[2] = copy;
	nodes[3] = nodes[4];
	memset(buffer, 0, sizeof buffer);
	strcpy(buffer, "hello");
	*heap = copy;
}

static void unions_and_bits(void)
{
	flags.a = 1;
	flags.c = 5;
	word.i = 3;
	word.d = 1.5;
	word.c[3] = 'x';
}

static int local_variables(int i)
{
	int private_array[4] = {1, 2, 3, 4}, sum = 0;

	for (int k = 0; k < 4; k++)
		sum += private_array[(k + i) & 3];
	return sum;
}

static void atomics(struct node *n)
{
	struct node *expected = n;

	atom++;
	atomic_store_explicit(&atom, 3, memory_order_release);
	pair = (struct pair){1, 2};
	top = n;
	atomic_compare_exchange_strong(&top, &expected, NULL);
	__sync_fetch_and_add(&counter, 1);
}

int main(int argc, char **argv)
{
	(void)argv;
	pthread_mutex_init(&queue.lock, NULL);
	queue.head = &nodes[0];
	nodes[0].next = &nodes[1];
	pthread_create(&threads[argc], NULL, worker, &queue);
	pthread_join(threads[argc], NULL);
	table[argc] = local_variables(argc);
	table[3] = constants[argc];
	grid[argc][2] = 1;
	chosen = &queue;
	chosen->head->in.a = 4;
	pthread_mutex_lock(&chosen->lock);
	pthread_mutex_unlock(&chosen->lock);
	pthread_mutex_lock(&deep.q[argc & 1].lock);
	own++;
	pointer = &counter;
	*pointer = count_calls(1);
	flexible = malloc(sizeof *flexible + 40);
	flexible->data[argc] = 3;
	through_pointer(table, 2);
	blocks(&nodes[4]);
	unions_and_bits();
	atomics(&nodes[2]);
	return 0;
}
