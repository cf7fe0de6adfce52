/* choice.h - lists of what could be bought, and the first entry that is good enough: for `storage` and `nodes`.
 *
 * A table is a list of objects, each with a list of inner objects under one key, both in the order of preference.
 */
#ifndef PLANNER_COMMANDS_CHOICE_H
#define PLANNER_COMMANDS_CHOICE_H

#include "base/doc.h"
#include "base/status.h"

enum { CHOICES_MAX = 32, CHOICE_BYTES = 1024 };

struct choice_list {
    char text[CHOICE_BYTES]; /* cut at the commas */
    char *part[CHOICES_MAX];
    int count;
};
/* Splits the value of an option. ST_USAGE, naming the option, when there are more than CHOICES_MAX entries. */
enum st choice_split(const char *text, const char *option, struct choice_list *out, struct err *err) MUST_USE;
/* Sorts the numbers and drops equal ones; returns how many are left. */
int choice_ascending(double *v, int count);

struct choice {
    const doc *outer, *inner; /* borrowed; NULL: there is none */
};
/* Whether an inner object is good enough. */
typedef bool choice_good(const doc *inner, double within);
/* The first inner object that is. */
struct choice choice_first(const doc *list, const char *inner, choice_good *good, double within);
/* The one with the least number `key`, of those that are `good`; the first of equal ones. Those without the number are
 * skipped. good NULL: of all. */
struct choice choice_nearest(const doc *list, const char *inner, const char *key, choice_good *good);

#endif
