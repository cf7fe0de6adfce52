#include "planner/running/refresh_across.h"

#include <math.h>

#include "base/mem.h"
#include "planner/policies/density.h"

/* Work of a choice. */
struct choice {
    const struct policy_input *in;
    const struct plan *plan;
    struct refresh_across *next;
    struct count_row was[2]; /* as next->held, before */
    int gpus;
    double paid[CROSS_GPUS_MOST];            /* transactions per byte of the last row that left: what room is worth */
    double epochs, load[CROSS_CLIQUES_MOST]; /* bytes that the GPUs of a clique may still load */
    uint32_t clique[CROSS_GPUS_MOST];        /* bit i: GPU i is of the same clique */
    struct copies least[CROSS_GPUS_MOST];    /* the rows of a GPU, what saves least per byte on top */
};

/* A row as the GPUs see it now. */
struct seen {
    bool topology;
    uint64_t item, v, bytes;
    uint32_t held, was; /* the GPUs that hold it now, and that did before */
    double worth[CROSS_GPUS_MOST];
    uint64_t reads[GPUS_MAX]; /* recorded */
};

static struct seen look(const struct choice *c, uint64_t item)
{
    const uint64_t topology = c->next->worth.rows[1];
    struct seen s = {.item = item, .topology = item < topology, .v = item < topology ? item : item - topology};
    s.bytes = graph_item_bytes(c->in->graph, item);
    s.held = count_at(c->next->held[s.topology], s.v);
    s.was = count_at(c->was[s.topology], s.v);
    cross_worth_row(&c->next->worth, s.topology, s.v, s.worth, s.reads);
    return s;
}

/* The GPUs that a copy on g serves and copies on the GPUs `others` do not. */
static uint32_t serves(const struct choice *c, int g, uint32_t others)
{
    uint32_t served = c->next->worth.reach[g];
    for (; others; others &= others - 1) served &= ~c->next->worth.reach[__builtin_ctz(others)];
    return served;
}

/* What it saves, in all epochs. */
static double saves(const struct choice *c, const struct seen *s, int g, uint32_t others)
{
    double sum = 0;
    for (uint32_t i = serves(c, g, others); i; i &= i - 1) sum += s->worth[__builtin_ctz(i)];
    return c->epochs * sum;
}

/* The share of that which counts: less half a standard deviation, which of n recorded reads is their root. Rows that
 * come were chosen because they were read much, those that are held were not. On a second recording of the same epoch
 * (ogbn-mag at 0.01, dgx-v100) nothing taken off loads 1,059 rows and saves nothing, a half 266, a whole 105; where
 * reads did change, a half keeps 87 to 98 % of what a plan made afresh saves, a whole 49 to 88 %. */
static double certain(const struct choice *c, const struct seen *s, int g)
{
    uint64_t n = 0;
    for (uint32_t i = serves(c, g, s->held); i; i &= i - 1) n += s->reads[__builtin_ctz(i)];
    return n ? 1 - 0.5 / sqrt((double)n + 1) : 0;
}

/* What a new copy on g saves, less its load; 0: g must not load it. Which GPU of a clique holds a row matters little,
 * and what one GPU read says little about it, so rows do not change places within a clique. */
static double gains(const struct choice *c, const struct seen *s, int g)
{
    if (s->held >> g & 1) return 0;
    if (s->was >> g & 1) return saves(c, s, g, s->held);
    if ((s->was & c->clique[g]) || (double)s->bytes > c->load[c->plan->assignment.clique_of[g]]) return 0;
    return certain(c, s, g) * saves(c, s, g, s->held) - (double)s->bytes / (double)c->plan->line_bytes;
}

/* ---- what leaves ---- */

static uint64_t density_left(const struct choice *c, int g, uint64_t item)
{
    struct seen s = look(c, item);
    return density_key(saves(c, &s, g, s.held & ~(1u << g)), s.bytes);
}

