/* what_if.h - which inputs would change an answer: each one moved alone through its range, the others as they are.
 *
 * What can be the answer are subjects: plans (what_if_plan.h), or what hotset size can buy (what_if_size.h). An input
 * is moved by a factor. Its range is what the cases of hotset validate say that predictions of its kind are off
 * (size_error.h), unless the user gives one; what is chosen, not measured, moves from half to twice. Where the decision
 * at an end of the range is another one, the first place where it changes is searched on a grid of WHAT_IF_GRID steps
 * and bisected; a change that both begins and ends within a step is not seen.
 */
#ifndef PLANNER_DECISIONS_WHAT_IF_H
#define PLANNER_DECISIONS_WHAT_IF_H

#include <stdbool.h>
#include "base/doc.h"
#include "base/status.h"
#include "planner/decisions/size_error.h"

enum { WHAT_IF_SUBJECTS = 64, WHAT_IF_INPUTS = 48, WHAT_IF_GRID = 8, WHAT_IF_TEXT = 200 };

struct what_if_input {
    const char *name, *what; /* "link"; "rate of NVLinks (of the widest)" */
    const char *unit;        /* of `now`: "GB/s"; "" */
    int kind;                /* of size_error.h, ERROR_KINDS: products; -1: chosen */
    bool drawn;              /* mini-batches are drawn again for every value */
    double now;              /* its value; NaN: not one number */
    double low, high;        /* factors */
    bool given;              /* the range is the user's */
    char source[400];        /* of the range */
};

struct what_if_value {
    double seconds; /* of an epoch; NaN: not known */
    char binds[64]; /* what it waits for */
};

struct what_if {
    int subjects, inputs;
    char subject[WHAT_IF_SUBJECTS][96];
    struct what_if_input input[WHAT_IF_INPUTS];
    void *of;
    /* The subject with one input (-1: none) moved. */
    enum st (*value)(void *of, int subject, int input, double factor, struct what_if_value *out, struct err *err);
    /* The answer that follows from the values of all subjects, in words; its subject, or -1. */
    int (*decide)(void *of, int input, double factor, const struct what_if_value *value, char out[WHAT_IF_TEXT]);
};

/* Adds an input with its range: of the errors of its kind, or 0.5 to 2. */
void what_if_add(struct what_if *w, const struct size_errors *errors, struct what_if_input input);
/* --vary: "link=0.5..2,row": only these ("compute" is "compute:A10G", too, and all its like), with these ranges where
 * they are given. NULL: all. ST_USAGE names what is wrong. */
enum st what_if_vary(struct what_if *w, const char *text, struct err *err) MUST_USE;
/* Moves every input. *out: {decision, subjects[], inputs[]} of what-if/1, widest first; owned by the caller. */
enum st what_if_run(struct what_if *w, doc **out, struct err *err) MUST_USE;
/* The table for people, and the answer last. d: what what_if_run made. explain: also what inputs are and where their
 * ranges are from. */
void what_if_print(const doc *d, bool explain, FILE *to);

#endif
