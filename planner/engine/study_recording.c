#include "planner/engine/study_recording.h"

#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/mem.h"
#include "planner/engine/redeal.h"
#include "planner/engine/study_assign.h"
#include "planner/engine/study_order.h"
#include "planner/engine/thin.h"
#include "planner/policies/cross_clique.h"

extern const struct policy policy_hotset;

void study_begin(struct study *s, const struct study_options *o)
{
    memset(s, 0, sizeof *s);
    s->o = *o;
    s->memo.graph = graph_connections(o->graph);
    if (!s->o.memo) s->o.memo = &s->memo;
}

static void release_estimates(struct study_recording *r)
{
    for (int c = 0; c < GPUS_MAX; c++) {
        for (int k = 0; k < RATE_SOURCES; k++) estimates_release(&r->estimates[k][c]);
        side_counts_release(&r->sides[c]);
        density_all_release(&r->orders[c]);
    }
    memset(r->estimates_known, 0, sizeof r->estimates_known);
    visit_costs_release(&r->costs);
    mem_free(r->load);
    r->load = NULL;
}

static void recording_release(struct study_recording *r)
{
    release_estimates(r);
    if (r->thin) thin_release(r->thin);
    mem_free(r->thin);
    trace_release(&r->own);
    mem_free(r->part);
    for (int c = 0; c < GPUS_MAX; c++) {
        mem_free(r->benefit_topology[c]);
        mem_free(r->benefit_feature[c]);
    }
}

static void drop_choices(struct study *s)
{
    for (int i = 0; i < s->choices; i++) doc_free(s->choice[i].tried);
    for (int i = 0; i < s->orders; i++) doc_free(s->order[i].tried);
    mem_free(s->choice);
    mem_free(s->order);
    s->choice = NULL;
    s->order = NULL;
    s->choices = s->orders = 0;
}

bool study_again(struct study *s, const struct study_options *o)
{
    if (s->recordings > STUDY_RECORDINGS / 2) return false;
    drop_choices(s);
    s->o = *o;
    if (!s->o.memo) s->o.memo = &s->memo;
    return true;
}

/* The rows that the recording counts. */
static const struct graph *counted_graph(const struct study *s, const struct study_recording *r)
{
    return r->thin ? &r->thin->graph : s->o.graph;
}

#define COUNTS_FEW ((uint64_t)256 << 20) /* bytes */

void study_keep_deals(struct study *s)
{
    const uint64_t rows = 4 * (2 + (uint64_t)s->o.workload.hops) * (uint64_t)s->o.server->gpus;
    uint64_t counts = 0;
    bool chosen = false;
    for (int i = 0; i < s->recordings; i++) {
        counts += rows * counted_graph(s, s->recording[i])->n;
        chosen |= s->recording[i]->key.epochs == s->o.presample_epochs;
    }
    const bool few = counts <= COUNTS_FEW; /* else those that scouts alone saw go */
    for (int i = 0; i < s->recordings; i++) {
        struct study_recording *r = s->recording[i];
        release_estimates(r);
        if (few || r->trace != &r->own || !chosen || r->key.epochs == s->o.presample_epochs) continue;
        struct assignment kept = r->own.assignment;
        memset(&r->own.assignment, 0, sizeof kept);
        trace_release(&r->own);
        r->own.assignment = kept;
        r->counts_gone = true;
    }
}

void study_end(struct study *s)
{
    study_course_end(s);
    for (int i = 0; i < STUDY_RECORDINGS; i++) { /* also one that could not be made whole */
        if (s->recording[i]) recording_release(s->recording[i]);
        mem_free(s->recording[i]);
    }
    study_assigned_release(s);
    mem_free(s->parts);
    partition_memo_release(&s->memo);
    drop_choices(s);
    locality_release(&s->locality);
    memset(s, 0, sizeof *s);
}