/* Sorts what the GPUs hold; rows that have outgrown their room go. */
static enum st sort_held(struct choice *c, struct err *err)
{
    const struct placement *was = &c->in->before->placement;
    for (int g = 0; g < c->gpus; g++)
        for (uint64_t i = 0; i < placement_count(was, g); i++) {
            const struct seen s = look(c, placement_item(was, c->in->graph, g, i));
            if (s.bytes > c->next->room[g]) continue;
            c->next->room[g] -= s.bytes;
            cross_worth_mark(c->next->held[s.topology], s.v, s.held | 1u << g);
            cross_worth_mark(c->was[s.topology], s.v, s.was | 1u << g);
        }
    for (int g = 0; g < c->gpus; g++)
        for (uint64_t i = 0; i < placement_count(was, g); i++) {
            uint64_t item = placement_item(was, c->in->graph, g, i);
            const struct seen s = look(c, item);
            if (!(s.held >> g & 1)) continue;
            PASS(copies_push(&c->least[g], (struct copy){UINT64_MAX - density_left(c, g, item), (uint32_t)item}, err));
        }
    return ST_OK;
}

/* Transactions per byte that go with what leaves g first; rows on other GPUs may have changed that a little. */
static double price(const struct choice *c, int g)
{
    return c->least[g].count ? (double)(UINT64_MAX - c->least[g].at[0].key) * 0x1p-40 : INFINITY;
}

/* Rows that leave g for `bytes`: *gone in front of g's others. *lost: what they saved, of the last one in proportion to
 * what is needed: the next rows take the rest. Else a short row could never take the place of a long one. */
static enum st make_room(struct choice *c, int g, uint64_t bytes, struct copies *gone, double *lost, struct err *err)
{
    uint64_t room = c->next->room[g];
    *lost = c->paid[g] * (double)(room < bytes ? room : bytes);
    while (room < bytes && c->least[g].count) {
        struct copy first = copies_pop(&c->least[g]);
        uint64_t key = UINT64_MAX - density_left(c, g, first.number);
        if (key < first.key) { /* it saves more by now: others may save less */
            PASS(copies_push(&c->least[g], (struct copy){key, first.number}, err));
            continue;
        }
        struct seen s = look(c, first.number);
        double share = bytes - room < s.bytes ? (double)(bytes - room) / (double)s.bytes : 1;
        *lost += share * saves(c, &s, g, s.held & ~(1u << g));
        room += s.bytes;
        PASS(copies_push(gone, first, err));
    }
    if (room < bytes) *lost = INFINITY;
    return ST_OK;
}

/* ---- what comes ---- */

/* The GPU where a copy gains most over what leaves, of those whose bit is not in `full`; -1: none. */
static int best_gpu(const struct choice *c, const struct seen *s, uint32_t full)
{
    int best = -1;
    double most = 0;
    for (int g = 0; g < c->gpus; g++) {
        const uint64_t room = c->next->room[g];
        double gain = full >> g & 1 ? 0 : gains(c, s, g);
        if (gain > 0) gain -= c->paid[g] * (double)(room < s->bytes ? room : s->bytes);
        if (gain > 0 && room < s->bytes) gain -= price(c, g) * (double)(s->bytes - room);
        if (gain > most) {
            most = gain;
            best = g;
        }
    }
    return best;
}

/* Takes the item on GPU g, if that pays: *taken. */
static enum st try_gpu(struct choice *c, const struct seen *s, int g, bool *taken, struct err *err)
{
    enum st st = ST_OK;
    struct copies gone = {0};
    double lost;
    TRY(make_room(c, g, s->bytes, &gone, &lost, err));
    *taken = gains(c, s, g) > lost;
    while (gone.count) {
        struct copy x = copies_pop(&gone);
        if (*taken) {
            struct seen y = look(c, x.number);
            c->paid[g] = fmax(c->paid[g], saves(c, &y, g, y.held & ~(1u << g)) / (double)y.bytes);
            cross_worth_mark(c->next->held[y.topology], y.v, y.held & ~(1u << g));
            c->next->room[g] += y.bytes;
        } else TRY(copies_push(&c->least[g], x, err));
    }
    if (!*taken) goto done;
    cross_worth_mark(c->next->held[s->topology], s->v, s->held | 1u << g);
    c->next->room[g] -= s->bytes;
    if (s->was >> g & 1) {
        TRY(copies_push(&c->least[g], (struct copy){UINT64_MAX - density_left(c, g, s->item), (uint32_t)s->item}, err));
        goto done;
    }
    c->load[c->plan->assignment.clique_of[g]] -= (double)s->bytes;
    TRY(row_list_add(&c->next->loaded[s->topology][g], (uint32_t)s->v, err));
done:
    copies_free(&gone);
    return st;
}

