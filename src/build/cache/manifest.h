/*
 * The files that a build read together with what was found there, as bytes that can be kept:
 * does the same build still read the same?
 *
 * Files are compared by their contents, installed libraries by their times.  A header or
 * library that was not there before may take the place of another one, without a change of
 * any file that was read: so directories that were searched are part of it.  One below /usr
 * or /lib must not have changed at all (something was installed; headers of the system also
 * look whether others exist).  In any other one there must be no new file of a name that was
 * looked for.
 *
 * No manifest is made of a build that read a file which changed after the build had begun,
 * or which asks for more than the contents of files: __DATE__, __has_include and the like.
 */
#ifndef INSPECT_BUILD_CACHE_MANIFEST_H
#define INSPECT_BUILD_CACHE_MANIFEST_H

#include "build/driver/files_read.h"

#include <time.h>

/* `start` is by CLOCK_REALTIME_COARSE, as the times of files are; false when none can be made. */
bool manifest_make(struct buffer *manifest, const struct files_read *files, struct timespec start);

/* True only if nothing has changed; bytes that are no manifest are never right. */
bool manifest_holds(const char *bytes, size_t size);

#endif
