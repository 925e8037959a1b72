/*
 * The subcommands.  `arguments` are what follows the subcommand's name,
 * NULL-terminated; each returns the exit status of the command.
 */
#ifndef INSPECT_CLI_COMMANDS_H
#define INSPECT_CLI_COMMANDS_H

int command_check(char **arguments);
int command_replay(char **arguments);
int command_functions(char **arguments);

/* Ends a command that has written results to stdout: a full disk must not look like success. */
int finish_output(int status);

#endif
