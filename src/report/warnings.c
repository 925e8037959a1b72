/*
 * Warnings: what is outside POSIX but works on this platform.
 */
#include "report/page.h"
#include "report/report.h"

#include "common/buffer.h"

static const char *advice(const struct finding *finding)
{
	return finding->kind == FINDING_RACE ? "glibc makes this safe, POSIX does not; a bug with --strict=posix"
					     : "it is all zero, which works with glibc; a bug with --strict=init";
}

void report_warnings(FILE *out, const struct result *result, struct symbols *symbols)
{
	struct page page = page_open(out);

	for (unsigned i = 0; i < result->nwarnings; i++) {
		const struct finding *finding = result->warnings[i];
		struct place place = report_place(finding, symbols);
		struct buffer text = {0};
		buffer_add_text(&text, "warning: ");
		if (*place.file)
			buffer_printf(&text, "%s:%u: ", place.file, place.line);
		buffer_printf(&text, "%s (%s)", finding->message, advice(finding));
		page_paragraph(&page, 0, buffer_text(&text));
		buffer_release(&text);
	}
}
