#define _GNU_SOURCE
#include "execute/guest.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/invariant.h"
#include "common/trouble.h"
#include "storage/memory.h"
#include "wire/channel.h"

enum { PAGE = 4096 };

/* --- in the program --- */

static void broken(const char *what) __attribute__((noreturn));
static void broken(const char *what)
{
	((struct channel *)CHANNEL_ADDRESS)->guest.broken = what;
	__builtin_trap(); /* the executor's handler ends the process */
}

static void guest_begin(void)
{
	memory_join();
	trouble_elsewhere(broken);
}

/* --- in the explorer --- */

bool guest_is_possible(void)
{
	extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"))); /* of the linker */

	return __ehdr_start.e_type == ET_EXEC;
}

static void add_part(struct guest *guest, const Elf64_Phdr *header)
{
	uint64_t start = header->p_vaddr & ~(PAGE - 1ull), before = header->p_vaddr - start;

	invariant(guest->nparts < MAX_GUEST_PARTS);
	guest->parts[guest->nparts++] = (struct guest_part){
		.address = start,
		.offset = header->p_offset - before,
		.in_file = header->p_filesz + before,
		.in_memory = header->p_memsz + before,
		.protection = (header->p_flags & PF_R ? PROT_READ : 0u) | (header->p_flags & PF_W ? PROT_WRITE : 0u) |
			      (header->p_flags & PF_X ? PROT_EXEC : 0u),
	};
}

void guest_invite(struct guest *guest)
{
	const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
	unsigned long count = getauxval(AT_PHNUM);

	invariant(guest_is_possible() && headers && count && memory_file() >= 0);
	guest->code = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (guest->code < 0)
		failure("cannot open the executable of this command: %s", strerror(errno));
	guest->memory = memory_file();
	for (unsigned long i = 0; i < count; i++)
		if (headers[i].p_type == PT_LOAD)
			add_part(guest, &headers[i]);
	guest->begin = guest_begin;
}

void guest_bring(const struct guest *guest)
{
	if (!guest->begin)
		return;
	fcntl(guest->code, F_SETFD, 0);
	fcntl(guest->memory, F_SETFD, 0);
}

void guest_close(struct guest *guest)
{
	if (!guest->begin)
		return;
	close(guest->code);
	guest->code = -1;
}
