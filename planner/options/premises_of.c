#include "planner/options/premises_of.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/bandwidth.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/model/server_provenance.h"
#include "simulator/plan/plan.h"

static const char defaults[] = "hotset's defaults";

/* ---- the graph ---- */

void premises_of_rows(struct premises *p, const struct graph *g)
{
    struct premise rows = {.name = "feature_rows", .value = NAN, .effect = NAN};
    const bool assumed = !strcmp(g->feature_origin, GRAPH_ROWS_ASSUMED);
    static const char why[] = "no source states them; graph import --feature-dim, --feature-type";
    if (!graph_plain(g)) return; /* types state their own */
    snprintf(rows.what, sizeof rows.what, "feature rows of %llu x %llu bytes", (unsigned long long)g->feature_dim,
             (unsigned long long)g->feature_bytes);
    rows.kind = assumed ? PREMISE_ASSUMED : PREMISE_STATED;
    snprintf(rows.source, sizeof rows.source, "%s",
             assumed              ? why
             : *g->feature_origin ? g->feature_origin
                                  : "graph.json");
    snprintf(rows.why, sizeof rows.why, "%s", why);
    premises_add(p, &rows);
}

void premises_of_graph(struct premises *p, const struct graph *g)
{
    /* an epoch of twice as many takes twice as long */
    struct premise train = {.name = "training_vertices", .value = (double)g->train_count, .effect = 1};
    char number[UNIT_TEXT];
    premises_of_rows(p, g);
    snprintf(train.what, sizeof train.what, "%s training vertices", units_count(number, g->train_count));
    train.kind = text_starts(g->train_origin, "assumed") ? PREMISE_ASSUMED : PREMISE_STATED;
    snprintf(train.source, sizeof train.source, "%s", *g->train_origin ? g->train_origin : "graph.json");
    snprintf(train.why, sizeof train.why, "chosen at random; graph import --train, --train-share");
    premises_add(p, &train);
}

/* ---- what is trained ---- */

static void add_option(struct premises *p, const struct call *call, const char *option, const char *trace,
                       struct premise one)
{
    const bool given = trace || call_given(call, option);
    one.kind = given ? PREMISE_STATED : PREMISE_ASSUMED;
    if (trace) snprintf(one.source, sizeof one.source, "%.300s", trace);
    else snprintf(one.source, sizeof one.source, given ? "--%s" : "hotset's default; --%s states it", option);
    snprintf(one.why, sizeof one.why, "%s", defaults);
    premises_add(p, &one);
}

static struct premise number_of(const char *name, double value, const char *text)
{
    struct premise one = {.value = value, .effect = NAN};
    snprintf(one.name, sizeof one.name, "%s", name);
    snprintf(one.what, sizeof one.what, "%s", text);
    return one;
}

void premises_of_workload(struct premises *p, const struct call *call, const struct graph *g, const struct workload *w,
                          const char *trace)
{
    static const char *const expands[] = {"vertices that are expanded once (as in PyG)",
                                          "vertices that every hop expands again (as in DGL)",
                                          "vertices that are read once per layer (as in PaGraph)"};
    char text[96] = "fan-outs by relation", number[UNIT_TEXT];
    if (!w->lists) snprintf(text, sizeof text, "fan-outs ");
    for (int h = 0; h < w->hops && !w->lists; h++)
        text_append(text, sizeof text, "%s%lld", h ? "," : "", (long long)fanout_number(w->fanout[h]));
    if (w->sampler != SAMPLER_WALK) add_option(p, call, "fanout", trace, number_of("fanouts", NAN, text));
    snprintf(text, sizeof text, "%s seeds per mini-batch", units_count(number, w->batch));
    add_option(p, call, "batch", trace, number_of("batch", (double)w->batch, text));
    if (g->weights && w->sampler == SAMPLER_UNIFORM)
        add_option(p, call, "sampler", trace,
                   number_of("sampler", NAN, "uniform draws although the graph has weights"));
    if (w->hops > 1 && w->sampler != SAMPLER_WALK)
        add_option(p, call, "frontier", trace, number_of("frontier", NAN, expands[w->frontier]));
}

