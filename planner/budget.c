#include "planner/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum st budget_parse(const char *text, bool clique, const char *name, struct budget *out, struct err *err)
{
    struct budget b = {.clique = clique};
    char number[32];
    size_t length = strlen(text);
    if (!length || length >= sizeof b.text)
        return err_set(err, ST_USAGE, "%s: '%.40s' is not a budget; write 2GiB, 5%% (of topology and feature bytes) or 5%%V (feature rows of 5 %% of the vertices)", name, text);
    strcpy(b.text, text);
    const char *percent = strchr(text, '%');
    if (!percent) {
        enum st st = units_size(text, name, &b.bytes, err);
        if (st == ST_OK) *out = b;
        return st;
    }
    b.kind = strcmp(percent, "%V") && strcmp(percent, "%v") ? BUDGET_SHARE : BUDGET_VERTICES;
    snprintf(number, sizeof number, "%.*s", (int)(percent - text), text);
    if ((b.kind == BUDGET_SHARE && percent[1]) || units_real(number, name, &b.percent, err) != ST_OK || b.percent < 0 || b.percent > 10000)
        return err_set(err, ST_USAGE, "%s: '%.40s' is not a share; write 5%% (of topology and feature bytes) or 5%%V (feature rows of 5 %% of the vertices)", name, text);
    *out = b;
    return ST_OK;
}

enum st budget_list(const char *text, bool clique, const char *name, struct budget *out, int *count, struct err *err)
{
    char copy[2048], *parts[BUDGETS_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "%s: the list is too long", name);
    strcpy(copy, text);
    int n = text_split(copy, ',', parts, BUDGETS_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "%s: more than %d budgets", name, BUDGETS_MAX);
    for (int i = 0; i < n; i++) {
        enum st st = budget_parse(parts[i], clique, name, &out[i], err);
        if (st != ST_OK) return st;
    }
    *count = n;
    return ST_OK;
}

void reservation_estimate(const struct graph *g, const struct workload *w, uint64_t hidden, struct reservation *out)
{
    struct reservation r = {0};
    double level = (double)w->batch * (workload_edges(w) ? 2 : 1), vertices = level, draws = 0, inner = level;
    if (w->sampler == SAMPLER_WALK) level *= w->walks; /* a step of every walk is a draw */
    for (int h = 0; h < w->hops; h++) { /* distinct vertices of a mini-batch, as if no two draws met, but at most all */
        level = fmin(workload_layer_wise(w) ? w->fanout[h] : level * w->fanout[h], (double)g->n);
        draws += level;
        vertices = fmin(vertices + level, (double)g->n);
        if (h + 1 < w->hops) inner = vertices;
    }
    uint64_t wide = g->feature_dim > hidden ? g->feature_dim : hidden;
    r.model = (uint64_t)w->hops * 2 * wide * hidden * 4 * 4;       /* layers x (self, neighbours) x weights x float32 x (weight, gradient, two Adam moments) */
    r.activations = (uint64_t)(inner * (double)hidden * 4 * 4);    /* vertices of the inner layers x hidden x float32 x (aggregate, output, both gradients) */
    r.inputs = (uint64_t)(vertices * (double)g->row_bytes * 2);    /* input rows of the mini-batch in training and of the next one */
    r.blocks = (uint64_t)(draws * 8 * 2 + vertices * 16);          /* sampled blocks, twice, and the sampler's table of distinct vertices */
    r.context = (uint64_t)512 << 20;                               /* CUDA context and libraries */
    r.margin = (r.model + r.activations + r.inputs + r.blocks + r.context) / 10;
    r.total = r.model + r.activations + r.inputs + r.blocks + r.context + r.margin;
    *out = r;
}

/* percent of `whole` bytes, rounded down; shares are kept to a millionth of a percent so that no double decides a byte. */
static uint64_t share_of(double percent, uint64_t whole)
{
    return (uint64_t)((unsigned __int128)llround(percent * 1e6) * whole / 100000000);
}

uint64_t budget_of_graph(const struct budget *b, const struct graph *g)
{
    if (b->kind == BUDGET_SHARE) return share_of(b->percent, graph_total_bytes(g));
    if (b->kind == BUDGET_VERTICES) return share_of(b->percent, g->n) * g->row_bytes;
    return b->bytes;
}

/* 32 PiB: the budgets of 72 GPUs add up without overflow. */
static const uint64_t most_bytes = (uint64_t)1 << 55;

enum st budget_bytes(const struct budget *b, const struct server *s, const struct graph *g, const struct reservation *r, uint64_t bytes[SERVER_GPUS_MAX],
                     struct err *err)
{
    char have[UNIT_TEXT], need[UNIT_TEXT];
    uint64_t each = budget_of_graph(b, g);
    if (b->kind != BUDGET_MEMORY && each > most_bytes)
        return err_set(err, ST_USAGE, "%s: '%s' is %s, more than the 32 PiB that are possible; give the GPU's memory or less", b->clique ? "--clique-budget" : "--budget", b->text,
                       units_bytes(have, each));
    for (int i = 0; i < s->gpus; i++) {
        bytes[i] = b->clique ? each / (uint64_t)s->clique_size[s->clique_of[i]] : each;
        if (b->kind != BUDGET_MEMORY) continue;
        if (!s->gpu[i].memory_bytes)
            return err_set(err, ST_INPUT, "server %s: the memory of GPU %d is not known; give --budget, or --memory when importing the server", s->name, s->gpu[i].id);
        if (s->gpu[i].memory_bytes <= r->total)
            return err_set(err, ST_NO, "GPU %d has %s and the reservation is %s, so nothing is left for a cache; use smaller batches or fan-outs, or give --reserve", s->gpu[i].id,
                           units_bytes(have, s->gpu[i].memory_bytes), units_bytes(need, r->total));
        bytes[i] = s->gpu[i].memory_bytes - r->total;
    }
    return ST_OK;
}
