/* What descriptors stand for: see system.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/core/runtime.h"
#include "runtime/core/thread.h"
#include "runtime/process/journal.h"
#include "runtime/process/process.h"
#include "runtime/process/system.h"

enum { CLOSED, OUTPUT, DEVICE, FILES }; /* … and from there on, the number of a file's object */

static struct descriptor *find(int fd)
{
	return (unsigned)fd < MAX_DESCRIPTORS ? &rt->descriptors.table[fd] : NULL;
}

enum { STANDARD = 3 }; /* these have an object each */

static uint64_t object_of_slot(unsigned fd)
{
	unsigned number = fd < STANDARD ? fd : STANDARD + (fd - STANDARD) % (DESCRIPTOR_OBJECTS - STANDARD);

	return SYSTEM_BIT(FIRST_DESCRIPTOR + number);
}

uint64_t descriptor_slot(int fd)
{
	return fd < 0 ? 0 : object_of_slot((unsigned)fd);
}

uint64_t descriptor_position(int fd)
{
	const struct descriptor *descriptor = find(fd);

	if (!descriptor)
		return fd < 0 ? 0 : ALL_DESCRIPTORS;
	return descriptor->what < FILES ? 0 : object_of_slot(descriptor->opened_as);
}

static uint64_t object_of_file(unsigned number)
{
	return rt->channel->features & FEATURE_LINKS ? ALL_FILES : SYSTEM_BIT(FIRST_FILE + number);
}

uint64_t descriptor_file(int fd)
{
	const struct descriptor *descriptor = find(fd);

	if (!descriptor)
		return fd < 0 ? 0 : ALL_FILES;
	return descriptor->what < FILES ? 0 : object_of_file(descriptor->what - FILES);
}

bool descriptor_is_file(int fd)
{
	const struct descriptor *descriptor = find(fd);

	return descriptor ? descriptor->what >= FILES : fd >= 0;
}

bool descriptor_is_output(int fd)
{
	const struct descriptor *descriptor = find(fd);

	return descriptor && descriptor->what == OUTPUT;
}

bool any_file_is_open(void)
{
	for (unsigned i = 0; i < MAX_DESCRIPTORS; i++)
		if (rt->descriptors.table[i].what >= FILES)
			return true;
	return false;
}

uint64_t free_descriptors(void)
{
	uint64_t standard = ((1ull << STANDARD) - 1) << FIRST_DESCRIPTOR;

	return rt->channel->features & FEATURE_REOPENS ? ALL_DESCRIPTORS : ALL_DESCRIPTORS & ~standard;
}

bool descriptor_is_inherited(int fd)
{
	const struct descriptor *descriptor = find(fd);

	return descriptor && descriptor->inherited;
}

/* --- files, by where they are --- */

static unsigned hash_path(const char *path)
{
	uint32_t hash = 2166136261u;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 16777619u;
	return (hash ^ hash >> 16) % FILE_OBJECTS;
}

uint64_t file_at(int directory, const char *path)
{
	char absolute[PATH_ROOM];

	if (rt->phase != PHASE_RUN || rt->nthreads < 2)
		return 0; /* nobody asks */
	need_plan(); /* until it is there, files may not be as they were */
	if (!path)
		return 0;
	enum found found = journal_resolve(directory, path, true, absolute);
	if (found == FOUND_UNKNOWN)
		return ALL_FILES;
	if (found != FOUND_FILE && found != FOUND_ROOM) /* in the latter case it may be there soon */
		return 0;
	return object_of_file(hash_path(absolute));
}

static bool is_captured(const char *path)
{
	static const char name[] = "/memfd:inspect-std";

	return !strncmp(path, name, sizeof name - 1);
}

/* What the descriptor has been opened for.  A file without a name can be had by its descriptor only. */
static uint8_t classify(int fd, bool temporary)
{
	char path[PATH_ROOM];
	struct stat status;

	if (SYS2(SYS_fstat, fd, &status))
		return CLOSED;
	if (S_ISCHR(status.st_mode))
		return DEVICE;
	if (!descriptor_path(fd, path))
		return FILES;
	if (is_captured(path))
		return OUTPUT;
	if (temporary)
		return (uint8_t)(FILES + fd % FILE_OBJECTS);
	if (S_ISREG(status.st_mode) && status.st_nlink != 1) /* perhaps one that has another name, too */
		use_feature(FEATURE_LINKS);
	return (uint8_t)(FILES + hash_path(path));
}

/* --- what happens to them --- */

void descriptors_prepare(void)
{
	for (int i = 0; i < MAX_DESCRIPTORS; i++) {
		struct descriptor *descriptor = &rt->descriptors.table[i];
		*descriptor = (struct descriptor){.opened_as = (uint16_t)i};
		if (SYS3(SYS_fcntl, i, F_GETFD, 0) < 0)
			continue;
		descriptor->what = i == 1 || i == 2 ? OUTPUT : classify(i, false);
		descriptor->inherited = true;
		long place = SYS3(SYS_lseek, i, 0, SEEK_CUR);
		descriptor->place = place > 0 ? place : 0;
		descriptor->flags = (int32_t)SYS3(SYS_fcntl, i, F_GETFL, 0);
		rt->descriptors.inherits |= i > 2;
	}
}

void descriptors_rewind(void)
{
	for (int i = 3; rt->descriptors.inherits && i < MAX_DESCRIPTORS; i++)
		if (rt->descriptors.table[i].inherited && rt->descriptors.table[i].what >= FILES)
			SYS3(SYS_lseek, i, rt->descriptors.table[i].place, SEEK_SET);
	for (int i = 0; rt->system.flags_changed && i < MAX_DESCRIPTORS; i++)
		if (rt->descriptors.table[i].inherited)
			SYS3(SYS_fcntl, i, F_SETFL, rt->descriptors.table[i].flags);
	rt->system.flags_changed = false;
}

/* Standard output may become something that can be read again, or the other way round; or a file gets such a number. */
static void note_reopened(long fd)
{
	if (fd < STANDARD)
		use_feature(FEATURE_REOPENS);
}

static void note_opened(long fd, long flags)
{
	struct descriptor *descriptor = find((int)fd);
	bool temporary = (flags & O_TMPFILE) == O_TMPFILE;

	if (descriptor)
		*descriptor = (struct descriptor){.what = classify((int)fd, temporary), .opened_as = (uint16_t)fd};
	note_reopened(fd);
}

static void note_copied(long from, long to)
{
	const struct descriptor *original = find((int)from);
	struct descriptor *copy = find((int)to);

	if (original && copy)
		*copy = *original;
	else
		note_opened(to, 0);
	note_reopened(to);
}

void descriptors_note(long number, const long a[6], long result)
{
	struct descriptor *descriptor = find((int)a[0]);

	if (result < 0)
		return;
	switch (number) {
	case SYS_open: note_opened(result, a[1]); break;
	case SYS_openat: note_opened(result, a[2]); break;
	case SYS_creat: note_opened(result, 0); break;
	case SYS_dup:
	case SYS_dup2:
	case SYS_dup3: note_copied(a[0], result); break;
	case SYS_fcntl:
		if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
			note_copied(a[0], result);
		break;
	case SYS_close:
		if (descriptor)
			*descriptor = (struct descriptor){.opened_as = (uint16_t)a[0]};
		note_reopened(a[0]);
		break;
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_link:
	case SYS_linkat: use_feature(FEATURE_LINKS); break;
	}
}
