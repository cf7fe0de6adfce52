#include "planner/inference/inference_plan.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "planner/inference/inference_keep.h"

/* ---- what of inference lies in DRAM and what on SSDs (the rule is in inference_plan.h) ---- */

/* Bit 0: topology; bit 1 + k: level k. A set bit: on the SSDs. */
static bool on_ssd(unsigned set, int level) { return set >> (1 + level) & 1; }

/* Bytes in DRAM during a layer. Features stay where nothing else has them. */
static uint64_t needs(const struct inference_question *q, const struct inference_home *h, unsigned set, int layer)
{
    uint64_t sum = set & 1 ? 0 : h->topology_bytes;
    for (int k = 0; k <= q->job.layers; k++) {
        bool used = k == layer || k == layer - 1 || (!k && !q->drives.count);
        if (used && !on_ssd(set, k)) sum += h->level_bytes[k];
    }
    return sum;
}

static uint64_t peak(const struct inference_question *q, const struct inference_home *h, unsigned set)
{
    uint64_t most = 0;
    for (int l = 1; l <= q->job.layers; l++) {
        uint64_t now = needs(q, h, set, l);
        most = now > most ? now : most;
    }
    return most;
}

/* Seconds on the drives, or bytes where a rate is missing, by the rows that GPUs miss. */
static double drive_cost(const struct inference_question *q, const struct inference_outcome *o, unsigned set)
{
    double read = q->drives.gbps > 0 ? q->drives.gbps : 1, cost = 0;
    double write = q->drives.write_gbps > 0 ? q->drives.write_gbps : read;
    for (int l = 1; l <= q->job.layers; l++) {
        struct inference_gpu sum = inference_layer_total(&o->layer[l - 1]);
        if (set & 1) cost += (double)sum.topology_host / read;
        if (on_ssd(set, l - 1)) cost += (double)sum.host_bytes / read;
        if (on_ssd(set, l)) cost += (double)sum.written / write;
    }
    return cost;
}

static void inference_plan_take(const struct inference_question *q, struct inference_home *h, unsigned set)
{
    h->topology_on_ssd = set & 1;
    for (int k = 0; k <= q->job.layers; k++) h->level_on_ssd[k] = on_ssd(set, k);
}

static unsigned taken(const struct inference_question *q, const struct inference_home *h)
{
    unsigned set = h->topology_on_ssd;
    for (int k = 0; k <= q->job.layers; k++) set |= (unsigned)h->level_on_ssd[k] << (1 + k);
    return set;
}

/* Sets the sizes, and the peaks that follow from where things lie. */
static void inference_home_peaks(const struct inference_question *q, struct inference_outcome *o)
{
    struct inference_home *h = &o->home;
    const struct inference *j = &q->job;
    unsigned set = taken(q, h);
    h->topology_bytes = 0;
    for (uint64_t v = 0; v < q->graph->n; v++)
        if (j->top[v] != INFERENCE_NEVER && (j->top[v] || j->workload))
            h->topology_bytes += inference_topology_bytes(q->graph, v);
    for (int k = 0; k <= j->layers; k++) h->level_bytes[k] = inference_level_bytes(j, k);
    if (j->workload) { /* draws go anywhere */
        const struct graph_totals t = graph_totals(q->graph);
        h->topology_bytes = t.topology;
        h->level_bytes[0] = t.feature;
    }
    h->host_peak = h->ssd_peak = 0;
    for (int l = 1; l <= j->layers; l++) {
        uint64_t dram = needs(q, h, set, l) + h->dram_bytes[l], ssd = set & 1 ? h->topology_bytes : 0;
        for (int k = 0; k <= j->layers; k++)
            if (on_ssd(set, k) && (!k || k == l || k == l - 1)) ssd += h->level_bytes[k];
        h->host_peak = dram > h->host_peak ? dram : h->host_peak;
        h->ssd_peak = ssd > h->ssd_peak ? ssd : h->ssd_peak;
    }
}

