#include "report/format/format.h"

const struct format format_table[FORMATS] = {
#define FORMAT(name, help) {#name, print_##name},
#include "report/format/formats.def"
#undef FORMAT
};
