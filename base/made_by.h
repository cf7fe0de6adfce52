/* made_by.h - the settings that a result was made with, as a short text beside it: a run with others does not replace
 * it unasked.
 *
 * A line per argument and per option that is not left to its default, as users type them. What a result does not depend
 * on is left out: threads, messages, what is printed, where it is written.
 */
#ifndef BASE_MADE_BY_H
#define BASE_MADE_BY_H

#include "base/cmd.h"

enum { MADE_BY_BYTES = 2200, MADE_BY_SAYS = 700 };

/* Whether results may depend on the option of that name; whether it only says how much is printed. */
bool made_by_option(const char *name);
bool made_by_prints(const char *name);

/* The settings of a parsed command line. Of a long one the end is a digest. ST_LIMIT when memory runs out. */
enum st made_by_text(const struct command *c, const struct call *call, const void *args, char out[MADE_BY_BYTES],
                     struct err *err) MUST_USE;

/* The refusal: of the path, the command and what made_by_differs says. */
#define MADE_BY_REFUSES "%s: holds a result of 'hotset %s' %s; choose another -o, or replace it with --force"

/* Whether two such texts differ. says: the first setting that does, as "with --budget 5%, and this run has --budget
 * 10%". */
bool made_by_differs(const char *then, const char *now, char says[MADE_BY_SAYS]);

#endif
