/* Undoing what an execution has changed in the file system (wire/journal.h). */
#ifndef INSPECT_EXECUTE_JOURNAL_H
#define INSPECT_EXECUTE_JOURNAL_H

#include "wire/journal.h"

/*
 * Put everything back to what it was, and empty the journal.  NULL when that succeeded, else what did not (malloced); the
 * rest is put back all the same.  Nobody else may use the journal meanwhile.
 */
char *journal_undo(struct journal *journal);

#endif
