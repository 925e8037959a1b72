/*
 * Programs that were built before.
 *
 * An entry is one file in $XDG_CACHE_HOME/inspect or ~/.cache/inspect, named by a digest of
 * all that is known before a build: the command line, the current directory, the variables
 * that a compiler reads, which compiler, instrumentor and runtime there are.  It holds the
 * manifest of what the build read, the messages it printed, and the program.
 *
 * What cannot be kept is built each time: there are no errors here.  A file is written under
 * another name and then renamed, so readers see all of it or nothing; a damaged one is as
 * good as none.  When the folder has grown too large, what was not used for longest goes.
 */
#ifndef INSPECT_BUILD_CACHE_CACHE_H
#define INSPECT_BUILD_CACHE_CACHE_H

#include "build/driver/arguments.h"
#include "build/driver/files_read.h"

/* NULL when there is no place for it, or when something among the arguments is not understood. */
struct cache *cache_open(const struct arguments *arguments);
void cache_close(struct cache *cache);

/* The program as it was built before, into the file `output`; its messages are printed. */
bool cache_fetch(struct cache *cache, const char *output);

/* Keep what was built since cache_open. */
void cache_store(struct cache *cache, const struct files_read *files, const char *output);

#endif
