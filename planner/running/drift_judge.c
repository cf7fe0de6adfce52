/* drift_judge.c - what every scheme serves in a window (declared in drift_study.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/running/drift_memories.h"
#include "planner/running/drift_study.h"

enum { CACHES = DRIFT_SCHEMES - DRIFT_STATICS };

int drift_schemes(const struct drift *d)
{
    return graph_plain(d->o->study.graph) && !d->o->below.nodes ? DRIFT_SCHEMES : DRIFT_STATICS;
}

/* A part of the window: its study, its recording, and the plans that serve it. */
struct part {
    struct drift *d;
    int number;
    const struct study *study;
    struct study_recording *recording;
};

static struct drift_node *trainer(const struct part *part, int scheme)
{
    return &part->d->node[part->d->node[part->number].by[scheme]];
}

static const struct placement *placed(const struct part *part, int scheme)
{
    return &trainer(part, scheme)->plan[scheme].placement;
}

/* The part's request under a scheme's deal. a: borrows the recording's training vertices. */
static struct replay_request request_of(const struct part *part, int scheme, struct assignment *a)
{
    struct replay_request q = study_request(part->study, part->recording);
    *a = *q.assignment;
    assignment_exchange(a, part->d->node[part->number].to[scheme]);
    q.assignment = a;
    return q;
}

/* Counts what static plans serve; those with one deal share a pass. */
static enum st judge_plans(const struct part *part, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    bool judged[DRIFT_STATICS] = {false};
    const int(*to)[GPUS_MAX] = part->d->node[part->number].to;
    for (int i = 0; i < DRIFT_STATICS; i++) {
        const struct placement *p[DRIFT_STATICS];
        struct replay some[DRIFT_STATICS] = {{0}};
        struct assignment a;
        int of[DRIFT_STATICS], count = 0;
        for (int k = i; k < DRIFT_STATICS; k++) {
            if (judged[k] || memcmp(to[k], to[i], sizeof to[i])) continue;
            judged[k] = true;
            p[count] = placed(part, k);
            of[count++] = k;
        }
        if (!count) continue;
        const struct replay_request q = request_of(part, i, &a);
        st = replay_run(&q, p, count, some, err);
        for (int k = 0; k < count; k++) out[of[k]] = some[k];
        TRY(st);
    }
done:
    return st;
}

/* The same of dynamic caches, which train where the first plan's rows are. */
static enum st judge_caches(const struct part *part, struct replay *out, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = placed(part, DRIFT_FIXED);
    struct assignment a;
    struct dynamic_counts counts[CACHES] = {{0}};
    const struct cache *cache[CACHES];
    uint64_t rows[CACHES][GPUS_MAX] = {{0}};
    const struct replay_request q = request_of(part, DRIFT_FIXED, &a);
    const struct dynamic_request dynamic = {.replay = &q,
                                            .placement = p,
                                            .admission = ADMISSION_BATCH,
                                            .rows = (const uint64_t(*)[GPUS_MAX])rows,
                                            .cache = cache,
                                            .count = CACHES,
                                            .before = part->d->served};
    for (int i = 0; i < CACHES; i++) {
        TRY(cache_find(drift_scheme_names[DRIFT_STATICS + i], &cache[i], err));
        for (int g = 0; g < p->gpus; g++) rows[i][g] = p->feature[g].count;
    }
    TRY(dynamic_run(&dynamic, out, counts, err));
done:
    return st;
}

/* Transactions per epoch as plans state them: every GPU's, of topology and of features, is a whole number. */
static uint64_t transactions_of(const struct part *part, const struct replay *r)
{
    uint64_t sum = 0;
    if (!graph_plain(part->study->o.graph)) return replay_table_transactions(r, -1, 1);
    for (int g = 0; g < r->gpus; g++)
        sum += units_round_half_up(r->gpu[g].topology, r->epochs) + units_round_half_up(r->gpu[g].feature, r->epochs);
    return sum;
}

