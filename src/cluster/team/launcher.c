#include "cluster/team/launcher.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "build/driver/paths.h"
#include "common/trouble.h"

struct launcher {
	const char *rank, *size; /* variables */
	const char *mpi; /* which plugin */
};

static const struct launcher launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
	{"PMI_RANK", "PMI_SIZE", "mpich"},
	{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "openmpi"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

bool launcher_owns(const char *variable)
{
	static const char *const prefixes[] = {"OMPI_",	    "PMIX_", "PMI_",   "PRTE_",
					       "MPI_LOCAL", "MPIR_", "HYDRA_", "HYDI_"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static long number_in(const char *variable, long otherwise)
{
	const char *value = getenv(variable);

	return value ? strtol(value, NULL, 10) : otherwise;
}

/* For all processes alike: the first one speaks for them. */
static void quiet_unless_first(const struct launcher *launcher)
{
	if (number_in(launcher->rank, 0) > 0)
		exit(STATUS_USAGE);
}

static mpi_plugin_join *load(const struct launcher *launcher, const char *mpi)
{
	char *name = xasprintf("inspect-mpi-%s.so", mpi);
	char *path = build_optional_part(name);

	if (!path) {
		quiet_unless_first(launcher);
		die("started by MPI (%s is set), but %s is not there: install MPI's compiler (mpicc; on Debian "
		    "libopenmpi-dev or libmpich-dev) and run `make install' again",
		    launcher->rank, name);
	}
	void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	mpi_plugin_join *join = plugin ? (mpi_plugin_join *)dlsym(plugin, MPI_PLUGIN_JOIN) : NULL;
	if (!join) {
		quiet_unless_first(launcher);
		die("cannot use MPI: %s", dlerror());
	}
	free(name);
	free(path);
	return join;
}

static void join(const struct launcher *launcher, const char *mpi, struct mpi_process *process)
{
	mpi_plugin_join *function = load(launcher, mpi);
	const char *why = function(MPI_PLUGIN_VERSION, process);

	if (why) {
		quiet_unless_first(launcher);
		die("cannot use MPI: inspect-mpi-%s.so: %s", mpi, why);
	}
	long size = number_in(launcher->size, 1);
	if (process->size == 1 && size > 1) {
		quiet_unless_first(launcher);
		die("the launcher has started %ld processes, but the MPI of inspect-mpi-%s.so knows of one only: is it "
		    "another MPI's launcher?",
		    size, mpi);
	}
}

bool launcher_join(struct mpi_process *process)
{
	const char *wanted = getenv("INSPECT_MPI");

	if (wanted && !strcmp(wanted, "none"))
		return false;
	for (unsigned i = 0; i < LAUNCHERS; i++) {
		if (!getenv(launchers[i].rank))
			continue;
		join(&launchers[i], wanted ? wanted : launchers[i].mpi, process);
		return true;
	}
	return false;
}
