/* renamed.h - commands that became options of another one. For one version their names run what to write now. */
#ifndef PLANNER_COMMANDS_RENAMED_H
#define PLANNER_COMMANDS_RENAMED_H

#include "base/status.h"

enum { MADE_MOST = 200 };
struct renamed_words {
    int count;
    char **words;          /* owned */
    char *made[MADE_MOST]; /* words that are not the user's; owned */
    int made_count;
};

/* When words begin with such a name, *out gets the words of today's command, and a line on stderr says them; else it
 * stays empty. *out: zeroed, to be released. ST_USAGE for what today's command says in another way, with the way. */
enum st renamed_take(int count, char **words, struct renamed_words *out, struct err *err) MUST_USE;
/* How the command of that old name is called now; NULL: it is none. Static. */
const char *renamed_name(const char *was);
void renamed_release(struct renamed_words *renamed_words);

#endif
