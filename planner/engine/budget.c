#include "planner/engine/budget.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "traces/graph/graph_union.h"
#include "traces/graph/rows.h"
#include "traces/sampling/sampler.h"
#include "traces/sampling/seeds.h"

enum st budget_parse(const char *text, bool clique, const char *name, struct budget *out, struct err *err)
{
    struct budget b = {.clique = clique};
    char number[32];
    size_t length = strlen(text);
    if (!length || length >= sizeof b.text)
        return err_set(err, ST_USAGE,
                       "%s: '%.40s' is not a budget; write 2GiB, 5%% (of topology and feature bytes) or 5%%V (feature "
                       "rows of 5 %% of the vertices)",
                       name, text);
    strcpy(b.text, text);
    const char *percent = strchr(text, '%');
    if (!percent && strchr(text, '.') && units_real(text, name, &b.percent, err) == ST_OK && b.percent >= 0)
        return err_set(err, ST_USAGE,
                       "%s: '%.40s' has no unit; write %.6g%% for a share of topology and feature bytes, or %.40sGiB "
                       "for a size",
                       name, text, b.percent <= 1 ? 100 * b.percent : b.percent, text);
    if (!percent) {
        enum st st = units_size(text, name, &b.bytes, err);
        if (st == ST_OK) *out = b;
        return st;
    }
    b.kind = strcmp(percent, "%V") && strcmp(percent, "%v") ? BUDGET_SHARE : BUDGET_VERTICES;
    snprintf(number, sizeof number, "%.*s", (int)(percent - text), text);
    if ((b.kind == BUDGET_SHARE && percent[1]) || units_real(number, name, &b.percent, err) != ST_OK || b.percent < 0 ||
        b.percent > 10000)
        return err_set(err, ST_USAGE,
                       "%s: '%.40s' is not a share; write 5%% (of topology and feature bytes) or 5%%V (feature rows of "
                       "5 %% of the vertices)",
                       name, text);
    *out = b;
    return ST_OK;
}

enum st budget_list(const char *text, bool clique, const char *name, struct budget *out, int *count, struct err *err)
{
    char copy[2048], *parts[BUDGET_LIST_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "%s: the list is too long", name);
    strcpy(copy, text);
    int n = text_split(copy, ',', parts, BUDGET_LIST_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "%s: more than %d budgets", name, BUDGET_LIST_MAX);
    for (int i = 0; i < n; i++) {
        PASS(budget_parse(parts[i], clique, name, &out[i], err));
    }
    *count = n;
    return ST_OK;
}

bool budget_same(const struct budget *a, const struct budget *b)
{
    bool same_share = !(a->percent < b->percent) && !(a->percent > b->percent);
    return a->kind == b->kind && a->bytes == b->bytes && a->clique == b->clique && same_share;
}

static PRINTF_LIKE(4, 5) void add_term(struct reservation *r, const char *name, uint64_t bytes, const char *formula,
                                       ...)
{
    struct reservation_term *t = &r->term[r->terms++];
    va_list list;
    t->name = name;
    t->bytes = bytes;
    va_start(list, formula);
    vsnprintf(t->formula, sizeof t->formula, formula, list);
    va_end(list);
    r->total += bytes;
}

/* The look-up from vertex to row (plan_index_bytes): at most its direct table. */
static void add_index(struct reservation *r, const struct graph *g)
{
    const uint64_t n = graph_items(g) / 2;
    add_term(r, "row index", 8 * n, "%llu vertices x 8 bytes (where a vertex's rows are, on this GPU or a peer)",
             (unsigned long long)n);
}

/* Upper bounds for one mini-batch. */
static struct reservation_batch largest_of(const struct graph *g, const struct workload *w)
{
    double level = (double)(w->batch * workload_seed_vertices(w));
    struct reservation_batch b = {.vertices = level, .inner = level};
    if (w->sampler == SAMPLER_WALK) level *= w->walks; /* a step of every walk is a draw */
    for (int h = 0; h < w->hops; h++) {                /* as if no two draws met, but at most all vertices */
        bool whole = workload_hop_takes_all(w, h);
        if (whole && w->frontier == FRONTIER_ALL) level = b.vertices;
        double draws = (double)workload_hop_draws(g, w, h, workload_layer_wise(w) ? 1 : (uint64_t)level);
        level = fmin(draws, (double)g->n);
        b.draws += whole ? draws : level;
        b.vertices += level;
        if (w->frontier != FRONTIER_LAYERS) b.vertices = fmin(b.vertices, (double)g->n);
        if (h + 1 < w->hops) b.inner = b.vertices;
    }
    return b;
}

static const uint64_t gib = (uint64_t)1 << 30, mib = (uint64_t)1 << 20;
static const unsigned long long nccl_of_two = 544, nccl_of_many = 688;