void premises_of_model(struct premises *p, const struct call *call, const struct epoch_args *timing, bool trained)
{
    const double share = timing->unoverlapped ? strtod(timing->unoverlapped, NULL) : EPOCH_UNOVERLAPPED;
    char text[96];
    if (!timing->hidden) return;
    snprintf(text, sizeof text, "%lld hidden channels", (long long)timing->hidden);
    add_option(p, call, "hidden", NULL, number_of("hidden_channels", (double)timing->hidden, text));
    snprintf(text, sizeof text, "computing in %s",
             strcmp(timing->precision, "mixed") ? timing->precision : "mixed precision");
    if (trained) add_option(p, call, "precision", NULL, number_of("precision", NAN, text));
    snprintf(text, sizeof text, "stages that overlap but for %.3g %% of the shorter ones", 100 * share);
    if (strcmp(timing->schedule, "sequential"))
        add_option(p, call, "unoverlapped", NULL, number_of("unoverlapped", share, text));
}

void premises_of_reach(struct premises *p, const struct call *call, const struct server *s)
{
    if (s->cliques < s->gpus)
        add_option(p, call, "peer-access", NULL, number_of("reach", NAN, "GPUs that read each other"));
}

void premises_of_host(struct premises *p, const struct call *call, int id_bytes, int copies, bool matters)
{
    struct premise ids = {.name = "host_id_bytes", .value = id_bytes, .unit = "bytes", .effect = matters ? NAN : 0},
                   copy = {.name = "host_copies", .value = copies, .effect = matters ? NAN : 0};
    snprintf(ids.what, sizeof ids.what, "ids of %d bytes in host memory", id_bytes);
    snprintf(copy.what, sizeof copy.what, "%d cop%s of graph and rows in host memory", copies,
             copies > 1 ? "ies" : "y");
    add_option(p, call, "id-bytes", NULL, ids);
    add_option(p, call, "copies", NULL, copy);
}

/* ---- the server ---- */

/* Stages that a number moves; of sampling, whoever does it. */
enum { OF_SAMPLE_GPU = 1, OF_SAMPLE_CPU = 2, OF_LOAD = 4, OF_TRANSFER = 8, OF_PROPAGATE = 16 };

/* What a server states: its keys in the provenance, by their last part. */
static const struct constant {
    const char *name, *what, *unit, *keys[4];
    int stages;
} constants[] = {
    {"nvlink_rate", "NVLink rate", "GB/s", {"gbps", "nvlink_read"}, OF_TRANSFER},
    {"host_read_rate", "rate of reads over PCIe", "GB/s", {"pcie", "read", "copy_gbps"}, OF_TRANSFER},
    {"uplinks", "who shares a PCIe uplink", "", {"switch"}, OF_TRANSFER},
    {"host_memory_rate", "rate of host memory", "GB/s", {"host_memory_gbps"}, OF_LOAD},
    {"cpu_gather_rate", "rate at which the CPU gathers rows", "GB/s", {"cpu_gather"}, OF_LOAD},
    {"gpu_memory_rate", "rate of GPU memory", "GB/s", {"memory_gbps"}, OF_PROPAGATE},
    {"gpu_peak", "peak of a GPU", "TFLOPS", {"tflops"}, OF_PROPAGATE},
    {"training_efficiency",
     "share of the peaks that training reaches",
     "",
     {"training_efficiency", "training_compute_efficiency"},
     OF_PROPAGATE},
    {"gpu_sampling_rate", "sampling rate of a GPU", "edges/s", {"sampling_edges_per_second"}, OF_SAMPLE_GPU},
    {"cpu_sampling_rate", "sampling rate of the CPU", "edges/s", {"cpu_sampling_edges_per_second"}, OF_SAMPLE_CPU},
    {"nvlinks", "which GPUs NVLinks join", "", {"nvlinks", "links"}, 0},
};
static const struct constant gpu_memory = {"gpu_memory", "memory of a GPU", "bytes", {"memory_bytes"}, 0};
enum { CONSTANTS = sizeof constants / sizeof *constants };

static double widest_link(const struct server *s)
{
    double most = 0;
    for (int a = 0; a < s->gpus; a++)
        for (int b = 0; b < s->gpus; b++) most = fmax(most, s->link_gbps[a][b]);
    return most;
}

