#include "planner/engine/study_cuts.h"

#include <string.h>

#include "base/mem.h"
#include "planner/engine/study_assign.h"
#include "planner/engine/study_deal.h"
#include "planner/partition/partition_ahead.h"

/* Sets the first cut of an assignment of that kind; false: it has none. */
static bool first_cut(const struct study *s, const struct recording_key *key, struct partition_cut *c)
{
    bool per_gpu = key->kind == ASSIGNMENT_PER_GPU;
    if (!per_gpu && key->kind != ASSIGNMENT_HIERARCHICAL && key->kind != ASSIGNMENT_NESTED) return false;
    *c = (struct partition_cut){.method = key->method, .parts = s->o.server->gpus};
    if (!per_gpu) c->parts = server_groups(s->o.server);
    for (int i = 0; i < s->o.server->gpus; i++) c->share[per_gpu ? i : server_group(s->o.server, i)]++;
    return true;
}

void study_cut_end(struct study *s)
{
    partition_ahead_end(s->cutting);
    s->cutting = NULL;
}

enum st study_cut_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err)
{
    struct partition_options o = {.seed = s->o.workload.seed,
                                  .memory = s->o.memory,
                                  .memo = s->o.memo,
                                  .given = s->parts,
                                  .threads = s->o.threads};
    struct recording_key key[STUDY_KEYS];
    int cuts = 0;
    if (s->o.given || (s->o.checkpoint && checkpoint_any(s->o.checkpoint))) return ST_OK;
    const int keys = study_keys_ahead(s, cells, count, true, key);
    OWNED_NEW(struct partition_cut, cut, STUDY_KEYS, "cuts");
    for (int i = 0; i < keys; i++) cuts += first_cut(s, &key[i], &cut[cuts]);
    study_stage_begin(s, "partition");
    s->cutting = partition_ahead_begin(graph_connections(s->o.graph), &o, cut, cuts);
    if (!partition_beside(graph_connections(s->o.graph), s->o.memory, s->o.threads)) study_cut_end(s);
    study_stage_end(s);
    return ST_OK;
}

bool study_waits(const struct study *s, const struct study_cell *cell)
{
    struct recording_key key;
    struct partition_cut cut;
    study_deal(s, cell, &key);
    if (!s->cutting || !strncmp(key.method, "reads", 5) || !first_cut(s, &key, &cut)) return false;
    return partition_ahead_has(s->cutting, partition_first_costliest(graph_connections(s->o.graph), key.method),
                               cut.parts);
}

enum st study_assign_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err)
{
    struct recording_key key[STUDY_KEYS];
    const int keys = study_keys_ahead(s, cells, count, false, key);
    study_stage_begin(s, "partition");
    enum st st = study_assign_keys(s, key, keys, err);
    study_stage_end(s);
    return st;
}
