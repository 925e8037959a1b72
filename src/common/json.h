/*
 * A JSON writer: two spaces of indentation, members in the order of the calls.
 *
 *   struct json json = {.out = stdout};
 *   json_open(&json, NULL, '{');
 *   json_string(&json, "verdict", "verified");
 *   json_close(&json);
 *
 * `key` is the member's name inside an object and NULL inside an array and at
 * the top.  Strings may hold any bytes: what is not valid UTF-8 becomes U+FFFD.
 */
#ifndef INSPECT_COMMON_JSON_H
#define INSPECT_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
	FILE *out;
	unsigned depth;
	char brackets[JSON_DEPTH]; /* of the open containers: '{' or '[' */
	bool filled[JSON_DEPTH]; /* something is in it already */
};

void json_open(struct json *json, const char *key, char bracket);
/* Closes the innermost container; the outermost also ends the line. */
void json_close(struct json *json);
/* A NULL value is written as null. */
void json_string(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, uint64_t value);
/* Six digits after the point; what is not finite is written as null. */
void json_real(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);

#endif
