#include <math.h>

#include "base/mem.h"
#include "planner/partition/reads_measure.h"
#include "planner/partition/reads_state.h"

/* Training vertices that a part may have more or less than its share: a fiftieth; where draws are balanced an eighth,
 * but for what would be one mini-batch more. */
uint64_t reads_slack(const struct reads *reads, uint64_t want, bool more)
{
    uint64_t batch = reads->o->workload ? reads->o->workload->batch : 8000, eighth = want / 8,
             room = (batch - want % batch) % batch;
    if (!reads_by_draws(reads)) return want < 100 ? 0 : want / 50;
    return more && room < eighth ? room : eighth;
}

/* Sets `real` from an epoch of mini-batches of the parts as they are. */
static enum st measure_reads(struct reads *reads, const struct graph *g, struct err *err)
{
    uint64_t gathered[PARTS_MAX], all = 0;
    double work = 0;
    PASS(reads_measure(g, reads->o, reads->c.own, reads->c.parts, reads_by_draws(reads), gathered, err));
    reads->most = 0;
    for (int p = 0; p < reads->c.parts; p++) {
        all += gathered[p];
        work += (double)reads->c.work[p];
        reads->most = gathered[p] > reads->most ? gathered[p] : reads->most;
    }
    for (int p = 0; p < reads->c.parts && all; p++)
        reads->c.real[p] = reads->c.work[p] ? (double)gathered[p] / (double)all * work / (double)reads->c.work[p] : 1;
    return ST_OK;
}

/* Improves until the parts gather about equally many rows in real mini-batches, too. *changed: as of improve. */
static enum st balance_rows(struct reads *reads, const struct graph *g, bool *changed, struct err *err)
{
    enum { MEASURES = 2 };
    bool again = true;
    PASS(reads_improve(reads, changed, err));
    for (int i = 0; i < MEASURES && again; i++) {
        PASS(measure_reads(reads, g, err));
        if (reads_busiest(reads) <= 1.02) break;
        again = false;
        PASS(reads_improve(reads, &again, err));
        *changed |= again;
    }
    return ST_OK;
}

/* Keeps, of the parts as they are and after each improvement, those whose busiest part really draws least, for
 * computing waits for it; what is read counts by the share of a stage that does not overlap
 * (simulator/movement/epoch_time.h). Ends with an improvement that leaves draws even, and with one after which they
 * are more; one that only changes prices may be followed by one that gains. */
static enum st balance_draws(struct reads *reads, const struct graph *g, bool *changed, struct err *err)
{
    enum { MEASURES = 4 };
    static const double READS = 0.15, EVEN = 1.005;
    double least = 0;
    bool again = true;
    OWNED_NEW(struct histogram, h, reads->groups, "histograms of reads");
    OWNED_NEW(uint8_t, best, reads->c.trains, "parts of training vertices");
    for (int i = 0; i < MEASURES && again; i++) {
        if (!i || memcmp(best, reads->c.own, reads->c.trains) != 0) {
            PASS(measure_reads(reads, g, err));
            double value = log((double)reads->most + 1) + READS * reads_look(reads, h);
            if (i && value >= least) break;
            least = value;
            memcpy(best, reads->c.own, reads->c.trains);
            if (i && reads_busiest(reads) <= EVEN) break;
        }
        again = false;
        if (i + 1 < MEASURES) PASS(reads_improve(reads, &again, err));
        *changed |= again;
    }
    memcpy(reads->c.wish, best, reads->c.trains);
    reads_apply(reads);
    return ST_OK;
}

/* Goes on from parts that gather equally many rows, and keeps what it finds where clearly fewer are read. */
static enum st fewest_rows(struct reads *reads, bool *changed, struct err *err)
{
    static const double CLEARLY = 0.001; /* of what is left: no more than chance */
    bool again = false;
    OWNED_NEW(struct histogram, h, reads->groups, "histograms of reads");
    OWNED_NEW(uint8_t, equal, reads->c.trains, "parts of training vertices");
    memcpy(equal, reads->c.own, reads->c.trains);
    double before = reads_look(reads, h);
    reads->c.unequal = true;
    memset(reads->c.price_work, 0, sizeof reads->c.price_work);
    PASS(reads_improve(reads, &again, err));
    if (reads_look(reads, h) >= before - CLEARLY) {
        memcpy(reads->c.wish, equal, reads->c.trains);
        reads_apply(reads);
    } else {
        *changed = true;
    }
    return ST_OK;
}

enum st reads_balance(struct reads *reads, const struct graph *g, bool *changed, struct err *err)
{
    if (reads_by_draws(reads)) return balance_draws(reads, g, changed, err);
    PASS(balance_rows(reads, g, changed, err));
    return reads_by_fewest(reads) ? fewest_rows(reads, changed, err) : ST_OK;
}