/* The widest feature rows of a graph's types, and the edge features that a draw gathers. */
struct widest {
    uint64_t dim, bytes, edge;
};
static struct widest widest_of(const struct graph *g)
{
    struct widest w = {g->feature_dim, g->row_bytes, 0};
    for (int t = 0; t < g->types; t++) {
        const struct graph_features *f = &g->type[t].features;
        w.dim = f->dim > w.dim ? f->dim : w.dim;
        w.bytes = f->row_bytes > w.bytes ? f->row_bytes : w.bytes;
    }
    for (int r = 0; r < g->relations; r++)
        if (g->relation[r].features.row_bytes > w.edge) w.edge = g->relation[r].features.row_bytes;
    return w;
}

void reservation_estimate(const struct graph *g, const struct workload *w, uint64_t hidden, int gpus,
                          struct reservation *out)
{
    reservation_of_batch(g, w, hidden, gpus, largest_of(g, w), out);
}

void reservation_of_batch(const struct graph *g, const struct workload *w, uint64_t hidden, int gpus,
                          struct reservation_batch b, struct reservation *out)
{
    struct reservation r = {0};
    const struct widest row = widest_of(g);
    const struct reservation_batch most = largest_of(g, w); /* a smaller one that was enlarged may be larger */
    b = (struct reservation_batch){fmin(b.vertices, most.vertices), fmin(b.inner, most.inner),
                                   fmin(b.draws, most.draws), b.drawn};
    uint64_t wide = row.dim > hidden ? row.dim : hidden, weights = (uint64_t)w->hops * 2 * wide * hidden,
             relations = (uint64_t)graph_relation_count(g), context = gib / 2, fixed;
    weights *= relations; /* own weights for each */
    unsigned long long h = hidden;
    if (relations == 1)
        add_term(&r, "model", weights * 8,
                 "%d layers x 2 (own row, neighbours) x %llu x %llu weights x 4 bytes x 2 (weight, gradient)", w->hops,
                 (unsigned long long)wide, h);
    else
        add_term(&r, "model", weights * 8,
                 "%d layers x %llu relations x 2 (own row, neighbours) x %llu x %llu weights x 4 bytes x 2 (weight, "
                 "gradient)",
                 w->hops, (unsigned long long)relations, (unsigned long long)wide, h);
    add_term(&r, "optimizer", weights * 8, "the same weights x 4 bytes x 2 (Adam's two moments)");
    fixed = r.total;
    add_term(&r, "activations", (uint64_t)(b.inner * (double)hidden * 16),
             "%.0f vertices of inner layers x %llu channels x 4 bytes x 4 (aggregate, output, both gradients)", b.inner,
             h);
    add_term(&r, "input rows", (uint64_t)(b.vertices * (double)row.bytes * 2),
             "%.0f vertices x %llu bytes x 2 mini-batches (in training, being loaded)", b.vertices,
             (unsigned long long)row.bytes);
    if (row.edge)
        add_term(&r, "edge rows", (uint64_t)(b.draws * (double)row.edge * 2),
                 "%.0f draws x %llu bytes x 2 mini-batches", b.draws, (unsigned long long)row.edge);
    add_term(&r, "sampled blocks", (uint64_t)(b.draws * 48),
             "%.0f draws x 3 ids (source, target, edge) x 8 bytes x 2 mini-batches, as PyG and DGL keep them", b.draws);
    add_term(&r, "sampler workspace", (uint64_t)(b.vertices * 32),
             "%.0f vertices x 2 slots x 16 bytes (table of distinct vertices, half full)", b.vertices);
    if (b.drawn)
        add_term(&r, "allocator", (r.total - fixed) / 4,
                 "25 %% of what changes with every mini-batch: blocks of other sizes that the framework's allocator "
                 "keeps");
    add_term(&r, "CUDA context", context, "512 MiB for the context and libraries");
    if (gpus > 1)
        add_term(&r, "NCCL", (gpus > 2 ? nccl_of_many : nccl_of_two) * mib,
                 "%llu MiB of buffers of a communicator of %s GPUs, measured on 4 A100 with NVLink (NVIDIA/nccl, issue "
                 "964)",
                 gpus > 2 ? nccl_of_many : nccl_of_two, gpus > 2 ? "more than two" : "two");
    add_term(&r, "margin", r.total / 10, "10 %% of the terms above");
    add_index(&r, g); /* known to the byte: no margin */
    *out = r;
}

enum st reservation_draw(const struct graph *g, const struct workload *w, double seeds, struct reservation_batch *out,
                         struct err *err)
{
    enum { DRAWN_MOST = 16 };
    enum st st;
    struct sampler *s = NULL;
    const struct sample_steps *steps;
    const uint32_t *ids;
    const struct graph *all = graph_connections(g);
    *out = (struct reservation_batch){.drawn = true};
    TRY(sampler_new(g, w, 64, 1, &s, err));
    TRY(sampler_keep_steps(s, err));
    TRY(sampler_gpu(s, 0, all->train, all->train_count, 1, err));
    for (uint64_t i = 0; i < sampler_batches(s) && i < DRAWN_MOST; i++) {
        sampler_batch(s, 0, i, NULL, &ids);
        TRY(sampler_steps(s, 0, &steps, err));
        int last = steps->levels - 1;
        double more = steps->end[0].found ? seeds / (double)steps->end[0].found : 0;
        out->vertices = fmax(out->vertices, more * (double)steps->end[last].found);
        out->inner = fmax(out->inner, more * (double)steps->end[last ? last - 1 : 0].found);
        out->draws = fmax(out->draws, more * (double)steps->end[last].draws);
    }
done:
    sampler_free(s);
    return st;
}

