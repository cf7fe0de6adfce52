/* size_sentence.h - the answer to a size question in one or two sentences. */
#ifndef PLANNER_SIZING_SIZE_SENTENCE_H
#define PLANNER_SIZING_SIZE_SENTENCE_H

#include "base/units.h"
#include "planner/sizing/size_vary.h"

enum { SIZE_REPEATS_MAX = 4, SIZE_SENTENCE = 1200 };

/* The shown curve again, on another stand-in. */
struct size_repeat {
    double scale;
    uint64_t seed;
    struct size_curve curve;
};

/* What a size question came to; pointers are borrowed. */
struct size_result {
    const struct size_question *q;
    const struct size_vary *vary;
    const struct graph *graph;
    const char *like; /* data set that a stand-in stands for, or NULL */
    double scale, trains; /* of the stand-in */
    const struct size_curve *curves;
    int count, answer, shown; /* indices of curves, -1 none */
    enum size_metric primary;
    const struct size_repeat *repeat;
    int repeats;
};

/* Whether no combination is known to meet the targets and some cannot be judged: then the answer is not "no". */
bool size_unsure(const struct size_result *r);
/* Which machine with how much cache meets the targets and what it gives; or why nothing does. */
void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE]);
/* "87.50 %", "1.2 ms", "1,234": a value of that metric; "-" for NaN. Returns out. */
const char *size_value_text(enum size_metric m, double v, char out[UNIT_TEXT]);
/* "1.62 G", "94.6 M", "1,234": a count in three digits. Returns out. */
const char *size_about(char out[UNIT_TEXT], double v);
/* "153 us", "1.2 ms", "4.5 s". Returns out. */
const char *size_seconds_text(double v, char out[UNIT_TEXT]);

#endif
