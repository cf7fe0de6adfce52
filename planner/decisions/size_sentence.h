/* size_sentence.h - the answer to a size question in one or two sentences. */
#ifndef PLANNER_DECISIONS_SIZE_SENTENCE_H
#define PLANNER_DECISIONS_SIZE_SENTENCE_H

#include "base/units.h"
#include "planner/decisions/size_option.h"
#include "planner/decisions/size_vary.h"

enum { SIZE_REPEATS_MAX = 4, SIZE_SENTENCE = 1200, SIZE_LACKING = 160 };

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
    const char *like;     /* data set that a stand-in stands for, or NULL */
    double scale, trains; /* of the stand-in */
    const struct size_curve *curves;
    int count, answer, shown; /* indices of curves, -1 none */
    enum size_metric primary;
    const struct size_repeat *repeat;
    int repeats;
    const char *given; /* directory of the graph, or NULL */
    /* set by size_decide */
    struct size_option *option;                            /* [options], borrowed */
    int options, chosen, runner_up, best[BEST_OBJECTIVES]; /* numbers of options, -1 none */
    double grow; /* the largest future of the curves, which all of these are of (size_growth.h) */
    enum size_objective objective;
};

/* Chooses between the options of the largest future: by `objective` ("money", ..; NULL: money where a price is known,
 * else time), and of the best verdict that occurs. Sets answer and shown, too, and which options are listed: all if
 * they are few; else those that no other one beats, the best by each objective, the runner-up, and of every
 * configuration the best number of servers. option: [SIZE_OPTIONS_MAX]. */
void size_decide(struct size_result *r, const char *objective, double spread, struct size_option *option);

/* Half of the ln of the widest to the shortest epoch over stand-ins, at what the shown curve chose; 0 without. */
double size_spread(const struct size_result *r);

/* "surely", or by target where that would say more than is known: "hit-rate: surely; energy: probably". Returns out. */
const char *size_verdict_text(const struct size_question *q, const struct size_option *o, char out[SIZE_SENTENCE]);
/* "2 x p5.48xlarge: 3.1 h, $504, surely": an option in a line. Returns out. */
const char *size_option_line(const struct size_result *r, int option, char out[SIZE_SENTENCE]);
/* "0.77 s", "3.1 h", "1.4 d": as many digits as the interval deserves; "-" for NaN. Returns out. */
const char *size_range_text(enum size_metric m, const char *currency, struct size_range v, char out[UNIT_TEXT]);
/* "0.5 to 1.2 s" likewise. */
const char *size_interval_text(enum size_metric m, const char *currency, struct size_range v, char out[2 * UNIT_TEXT]);
/* Up to three reasons for the answer, one after another; "" behind the last. */
enum { SIZE_REASONS = 3 };
void size_reasons(const struct size_result *r, char out[SIZE_REASONS][SIZE_SENTENCE]);

/* Whether no combination is known to meet the targets and some cannot be judged: then the answer is not "no". */
bool size_unsure(const struct size_result *r);
/* The answer and its reasons; or why there is none. */
void size_sentence(const struct size_result *r, char out[SIZE_SENTENCE]);
/* "87.50 %", "1.2 ms", "1,234": a value of that metric; "-" for NaN. Returns out. */
const char *size_value_text(enum size_metric m, double v, char out[UNIT_TEXT]);
/* "host_memory_gbps (channels times their rate: --host-memory-gbps)": a constant that a server's description lacks, and
 * what states it. Returns out. */
const char *size_lacking_text(const char *constant, char out[SIZE_LACKING]);
/* "1.62 G", "94.6 M", "1,234": a count in three digits. Returns out. */
const char *size_about(char out[UNIT_TEXT], double v);
/* "153 us", "1.2 ms", "4.5 s". Returns out. */
const char *size_seconds_text(double v, char out[UNIT_TEXT]);

#endif