/* What DRAM has left during a layer holds the rows from SSDs that are read most, GPUs aside. */
static enum st hold(const struct inference_question *q, const uint32_t *reads, struct inference_outcome *o, int layer,
                    uint64_t left, struct err *err)
{
    OWNED uint32_t *by = NULL;
    uint64_t n = q->graph->n, count = 0;
    const struct server *s = q->server;
    const uint8_t *owner = o->owner[o->same_as[layer - 1]];
    OWNED_NEW(uint32_t, sum, n, "reads of rows");
    for (int c = 0; c < s->cliques; c++)
        for (uint64_t v = 0; v < n; v++) {
            bool held = owner && owner[(uint64_t)c * n + v] != INFERENCE_NOBODY;
            for (int i = 0; !held && i < s->clique_size[c]; i++) sum[v] += reads[(uint64_t)s->clique[c][i] * n + v];
            sum[v] += held;
        }
    PASS(inference_by_count(sum, n, 2, &by, &count, err));
    MAKE(o->dram[layer - 1], n, "rows that DRAM holds");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = inference_row_bytes(&q->job, layer - 1, by[i]);
        if (bytes > left) break;
        left -= bytes;
        o->dram[layer - 1][by[i]] = 1;
        o->home.dram_rows[layer]++;
        o->home.dram_bytes[layer] += bytes;
    }
    return ST_OK;
}

static void refuse(const struct inference_question *q, struct inference_outcome *o, uint64_t least)
{
    char need[UNIT_TEXT], have[UNIT_TEXT];
    o->fits = false;
    snprintf(o->why, sizeof o->why,
             "the host needs %s for topology, features and the rows between layers, but has %s; %s",
             units_bytes(need, (uint64_t)((double)least * q->enlarge)), units_bytes(have, q->host_bytes),
             q->drives.count ? "give more --host-memory" : "give SSDs (--ssd), more --host-memory, or --between f16");
}

/* Sets o->home and o->dram from the counts in o->layer, which were made with all in DRAM. reads: as inference_keep. A
 * host that is too small sets o->fits and why. ST_LIMIT without memory. */
static enum st inference_find_home(const struct inference_question *q, const uint32_t *const *reads,
                                   struct inference_outcome *o, struct err *err)
{
    struct inference_home *h = &o->home;
    uint64_t room = (uint64_t)((double)q->host_bytes / q->enlarge), least = UINT64_MAX;
    unsigned best = 0, sets = q->drives.count ? 1u << (q->job.layers + 2) : 1;
    double cost = -1;
    inference_home_peaks(q, o);
    if (!q->host_bytes) return ST_OK;
    for (unsigned set = 0; set < sets; set++) {
        uint64_t now = peak(q, h, set);
        least = now < least ? now : least;
        double of = drive_cost(q, o, set);
        if (now > room || (cost >= 0 && of >= cost)) continue;
        cost = of;
        best = set;
    }
    if (cost < 0) {
        refuse(q, o, least);
        return ST_OK;
    }
    inference_plan_take(q, h, best);
    for (int l = 1; l <= q->job.layers; l++)
        if (on_ssd(best, l - 1)) PASS(hold(q, reads[l - 1], o, l, room - needs(q, h, best, l), err));
    inference_home_peaks(q, o);
    return ST_OK;
}

/* Of each GPU, for the context and libraries, as in the reservation for training (budget.h). */
#define CONTEXT ((uint64_t)512 << 20)

static const char *inference_chunk_text(const struct inference_choice *c, char *out)
{
    char number[UNIT_TEXT];
    if (!c->limit) return snprintf(out, UNIT_TEXT, "all"), out;
    if (c->unit == CHUNK_BYTES) return units_bytes(out, c->limit);
    snprintf(out, UNIT_TEXT, "%.24s %s", units_count(number, c->limit), c->unit == CHUNK_EDGES ? "edges" : "vertices");
    return out;
}

static struct inference_setting setting_of(const struct inference_question *q, const struct inference_outcome *o,
                                           int *ids)
{
    for (int g = 0; g < q->server->gpus; g++) ids[g] = q->server->gpu[g].id;
    return (struct inference_setting){&o->chunks, q->server->clique_of, ids, q->server->line_bytes, q->call->threads};
}

/* ---- one choice ---- */

/* Counts how often rows are read in every layer; equal layers share their counts. */
static enum st count_reads(const struct inference_question *q, struct inference_outcome *o, const uint32_t **reads,
                           struct err *err)
{
    int ids[GPUS_MAX];
    struct inference_setting s = setting_of(q, o, ids);
    for (int l = 1; l <= q->job.layers; l++) {
        bool same = l > 1 && q->job.targets[l] == q->job.targets[l - 1] && o->choice.unit != CHUNK_BYTES;
        PASS(inference_count(&q->job, &s, l, NULL, !same, &o->layer[l - 1], err));
        reads[l - 1] = same ? reads[l - 2] : o->layer[l - 1].reads;
    }
    return ST_OK;
}