/* 0: the server does not state it, NaN: it is no number. */
static double value_of(const struct server *s, const char *name)
{
    const struct server_gpu *gpu = &s->gpu[0];
    const struct {
        const char *name;
        double value;
    } of[] = {{"nvlink_rate", widest_link(s)},
              {"host_read_rate", s->pcie_read.gbps > 0 ? s->pcie_read.gbps : s->pcie_gbps},
              {"host_memory_rate", s->host_memory_gbps},
              {"cpu_gather_rate", server_cpu_gather_rate(s, 1e9)},
              {"gpu_memory_rate", gpu->memory_gbps},
              {"gpu_peak", gpu->tflops},
              {"training_efficiency", gpu->efficiency},
              {"gpu_sampling_rate", gpu->sampling_edges},
              {"cpu_sampling_rate", s->cpu_sampling.batches ? NAN : s->cpu_sampling_edges},
              {"gpu_memory", (double)gpu->memory_bytes}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(of[i].name, name)) return of[i].value;
    return NAN;
}

/* The provenance of a key; the weakest of several is the constant's: assumed, vendor, measured. */
static void find_source(const struct constant *c, const struct server *s, bool shipped, struct premise *out)
{
    int weakest = -1;
    const doc *list = doc_get(s->document, "provenance");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *entry = doc_at(list, i);
        const char *key = doc_text_value(doc_get(entry, "what"), ""),
                   *kind = doc_text_value(doc_get(entry, "kind"), "");
        const char *last = strrchr(key, '.') ? strrchr(key, '.') + 1 : key;
        int weak = !strcmp(kind, "assumed") ? 2 : !strcmp(kind, "vendor") ? 1 : 0;
        bool named = false;
        for (int k = 0; k < 4 && c->keys[k]; k++) named |= !strcmp(last, c->keys[k]);
        if (!named || weak <= weakest) continue;
        weakest = weak;
        const bool option = !strcmp(doc_text_value(doc_get(entry, "source"), ""), SERVER_HOST_OPTION);
        out->kind = option      ? PREMISE_STATED
                    : weak == 2 ? PREMISE_ASSUMED
                    : shipped   ? PREMISE_PROFILE
                    : weak      ? PREMISE_STATED
                                : PREMISE_MEASURED;
        snprintf(out->source, sizeof out->source, "%.60s: %.320s", s->name,
                 doc_text_value(doc_get(entry, "source"), ""));
    }
}

static void add_constant(struct premises *p, const struct server *s, bool shipped, const struct constant *c)
{
    struct premise one = {.effect = NAN, .value = value_of(s, c->name)};
    one.kind = one.value == 0 ? PREMISE_UNKNOWN : shipped ? PREMISE_PROFILE : PREMISE_STATED;
    snprintf(one.source, sizeof one.source, "%s", s->name);
    snprintf(one.name, sizeof one.name, "%s", c->name);
    snprintf(one.unit, sizeof one.unit, "%s", c->unit);
    snprintf(one.what, sizeof one.what, "%s", c->what);
    snprintf(one.why, sizeof one.why, "server %.40s assumes it", s->name);
    if (one.kind != PREMISE_UNKNOWN) find_source(c, s, shipped, &one);
    if (!strcmp(c->name, "cpu_gather_rate") && one.value > 0 && !server_cpu_gather_stated(s)) {
        one.kind = PREMISE_ASSUMED;
        snprintf(one.why, sizeof one.why, "server %.40s states none", s->name);
        snprintf(one.source, sizeof one.source,
                 "%.60s states none: %g %% of the rate of host memory, as published gathers on two machines reach 0.4 "
                 "to 2.2 times",
                 s->name, 100 * CPU_GATHER_SHARE);
    }
    if (!strcmp(c->name, "uplinks") && !server_knows_switches(s)) {
        if (s->gpus == 1) return;
        one.kind = PREMISE_ASSUMED;
        snprintf(one.what, sizeof one.what, "a PCIe uplink of its own for every GPU");
        snprintf(one.why, sizeof one.why, "server %.40s states no switches", s->name);
        snprintf(one.source, sizeof one.source, "%.60s: states no PCIe switches", s->name);
    }
    if (one.kind == PREMISE_UNKNOWN) one.value = NAN;
    premises_add(p, &one);
}

