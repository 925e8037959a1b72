/*
 * Every function of the threads library that libc exports is in the runtime's table:
 * what is in no row would run without us.
 */
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const known[] = {
#define MODELLED(name, use) #name,
#define ACCEPTED(name, use) #name,
#define PURE(name, use) #name,
#define REFUSED(name) #name,
#include "wire/functions.def"
};

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i], name))
			return true;
	return false;
}

static bool is_of_threads(const char *name)
{
	static const char *const prefixes[] = {"pthread_", "sem_", "thrd_", "mtx_", "cnd_", "tss_"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(name, "call_once");
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *path)
{
	(void)size;
	if (strstr(info->dlpi_name, "libc.so"))
		*(const char **)path = info->dlpi_name;
	return 0;
}

/* Old names that only binaries of long ago can call are hidden from the linker: one @. */
static bool is_linkable(Elf *elf, Elf_Scn *versions, int index)
{
	Elf_Data *data = elf_getdata(versions, NULL);
	GElf_Versym version;

	(void)elf;
	return gelf_getversym(data, index, &version) && !(version & 0x8000);
}

static unsigned check_symbols(Elf *elf)
{
	Elf_Scn *section = NULL, *symbols = NULL, *versions = NULL;
	GElf_Shdr header;
	unsigned checked = 0;

	while ((section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (header.sh_type == SHT_DYNSYM)
			symbols = section;
		if (header.sh_type == SHT_GNU_versym)
			versions = section;
	}
	CHECK(symbols && versions);
	gelf_getshdr(symbols, &header);
	Elf_Data *data = elf_getdata(symbols, NULL);
	for (int i = 0; i < (int)(header.sh_size / header.sh_entsize); i++) {
		GElf_Sym symbol;
		gelf_getsym(data, i, &symbol);
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!name || symbol.st_shndx == SHN_UNDEF || !is_of_threads(name) || !is_linkable(elf, versions, i))
			continue;
		checked++;
		if (!is_known(name))
			printf("not in the table: %s\n", name);
		CHECK(is_known(name));
	}
	return checked;
}

static void libc_has_nothing_else(void)
{
	const char *path = NULL;

	dl_iterate_phdr(find_libc, &path);
	CHECK(path != NULL);
	int fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	CHECK(elf != NULL);
	CHECK(check_symbols(elf) > 100);
	elf_end(elf);
	close(fd);
}

int main(void)
{
	TEST(libc_has_nothing_else);
	return check_result();
}