void study_stage_begin(struct study *s, const char *name)
{
    mem_trim(machine_memory() / 8); /* what one stage freed would take room from the files that the next one maps */
    if (s->o.stages) stage_begin(s->o.stages, name);
    study_course_stage(s, name);
}

void study_stage_end(struct study *s)
{
    study_course_stage_end(s);
    if (s->o.stages) stage_end(s->o.stages);
}

/* ---- recording ---- */

/* Lets GPUs exchange parts, so that they train near the rows that o.near holds; a deal at random has none. */
static enum st move_near(const struct study *s, struct study_recording *r, struct assignment *a, struct err *err)
{
    int to[GPUS_MAX];
    if (!s->o.near || a->kind == ASSIGNMENT_GLOBAL) return ST_OK;
    PASS(redeal_match(s->o.graph, s->o.near, a, s->o.threads, to, err));
    assignment_exchange(a, to);
    for (uint64_t v = 0; r->part && v < s->o.graph->n; v++) r->part[v] = (uint8_t)to[r->part[v]];
    return ST_OK;
}

/* The same, for those who record it. */
static struct trace_sample sample_of(const struct study_recording *r)
{
    return r->thin ? (struct trace_sample){r->thin->id, r->thin->graph.n} : (struct trace_sample){0};
}

static enum st record(struct study *s, struct study_recording *r, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment a = {0};
    struct trace_options o = {.epochs = r->key.epochs,
                              .sample = sample_of(r),
                              .line_bytes = s->o.server->line_bytes,
                              .threads = s->o.threads,
                              .progress = s->o.progress,
                              .folds = true,
                              .server_name = s->o.server->name,
                              .server_fingerprint = s->o.server->fingerprint,
                              .checkpoint = r->saved.checkpoint,
                              .part = r->saved.part,
                              .kernels = s->o.kernels};
    enum st st;
    study_course_piece(s, STEP_RECORD);
    TRY(study_assign(s, r, &a, err));
    TRY(move_near(s, r, &a, err));
    TRY(study_order_circles(s, &r->workload, &a, err));
    study_stage_begin(s, "pre-sampling");
    st = trace_record(s->o.graph, &a, &r->workload, &o, &r->own, err);
    study_stage_end(s);
    r->trace = &r->own;
done:
    return st;
}

/* The recording of a study that this one is like, if it drew the same mini-batches and still has their counts. */
static const struct study_recording *drawn_before(const struct study *s, const struct study_recording *r)
{
    const struct study *like = s->o.like;
    for (int i = 0; like && s->o.like_drawn && i < like->recordings; i++) {
        const struct study_recording *other = like->recording[i];
        if (recording_key_equal(&other->key, &r->key) && !other->counts_gone && !r->key.needs_part &&
            other->trace != like->o.given)
            return other;
    }
    return NULL;
}

/* A given trace serves where it deals as the key says; it keeps who trains what, not the parts of the graph. */
static bool given_serves(const struct study *s, const struct study_recording *r)
{
    const struct trace *t = s->o.given;
    return t && t->assignment.kind == r->key.kind && !r->key.samplers && !r->key.needs_part &&
           workload_same_order(&t->workload, &r->workload);
}

bool recording_key_equal(const struct recording_key *a, const struct recording_key *b)
{
    return a->kind == b->kind && a->samplers == b->samplers && a->epochs == b->epochs && a->each == b->each &&
           a->order == b->order && a->order_blocks == b->order_blocks && !strcmp(a->method, b->method);
}

/* Held-out epochs, where nobody said how many: what differs by less than a percent shows in half as many mini-batches.
 */
static uint64_t epochs_of(const struct study *s, const struct trace *t)
{
    const uint64_t batches = study_hurries(&s->o) ? 100 : 200;
    return replay_epochs(s->o.graph, &t->assignment, &s->o.workload, batches);
}

