/* buffer, words, UTF-8 and JSON of src/common. */
#define _GNU_SOURCE
#include "check.h"

#include "common/buffer.h"
#include "common/json.h"
#include "common/utf8.h"
#include "common/list.h"

#include <math.h>
#include <stdlib.h>

static void test_buffer(void)
{
	struct buffer buffer = {0};
	char *taken;

	CHECK_TEXT(buffer_text(&buffer), "");
	buffer_printf(&buffer, "%d-%s", 42, "x");
	buffer_add_char(&buffer, '!');
	buffer_add_text(&buffer, "");
	CHECK_TEXT(buffer_text(&buffer), "42-x!");
	for (int i = 0; i < 1000; i++)
		buffer_add_text(&buffer, "0123456789");
	CHECK(buffer.size == 10005 && strlen(buffer.data) == 10005);
	buffer_clear(&buffer);
	CHECK_TEXT(buffer_text(&buffer), "");
	buffer_add_text(&buffer, "end");
	taken = buffer_take(&buffer);
	CHECK_TEXT(taken, "end");
	CHECK(!buffer.data && !buffer.size);
	free(taken);
	taken = buffer_take(&buffer);
	CHECK_TEXT(taken, "");
	free(taken);
	buffer_release(&buffer);
}

static void test_list(void)
{
	struct list list;
	char **items;

	list_init(&list);
	CHECK(!list.items[0]);
	for (int i = 0; i < 100; i++) {
		list_add(&list, i % 2 ? "odd" : "even");
		CHECK(!list.items[list.count]);
	}
	CHECK(list.count == 100);
	CHECK_TEXT(list.items[99], "odd");
	items = list_take_items(&list);
	CHECK_TEXT(items[0], "even");
	list_free_items(items);
	list_free_items(NULL);
	list_release(&list);
}

static void test_utf8_valid(void)
{
	CHECK(utf8_length("a", 1) == 1);
	CHECK(utf8_length("\xc3\xa4", 2) == 2);
	CHECK(utf8_length("\xe2\x86\x92", 3) == 3);
	CHECK(utf8_length("\xf0\x9f\x98\x80", 4) == 4);
}

static void test_utf8_invalid(void)
{
	CHECK(utf8_length("", 0) == 0);
	CHECK(utf8_length("\x80", 1) == 0); /* no beginning */
	CHECK(utf8_length("\xc3", 1) == 0); /* cut off */
	CHECK(utf8_length("\xe2\x86", 2) == 0);
	CHECK(utf8_length("\xc3(", 2) == 0); /* no continuation */
	CHECK(utf8_length("\xc0\xaf", 2) == 0); /* overlong */
	CHECK(utf8_length("\xe0\x80\xaf", 3) == 0);
	CHECK(utf8_length("\xed\xa0\x80", 3) == 0); /* surrogate */
	CHECK(utf8_length("\xf4\x90\x80\x80", 4) == 0); /* beyond the last code point */
	CHECK(utf8_length("\xff", 1) == 0);
}

static void test_utf8_width(void)
{
	CHECK(utf8_width("") == 0);
	CHECK(utf8_width("0 → 1") == 5);
	CHECK(utf8_width("\xff\xfe") == 2);
	CHECK(utf8_fit("0 → 1", 3) == 5);
	CHECK(utf8_fit("ab", 9) == 2);
	CHECK(utf8_fit("ab", 0) == 0);
}

/* What one call writes between the brackets of an array. */
static char *json_text(const char *string)
{
	char *text = NULL;
	size_t size;
	struct json json = {.out = open_memstream(&text, &size)};

	json_string(&json, NULL, string);
	fclose(json.out);
	return text;
}

static void check_json(const char *string, const char *expected)
{
	char *text = json_text(string);

	CHECK_TEXT(text, expected);
	free(text);
}

static void test_json_strings(void)
{
	check_json(NULL, "null");
	check_json("", "\"\"");
	check_json("plain", "\"plain\"");
	check_json("\"\\/", "\"\\\"\\\\/\"");
	check_json("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
	check_json("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
	check_json("→", "\"→\"");
	check_json("a\xff\xc3(", "\"a\xef\xbf\xbd\xef\xbf\xbd(\"");
	check_json("\xe2\x86", "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_json_structure(void)
{
	char *text = NULL;
	size_t size;
	struct json json = {.out = open_memstream(&text, &size)};

	json_open(&json, NULL, '{');
	json_number(&json, "n", UINT64_MAX);
	json_real(&json, "r", 0.5);
	json_real(&json, "inf", INFINITY);
	json_bool(&json, "b", true);
	json_open(&json, "empty", '[');
	json_close(&json);
	json_open(&json, "list", '[');
	json_number(&json, NULL, 1);
	json_open(&json, NULL, '{');
	json_close(&json);
	json_close(&json);
	json_close(&json);
	fclose(json.out);
	CHECK_TEXT(text, "{\n  \"n\": 18446744073709551615,\n  \"r\": 0.500000,\n  \"inf\": null,\n  \"b\": true,\n"
			 "  \"empty\": [],\n  \"list\": [\n    1,\n    {}\n  ]\n}\n");
	free(text);
}

int main(void)
{
	TEST(test_buffer);
	TEST(test_list);
	TEST(test_utf8_valid);
	TEST(test_utf8_invalid);
	TEST(test_utf8_width);
	TEST(test_json_strings);
	TEST(test_json_structure);
	return check_result();
}