/* Room for the cache of every GPU; a GPU that the chunks do not fit sets o->why. */
static void find_room(const struct inference_question *q, struct inference_outcome *o)
{
    char need[UNIT_TEXT], have[UNIT_TEXT], chunk[UNIT_TEXT];
    uint64_t budget = budget_of_graph(&q->budget, q->graph);
    for (int g = 0; g < q->server->gpus; g++) {
        uint64_t most = 0, memory = (uint64_t)((double)q->server->gpu[g].memory_bytes / q->enlarge);
        for (int l = 0; l < q->job.layers; l++)
            if (o->layer[l].gpu[g].most_bytes > most) most = o->layer[l].gpu[g].most_bytes;
        most = most * (q->pipelined ? 2 : 1) + (uint64_t)((double)CONTEXT / q->enlarge);
        o->gpu_chunks[g] = most;
        if (most > o->gpu_need) o->gpu_need = most;
        bool given = q->budget.kind != BUDGET_MEMORY;
        o->gpu_room[g] = q->no_cache ? 0 : given ? budget : memory > most ? memory - most : 0;
        if (!memory || most + (given ? o->gpu_room[g] : 0) <= memory) continue;
        o->fits = false;
        snprintf(o->why, sizeof o->why,
                 "a chunk (%s) takes %s of GPU %d with what is read ahead and the context%s, but it has %s; take "
                 "smaller chunks (--chunk)%s",
                 inference_chunk_text(&o->choice, chunk), units_bytes(need, (uint64_t)((double)most * q->enlarge)),
                 q->server->gpu[g].id, given ? " beside the budget" : "",
                 units_bytes(have, q->server->gpu[g].memory_bytes), given ? " or a smaller --budget" : "");
    }
}

/* A row's place among those of a level that the SSDs hold: in the order in which they were written. */
static void places_of(const struct inference_question *q, const struct inference_outcome *o, int level, uint32_t *place)
{
    uint32_t at = 0;
    for (uint64_t i = 0; i < q->graph->n; i++) {
        uint8_t top = q->job.top[o->order[i]];
        if (top != INFERENCE_NEVER && top >= level) place[o->order[i]] = at++;
    }
}

static struct inference_held held_of(const struct inference_question *q, const struct inference_outcome *o, int layer,
                                     const uint32_t *place)
{
    struct inference_held h = {.topology = o->topology,
                               .input_on_ssd = o->home.level_on_ssd[layer - 1],
                               .dram = o->dram[layer - 1],
                               .place = layer > 1 ? place : NULL,
                               .topology_on_ssd = o->home.topology_on_ssd,
                               .block_bytes = q->drives.block_bytes};
    const uint8_t *owner = o->owner[o->same_as[layer - 1]];
    for (int c = 0; owner && c < q->server->cliques; c++) h.owner[c] = owner + (uint64_t)c * q->graph->n;
    return h;
}

static void sum_up(struct inference_question *q, struct inference_outcome *o)
{
    const struct inference_machine m = {q->server, &q->drives, q->pipelined, q->unoverlapped};
    o->seconds = 0;
    o->host_bytes = o->ssd_bytes = o->peer_bytes = o->written = 0;
    for (int l = 1; l <= q->job.layers; l++) {
        struct inference_gpu sum = inference_layer_total(&o->layer[l - 1]);
        inference_layer_time(&q->job, &m, l, &o->layer[l - 1], o->home.topology_on_ssd, o->home.level_on_ssd[l],
                             &o->time[l - 1]);
        uint64_t topology = sum.topology_host;
        o->host_bytes += sum.host_bytes + (o->home.topology_on_ssd ? 0 : topology);
        o->ssd_bytes += sum.ssd_blocks * q->drives.block_bytes + (o->home.topology_on_ssd ? topology : 0);
        o->peer_bytes += sum.peer_bytes[0];
        o->written += sum.written;
        o->seconds += o->time[l - 1].seconds;
    }
    /* rows of the features that DRAM keeps are read from the drives once, in one go */
    uint64_t into_dram = o->home.level_on_ssd[0] ? o->home.dram_bytes[1] : 0;
    o->ssd_bytes += into_dram;
    if (into_dram) o->seconds += drives_seconds(&q->drives, ceil((double)into_dram / (double)q->drives.block_bytes));
    o->gpu_peak = o->gpu_need;
    for (int g = 0; g < q->server->gpus; g++)
        if (o->gpu_chunks[g] + o->gpu_held[g] > o->gpu_peak) o->gpu_peak = o->gpu_chunks[g] + o->gpu_held[g];
}