/* Adds what a part's GPUs read. stage: seconds; NaN: not known. */
static void drift_judge_add(const struct part *part, const struct replay *r, double stage, struct drift_outcome *to)
{
    const uint64_t transactions = transactions_of(part, r);
    for (int g = 0; g < r->gpus; g++) {
        const struct replay_gpu *reads = &r->gpu[g];
        for (int s = 0; s <= r->gpus; s++) {
            to->rows += reads->rows[s];
            to->visits += reads->visits[s];
        }
        to->missed_rows += reads->rows[r->gpus];
        to->missed_visits += reads->visits[r->gpus];
    }
    to->transactions += transactions;
    if (isnan(stage)) stage = refresh_line_seconds(part->study->o.server, (double)transactions);
    to->stage = refresh_later(stage, to->stage);
}

/* What the memories below the GPUs of a part serve under static plans; SSDs and the network are two more that an epoch
 * waits for. served: by scheme and part; owned by the caller. */
static enum st judge_memories(const struct part *part, struct memories_read **const *served, struct drift_outcome *to,
                              struct err *err)
{
    for (int i = 0; served[0] && i < DRIFT_STATICS; i++) {
        struct assignment a;
        double seconds;
        const struct replay_request q = request_of(part, i, &a);
        PASS(drift_memories_count(&q, &trainer(part, i)->plan[i], &part->d->o->below, &served[i][part->number],
                                  &seconds, err));
        to[i].stage = refresh_later(to[i].stage, seconds);
    }
    return ST_OK;
}

/* Adds a part of the window. */
static enum st judge_part(const struct part *part, struct memories_read **const *served, struct drift_outcome *to,
                          struct err *err)
{
    enum st st = ST_OK;
    const struct drift *d = part->d;
    struct study_recording *r = part->recording;
    const struct placement *p[DRIFT_SCHEMES];
    struct replay out[DRIFT_SCHEMES] = {{0}};
    double stage[DRIFT_SCHEMES];
    if (!r->epochs)
        r->epochs = replay_default_epochs(part->study->o.graph, &r->trace->assignment, &d->o->study.workload);
    for (int i = 0; i < DRIFT_SCHEMES; i++) p[i] = placed(part, i < DRIFT_STATICS ? i : DRIFT_FIXED);
    TRY(judge_plans(part, out, err));
    if (drift_schemes(d) == DRIFT_SCHEMES) TRY(judge_caches(part, out + DRIFT_STATICS, err));
    TRY(refresh_reads_counted(part->study, r, p, out, drift_schemes(d), stage, err));
    for (int i = 0; i < drift_schemes(d); i++) drift_judge_add(part, &out[i], stage[i], &to[i]);
    TRY(judge_memories(part, served, to, err));
done:
    for (int i = 0; i < DRIFT_SCHEMES; i++) replay_release(&out[i]);
    return st;
}

enum st drift_judge(struct drift *d, int number, struct err *err)
{
    enum st st = ST_OK;
    struct drift_outcome *to = d->result[number];
    struct memories_read **served[DRIFT_STATICS] = {NULL};
    for (int i = 0; d->o->below.nodes && i < DRIFT_STATICS; i++) NEW(served[i], d->nodes, "what memories serve");
    for (int i = 0; i < DRIFT_STATICS; i++) to[i].moved = d->moved[i];
    for (int n = 0; n < d->nodes; n++) {
        const struct part part = {d, n, &d->study.node[n].s, drift_cell(d, 0, n)->recording};
        TRY(judge_part(&part, served, to, err));
    }
    for (int i = 0; d->o->below.nodes && i < DRIFT_STATICS; i++) {
        if (d->nodes == 1) {
            to[i].memories = TAKE(served[i][0]);
            continue;
        }
        NEW(to[i].memories, 1, "what memories serve");
        memories_read_sum((const struct memories_read *const *)served[i], d->nodes, to[i].memories);
    }
done:
    for (int i = 0; i < DRIFT_STATICS; i++) {
        for (int n = 0; served[i] && n < d->nodes; n++) mem_free(served[i][n]);
        mem_free(served[i]);
    }
    return st;
}
