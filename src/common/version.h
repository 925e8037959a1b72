/* The version of the whole tool; packagers may set another one with -D. */
#ifndef INSPECT_COMMON_VERSION_H
#define INSPECT_COMMON_VERSION_H

#ifndef INSPECT_VERSION
#define INSPECT_VERSION "0.1.0"
#endif

#endif
