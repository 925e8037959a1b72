/*
 * System calls on what threads share in the kernel (wire/system.h).
 *
 * Functions that make such calls are defined here under their own names (system.c, mappings.c, stdio.c), so that libraries
 * without source use them as well.  Each announces what it looks at and changes, once, and then makes the call without letting
 * anybody else run.  What it is about may change in the announcement (the file behind a descriptor): then it is
 * announced again.
 *
 * What descriptors stand for is kept by the SIGSYS handler, which sees every call, also those inside libc (descriptors.c).
 */
#ifndef INSPECT_RUNTIME_PROCESS_SYSTEM_H
#define INSPECT_RUNTIME_PROCESS_SYSTEM_H

#include "runtime/core/runtime.h"
#include "wire/system.h"

/* The names below are the runtime's own: a program may have the same (Makefile, RUNTIME_NAMES). */
#pragma GCC visibility push(hidden)

/* What a call looks at and what it changes. */
struct reach {
	uint64_t looks, changes;
};

#define REACH(looked, changed) ((struct reach){.looks = (looked), .changes = (changed)})

/* --- descriptors.c --- */

/* The objects of a descriptor: its place in the table; the position in its file; the contents of that. */
uint64_t descriptor_slot(int fd);
uint64_t descriptor_position(int fd);
uint64_t descriptor_file(int fd);
/* Is it open for a file, and not for a device or the program's output, which nobody in the program reads? */
bool descriptor_is_file(int fd);
bool descriptor_is_output(int fd);
bool any_file_is_open(void);
/*
 * Those of which the next call that opens a file may get one.  Which one that is depends on what the others have done until then;
 * what is announced must not, or the thread's next operation would depend on something that no event tells of.
 */
uint64_t free_descriptors(void);
/* The contents of what a path leads to; 0 when there is nothing. */
uint64_t file_at(int directory, const char *path);

/* Before the first execution: what the process has open. */
void descriptors_prepare(void);
/* In the handler: the call with these arguments was made. */
void descriptors_note(long number, const long a[6], long result);
/* Was it open before main began?  Then it is the same in all executions. */
bool descriptor_is_inherited(int fd);
/* What reads of such descriptors have moved is put back. */
void descriptors_rewind(void);

/* --- system.c --- */

/*
 * Announce a call with this reach, an expression that may change with what other threads do, and mark the running thread as
 * being in it, until system_end().
 */
void system_point(enum system_call call, struct reach reach);
#define SYSTEM_BEGIN(call, touched)                                                                                    \
	struct reach used_, now_ = (touched);                                                                          \
	do {                                                                                                           \
		used_ = now_;                                                                                          \
		system_point(call, used_);                                                                             \
		now_ = (touched);                                                                                      \
	} while (now_.looks != used_.looks || now_.changes != used_.changes);                                          \
	self()->system.calls++

/* The call has come to an end; it may have changed what was announced so. */
void system_end(struct reach reach, bool changed);
#define SYSTEM_END(changed) system_end(used_, changed)

/* Make the call, as the program would. */
long system_call(long number, long a, long b, long c, long d, long e, long f);
/* The result of a function that has errno, from -errno. */
long with_errno(long result);

/* Functions of libc that are defined here as well, and call them. */
#define ORIGINALS(EACH)                                                                                                \
	EACH(sigaction)                                                                                                \
	EACH(fopen)                                                                                                    \
	EACH(fdopen)                                                                                                   \
	EACH(freopen)                                                                                                  \
	EACH(fclose)                                                                                                   \
	EACH(opendir)                                                                                                  \
	EACH(readdir)                                                                                                  \
	EACH(closedir)                                                                                                 \
	EACH(fdopendir)                                                                                                \
	EACH(scandir)                                                                                                  \
	EACH(glob)                                                                                                     \
	EACH(ftw)                                                                                                      \
	EACH(nftw)                                                                                                     \
	EACH(realpath)                                                                                                 \
	EACH(getcwd)                                                                                                   \
	EACH(mkostemps)                                                                                                \
	EACH(mkdtemp)                                                                                                  \
	EACH(tmpfile)                                                                                                  \
	EACH(get_current_dir_name)                                                                                     \
	EACH(sysconf)                                                                                                  \
	EACH(sigset)                                                                                                   \
	EACH(tcgetattr)                                                                                                \
	EACH(ttyname)                                                                                                  \
	EACH(ttyname_r)                                                                                                \
	EACH(lockf)

enum original {
#define ORIGINAL_ID(name) ORIGINAL_##name,
	ORIGINALS(ORIGINAL_ID)
#undef ORIGINAL_ID
		ORIGINAL_COUNT
};

void *libc_original(enum original original);
#define ORIGINAL(name) ((__typeof__(name) *)libc_original(ORIGINAL_##name))
/* All of them, before the first execution. */
void originals_prepare(void);

/* The program sets limits: from now on, who opens files, or makes them longer, looks at them. */
void limits_set(void);

/* What a call looks at and changes that opens a file. */
struct reach reach_of_open(int directory, const char *path, int flags);

/* by_number.c: the program makes a system call by its number; false when that is nothing to be announced. */
bool system_by_number(long number, const long a[6], long *result);

/* What naming a file looks at. */
uint64_t naming(int directory, const char *path);

/* --- stdio.c: use of a stream, for libc/announce.c --- */

enum stream_use { STREAM_LOOKS, STREAM_OUTPUTS, STREAM_CHANGES };

/* Is what it does to its file what counts, besides what is in memory? */
bool stream_is_of_file(int fd);
/* Announce it. */
void stream_point(int fd, enum stream_use use);
/* All streams are written to their files. */
void streams_flush_point(void);
/* May the running thread write to the descriptor without another word: has it said so? */
bool write_is_announced(int fd);

/* --- mappings.c: in the handler --- */

/* Choose where something is mapped. */
void mapping_place(long number, long a[6]);
/* Why the call cannot be made, or NULL. */
const char *mapping_refused(long number, const long a[6]);

#pragma GCC visibility pop

#endif
