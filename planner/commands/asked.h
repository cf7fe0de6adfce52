/* asked.h - a command that has another one answer a part of its question. */
#ifndef PLANNER_COMMANDS_ASKED_H
#define PLANNER_COMMANDS_ASKED_H

#include "base/cmd.h"
#include "base/file.h"

/* Runs a command with words as its command line has them, and prints no result. Threads and common options are those of
 * the call. words: [count], arguments and options without the command's name. *out: its document, which the caller
 * frees. Errors of that command. */
enum st asked_run(const struct call *call, const struct command *of, int count, char **words, doc **out,
                  struct err *err) MUST_USE;

/* A plan that is made to be asked about, and not kept. */
struct asked_plan {
    struct output folder; /* below TMPDIR */
    char path[PATH_BYTES];
};
/* Runs `plan` with these words, without --output. words: room for two more behind [count]. out: zeroed; to be released
 * after an error, too. */
enum st asked_plan_make(const struct call *call, int count, char **words, struct asked_plan *out, struct err *err)
    MUST_USE;
/* Removes the folder; zeroed is allowed. */
void asked_plan_release(struct asked_plan *p);

/* Splits, in place, the words of a command line as resume_quoted writes them. Returns how many, -1 for more than most.
 */
int asked_words(char *text, char **words, int most);

#endif
