/* What a build read, and whether it is still the same. */
#define _GNU_SOURCE
#include "check.h"

#include "build/driver/files_read.h"
#include "build/cache/manifest.h"
#include "common/digest.h"
#include "common/trouble.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(text, file) >= 0 && !fclose(file));
}

static struct digest digest_text(const char *text)
{
	struct digest digest = {0};

	digest_add_text(&digest, text);
	return digest;
}

static void test_digest(void)
{
	struct digest first = {0}, second = {0};
	char text[64] = "";

	CHECK(digest_equal(digest_text("abc"), digest_text("abc")));
	CHECK(!digest_equal(digest_text("abc"), digest_text("abd")));
	CHECK(!digest_equal(digest_text(""), (struct digest){0}));
	digest_add_text(&first, "ab");
	digest_add_text(&first, "c");
	digest_add_text(&second, "a");
	digest_add_text(&second, "bc");
	CHECK(!digest_equal(first, second));
	/* each bit of each byte counts, and so do zeros at the end */
	for (unsigned i = 0; i < sizeof text; i++) {
		first = second = (struct digest){0};
		digest_add(&first, text, sizeof text);
		text[i] ^= 1 << i % 8;
		digest_add(&second, text, sizeof text);
		text[i] ^= 1 << i % 8;
		CHECK(first.low != second.low && first.high != second.high);
		first = second = (struct digest){0};
		digest_add(&first, text, i);
		digest_add(&second, text, i + 1);
		CHECK(!digest_equal(first, second));
	}
}

static void test_rules(void)
{
	struct files_read files = {.scratch = "/scratch/"};

	write_file("rules",
		   "out.o: a.c dir/b.h \\\n  a\\ space.h \\\n  /scratch/x.o a$$b\\#c.h a.c\n\nother: never.h\n");
	files_read_add_rules(&files, "rules", &files.sources);
	CHECK(files.sources.count == 4 && !files.unknown);
	if (files.sources.count == 4) {
		CHECK_TEXT(files.sources.items[0], "a.c");
		CHECK_TEXT(files.sources.items[1], "dir/b.h");
		CHECK_TEXT(files.sources.items[2], "a space.h");
		CHECK_TEXT(files.sources.items[3], "a$b#c.h");
	}
	files_read_add_rules(&files, "absent", &files.sources);
	CHECK(files.unknown);
	files_read_release(&files);
}

static void test_search_list(void)
{
	struct files_read files = {.scratch = "/scratch"};
	char *messages =
		files_read_take_search_list(&files,
					    "warning: unknown option\n"
					    "clang -cc1 version 19.1.7 based upon LLVM 19.1.7\n"
					    "ignoring nonexistent directory \"no where\"\n"
					    "ignoring duplicate directory \"/usr/include\"\n"
					    "  as it is a non-system directory that duplicates a system directory\n"
					    "#include \"...\" search starts here:\n"
					    "#include <...> search starts here:\n"
					    " include/\n"
					    " /usr/include\n"
					    "End of search list.\n"
					    "a.c:1:1: warning: this\n"
					    " int x;\n"
					    "End of search list.");

	CHECK_TEXT(messages, "warning: unknown option\na.c:1:1: warning: this\n int x;\nEnd of search list.");
	CHECK(files.header_directories.count == 3 && !files.unknown);
	if (files.header_directories.count == 3) {
		CHECK_TEXT(files.header_directories.items[0], "no where");
		CHECK_TEXT(files.header_directories.items[1], "include");
		CHECK_TEXT(files.header_directories.items[2], "/usr/include");
	}
	free(messages);
	messages = files_read_take_search_list(&files, "fatal error\n");
	CHECK_TEXT(messages, "fatal error\n");
	CHECK(files.unknown);
	free(messages);
	files_read_release(&files);
}

static void test_linker(void)
{
	struct files_read files = {.scratch = "/scratch"};
	struct list command = {0};

	list_add_all(&command,
		     (const char *const[]){"/usr/bin/ld", "-Lhere", "/gcc/12/crtbeginS.o", "-lm", "-l:x.a", NULL});
	files_read_add_linker(&files, &command);
	CHECK(!files.unknown && files.libraries.count == 3 && files.library_directories.count == 1);
	CHECK(files.toolchains.count == 1 && !strcmp(files.toolchains.items[0], "/gcc"));
	CHECK(files.objects.count == 1);
	free(command.items[0]);
	command.items[0] = xstrdup("ld");
	files_read_add_linker(&files, &command);
	CHECK(files.unknown);
	list_release(&command);
	files_read_release(&files);
}

/* main.c includes "sub/value.h" from the directory second, after it was not found in first. */
static struct files_read example(void)
{
	struct files_read files = {.scratch = "/scratch"};

