/* Tests of what is understood of the compiler driver's answer. */
#include "check.h"

#include "build/driver/driver.h"

#define BANNER                                                                                                         \
	"Debian clang version 19.1.7 (3+b1)\nTarget: x86_64-pc-linux-gnu\nThread model: posix\nInstalledDir: "         \
	"/usr/bin\n"

static struct list command;

static bool understood(const char *answer)
{
	list_release(&command);
	command = (struct list){0};
	return driver_linker_command(answer, strlen(answer), &command);
}

static void test_command(void)
{
	CHECK(understood(BANNER " \"/usr/bin/ld\" \"-o\" \"a.out\" \"a file.o\"\n"));
	CHECK(command.count == 4 && !command.items[4]);
	CHECK_TEXT(command.items[0], "/usr/bin/ld");
	CHECK_TEXT(command.items[3], "a file.o");
	CHECK(understood(" \"ld\" \"\" \"a\\\"b\\\\c\\$d\""));
	CHECK(command.count == 3 && !*command.items[1]);
	CHECK_TEXT(command.items[2], "a\"b\\c$d");
}

/* Whatever else there is, the driver is to be run itself: it has something to say. */
static void test_something_else(void)
{
	CHECK(!understood(""));
	CHECK(!understood(BANNER));
	CHECK(!understood(BANNER "clang: warning: clang version 3 is old\n \"ld\" \"a.o\"\n"));
	CHECK(!understood("clang: error: no such file or directory: 'a.o'\n" BANNER " \"ld\" \"b.o\"\n"));
	CHECK(!understood(BANNER " \"/usr/bin/ld\" \"a.o\"\n \"/usr/bin/strip\" \"a.out\"\n"));
	CHECK(!understood(BANNER " \"/usr/bin/ld\" \"a.o\n"));
	CHECK(!understood(BANNER " \"/usr/bin/ld\" a.o\n"));
	CHECK(!understood(BANNER " \"/usr/bin/ld\" \"a.o\\"));
	CHECK(!understood(BANNER " (in-process)\n \"/usr/bin/ld\" \"a.o\"\n"));
	CHECK(!command.count);
}

int main(void)
{
	TEST(test_command);
	TEST(test_something_else);
	list_release(&command);
	return check_result();
}
