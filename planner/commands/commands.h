/* commands.h - the registry of commands (written by the Makefile from every cmd_*.c) and what is printed from it. */
#ifndef PLANNER_COMMANDS_COMMANDS_H
#define PLANNER_COMMANDS_COMMANDS_H

#include <stdio.h>
#include "base/cmd.h"

extern const struct command *const commands_registered[]; /* NULL-ended */
extern const char hotset_version[];

/* The command that the leading words name ("server" "show"); *used: words taken (0..2); path[64]: "hotset server
 * show". NULL: none such. */
const struct command *command_find(int count, char **words, int *used, char path[64]);

void commands_overview(FILE *to);
void commands_manual(FILE *to); /* man page, roff */
void commands_bash_completion(FILE *to);
/* ST_USAGE for a word that is no command, with a did-you-mean. */
enum st command_unknown(const struct command *group, const char *word, struct err *err);

#endif
