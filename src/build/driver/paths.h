/*
 * Where our own parts are: beside the running program, in a build tree or installed.
 */
#ifndef INSPECT_BUILD_DRIVER_PATHS_H
#define INSPECT_BUILD_DRIVER_PATHS_H

/* What every installation has: a missing part ends the command with one line. */
const char *build_runtime_library(void);
const char *build_instrumentor(void);

/* A part that not everybody has: malloced, or NULL. */
char *build_optional_part(const char *name);

/* Where inspect.h is, or NULL. */
const char *include_directory(void);

/* Headers that come before the system's; NULL when they are missing. */
const char *override_directory(void);

#endif
