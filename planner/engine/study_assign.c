#include "planner/engine/study_assign.h"

#include <string.h>

#include "base/mem.h"
#include "base/ranks.h"
#include "traces/recording/assignment_give.h"

static enum st assign(struct study *s, const struct recording_key *key, uint8_t *part, struct assignment *out,
                      struct partition_report *report, struct err *err)
{
    const struct server *server = s->o.server;
    bool per_gpu = assignment_parts_per_gpu(key->kind),
         given = s->parts && (s->parts_per_gpu == per_gpu || server->gpus == server_groups(server));
    struct workload w = s->o.workload;
    const struct partition_options p = {.method = key->method,
                                        .seed = s->o.workload.seed,
                                        .memory = s->o.memory,
                                        .workload = &w,
                                        .given = given ? s->parts : NULL,
                                        .kept = s->parts_kept,
                                        .memo = s->o.memo,
                                        .keeps_lists = s->keeps_lists,
                                        .quick = study_hurries(&s->o),
                                        .threads = s->o.threads};
    w.order = key->order;
    w.order_blocks = key->order_blocks;
    return assign_kind(s->o.graph, server, key->kind, key->samplers, &p, part, out, report, err);
}

/* ---- ahead ---- */

void study_assigned_release(struct study *s)
{
    for (int i = 0; i < s->aheads; i++) {
        assignment_release(&s->ahead[i].assignment);
        mem_free(s->ahead[i].part);
    }
    s->aheads = 0;
}

/* Whether both have one assignment: epochs and order make another recording only. */
static bool same_assignment(const struct recording_key *a, const struct recording_key *b)
{
    return a->kind == b->kind && a->samplers == b->samplers && !strcmp(a->method, b->method);
}

/* Kinds that are cut out of the graph, which takes long. */
static bool takes_long(enum assignment_kind kind)
{
    return kind == ASSIGNMENT_HIERARCHICAL || kind == ASSIGNMENT_SELF_RELIANT || assignment_parts_per_gpu(kind);
}

/* Deals the assignments from `first` on to the ranks. A nested one begins with the cut of the hierarchical one, and
 * follows it. */
static void deal_ranks(const struct study *s, int first, int *rank)
{
    int next = 0, cliques = 0;
    for (int i = first; i < s->aheads; i++) {
        if (s->ahead[i].key.kind == ASSIGNMENT_NESTED) continue;
        rank[i] = next++ % ranks_count();
        if (s->ahead[i].key.kind == ASSIGNMENT_HIERARCHICAL) cliques = rank[i];
    }
    for (int i = first; i < s->aheads; i++)
        if (s->ahead[i].key.kind == ASSIGNMENT_NESTED) rank[i] = cliques;
}

static enum st give_assigned(const struct study *s, struct study_assigned *a, int from, struct err *err)
{
    PASS(assignment_give(&a->assignment, from, err));
    PASS(ranks_give(from, &a->partition, sizeof a->partition, err));
    if (a->part) PASS(ranks_give(from, a->part, s->o.graph->n, err));
    return ST_OK;
}

enum st study_assign_keys(struct study *s, const struct recording_key *key, int count, struct err *err)
{
    int rank[STUDY_AHEAD] = {0}, first = s->aheads; /* those of earlier cells stay */
    bool resumed = s->o.checkpoint && checkpoint_any(s->o.checkpoint);
    PASS(ranks_give(0, &resumed, sizeof resumed, err));
    if (resumed || s->o.given || ranks_count() < 2) return ST_OK;
    for (int i = 0; i < count && s->aheads < STUDY_AHEAD; i++) {
        bool there = !takes_long(key[i].kind);
        for (int k = 0; k < s->aheads; k++) there |= same_assignment(&s->ahead[k].key, &key[i]);
        if (!there) s->ahead[s->aheads++] = (struct study_assigned){.key = key[i]};
    }
    deal_ranks(s, first, rank);
    for (int i = first; i < s->aheads; i++) {
        struct study_assigned *a = &s->ahead[i];
        if (assignment_parts_per_gpu(a->key.kind)) MAKE(a->part, s->o.graph->n, "parts of the graph");
        if (rank[i] == ranks_number()) PASS(assign(s, &a->key, a->part, &a->assignment, &a->partition, err));
    }
    for (int i = first; i < s->aheads; i++) PASS(give_assigned(s, &s->ahead[i], rank[i], err));
    return ST_OK;
}

/* ---- of a recording ---- */

static const struct study_assigned *made_ahead(const struct study *s, const struct study_recording *r)
{
    for (int i = 0; i < s->aheads; i++)
        if (same_assignment(&s->ahead[i].key, &r->key)) return &s->ahead[i];
    return NULL;
}

/* Another recording with the same assignment, of this study or of one that it is like. */
static const struct study_recording *alike(const struct study *s, const struct study_recording *r)
{
    for (int i = 0; i < s->recordings; i++)
        if (same_assignment(&s->recording[i]->key, &r->key) && s->recording[i]->trace != s->o.given &&
            (!r->key.needs_part || s->recording[i]->part))
            return s->recording[i];
    return s->o.like ? alike(s->o.like, r) : NULL;
}

static enum st copy_assignment(const struct study *s, const struct assignment *a, const uint8_t *part,
                               const struct partition_report *partition, struct study_recording *r,
                               struct assignment *out, struct err *err)
{
    r->partition = *partition;
    if (r->part && part) memcpy(r->part, part, s->o.graph->n);
    return assignment_copy(a, out, err);
}

static enum st save(const struct study *s, const struct study_recording *r, const struct assignment *a, struct err *err)
{
    return study_checkpoint_save_assignment(&r->saved, a, r->part, s->o.graph->n, &r->partition, err);
}

/* The first rank finds or makes it, and gives it to the others. */
static enum st assign_once(struct study *s, struct study_recording *r, struct assignment *out, struct err *err)
{
    bool there;
    if (ranks_first()) {
        PASS(study_checkpoint_load_assignment(&r->saved, s->o.server, out, r->part, s->o.graph->n, &r->partition,
                                              &there, err));
        if (!there) PASS(assign(s, &r->key, r->part, out, &r->partition, err));
        if (!there) PASS(save(s, r, out, err));
    }
    PASS(assignment_give(out, 0, err));
    PASS(ranks_give(0, &r->partition, sizeof r->partition, err));
    if (r->part) PASS(ranks_give(0, r->part, s->o.graph->n, err));
    return ST_OK;
}

enum st study_assign(struct study *s, struct study_recording *r, struct assignment *out, struct err *err)
{
    enum st st = ST_OK;
    const struct study_recording *other = alike(s, r);
    const struct study_assigned *ahead = made_ahead(s, r);
    if (assignment_parts_per_gpu(r->key.kind)) NEW(r->part, s->o.graph->n, "parts of the graph");
    if (other) {
        TRY(copy_assignment(s, &other->trace->assignment, other->part, &other->partition, r, out, err));
    } else if (ahead) {
        TRY(copy_assignment(s, &ahead->assignment, ahead->part, &ahead->partition, r, out, err));
        TRY(save(s, r, out, err));
    } else {
        study_stage_begin(s, "partition");
        st = assign_once(s, r, out, err);
        study_stage_end(s);
    }
done:
    if (!r->key.needs_part) { /* only who trains what is kept */
        mem_free(r->part);
        r->part = NULL;
    }
    return st;
}
