/* size_ask.h - values of options of a size question, from the words of the command line. */
#ifndef PLANNER_DECISIONS_SIZE_ASK_H
#define PLANNER_DECISIONS_SIZE_ASK_H

#include <stdint.h>
#include "base/status.h"

/* A size with its unit; *out stays where text is NULL. name: the option. ST_USAGE, also for a size without a unit. */
enum st size_ask_size(const char *text, const char *name, uint64_t *out, struct err *err) MUST_USE;
/* A number of 0 or more; NaN where text is NULL. what: what it is, for the sentence. */
enum st size_ask_number(const char *text, const char *name, const char *what, double *out, struct err *err) MUST_USE;
/* "60%" of the graph's data, as 0.6. */
enum st size_ask_share(const char *text, double *out, struct err *err) MUST_USE;

#endif