enum st reservation_given(const char *text, struct reservation *out, struct err *err)
{
    static const char rule[] = "pagraph";
    struct reservation r = {.given = true}, estimate = *out;
    uint64_t used = 0;
    bool margin = !strncmp(text, rule, strlen(rule)) && (!text[strlen(rule)] || text[strlen(rule)] == ':');
    const char *size = margin ? text + strlen(rule) + (text[strlen(rule)] == ':') : text;
    if (!strcmp(text, rule)) { /* what training uses: the estimate without its margin */
        for (int i = 0; i < estimate.terms; i++)
            if (strcmp(estimate.term[i].name, "margin"))
                add_term(&r, estimate.term[i].name, estimate.term[i].bytes, "%s", estimate.term[i].formula);
    } else {
        PASS(units_size(size, "--reserve", &used, err));
        PASS(units_bare(size, used, "--reserve", UNITS_PAGE, "one page", false, err));
        add_term(&r, margin ? "used by training" : "given", used, "measured, given with --reserve");
    }
    if (margin) add_term(&r, "margin", gib, "1 GiB (PaGraph: the cache gets total - used - 1 GiB)");
    *out = r;
    return ST_OK;
}

doc *reservation_document(const struct reservation *r)
{
    doc *d = doc_object(), *terms = doc_array();
    for (int i = 0; i < r->terms; i++) {
        doc *t = doc_object();
        doc_put(t, "name", doc_text(r->term[i].name));
        doc_put(t, "bytes", doc_integer((int64_t)r->term[i].bytes));
        doc_put(t, "formula", doc_text(r->term[i].formula));
        doc_append(terms, t);
    }
    doc_put(d, "total_bytes", doc_integer((int64_t)r->total));
    doc_put(d, "given", doc_bool(r->given));
    doc_put(d, "terms", terms);
    return d;
}

/* percent of `whole` bytes, rounded down; shares are kept to a millionth of a percent so that no double decides a
 * byte. */
static uint64_t share_of(double percent, uint64_t whole)
{
    return (uint64_t)((unsigned __int128)llround(percent * 1e6) * whole / 100000000);
}

uint64_t budget_of_graph(const struct budget *b, const struct graph *g)
{
    if (b->kind == BUDGET_SHARE) return share_of(b->percent, graph_total_bytes(g));
    if (b->kind != BUDGET_VERTICES) return b->bytes;
    uint64_t sum = share_of(b->percent, g->n) * g->row_bytes;
    for (int t = 0; t < g->types; t++) sum += share_of(b->percent, g->type[t].count) * g->type[t].features.row_bytes;
    return sum;
}

enum st budget_check_unit(const struct budget *b, const char *name, const struct graph *g, struct err *err)
{
    if (b->kind != BUDGET_BYTES || g->n < 2) return ST_OK; /* one row of all bytes stands for several types */
    return units_bare(b->text, b->bytes, name, graph_cached_bytes(g), "one feature row", true, err);
}

/* 32 PiB: the budgets of 72 GPUs add up without overflow. */
static const uint64_t most_bytes = (uint64_t)1 << 55;

enum st budget_bytes(const struct budget *b, const struct server *s, const struct graph *g, const struct reservation *r,
                     uint64_t bytes[SERVER_GPUS_MAX], struct err *err)
{
    char have[UNIT_TEXT], need[UNIT_TEXT], lack[BYTES_TEXT];
    uint64_t each = budget_of_graph(b, g);
    if (b->kind != BUDGET_MEMORY && each > most_bytes)
        return err_set(err, ST_USAGE, "%s: '%s' is %s, more than the limit of 32 PiB; give the GPU's memory or less",
                       b->clique ? "--clique-budget" : "--budget", b->text, units_bytes(have, each));
    enum st st = budget_check_unit(b, b->clique ? "--clique-budget" : "--budget", g, err);
    for (int i = 0; i < s->gpus && st == ST_OK; i++) {
        bytes[i] = b->clique ? each / (uint64_t)s->clique_size[s->clique_of[i]] : each;
        if (b->kind != BUDGET_MEMORY) continue;
        if (!s->gpu[i].memory_bytes)
            return err_set(err, ST_INPUT,
                           "server %s: the memory of GPU %d is not known; give --budget, or --gpu-memory when "
                           "importing the server",
                           s->name, s->gpu[i].id);
        if (s->gpu[i].memory_bytes <= r->total)
            return err_set(err, ST_NO,
                           "GPU %d has %s, but the reservation takes %s: %s are missing; use smaller batches or "
                           "fan-outs, or give --reserve",
                           s->gpu[i].id, units_bytes(have, s->gpu[i].memory_bytes), units_bytes(need, r->total),
                           units_bytes_exact(lack, r->total - s->gpu[i].memory_bytes + 1));
        bytes[i] = s->gpu[i].memory_bytes - r->total;
    }
    return st;
}
