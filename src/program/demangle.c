#include "program/demangle.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	return library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
}

char *demangle(const char *name)
{
	static demangler *function;
	static bool looked;
	int status;

	if (strncmp(name, "_Z", 2))
		return NULL;
	if (!looked)
		function = find_demangler();
	looked = true;
	return function ? function(name, NULL, NULL, &status) : NULL;
}