enum st study_record(struct study *s, const struct recording_key *key, struct study_recording **out, struct err *err)
{
    char order[ORDER_TEXT];
    for (int i = 0; i < s->recordings; i++)
        if (recording_key_equal(&s->recording[i]->key, key) && (!key->needs_part || s->recording[i]->part)) {
            *out = s->recording[i];
            return ST_OK;
        }
    if (s->recordings == STUDY_RECORDINGS)
        return err_set(err, ST_LIMIT, "the policies need more than %d recordings; name fewer policies",
                       STUDY_RECORDINGS);
    struct study_recording **slot = &s->recording[s->recordings];
    if (!*slot) MAKE(*slot, 1, "a recording");
    struct study_recording *r = *slot;
    r->key = *key;
    r->saved.checkpoint = s->o.checkpoint;
    r->workload = s->o.workload;
    r->workload.order = key->order;
    r->workload.order_blocks = key->order_blocks;
    snprintf(r->saved.part, sizeof r->saved.part, "%.15s%s%s%s-%d-%s-%d-", s->o.part,
             key->order ? workload_order_text(&r->workload, order) : "", key->order ? "-" : "",
             assignment_name(key->kind), key->samplers, key->method, (int)key->epochs);
    if (key->each > 1) {
        MAKE(r->thin, 1, "a sample of rows");
        PASS(thin_choose(s, key->each, r->thin, err));
    }
    const struct study_recording *drawn = drawn_before(s, r);
    if (given_serves(s, r)) r->trace = s->o.given;
    else if (drawn) {
        r->trace = drawn->trace;
        r->partition = drawn->partition;
    } else PASS(record(s, r, err));
    r->epochs = s->o.simulate_epochs >= 0 ? (uint64_t)s->o.simulate_epochs : epochs_of(s, r->trace);
    s->recordings++;
    *out = r;
    return ST_OK;
}

struct replay_request study_request(const struct study *s, const struct study_recording *r)
{
    return (struct replay_request){.graph = s->o.graph,
                                   .assignment = &r->trace->assignment,
                                   .workload = &r->workload,
                                   .line_bytes = s->o.server->line_bytes,
                                   .epochs = r->epochs,
                                   .seed = s->o.simulate_seed,
                                   .threads = s->o.threads,
                                   .progress = s->o.progress,
                                   .kernels = s->o.kernels};
}

enum st study_benefit(struct study *s, struct study_recording *r, struct err *err)
{
    enum st st = ST_OK;
    if (r->benefit_known) return ST_OK;
    if (!r->epochs) r->epochs = epochs_of(s, r->trace);
    for (int c = 0; c < r->trace->assignment.cliques; c++) {
        NEW(r->benefit_topology[c], graph_topology_rows(s->o.graph), "savings of rows");
        NEW(r->benefit_feature[c], graph_feature_rows(s->o.graph), "savings of rows");
    }
    struct replay_request q = study_request(s, r);
    study_stage_begin(s, "the epochs that oracle sees");
    st = replay_benefit(&q, r->benefit_topology, r->benefit_feature, err);
    study_stage_end(s);
    r->benefit_known = st == ST_OK;
done:
    return st;
}

/* How reads divide among GPUs, of all cliques in one pass; *out NULL: evenly. */
static enum st count_readers(const struct study *s, const struct study_recording *r, struct reader_rates **out,
                             struct err *err)
{
    if (assignment_even(&r->trace->assignment) && !cross_clique_links(s->o.server)) return ST_OK;
    MAKE(*out, r->trace->assignment.cliques, "rates of readers");
    return reader_rates_counted(r->trace, s->o.threads, *out, err);
}

enum sampling_choice sampling_of(const char *word)
{
    return word && !strcmp(word, "gpu") ? SAMPLES_GPU : word && !strcmp(word, "cpu") ? SAMPLES_CPU : SAMPLES_AUTO;
}

enum st study_load(struct study *s, struct study_recording *r, struct err *err)
{
    if (r->load) return ST_OK;
    MAKE(r->load, 1, "the time model");
    epoch_load_recorded(counted_graph(s, r), r->trace, s->o.threads, r->load);
    trace_drop_pages(r->trace);
    return ST_OK;
}

