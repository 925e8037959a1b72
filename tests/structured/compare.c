#include "harness.h"

#include <stdarg.h>
#include <string.h>

const char *const problem_names[] = {"none",	     "broken",		 "end lost", "end invented",
				     "finding lost", "finding invented", "forgotten"};

struct comparison {
	enum problem problem; /* the first one */
	char *message;
};

__attribute__((format(printf, 3, 4))) static void tell(struct comparison *comparison, enum problem problem,
						       const char *format, ...)
{
	size_t used = strlen(comparison->message);
	va_list arguments;

	if (!comparison->problem)
		comparison->problem = problem;
	if (used + 100 > MAX_MESSAGE)
		return;
	int n = snprintf(comparison->message + used, MAX_MESSAGE - used, "  %s: ", problem_names[problem]);
	va_start(arguments, format);
	vsnprintf(comparison->message + used + n, MAX_MESSAGE - used - (size_t)n - 1, format, arguments);
	va_end(arguments);
	strcat(comparison->message, "\n");
}

/* Sorted lines of the first that the second has not. */
static void tell_missing(struct comparison *comparison, enum problem problem, const char *a, const char *b)
{
	while (*a) {
		size_t na = strcspn(a, "\n"), nb = strcspn(b, "\n");
		int order = !*b ? -1 : strncmp(a, b, (na < nb ? na : nb) + 1);
		if (order < 0)
			tell(comparison, problem, "%.*s", (int)na, a);
		if (order <= 0)
			a += na + 1;
		if (order >= 0 && *b)
			b += nb + 1;
	}
}

static void compare_kind(struct comparison *comparison, const char *kind, bool told, bool complete, bool is,
			 bool may_be)
{
	if (told && !may_be)
		tell(comparison, PROBLEM_FINDING_INVENTED, "%s", kind);
	else if (complete && is && !told)
		tell(comparison, PROBLEM_FINDING_LOST, "%s", kind);
}

static bool has_line(const struct result *result, unsigned line)
{
	for (unsigned i = 0; i < result->nlines; i++)
		if (result->lines[i] == line)
			return true;
	return false;
}

static bool can_fail(const struct member *member, unsigned line)
{
	for (unsigned i = 0; i < member->answer.nsites; i++)
		if (member->places.line[member->answer.sites[i]] == line)
			return true;
	return false;
}

static void compare_assertions(struct comparison *comparison, const struct member *member, const struct result *result)
{
	for (unsigned i = 0; i < result->nlines; i++)
		if (!can_fail(member, result->lines[i]))
			tell(comparison, PROBLEM_FINDING_INVENTED, "assertion or crash at line %u", result->lines[i]);
	for (unsigned i = 0; i < member->answer.nsites && result->complete; i++)
		if (!has_line(result, member->places.line[member->answer.sites[i]]))
			tell(comparison, PROBLEM_FINDING_LOST, "assertion or crash at line %u",
			     member->places.line[member->answer.sites[i]]);
}

enum problem compare(const struct member *member, const struct result *result, char message[MAX_MESSAGE])
{
	struct comparison comparison = {NO_PROBLEM, message};
	const struct answer *answer = &member->answer;

	*message = 0;
	if (result->broken)
		tell(&comparison, PROBLEM_BROKEN, "%s", result->broken);
	if (*result->other)
		tell(&comparison, PROBLEM_BROKEN, "a finding of kind %s", result->other);
	if (comparison.problem)
		return comparison.problem;
	if (result->complete)
		tell_missing(&comparison, PROBLEM_LOST, answer->ends, result->ends);
	tell_missing(&comparison, PROBLEM_INVENTED, result->ends, answer->ends);
	compare_assertions(&comparison, member, result);
	compare_kind(&comparison, "deadlock", result->deadlock, result->complete, answer->deadlock, answer->deadlock);
	compare_kind(&comparison, "livelock", result->livelock, result->complete, answer->quiet_livelock,
		     answer->livelock);
	compare_kind(&comparison, "race", result->race, result->complete,
		     answer->race && !(result->stateful && answer->race_hidden), answer->race_allowed);
	return comparison.problem;
}

/* Where the search was broken off does not matter: what it had found by then stays found. */
static enum problem compare_first(const struct result *first, const struct result *rest, char message[MAX_MESSAGE])
{
	struct comparison comparison = {NO_PROBLEM, message};

	if (first->deadlock && !rest->deadlock)
		tell(&comparison, PROBLEM_FORGOTTEN, "deadlock");
	if (first->livelock && !rest->livelock)
		tell(&comparison, PROBLEM_FORGOTTEN, "livelock");
	if (first->race && !rest->race)
		tell(&comparison, PROBLEM_FORGOTTEN, "race");
	for (unsigned i = 0; i < first->nlines; i++)
		if (!has_line(rest, first->lines[i]))
			tell(&comparison, PROBLEM_FORGOTTEN, "assertion or crash at line %u", first->lines[i]);
	return comparison.problem;
}

enum problem check_search(const struct harness *harness, const struct search *search, const char *program,
			  const struct member *member, unsigned number, struct result *result,
			  char message[MAX_MESSAGE])
{
	struct search rest = *search;
	struct result more;

	search_run(harness, search, program, number, result);
	enum problem problem = compare(member, result, message);
	/* where executions are cut short, a search that need not keep going looks elsewhere */
	if (problem || !search->first || result->limit ||
	    !(result->deadlock || result->livelock || result->race || result->nlines))
		return problem;
	rest.first = false;
	search_run(harness, &rest, program, number, &more);
	problem = compare_first(result, &more, message);
	result_release(&more);
	return problem;
}