	list_add(&files.sources, "main.c");
	list_add(&files.sources, "second/sub/value.h");
	list_add(&files.objects, "object");
	list_add(&files.header_directories, "first");
	list_add(&files.header_directories, "second");
	list_add(&files.library_directories, "second");
	list_add(&files.libraries, "libhelp.a");
	return files;
}

static struct timespec soon(int seconds)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += seconds;
	return time;
}

static bool holds(const struct buffer *manifest)
{
	return manifest_holds(manifest->data, manifest->size);
}

static void test_manifest(void)
{
	struct files_read files = example();
	struct buffer manifest = {0};

	CHECK(manifest_make(&manifest, &files, soon(10)));
	CHECK(holds(&manifest));
	write_file("unrelated.h", "");
	CHECK(holds(&manifest));
	write_file("main.c", "int main(void) { return 1; }\n");
	CHECK(!holds(&manifest));
	write_file("main.c", "int main(void) { return 0; }\n");
	CHECK(holds(&manifest));
	write_file("object", "changed");
	CHECK(!holds(&manifest));
	write_file("object", "");
	CHECK(holds(&manifest));
	CHECK(!unlink("second/sub/value.h"));
	CHECK(!holds(&manifest));
	write_file("second/sub/value.h", "");
	CHECK(holds(&manifest));
	buffer_release(&manifest);
	files_read_release(&files);
}

/* A new file of the same name, wherever it may be found first. */
static void test_shadows(void)
{
	static const char *const shadows[] = {"sub/value.h", "value.h", "first/sub/value.h", "first/value.h",
					      "second/libhelp.a"};
	struct files_read files = example();
	struct buffer manifest = {0};

	CHECK(!mkdir("sub", 0700));
	CHECK(manifest_make(&manifest, &files, soon(10)));
	CHECK(!mkdir("first", 0700) && !mkdir("first/sub", 0700) && holds(&manifest));
	for (unsigned i = 0; i < sizeof shadows / sizeof *shadows; i++) {
		CHECK(holds(&manifest));
		write_file(shadows[i], "");
		CHECK(!holds(&manifest));
		CHECK(!unlink(shadows[i]));
	}
	buffer_release(&manifest);
	files_read_release(&files);
}

static void test_refusals(void)
{
	static const char *const texts[] = {"__DATE__", "x __TIME__;", "#if __has_include(<a.h>)", "#embed \"a\"",
					    "asm(\".incbin \\\"a\\\"\")"};
	struct files_read files = example();
	struct buffer manifest = {0};

	CHECK(!manifest_make(&manifest, &files, (struct timespec){.tv_sec = 1}));
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		write_file("main.c", texts[i]);
		CHECK(!manifest_make(&manifest, &files, soon(10)));
	}
	write_file("main.c", "int main(void) { return 0; } /* embedded */\n");
	CHECK(manifest_make(&manifest, &files, soon(10)));
	buffer_clear(&manifest);
	files.unknown = true;
	CHECK(!manifest_make(&manifest, &files, soon(10)));
	files.unknown = false;
	list_add(&files.sources, "/dev/null");
	CHECK(!manifest_make(&manifest, &files, soon(10)));
	CHECK(!manifest.size);
	buffer_release(&manifest);
	files_read_release(&files);
}

/* Whatever part is missing or changed, it does not hold, and nothing is read beyond the end. */
static void test_damage(void)
{
	struct files_read files = example();
	struct buffer manifest = {0};

	CHECK(manifest_make(&manifest, &files, soon(10)) && holds(&manifest));
	for (size_t size = 0; size < manifest.size; size++) {
		char *part = xmalloc(size + 1);

		memcpy(part, manifest.data, size);
		CHECK(!manifest_holds(part, size));
		free(part);
	}
	for (size_t i = 0; i < manifest.size; i++) {
		manifest.data[i] ^= 0x40;
		manifest_holds(manifest.data, manifest.size); /* not all bytes matter */
		manifest.data[i] ^= 0x40;
	}
	buffer_release(&manifest);
	files_read_release(&files);
}

int main(void)
{
	char directory[] = "/tmp/inspect-unit-XXXXXX";
	char *remove;

	if (!mkdtemp(directory) || chdir(directory))
		return 1;
	write_file("main.c", "int main(void) { return 0; }\n");
	write_file("object", "");
	mkdir("second", 0700);
	mkdir("second/sub", 0700);
	write_file("second/sub/value.h", "");
	TEST(test_digest);
	TEST(test_rules);
	TEST(test_search_list);
	TEST(test_linker);
	TEST(test_manifest);
	TEST(test_shadows);
	TEST(test_refusals);
	TEST(test_damage);
	remove = xasprintf("rm -rf %s", directory);
	check_failures += system(remove) != 0;
	free(remove);
	return check_result();
}