/* GB/s that the GPUs of a socket read of the host at most. */
static double socket_reads(const struct server *s, int socket)
{
    double sum = 0;
    for (int a = 0; a < s->gpus; a++) {
        bool counted = s->gpu[a].socket != socket;
        for (int b = 0; b < a; b++)
            counted |= s->gpu[a].pcie_switch >= 0 && s->gpu[b].pcie_switch == s->gpu[a].pcie_switch;
        if (!counted) sum += fmax(server_uplink_rate(s, PCIE_COPY_BYTES), server_uplink_rate(s, 4096));
    }
    return sum;
}

/* No epoch counts what crosses between sockets: in equal parts of rows, GPUs of one read 1 / sockets from each other.
 */
static void add_socket_links(struct premises *p, const struct server *s, bool shipped)
{
    struct premise one = {.name = "socket_links", .value = INFINITY, .unit = "GB/s"};
    double most = 0;
    int sockets = 0;
    for (int a = 0; a < s->gpus; a++) {
        bool seen = s->gpu[a].socket < 0;
        for (int b = 0; b < a; b++) seen |= s->gpu[b].socket == s->gpu[a].socket;
        sockets += !seen;
    }
    for (int a = 0; a < s->gpus && sockets > 1; a++)
        for (int b = 0; b < s->gpus; b++) {
            const int from = s->gpu[a].socket, to = s->gpu[b].socket;
            if (from < 0 || to < 0 || from == to) continue;
            one.value = fmin(one.value, places_socket_gbps(&s->places, from, to));
            most = fmax(most, socket_reads(s, from) / sockets);
        }
    if (sockets < 2) return;
    one.effect = one.value > 0 && most > 0 ? fmax(0, most / one.value - 1) : NAN;
    one.kind = one.effect <= PREMISE_MATTERS ? shipped ? PREMISE_PROFILE : PREMISE_STATED : PREMISE_ASSUMED;
    snprintf(one.what, sizeof one.what, "links between sockets that no epoch waits for");
    snprintf(one.why, sizeof one.why, "server %.40s states %s", s->name, one.value > 0 ? "less than cross" : "none");
    if (!(one.value > 0)) one.value = NAN;
    snprintf(one.source, sizeof one.source, "%.60s: %s; rows in equal parts on %d sockets cross at %.4g GB/s", s->name,
             isnan(one.value) ? "states none" : "states them", sockets, most);
    premises_add(p, &one);
}

void premises_of_server(struct premises *p, const struct server *s, const char *name)
{
    const bool shipped = name && server_is_shipped(name);
    for (int i = 0; i < CONSTANTS; i++) {
        const bool linked = !strcmp(constants[i].name, "nvlink_rate");
        if (linked && s->cliques == s->gpus) continue;
        add_constant(p, s, shipped, &constants[i]);
    }
    add_socket_links(p, s, shipped);
}

void premises_of_memory(struct premises *p, const struct server *s, const char *name, const struct reservation *r,
                        bool given)
{
    struct premise training = {.name = "reservation", .unit = "bytes", .value = (double)r->total, .effect = NAN};
    char bytes[UNIT_TEXT];
    add_constant(p, s, name && server_is_shipped(name), &gpu_memory);
    training.kind = given ? PREMISE_STATED : PREMISE_ASSUMED;
    snprintf(training.what, sizeof training.what, "%s of each GPU for training", units_bytes(bytes, r->total));
    snprintf(training.source, sizeof training.source, "%s",
             given ? "--reserve" : "estimated from model, mini-batches and vertices; --explain-budget has the terms");
    snprintf(training.why, sizeof training.why, "estimated; --reserve");
    premises_add(p, &training);
}

/* ---- what they move ---- */

static int stages_of(const char *name)
{
    if (!strcmp(name, "hidden_channels") || !strcmp(name, "precision")) return OF_PROPAGATE;
    for (int i = 0; i < CONSTANTS; i++)
        if (!strcmp(name, constants[i].name)) return constants[i].stages;
    return 0;
}