/* Takes the item where that pays. *again: it did, and another clique may want a copy. */
static enum st try_item(struct choice *c, uint64_t item, bool *again, struct err *err)
{
    struct seen s = look(c, item);
    *again = false;
    for (uint32_t full = 0; !*again;) {
        int g = best_gpu(c, &s, full);
        if (g < 0) break;
        PASS(try_gpu(c, &s, g, again, err));
        full |= 1u << g;
    }
    return ST_OK;
}

/* What a copy gains per byte, at best. key: [items]. */
static void set_keys(const struct choice *c, uint64_t *key)
{
    const uint64_t items = graph_items(c->in->graph);
#pragma omp parallel for num_threads(c->in->threads)
    for (uint64_t x = 0; x < items; x++) {
        double most = 0;
        const struct seen s = look(c, x);
        for (int g = 0; s.bytes && g < c->gpus; g++) most = fmax(most, gains(c, &s, g));
        key[x] = s.bytes ? density_key(most, s.bytes) : 0;
    }
}

static enum st choose(struct choice *c, struct err *err)
{
    const uint64_t items = graph_items(c->in->graph);
    uint64_t budget = 0, count;
    OWNED uint32_t *order = NULL;
    OWNED_NEW(uint64_t, key, items, "densities");
    for (int g = 0; g < c->gpus; g++) budget += c->plan->budget[g];
    PASS(sort_held(c, err));
    set_keys(c, key);
    PASS(density_order(c->in, key, items, DENSITY_ENOUGH(budget), &order, &count, err));
    for (uint64_t i = 0; i < count; i++)
        for (bool again = true; again;) PASS(try_item(c, order[i], &again, err));
    return ST_OK;
}

enum st refresh_across_choose(const struct policy_input *in, const struct plan *plan, struct refresh_across *out,
                              struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &plan->assignment;
    char *was[2] = {NULL, NULL};
    struct choice c = {.in = in, .plan = plan, .next = out, .gpus = a->gpus, .epochs = in->option[0]};
    for (int k = 0; k < a->cliques; k++) c.load[k] = in->option[1] > 0 ? in->option[1] : INFINITY;
    for (int g = 0; g < a->gpus; g++) {
        out->room[g] = plan->budget[g];
        for (int i = 0; i < a->gpus; i++) c.clique[g] |= (uint32_t)(a->clique_of[i] == a->clique_of[g]) << i;
    }
    out->worth = cross_worth_of(in, plan);
    TRY(cross_worth_marks(&out->worth, out->held, out->bits, err));
    TRY(cross_worth_marks(&out->worth, c.was, was, err));
    for (int k = 0; k < a->cliques; k++) trace_prefetch_pages(in->trace, k);
    TRY(choose(&c, err));
    trace_drop_pages(in->trace);
done:
    for (int g = 0; g < a->gpus; g++) copies_free(&c.least[g]);
    for (int k = 0; k < 2; k++) mem_free(was[k]);
    return st;
}

bool refresh_across_holds(const struct refresh_across *a, int g, uint64_t item)
{
    const uint64_t topology = a->worth.rows[1];
    return count_at(a->held[item < topology], item < topology ? item : item - topology) >> g & 1;
}

void refresh_across_release(struct refresh_across *a)
{
    for (int k = 0; k < 2; k++) {
        mem_free(a->bits[k]);
        for (int g = 0; g < GPUS_MAX; g++) mem_free(a->loaded[k][g].id);
    }
}
