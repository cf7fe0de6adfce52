/* commands.h - the registry of commands (written by the Makefile from every cmd_*.c) and what is printed from it. */
#ifndef PLANNER_COMMANDS_COMMANDS_H
#define PLANNER_COMMANDS_COMMANDS_H

#include <stdio.h>
#include "base/cmd.h"

extern const struct command *const commands_registered[]; /* NULL-ended */
extern const char hotset_version[];

/* Every registered command of a group (NULL: of none), as **c. */
#define EACH_COMMAND(c, of)                                                                                            \
    for (const struct command *const *c = command_next(commands_registered, of); c; c = command_next(c + 1, of))

/* The command that the leading words name ("server" "show"); NULL: there is none. *used: words taken (0..2); path:
 * "hotset server show". */
const struct command *command_find(int count, char **words, int *used, char path[64]);

/* Prints what `hotset` alone prints: the commands in the order of work, a first run, exit codes. */
void commands_overview(FILE *to);
/* Prints every command with its group, one a line ("graph import"). */
void commands_names(FILE *to);
/* Prints the man page of hotset, which names the commands, or that of one command (roff). */
void commands_manual(FILE *to);
void command_manual(const struct command *c, FILE *to);
/* Prints the completion for a shell: bash, zsh or fish. ST_USAGE for another. */
enum st commands_completion(const char *shell, FILE *to, struct err *err) MUST_USE;
/* Always ST_USAGE: `word` is no command (of the group; NULL: of none), with a did-you-mean. */
enum st command_unknown(const struct command *group, const char *word, struct err *err);

#endif