static double together(const double *stage, double unoverlapped)
{
    double sum = 0;
    for (int i = 0; i < ALL_STAGES; i++) sum += stage[i];
    return isnan(unoverlapped) ? sum : epoch_pipelined(stage, ALL_STAGES, unoverlapped);
}

void premises_weigh(struct premises *p, const struct premises_case *of)
{
    const double now = together(of->stage, of->unoverlapped);
    for (int i = 0; i < p->count; i++) {
        struct premise *one = &p->list[i];
        const int stages = stages_of(one->name);
        double effect = 0; /* where no time is known, no rate moves the answer */
        for (int half = 0; half < 2 && stages && now > 0; half++) {
            double stage[ALL_STAGES], by = half ? 0.5 : 2;
            memcpy(stage, of->stage, sizeof stage);
            if (stages & (of->cpu_samples ? OF_SAMPLE_CPU : OF_SAMPLE_GPU)) stage[STAGE_SAMPLE] *= by;
            if (stages & OF_LOAD) stage[STAGE_LOAD] *= by;
            if (stages & OF_TRANSFER) stage[STAGE_TRANSFER] *= by;
            if (stages & OF_PROPAGATE) stage[STAGE_PROPAGATE] *= by;
            effect = fmax(effect, fabs(together(stage, of->unoverlapped) / now - 1));
        }
        if (!strcmp(one->name, "unoverlapped") && now > 0)
            effect = fabs(together(of->stage, 2 * of->unoverlapped) / now - 1);
        if (stages || !strcmp(one->name, "unoverlapped")) one->effect = fmax(one->effect, effect);
        /* rows twice as wide are twice the reads, of fewer that are held */
        if (!strcmp(one->name, "feature_rows")) one->effect = fmax(one->effect, of->features);
    }
}

void premises_weigh_plan(struct premises *p, const struct plan *plan)
{
    const struct epoch_timed *timed = plan->simulated ? plan->simulated->time : NULL;
    const struct plan_totals left = plan_predicted(plan);
    struct premises_case of = {.stage = {NAN, NAN, NAN, NAN}, .unoverlapped = NAN, .features = NAN};
    if (timed && !timed->time.unknowns) memcpy(of.stage, timed->time.stage, sizeof of.stage);
    if (timed && timed->how.pipelined) of.unoverlapped = timed->how.unoverlapped;
    of.cpu_samples = plan->placement.access == ACCESS_CPU;
    if (left.total) of.features = (double)left.feature / (double)left.total;
    premises_weigh(p, &of);
}

/* As a document has it: rows that were kept in one, and those that were not, say the same. */
static double written(const doc *d, const char *key)
{
    char text[32];
    double v = doc_number(d, key);
    snprintf(text, sizeof text, "%.9g", v);
    return isnan(v) ? v : strtod(text, NULL);
}

void premises_weigh_row(struct premises *p, const doc *row)
{
    const doc *time = doc_path(row, "simulated.epoch_time"), *predicted = doc_get(row, "predicted"),
              *gpus = doc_get(time, "gpus");
    struct premises_case of = {.unoverlapped = written(time, "unoverlapped")};
    const double total = written(predicted, "total_transactions");
    double most = 0;
    if (strcmp(doc_text_value(doc_get(row, "status"), ""), "ok")) return;
    for (int i = 0; i < ALL_STAGES; i++) {
        of.stage[i] = written(doc_get(time, "stages"), stage_word((enum stage_name)i));
        if (i >= EPOCH_STAGES && isnan(of.stage[i])) of.stage[i] = 0; /* nothing is beside */
    }
    for (uint64_t g = 0; g < doc_size(gpus); g++) most = fmax(most, written(doc_at(gpus, g), "sample"));
    of.cpu_samples = of.stage[STAGE_SAMPLE] > most;
    of.features = total > 0 ? written(predicted, "feature_transactions") / total : NAN;
    premises_weigh(p, &of);
}

enum st premises_end(const struct call *call, const struct premises *p, bool strict, struct err *err)
{
    char text[PREMISES_TEXT];
    if (!*premises_text(p, text)) return ST_OK;
    if (strict) return err_set(err, ST_INPUT, "--strict: the answer rests on what nobody stated: %.900s", text);
    call_say(call, "assumed: %s", text);
    return ST_OK;
}