bool study_keeps_sides(const struct study_options *o, int cells)
{
    enum { CELLS_LEAST = 4, BYTES_MOST = 512 << 20 };
    return cells >= CELLS_LEAST && !o->checkpoint && thin_cell_each(o, &policy_hotset) == 1 &&
           graph_items(o->graph) * (uint64_t)o->server->gpus < BYTES_MOST;
}

/* The counts of every clique's GPUs, once for all cells. */
static enum st lay_sides(const struct study *s, struct study_recording *r, struct err *err)
{
    const struct assignment *a = &r->trace->assignment;
    for (int c = 0; c < a->cliques && s->keeps_sides && !r->sides[c].hot[0]; c++) {
        int gpu[GPUS_MAX], k = 0;
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) gpu[k++] = g;
        PASS(side_counts_make(s->o.graph, r->trace, gpu, k, false, s->o.threads, &r->sides[c], err));
    }
    return ST_OK;
}

enum st study_estimate(struct study *s, struct study_recording *r, enum rate_source source, struct err *err)
{
    enum st st = ST_OK;
    struct reader_rates *readers = NULL;
    const struct graph *graph = counted_graph(s, r);
    const struct estimates_whole whole = {r->thin ? s->o.graph : NULL, r->thin ? r->thin->id : NULL};
    if (r->estimates_known[source] && r->costs.cost[0]) return ST_OK;
    study_stage_begin(s, "estimates");
    st = lay_sides(s, r, err);
    if (st == ST_OK && !r->costs.cost[0])
        st = visit_costs_make(graph, r->thin ? &whole : NULL, r->trace, s->o.server->line_bytes, s->o.threads,
                              &r->costs, err);
    if (st == ST_OK && !r->estimates_known[source]) st = count_readers(s, r, &readers, err);
    for (int c = 0; c < r->trace->assignment.cliques && st == ST_OK && !r->estimates_known[source]; c++) {
        struct estimates_input in = {.graph = graph,
                                     .whole = whole,
                                     .trace = r->trace,
                                     .kernels = s->o.kernels,
                                     .costs = &r->costs,
                                     .clique = c,
                                     .threads = s->o.threads,
                                     .line_bytes = s->o.server->line_bytes,
                                     .source = source,
                                     .readers = readers ? &readers[c] : NULL,
                                     .checkpoint = r->saved.checkpoint};
        snprintf(in.name, sizeof in.name, "%srates%d-%d", r->saved.part, (int)source, c);
        st = estimates_make(&in, &r->estimates[source][c], err);
    }
    mem_free(readers);
    study_stage_end(s);
    r->estimates_known[source] |= st == ST_OK;
    return st;
}

enum st study_orders(struct study *s, struct study_recording *r, struct err *err)
{
    const struct policy_input in = {.graph = s->o.graph,
                                    .trace = r->trace,
                                    .kernels = s->o.kernels,
                                    .threads = s->o.threads,
                                    .estimates = r->estimates[RATE_CALIBRATED]};
    struct policy_verdict possible;
    if (!s->keeps_sides || !r->estimates_known[RATE_CALIBRATED] || !density_possible(s->o.graph, &possible))
        return ST_OK;
    for (int c = 0; c < r->trace->assignment.cliques; c++)
        if (!r->orders[c].order) PASS(density_all_make(&in, c, &r->orders[c], err));
    return ST_OK;
}

void study_drop_pages(const struct study *s)
{
    for (int i = 0; i < s->recordings; i++) {
        trace_drop_pages(s->recording[i]->trace);
        for (int k = 0; k < RATE_SOURCES; k++)
            for (int c = 0; c < s->recording[i]->trace->assignment.cliques; c++)
                estimates_drop_pages(&s->recording[i]->estimates[k][c]);
    }
    graph_drop_pages(s->o.graph);
}