enum st inference_recount(struct inference_question *q, struct inference_outcome *o, struct err *err)
{
    int ids[GPUS_MAX];
    struct inference_setting s = setting_of(q, o, ids);
    OWNED_NEW(uint32_t, place, q->graph->n, "places of rows");
    for (int l = 1; l <= q->job.layers; l++) {
        places_of(q, o, l - 1, place);
        struct inference_held held = held_of(q, o, l, place);
        inference_layer_release(&o->layer[l - 1]);
        memset(&o->layer[l - 1], 0, sizeof o->layer[0]);
        PASS(inference_count(&q->job, &s, l, &held, false, &o->layer[l - 1], err));
    }
    sum_up(q, o);
    return ST_OK;
}

/* Takes the reads out of the layers, so that counting again does not free them. */
static void take_reads(struct inference_outcome *o, int layers, uint32_t **own)
{
    for (int l = 0; l < layers; l++) {
        own[l] = o->layer[l].reads;
        o->layer[l].reads = NULL;
    }
}

/* Plans one choice. *out: zeroed by the caller, released by inference_outcome_release also after an error. A choice
 * that does not fit is no error. ST_LIMIT without memory; errors of partitions. */
static enum st inference_solve(struct inference_question *q, const struct inference_choice *c,
                               struct inference_outcome *o, struct err *err)
{
    enum st st;
    const uint32_t *reads[INFERENCE_LAYERS_MAX] = {NULL};
    uint32_t *own[INFERENCE_LAYERS_MAX] = {NULL};
    double limit = ceil((double)c->limit / q->enlarge);
    o->choice = *c;
    o->fits = true;
    TRY(inference_order_make(q, c->order, &o->order, err));
    o->chunks =
        (struct inference_chunks){o->order, c->unit, c->limit ? (uint64_t)limit : UINT64_MAX, q->server->gpus, {0}};
    if (q->job.workload) o->chunks.limit = q->workload.batch;
    inference_deal(&q->job, &o->chunks);
    NEW(o->layer, q->job.layers, "counts of layers");
    o->layers = q->job.layers;
    TRY(count_reads(q, o, reads, err));
    take_reads(o, q->job.layers, own);
    find_room(q, o);
    if (!o->fits) goto done;
    TRY(inference_keep(q, reads, o, err));
    TRY(inference_recount(q, o, err));
    TRY(inference_find_home(q, reads, o, err));
    if (!o->fits) goto done;
    bool below = o->home.topology_on_ssd;
    for (int k = 0; k <= q->job.layers; k++) below |= o->home.level_on_ssd[k];
    if (below) TRY(inference_recount(q, o, err));
done:
    for (int l = 0; l < INFERENCE_LAYERS_MAX; l++) mem_free(own[l]);
    return st;
}

void inference_outcome_release(struct inference_outcome *o)
{
    for (int l = 0; o->layer && l < o->layers; l++) inference_layer_release(&o->layer[l]);
    for (int l = 0; l < INFERENCE_LAYERS_MAX; l++) {
        mem_free(o->owner[l]);
        mem_free(o->dram[l]);
        o->owner[l] = o->dram[l] = NULL;
    }
    mem_free(o->topology);
    mem_free(o->layer);
    memset(o, 0, sizeof *o);
}

/* ---- all choices ---- */

/* Whether a is better than b. */
static bool inference_better(const struct inference_outcome *a, const struct inference_outcome *b)
{
    if (a->fits != b->fits) return a->fits;
    if (!a->fits) return false;
    if (!isnan(a->seconds) && !isnan(b->seconds) && a->seconds != b->seconds) return a->seconds < b->seconds;
    return a->host_bytes + a->ssd_bytes < b->host_bytes + b->ssd_bytes;
}

enum st inference_choose(struct inference_question *q, struct inference_outcome *out,
                         void (*each)(const struct inference_outcome *o, void *to), void *to, struct err *err)
{
    enum st st = ST_OK;
    struct inference_outcome *now = NULL, *best = NULL;
    bool first = true;
    NEW(now, 1, "a plan");
    NEW(best, 1, "a plan");
    for (int i = 0; i < q->orders; i++)
        for (int k = 0; k < q->chunks; k++) {
            struct inference_choice c = q->chunk[k];
            c.order = q->order[i];
            TRY(inference_solve(q, &c, now, err));
            if (each) each(now, to);
            if (first || inference_better(now, best)) {
                struct inference_outcome swap = *best;
                *best = *now;
                *now = swap;
                first = false;
            }
            inference_outcome_release(now);
        }
    if (!best->fits) FAIL(ST_NO, "--job inference: %s", best->why);
    *out = *best;
    memset(best, 0, sizeof *best);
done:
    if (now) inference_outcome_release(now);
    if (best) inference_outcome_release(best);
    mem_free(now);
    mem_free(best);
    return st;
}
