#include "planner/running/observed_compare.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/student.h"

/* Sums over simulated epochs, one number per epoch. */
struct sums {
    double all, squares;
};

static void observed_compare_add(struct sums *s, double x)
{
    s->all += x;
    s->squares += x * x;
}

struct simulated_epochs {
    struct sums (*place)[PLACES], hit; /* [parts][gpus] */
    double batches[GPUS_MAX];          /* of all epochs */
};

static void rows_of(const struct replay *r, const struct graph *graph, int part, int g, double rows[PLACES])
{
    for (int i = 0; !graph_plain(graph) && i < PLACES; i++) {
        static const enum read_source source[PLACES] = {READ_OWN, READ_PEER, READ_HOST};
        rows[i] = (double)r->table[g * r->tables + observed_table(graph, part)].reads[source[i]];
    }
    if (!graph_plain(graph)) return;
    const struct replay_gpu *gpu = &r->gpu[g];
    rows[PLACE_OWN] = (double)gpu->rows[g];
    rows[PLACE_HOST] = (double)gpu->rows[r->gpus];
    rows[PLACE_PEER] = 0;
    for (int i = 0; i < r->gpus; i++) rows[PLACE_PEER] += i == g ? 0 : (double)gpu->rows[i];
}

static void add_epoch(const struct observed *o, const struct graph *graph, const struct replay *r,
                      struct simulated_epochs *s)
{
    double all = 0, host = 0;
    for (int g = 0; g < r->gpus; g++) s->batches[g] += (double)r->gpu[g].batches;
    for (int x = 0; x < o->parts * o->gpus; x++) {
        double rows[PLACES], batches = (double)r->gpu[x % o->gpus].batches;
        rows_of(r, graph, x / o->gpus, x % o->gpus, rows);
        for (int i = 0; i < PLACES; i++) {
            observed_compare_add(&s->place[x][i], batches > 0 ? rows[i] / batches : 0);
            all += o->gpu[x].batches ? rows[i] : 0;
        }
        host += o->gpu[x].batches ? rows[PLACE_HOST] : 0;
    }
    observed_compare_add(&s->hit, all > 0 ? 1 - host / all : 0);
}

/* Simulates the epochs one by one. */
static enum st simulate(const struct observed *o, const struct plan *p, const struct replay_request *r, uint64_t epochs,
                        struct simulated_epochs *s, struct err *err)
{
    struct replay_request one = *r;
    OWNED_BY(replay_release) struct replay out = {0};
    const struct placement *placement = &p->placement;
    one.epochs = 1;
    for (uint64_t k = 0; k < epochs; k++, one.seed++) {
        if (one.seed == p->workload.seed) one.seed++;
        PASS(replay_run(&one, &placement, 1, &out, err));
        add_epoch(o, r->graph, &out, s);
        replay_release(&out);
    }
    return ST_OK;
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

/* How many counts are compared; every GPU that trains stated all of them: *all. */
static int count_comparisons(const struct observed *o, const struct plan *p, const struct graph *graph, bool *all)
{
    int count = 1; /* the hit rate */
    *all = true;
    for (int x = 0; x < o->parts * o->gpus; x++) {
        bool there = graph_table_there(graph, observed_table(graph, x / o->gpus));
        count += o->gpu[x].batches ? PLACES : 0;
        *all = *all && (o->gpu[x].batches || !there || !p->assignment.train_count[x % o->gpus]);
    }
    return count;
}

void compared_release(struct compared *c)
{
    mem_free(c->place);
    memset(c, 0, sizeof *c);
}

enum st observed_compare(const struct observed *o, const struct plan *p, const struct replay_request *r,
                         uint64_t epochs, struct compared *out, struct err *err)
{
    enum { LEVEL_PERCENT = 5 };
    enum st st;
    struct simulated_epochs s = {0};
    double all = 0, host = 0, seen = 0, simulated = 0;
    memset(out, 0, sizeof *out);
    NEW(s.place, o->parts * o->gpus, "simulated epochs");
    NEW(out->place, o->parts * o->gpus, "differences");
    TRY(simulate(o, p, r, epochs, &s, err));
    out->epochs = epochs;
    out->comparisons = count_comparisons(o, p, r->graph, &out->all_gpus);
    out->t = student_quantile(LEVEL_PERCENT / 100.0 / out->comparisons, (int)epochs - 1);
    for (int k = 0; k < o->parts * o->gpus; k++) {
        const struct observed_gpu *gpu = &o->gpu[k];
        double batches = s.batches[k % o->gpus] / (double)epochs; /* of a simulated epoch */
        if (!gpu->batches) continue;
        for (int i = 0; i < PLACES; i++) {
            out->place[k][i] = judge((double)gpu->rows[i] / (double)gpu->batches, &s.place[k][i], epochs,
                                     batches / (double)gpu->batches, out->t);
            all += (double)gpu->rows[i];
        }
        host += (double)gpu->rows[PLACE_HOST];
        seen += (double)gpu->batches;
        simulated += batches;
    }
    if (all > 0) out->hit = judge(1 - host / all, &s.hit, epochs, simulated / seen, out->t);
done:
    mem_free(s.place);
    return st;
}
