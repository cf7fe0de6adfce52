/* advice.h - what each lever is worth: today's setting, every lever alone, and the better ones together.
 *
 * A setting is planned by policy hotset and judged on held-out epochs, all with the same seeds. Levers are pulled one
 * by one from today's setting and ranked by the epoch that they leave; where that is not known, by the seconds of reads
 * below the GPUs if those memories are planned, else by transactions. Then they are put on top of each other in that
 * order, those that cannot change accuracy first; one that saves less than 1 % there is left out again. Of
 * levers that exclude each other (how far GPUs read) the first is taken. Levers that 'hotset plan' cannot carry out on
 * this graph, because they ask for another import, are judged alone and ranked behind the others.
 *
 * The first setting of a reach is planned from the start. Those after it take its parts, its deal where feature rows
 * have the same size, and its recording where they draw the same mini-batches; with --exact none does. Of a
 * graph of ADVICE_FEW_ARCS or less a lever alone takes only what planning it from the start would find, too. The advice
 * itself is planned from the start again, of such a graph in full; its last lever is left out if it then saves less
 * than 0.5 %.
 */
#ifndef PLANNER_DECISIONS_ADVICE_H
#define PLANNER_DECISIONS_ADVICE_H

#include "planner/decisions/levers.h"

#define ADVICE_FEW_ARCS STUDY_FEW_ARCS

/* Per epoch, held-out; NaN: not known. */
struct advice_value {
    double transactions, seconds;
    double reads; /* seconds of all reads below the GPUs, per GPU; NaN where the host is one memory */
};

struct advice_lever {
    const struct lever *lever;
    bool possible;
    char why[LEVER_TEXT];      /* when it is not */
    char option[OPTIONS_TEXT]; /* what to type */
    char asks[LEVER_TEXT];     /* what it asks for */
    struct advice_value alone;
    bool stacked; /* it is part of the advice */
    int place;    /* among those that were tried on top, from 0; -1: none of them */
    struct advice_value on_top;
};

struct advice {
    struct advice_base base;
    struct advice_value today;
    char today_text[OPTIONS_TEXT];
    int levers;
    struct advice_lever lever[LEVERS_MAX]; /* in the order of their ranks; the impossible ones last */
    struct setting best;
    struct advice_value together;
    char options[OPTIONS_TEXT]; /* of 'hotset plan' for the best setting */
};

/* Whether the advice makes the epoch short: where today's is known. */
bool advice_by_epoch(const struct advice *a);
/* What the advice makes small: the seconds of the epoch, else those of reads where today's are known, else
 * transactions: one of them for all settings. INFINITY where a setting's is not known, so that it is never ranked
 * before, or stacked on, one whose is. */
double advice_cost(const struct advice *a, const struct advice_value *v);
/* Whether a lever pays: the cost that it leaves of `before`, for all epochs that may then be needed, is 99 % at most.
 */
bool advice_pays(const struct advice *a, const struct lever *l, const struct advice_value *now,
                 const struct advice_value *before);
/* The share of the graph's rows that settings are planned and judged by (engine/thin.h). */
double advice_rows_share(const struct advice_base *b);
/* What a planned and simulated cell leaves. */
void advice_value_read(const struct study_cell *cell, struct advice_value *out);
/* Tells it while others are tried: "cpu sampling: an epoch takes 3.20 ms". */
void advice_value_note(const char *name, const struct advice_value *v);
/* Sorts the levers: the possible first, then those that a plan can carry out, then the least cost. */
void advice_rank(struct advice *a);

/* Plans and judges every setting. base: filled. ST_NO with the reason when today's setting cannot be planned. */
enum st advice_make(struct call *call, const struct advice_base *base, struct advice *out, struct err *err) MUST_USE;

/* The document advice/1; the caller frees it. */
doc *advice_document(const struct advice *a);
/* The levers, those on top of each other, and the advice last. explain: also what columns mean and what was not tried.
 */
void advice_print(const struct advice *a, const doc *d, bool explain, FILE *to);

#endif
