/* size_pace.h - how long all curves will take, told before the first one is done.
 *
 * A curve records first, then places rows at every budget: once for each deal that is tried, once for the one that is
 * chosen; then it simulates. From the third placement on the rest follows: the placements that are left take as long as
 * those before, simulating a quarter of what came before the first one, and every other curve as long as this one
 * (servers that share recordings take less).
 */
#ifndef PLANNER_DECISIONS_SIZE_PACE_H
#define PLANNER_DECISIONS_SIZE_PACE_H

#include "base/progress.h"
#include "planner/engine/study_recording.h"

struct call;
struct size_errors;

struct size_pace {
    const struct call *call;
    const char *label; /* of the curve that runs; borrowed */
    int curves, done;
    struct study_told told;                 /* of the curve's placements */
    double began, curve_began, first, last; /* clock_seconds: of all, of the curve, of its first and last placement */
    bool said;
    struct size_interval { /* of the curve's epoch, see size_pace_expect */
        uint64_t most;     /* bytes of its largest cache as the study has it */
        double times, off; /* epochs of the study in one of the training; ln of high / low, halved */
        double none, all;  /* predicted with nothing cached and with the largest cache; NaN: not known yet */
        bool told;
    } interval;
};

/* call: borrowed; curves: how many will run. */
void size_pace_begin(struct size_pace *p, const struct call *call, int curves);
/* A curve begins: says its number, and where others are done about how long the rest takes. Its placements
 * say once, where ten seconds have passed and no curve is done, about how long all of them take. */
void size_pace_curve(struct size_pace *p, const char *label);
/* The same where curves run side by side, `together` at a time: `before` of `count` have begun. p: this curve's
 * own. */
void size_pace_among(struct size_pace *p, const char *label, int before, int count, int together);
/* What the epoch of the curve that runs takes is told as soon as predictions with no cache and with the largest one are
 * there: between both, wider by what predictions are known to be off. limit: bytes of the largest cache of the study;
 * trains: as of struct size_curve. */
void size_pace_expect(struct size_pace *p, const struct size_errors *errors, uint64_t limit, double trains);
/* And once more when the curve is there: "1.3 to 3.1 ms". */
void size_pace_found(const struct size_pace *p, double low, double high);
/* Seconds that are left at that time; NaN: not known yet. */
double size_pace_left(const struct size_pace *p, double now);
#endif
