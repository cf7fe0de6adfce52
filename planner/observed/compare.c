#include "planner/observed/compare.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/observed/student.h"

/* Sums over simulated epochs, one number per epoch. */
struct sums {
    double all, squares;
};

static void add(struct sums *s, double x)
{
    s->all += x;
    s->squares += x * x;
}

struct simulated {
    struct sums place[GPUS_MAX][PLACES], hit;
    double batches[GPUS_MAX]; /* of all epochs */
};

static void rows_of(const struct replay *r, int g, double rows[PLACES])
{
    const struct replay_gpu *x = &r->gpu[g];
    rows[PLACE_OWN] = (double)x->rows[g];
    rows[PLACE_HOST] = (double)x->rows[r->gpus];
    rows[PLACE_PEER] = 0;
    for (int i = 0; i < r->gpus; i++) rows[PLACE_PEER] += i == g ? 0 : (double)x->rows[i];
}

static void add_epoch(const struct observed *o, const struct replay *r, struct simulated *s)
{
    double all = 0, host = 0;
    for (int g = 0; g < r->gpus; g++) {
        double rows[PLACES], batches = (double)r->gpu[g].batches;
        rows_of(r, g, rows);
        s->batches[g] += batches;
        for (int i = 0; i < PLACES; i++) {
            add(&s->place[g][i], batches > 0 ? rows[i] / batches : 0);
            all += o->gpu[g].batches ? rows[i] : 0;
        }
        host += o->gpu[g].batches ? rows[PLACE_HOST] : 0;
    }
    add(&s->hit, all > 0 ? 1 - host / all : 0);
}

/* Simulates the epochs one by one. */
static enum st simulate(const struct observed *o, const struct plan *p, const struct replay_request *r, uint64_t epochs,
                        struct simulated *s, struct err *err)
{
    enum st st = ST_OK;
    struct replay_request one = *r;
    struct replay out = {0};
    const struct placement *x = &p->placement;
    one.epochs = 1;
    for (uint64_t k = 0; k < epochs; k++, one.seed++) {
        if (one.seed == p->workload.seed) one.seed++;
        TRY(replay_run(&one, &x, 1, &out, err));
        add_epoch(o, &out, s);
        replay_release(&out);
    }
done:
    replay_release(&out);
    return st;
}

/* relative: mini-batches of a simulated epoch by those that were observed. */
static struct observed_difference judge(double observed, const struct sums *s, uint64_t epochs, double relative,
                                        double t)
{
    double k = (double)epochs, mean = s->all / k, variance = (s->squares - s->all * mean) / (k - 1),
           rounding = 1e-12 * (1 + mean * mean); /* of the squares: equal epochs have no variance */
    variance = variance > rounding ? variance : 0;
    struct observed_difference c = {.known = true, .observed = observed, .simulated = mean};
    c.noise = t * sqrt(variance * (relative + 1 / k));
    c.differs = fabs(observed - mean) > c.noise + 1e-9 * (1 + mean);
    return c;
}

enum st compare_observed(const struct observed *o, const struct plan *p, const struct replay_request *r,
                         uint64_t epochs, struct compared *out, struct err *err)
{
    enum { LEVEL_PERCENT = 5 };
    enum st st;
    struct simulated *s = NULL;
    double all = 0, host = 0, seen = 0, simulated = 0;
    memset(out, 0, sizeof *out);
    NEW(s, 1, "simulated epochs");
    TRY(simulate(o, p, r, epochs, s, err));
    out->epochs = epochs;
    out->all_gpus = true;
    for (int g = 0; g < o->gpus; g++) {
        out->comparisons += o->gpu[g].batches ? PLACES : 0;
        out->all_gpus = out->all_gpus && (o->gpu[g].batches || !p->assignment.train_count[g]);
    }
    out->comparisons++; /* the hit rate */
    out->t = student_quantile(LEVEL_PERCENT / 100.0 / out->comparisons, (int)epochs - 1);
    for (int g = 0; g < o->gpus; g++) {
        const struct observed_gpu *x = &o->gpu[g];
        if (!x->batches) continue;
        double relative = s->batches[g] / (double)epochs / (double)x->batches;
        for (int i = 0; i < PLACES; i++) {
            out->place[g][i] = judge((double)x->rows[i] / (double)x->batches, &s->place[g][i], epochs, relative,
                                     out->t);
            all += (double)x->rows[i];
        }
        host += (double)x->rows[PLACE_HOST];
        seen += (double)x->batches;
        simulated += s->batches[g] / (double)epochs;
    }
    if (all > 0) out->hit = judge(1 - host / all, &s->hit, epochs, simulated / seen, out->t);
done:
    mem_free(s);
    return st;
}
