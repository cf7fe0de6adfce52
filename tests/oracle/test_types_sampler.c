/* The typed sampler: chances of every vertex, row and edge worked out by listing all outcomes of a mini-batch; draws
 * uniform and independent between relations; one type and one relation draw what the homogeneous sampler draws; counts
 * that add up and do not depend on threads. */
#include <math.h>
#include "tests/oracle/types_instance.h"

/* ---- all outcomes of one mini-batch, by recursion over the visits ---- */

enum { MOST = 12, EDGES = 64, TASKS = 1 << 22 };

/* Expected counts, weighted by the chance of each outcome. */
struct chances {
    double feature[MOST], visits[3][EDGES], edge[EDGES], lines;
    uint64_t leaves;
};

struct state {
    uint32_t found[MOST];
    int count, from, to, at, hop, relation; /* found[from..to) is expanded in this hop; `at` and relation are next */
    uint32_t visited[3][EDGES], drawn[EDGES];
    double chance;
    uint64_t lines;
};

struct outcome {
    const struct graph *g;
    const struct workload *w;
    struct chances *c;
};

static void go_on(const struct outcome *o, struct state s);

static void end_of(const struct outcome *o, const struct state *s)
{
    for (int i = 0; i < s->count; i++) o->c->feature[s->found[i]] += s->chance;
    for (int h = 0; h < o->w->hops; h++)
        for (uint64_t r = 0; r < o->g->topology_rows; r++) o->c->visits[h][r] += s->chance * s->visited[h][r];
    for (uint64_t e = 0; e < o->g->edge_rows; e++) o->c->edge[e] += s->chance * s->drawn[e];
    o->c->lines += s->chance * (double)s->lines;
    o->c->leaves++;
}

static void find(struct state *s, uint32_t v)
{
    for (int i = 0; i < s->count; i++)
        if (s->found[i] == v) return;
    s->found[s->count++] = v;
}

/* What a visit draws from: one row, or those of all relations (relation -1) of a vertex, one behind the other. */
struct pool {
    int relation, type;
    uint64_t row, entries;
    const float *weight; /* [entries], or NULL: all sets alike */
};

static uint64_t length(const struct graph_relation *r, uint64_t row)
{
    return (uint64_t)(r->indptr[row + 1] - r->indptr[row]);
}

/* The visit of one row: bit i of mask is set where its entry i is drawn. weighed: by its weights, which are read with
 * all of the row. */
static void read_row(const struct outcome *o, struct state *s, int relation, uint64_t row, uint64_t mask, bool weighed)
{
    const struct graph_relation *r = &o->g->relation[relation];
    uint64_t start = (uint64_t)r->indptr[row], last = UINT64_MAX;
    bool whole = weighed && length(r, row) > (uint64_t)__builtin_popcountll(mask);
    s->visited[s->hop][r->first_row + row]++;
    s->lines += plain_lines(8 * row, 16, 8);
    if (whole) s->lines += 2 * plain_lines(4 * start, 4 * length(r, row), 8);
    for (uint64_t i = 0; i < length(r, row); i++) {
        if (!(mask >> i & 1)) continue;
        uint64_t line = 4 * (start + i) / 8; /* lines of 8 bytes: two entries */
        s->lines += !whole && line != last;
        last = line;
        find(s, (uint32_t)o->g->type[r->source].first + r->indices[start + i]);
        if (r->features.row_bytes) s->drawn[r->first_edge + start + i]++;
    }
}

static void choose(const struct outcome *o, struct state s, const struct pool *p, uint64_t next, uint32_t left,
                   uint64_t mask, double chance);

/* `left` further entries one after the other, each in proportion to its weight among those that are left; those without
 * weight come last, each with the same chance. */
static void choose_by_weight(const struct outcome *o, const struct state *s, const struct pool *p, uint32_t left,
                             uint64_t mask, double chance)
{
    double sum = 0;
    uint64_t rest = 0;
    if (!left) {
        choose(o, *s, p, 0, 0, mask, chance);
        return;
    }
    for (uint64_t i = 0; i < p->entries; i++)
        if (!(mask >> i & 1)) sum += p->weight[i], rest++;
    for (uint64_t i = 0; i < p->entries; i++) {
        double part = sum > 0 ? p->weight[i] / sum : 1.0 / (double)rest;
        if (mask >> i & 1 || !(part > 0)) continue;
        choose_by_weight(o, s, p, left - 1, mask | (uint64_t)1 << i, chance * part);
    }
}

/* Every subset of `left` further entries from position `next` on, each with the same chance. */
static void choose(const struct outcome *o, struct state s, const struct pool *p, uint64_t next, uint32_t left,
                   uint64_t mask, double chance)
{
    if (left) {
        for (uint64_t i = next; i + left <= p->entries; i++)
            choose(o, s, p, i + 1, left - 1, mask | (uint64_t)1 << i, chance);
        return;
    }
    s.chance *= chance;
    for (int r = 0; r < o->g->relations; r++) {
        if (p->relation < 0 ? o->g->relation[r].target != p->type : r != p->relation) continue;
        read_row(o, &s, r, p->row, mask, p->weight != NULL);
        mask >>= length(&o->g->relation[r], p->row);
    }
    go_on(o, s);
}

static double ways(uint64_t n, uint64_t k)
{
    double w = 1;
    for (uint64_t i = 0; i < k; i++) w *= (double)(n - i) / (double)(i + 1);
    return w;
}

static int type_of(const struct graph *g, uint32_t v)
{
    int t = 0;
    while (t + 1 < g->types && g->type[t + 1].first <= v) t++;
    return t;
}

static void go_on(const struct outcome *o, struct state s)
{
    for (; s.hop < o->w->hops;
         s.hop++, s.from = o->w->frontier == FRONTIER_ALL ? 0 : s.to, s.to = s.count, s.at = s.from)
        for (; s.at < s.to; s.at++, s.relation = 0)
            while (s.relation < o->g->relations) {
                int r = s.relation++, t = type_of(o->g, s.found[s.at]);
                uint32_t fanout = workload_fanout(o->w, r, s.hop);
                if (o->g->relation[r].target != t || !fanout) continue;
                struct pool p = {r, t, s.found[s.at] - o->g->type[t].first, 0, NULL};
                p.entries = length(&o->g->relation[r], p.row);
                if (o->w->sampler == SAMPLER_BIASED && o->g->relation[r].weights && p.entries > fanout) {
                    p.weight = o->g->relation[r].weights + o->g->relation[r].indptr[p.row];
                    choose_by_weight(o, &s, &p, fanout, 0, 1);
                    return;
                }
                if (o->w->together) {
                    p.relation = -1;
                    p.entries = types_entries(o->g, r, p.row);
                    s.relation = o->g->relations;
                }
                uint64_t k = p.entries < fanout ? p.entries : fanout;
                choose(o, s, &p, 0, (uint32_t)k, 0, 1 / ways(p.entries, k));
                return;
            }
    end_of(o, &s);
}

static uint64_t visits_of(const struct graph *g, const struct workload *w, const struct sample_counts *c, int h,
                          uint64_t row)
{
    int r = graph_relation_of_row(g, row);
    return sample_row_visits(g, w, c->visits[h], r, h, row - g->relation[r].first_row);
}

/* Mean counts of many epochs of one mini-batch each, held against the expected ones: five standard deviations, a count
 * being at most the number of hops. */
static void means_fit(uint64_t seed, bool by_weight)
{
    struct graph g;
    struct dice d = {seed};
    struct workload w;
    struct chances c = {.leaves = 0};
    struct sample_counts seen;
    struct sampler *s = NULL;
    enum { EPOCHS = 4000 };
    do types_random(&g, &d, 3);
    while (g.n > MOST || g.topology_rows > EDGES || g.edge_rows > EDGES);
    types_workload_random(&g, &d, &w);
    for (int h = 0; h < w.hops; h++) {
        if (w.fanout[h] > 2) w.fanout[h] = 2;
        for (int k = 0; k < w.lists; k++)
            if (w.list[k][h] > 2) w.list[k][h] = 2;
    }
    if (w.hops > 2) w.hops = 2;
    w.batch = g.train_count;
    if (by_weight && types_weights(&g, &d)) w.sampler = SAMPLER_BIASED;
    if (w.sampler == SAMPLER_BIASED && w.together) w.together = false;
    if (workload_needs(&w, &g, &err) != ST_OK) w.sampler = SAMPLER_UNIFORM; /* what has weights is not drawn */
    uint32_t *train = types_trains(&g);
    struct state begin = {.count = 0, .chance = 1};
    for (uint64_t i = 0; i < g.train_count; i++) begin.found[begin.count++] = train[i];
    begin.to = begin.count;
    go_on(&(struct outcome){&g, &w, &c}, begin);
    OK(sampler_new(&g, &w, 8, 2, &s, &err));
    OK(sampler_gpu(s, 3, train, g.train_count, EPOCHS, &err));
    EQUAL(sampler_batches(s), 1, "seed %d", (int)seed);
    types_sheet(&seen, &g, w.hops);
    sampler_run(s, 0, EPOCHS, &seen);
    double room = 5 * w.hops / sqrt(EPOCHS);
    for (uint64_t v = 0; v < g.n; v++)
        HOLDS(fabs(seen.feature[v] / (double)EPOCHS - c.feature[v]) <=
                  (c.feature[v] > 0 && c.feature[v] < 1 - 1e-9 ? room : 1e-9),
              "seed %d: vertex %d in %.4f mini-batches, expected %.4f", (int)seed, (int)v,
              seen.feature[v] / (double)EPOCHS, c.feature[v]);
    for (int h = 0; h < w.hops; h++)
        for (uint64_t r = 0; r < g.topology_rows; r++)
            HOLDS(fabs((double)visits_of(&g, &w, &seen, h, r) / EPOCHS - c.visits[h][r]) <=
                      (c.visits[h][r] > 0 ? room : 0),
                  "seed %d: row %d visited %.4f times in hop %d, expected %.4f", (int)seed, (int)r,
                  (double)visits_of(&g, &w, &seen, h, r) / EPOCHS, h, c.visits[h][r]);
    for (uint64_t e = 0; e < g.edge_rows; e++)
        HOLDS(fabs(seen.edge[e] / (double)EPOCHS - c.edge[e]) <= (c.edge[e] > 0 ? room : 0),
              "seed %d: edge %d drawn %.4f times, expected %.4f", (int)seed, (int)e, seen.edge[e] / (double)EPOCHS,
              c.edge[e]);
    HOLDS(fabs((double)seen.total_lines / EPOCHS - c.lines) <= 0.05 * c.lines + 1e-9,
          "seed %d: %.3f lines per mini-batch, expected %.3f", (int)seed, (double)seen.total_lines / EPOCHS, c.lines);
    types_sheet_drop(&seen);
    sampler_free(s);
    free(train);
    types_drop(&g);
}

static void means_are_those_of_all_outcomes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) means_fit(test_seed(i), false);
}

static void means_by_weight_are_those_of_all_outcomes(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) means_fit(test_seed(i), true);
}

/* ---- walks ---- */

/* All ways of one walk: chance[v] that it visits v, times[h][row] how often it visits a row in step h. */
struct ways {
    const struct graph *g;
    const struct workload *w;
    uint32_t seed;
    double chance[MOST], times[3][EDGES];
};

/* The walk stands at v (-1: nowhere) and has seen the vertices of the mask. */
static void walk_on(struct ways *o, int hop, int64_t v, uint64_t seen, double chance)
{
    const struct graph *g = o->g;
    if (hop == o->w->hops) {
        for (uint64_t u = 0; u < g->n; u++) o->chance[u] += seen >> u & 1 ? chance : 0;
        return;
    }
    bool begins = hop % o->w->metapath == 0;
    double again = !begins ? 0 : !hop || v < 0 ? 1 : o->w->restart;
    for (int k = 0; k < 2; k++) {
        double part = chance * (k ? again : 1 - again);
        int64_t at = k ? o->seed : v;
        if (!(part > 0)) continue;
        if (at < 0) { /* waits until the metapath begins again */
            walk_on(o, hop + 1, -1, seen, part);
            continue;
        }
        int r = 0;
        while (!workload_fanout(o->w, r, hop)) r++;
        const struct graph_relation *x = &g->relation[r];
        uint64_t row = (uint64_t)at - g->type[x->target].first, degree = length(x, row);
        o->times[hop][x->first_row + row] += part;
        if (!degree) walk_on(o, hop + 1, -1, seen, part);
        for (int64_t e = x->indptr[row]; e < x->indptr[row + 1]; e++) {
            uint64_t to = g->type[x->source].first + x->indices[e];
            walk_on(o, hop + 1, (int64_t)to, seen | (uint64_t)1 << to, part / (double)degree);
        }
    }
}

/* Mean counts of walks along metapaths, against all ways of a walk. */
static void walk_fits(uint64_t seed)
{
    enum { EPOCHS = 4000 };
    struct dice d = {seed};
    struct graph g;
    struct workload w;
    struct sample_counts seen;
    struct sampler *s = NULL;
    double missed[MOST], visits[3][EDGES] = {{0}};
    bool walks;
    do {
        types_random(&g, &d, 3);
        types_workload_random(&g, &d, &w);
        walks = g.n <= MOST && g.topology_rows <= EDGES &&
                types_walk(&g, &d, (int)dice_below(&d, (uint64_t)g.types), &w);
        if (!walks) types_drop(&g);
    } while (!walks);
    w.batch = g.train_count;
    for (uint64_t v = 0; v < g.n; v++) missed[v] = 1;
    uint32_t *train = types_trains(&g);
    for (uint64_t i = 0; i < g.train_count; i++) {
        struct ways o = {.g = &g, .w = &w, .seed = train[i]};
        walk_on(&o, 0, -1, (uint64_t)1 << train[i], 1);
        for (uint64_t v = 0; v < g.n; v++) missed[v] *= pow(1 - fmin(o.chance[v], 1), w.walks);
        for (int h = 0; h < w.hops; h++)
            for (uint64_t r = 0; r < g.topology_rows; r++) visits[h][r] += w.walks * o.times[h][r];
    }
    OK(sampler_new(&g, &w, 8, 2, &s, &err));
    OK(sampler_gpu(s, 3, train, g.train_count, EPOCHS, &err));
    types_sheet(&seen, &g, w.hops);
    sampler_run(s, 0, EPOCHS, &seen);
    for (uint64_t v = 0; v < g.n; v++)
        HOLDS(fabs(seen.feature[v] / (double)EPOCHS - (1 - missed[v])) <=
                  (missed[v] > 1e-9 && missed[v] < 1 - 1e-9 ? 2.5 / sqrt(EPOCHS) : 1e-9),
              "seed %d: vertex %d in %.4f mini-batches, expected %.4f", (int)seed, (int)v,
              seen.feature[v] / (double)EPOCHS, 1 - missed[v]);
    for (int h = 0; h < w.hops; h++)
        for (uint64_t r = 0; r < g.topology_rows; r++) { /* at most walks * seeds per mini-batch, each 0 or 1 */
            double mean = (double)visits_of(&g, &w, &seen, h, r) / EPOCHS;
            HOLDS(fabs(mean - visits[h][r]) <= 5 * sqrt(fmin(visits[h][r], (double)(w.walks * g.train_count)) / EPOCHS),
                  "seed %d: row %d visited %.4f times in step %d, expected %.4f", (int)seed, (int)r, mean, h,
                  visits[h][r]);
        }
    types_sheet_drop(&seen);
    sampler_free(s);
    free(train);
    types_drop(&g);
}

static void walks_follow_metapaths(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) walk_fits(test_seed(i));
}

/* ---- seeds that are edges ---- */

/* Every edge of the training rows of the relation that is trained on is a seed once per epoch, the same ones in every
 * epoch; destinations are uniform over their type. */
static void edges_fit(uint64_t seed)
{
    enum { EPOCHS = 300 };
    struct dice d = {seed};
    struct graph g;
    struct workload w;
    struct sampler *s = NULL;
    const struct sample_steps *steps = NULL;
    const uint32_t *ids;
    bool edges = false;
    uint64_t times[EDGES], chosen[EDGES] = {0}, negative[MOST], all = 0, negatives = 0;
    while (!edges) {
        types_random(&g, &d, 3);
        types_workload_random(&g, &d, &w);
        edges = g.n <= MOST && types_edges(&g, &d, &w) && g.relation[w.seed_relation].m;
        if (!edges) types_drop(&g);
    }
    const struct graph_relation *r = &g.relation[w.seed_relation];
    const struct graph_type *t = &g.type[r->target];
    uint64_t of = 2 + w.negatives;
    uint32_t *train = types_trains(&g);
    memset(negative, 0, sizeof negative);
    for (uint64_t i = 0; i < t->train_count; i++) all += length(r, t->train[i]);
    uint64_t trained = (uint64_t)floor(w.edge_share * (double)all + 0.5);
    OK(sampler_new(&g, &w, 64, 1, &s, &err));
    OK(sampler_keep_steps(s, &err));
    OK(sampler_gpu(s, 2, train, g.train_count, EPOCHS, &err));
    EQUAL(sampler_batches(s), (trained + w.batch - 1) / w.batch, "seed %d", (int)seed);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        memset(times, 0, sizeof times);
        for (uint64_t b = 0; b < sampler_batches(s); b++) {
            (void)sampler_batch(s, 0, e * sampler_batches(s) + b, NULL, &ids);
            OK(sampler_steps(s, 0, &steps, &err));
            EQUAL(steps->seeds % of, 0, "seed %d", (int)seed);
            for (uint64_t i = 0; i < steps->seeds; i += of) {
                uint64_t row = steps->seed[i] - t->first, at = EDGES;
                HOLDS(row < t->count, "seed %d: an edge that ends in another type", (int)seed);
                for (int64_t k = r->indptr[row]; k < r->indptr[row + 1]; k++)
                    if (g.type[r->source].first + r->indices[k] == steps->seed[i + 1]) at = (uint64_t)k;
                HOLDS(at < EDGES, "seed %d: a seed that is no edge", (int)seed);
                times[at]++;
                for (uint64_t k = 2; k < of; k++, negatives++) {
                    HOLDS(steps->seed[i + k] - t->first < t->count, "seed %d: a negative of another type", (int)seed);
                    negative[steps->seed[i + k] - t->first]++;
                }
            }
        }
        uint64_t sum = 0;
        for (uint64_t k = 0; k < r->m; k++) {
            HOLDS(times[k] <= 1, "seed %d: an edge twice in an epoch", (int)seed);
            if (e) EQUAL(times[k], chosen[k], "seed %d: other edges than in the epoch before", (int)seed);
            chosen[k] = times[k];
            sum += times[k];
        }
        EQUAL(sum, trained, "seed %d: edges in epoch %d", (int)seed, (int)e);
    }
    if (negatives && t->count > 1)
        HOLDS(chi_square(negative, t->count, (double)negatives / (double)t->count) < chi_limit((double)t->count - 1),
              "seed %d: negatives are not uniform", (int)seed);
    sampler_free(s);
    free(train);
    types_drop(&g);
}

static void edges_and_negatives_are_seeds(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) edges_fit(test_seed(i));
}

/* ---- draws ---- */

/* One row of four b and one of three c: the pair of b and the c that one visit draws are uniform and independent. */
static void relations_are_drawn_independently(void **state)
{
    enum { EPOCHS = 36000 };
    struct graph g;
    struct workload w =
        {.hops = 1, .batch = 1, .seed = 11, .fanout = {2}, .lists = 1, .list_of = {0, 1}, .list = {{1}}};
    struct sampler *s = NULL;
    struct sample_counts c;
    struct arcs b = {0}, k = {0};
    uint64_t cell[16 * 3] = {0}, packed[18], n = 0;
    const uint32_t train[] = {0};
    (void)state;
    types_begin(&g, 3, (uint64_t[]){1, 4, 3});
    for (uint64_t u = 0; u < 4; u++) arcs_add(&b, 0, u);
    for (uint64_t u = 0; u < 3; u++) arcs_add(&k, 0, u);
    types_relate(&g, 1, 0, &b, 0);
    types_relate(&g, 2, 0, &k, 0);
    OK(sampler_new(&g, &w, 64, 1, &s, &err));
    OK(sampler_gpu(s, 0, train, 1, EPOCHS, &err));
    types_sheet(&c, &g, 1);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        int pair = 0, one = 0;
        types_sheet_wipe(&c, &g, 1);
        sampler_run(s, e, e + 1, &c);
        for (int u = 0; u < 4; u++) pair |= c.feature[1 + u] ? 1 << u : 0;
        for (int u = 0; u < 3; u++) one = c.feature[5 + u] ? u : one;
        cell[pair * 3 + one]++;
    }
    for (int i = 0; i < 16 * 3; i++)
        if (__builtin_popcount((unsigned)i / 3) == 2) packed[n++] = cell[i];
        else EQUAL(cell[i], 0, "a set that is no pair");
    double sum = chi_square(packed, 18, EPOCHS / 18.0);
    HOLDS(sum < chi_limit(17), "chi-square %.1f of 17", sum);
    types_sheet_drop(&c);
    sampler_free(s);
    types_drop(&g);
}

/* Rows of four b, three c and two d; three of all nine together: every set of three is equally likely, so that the
 * numbers of b, c and d are hypergeometric: C(4, i) C(3, j) C(2, k) / C(9, 3). */
static void relations_are_drawn_together(void **state)
{
    enum { EPOCHS = 42000, MEMBERS = 9, DRAWS = 3, SETS = 84 };
    static const uint64_t of[] = {4, 3, 2};
    struct graph g;
    struct workload w = {.hops = 1, .batch = 1, .seed = 12, .together = true, .fanout = {DRAWS}};
    struct sampler *s = NULL;
    struct sample_counts c;
    uint64_t cell[1 << MEMBERS] = {0}, packed[SETS], split[5][4][3] = {{{0}}}, n = 0;
    const uint32_t train[] = {0};
    double sum = 0;
    (void)state;
    types_begin(&g, 4, (uint64_t[]){1, of[0], of[1], of[2]});
    for (int t = 0; t < 3; t++) {
        struct arcs a = {0};
        for (uint64_t u = 0; u < of[t]; u++) arcs_add(&a, 0, u);
        types_relate(&g, t + 1, 0, &a, 0);
    }
    OK(sampler_new(&g, &w, 64, 1, &s, &err));
    OK(sampler_gpu(s, 0, train, 1, EPOCHS, &err));
    types_sheet(&c, &g, 1);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        unsigned set = 0;
        types_sheet_wipe(&c, &g, 1);
        sampler_run(s, e, e + 1, &c);
        for (int u = 0; u < MEMBERS; u++) set |= c.feature[1 + u] ? 1u << u : 0;
        cell[set]++;
        split[c.draws[0]][c.draws[1]][c.draws[2]]++;
    }
    for (unsigned i = 0; i < 1 << MEMBERS; i++)
        if (__builtin_popcount(i) == DRAWS) packed[n++] = cell[i];
        else EQUAL(cell[i], 0, "a set of another size");
    HOLDS(chi_square(packed, SETS, EPOCHS / (double)SETS) < chi_limit(SETS - 1), "the sets of three");
    n = 0;
    for (uint64_t i = 0; i <= 4; i++)
        for (uint64_t j = 0; j <= 3; j++)
            for (uint64_t k = 0; k <= 2; k++) {
                double expected = i + j + k == DRAWS ? EPOCHS * ways(4, i) * ways(3, j) * ways(2, k) / SETS : 0,
                       off = (double)split[i][j][k] - expected;
                if (expected > 0) sum += off * off / expected;
                else EQUAL(split[i][j][k], 0, "%d, %d and %d", (int)i, (int)j, (int)k);
                n += expected > 0;
            }
    HOLDS(sum < chi_limit((int)n - 1), "chi-square %.1f of %d numbers per relation", sum, (int)n);
    types_sheet_drop(&c);
    sampler_free(s);
    types_drop(&g);
}

/* One type and one relation: the same random numbers, so the same counts. */
static void one_type_is_the_homogeneous_sampler(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        struct dice d = {test_seed(i)};
        struct graph g;
        struct graph h;
        struct arcs a = {0};
        struct tally_sheet t;
        struct sample_counts c;
        struct sampler *s = NULL;
        struct sampler *x = NULL;
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 2, 60), &d, 4, 4);
        struct workload w = {.hops = (int)dice_range(&d, 1, 3),
                             .batch = dice_range(&d, 1, 9),
                             .frontier = (enum frontier_rule)dice_below(&d, FRONTIER_RULES),
                             .order = dice_chance(&d, 0.5) ? ORDER_SHUFFLE : ORDER_BFS,
                             .seed = i};
        float *weights = NULL;
        w.sampler = (enum sampler_kind[]){SAMPLER_UNIFORM, SAMPLER_LABOR, SAMPLER_BIASED, SAMPLER_WALK}[i % 4];
        if (w.sampler == SAMPLER_LABOR) w.labor_iterations = (int)dice_below(&d, 3);
        for (int k = 0; k < w.hops; k++) w.fanout[k] = (uint32_t)dice_range(&d, 1, 6);
        if (w.sampler == SAMPLER_WALK) {
            w.frontier = FRONTIER_NEW;
            w.walks = (uint32_t)dice_range(&d, 1, 4);
            w.restart = 0.25;
            for (int k = 0; k < w.hops; k++) w.fanout[k] = 1;
        }
        if (dice_chance(&d, 0.4)) {
            w.edge_share = 0.7;
            w.negatives = (uint32_t)dice_below(&d, 3);
            w.order = ORDER_SHUFFLE;
        }
        struct workload y = w;
        y.together = w.sampler == SAMPLER_UNIFORM && dice_chance(&d, 0.5);
        y.metapath = w.sampler == SAMPLER_WALK;
        for (uint64_t v = 0; v < g.n; v++)
            for (int64_t e = g.indptr[v]; e < g.indptr[v + 1]; e++) arcs_add(&a, v, g.indices[e]);
        types_begin(&h, 1, &g.n);
        types_relate(&h, 0, 0, &a, 0);
        if (w.sampler == SAMPLER_BIASED) {
            weights = calloc(g.m + 1, sizeof *weights);
            for (uint64_t e = 0; e < g.m; e++) weights[e] = (float)dice_below(&d, 9);
            g.weights = h.relation[0].weights = weights;
        }
        snprintf(g.sample, sizeof g.sample, "in"); /* as several types have it */
        if (!g.train_count) w.edge_share = y.edge_share = 0;
        uint32_t *train = calloc(g.train_count + 1, sizeof *train);
        if (g.train_count) memcpy(train, g.train, g.train_count * sizeof *train);
        h.type[0].train = train;
        h.train_count = h.type[0].train_count = g.train_count;
        OK(sampler_new(&g, &w, 64, 2, &s, &err));
        OK(sampler_new(&h, &y, 64, 2, &x, &err));
        OK(sampler_gpu(s, 5, g.train, g.train_count, 3, &err));
        OK(sampler_gpu(x, 5, g.train, g.train_count, 3, &err));
        EQUAL(sampler_batches(x), sampler_batches(s), "seed %d", (int)i);
        sheet_new(&t, g.n, w.hops);
        if (w.sampler == SAMPLER_LABOR || w.sampler == SAMPLER_WALK) t.c.draws = calloc(g.n, sizeof(uint32_t));
        types_sheet(&c, &h, w.hops);
        sampler_run(s, 0, 3 * sampler_batches(s), &t.c);
        sampler_run(x, 0, 3 * sampler_batches(s), &c);
        assert_memory_equal(t.c.feature, c.feature, g.n * sizeof(uint32_t));
        for (int k = 0; k < w.hops; k++) assert_memory_equal(t.c.visits[k], c.visits[k], g.n * sizeof(uint32_t));
        EQUAL(c.total_lines, t.c.total_lines, "seed %d", (int)i);
        assert_memory_equal(t.c.lines, c.lines, g.n * sizeof(uint32_t));
        if (t.c.draws) assert_memory_equal(t.c.draws, c.draws, g.n * sizeof(uint32_t));
        free(t.c.draws);
        g.weights = NULL; /* h's */
        sheet_free(&t);
        types_sheet_drop(&c);
        sampler_free(s);
        sampler_free(x);
        graph_drop(&g);
        types_drop(&h);
    }
}

/* Of one neighbour in one hop: the smallest share among the rows that took it, the largest among those that did not. */
struct agreed {
    double took, left;
};

/* Visits of one hop of a mini-batch: short rows are taken whole, and what long rows take of a neighbour follows from
 * one number. place: of the hop's first draw. */
static void rows_agree(const struct graph *g, const struct workload *w, const struct sample_steps *s, int hop)
{
    struct agreed *of = calloc(g->n, sizeof *of);
    uint64_t draw = s->end[hop].draws;
    for (uint64_t v = 0; v < g->n; v++) of[v].took = 1;
    for (uint64_t i = s->end[hop].visits; i < s->end[hop + 1].visits; draw += s->drawn[i++]) {
        int relation = graph_relation_of_row(g, s->visited[i]);
        const struct graph_relation *r = &g->relation[relation];
        uint64_t row = s->visited[i] - r->first_row, fanout = workload_fanout(w, relation, hop), k = 0;
        double share = (double)fanout / (double)length(r, row);
        HOLDS(fanout > 0, "a relation without fan-out is visited");
        if (share >= 1) EQUAL(s->drawn[i], length(r, row), "a short row");
        for (uint64_t e = (uint64_t)r->indptr[row]; share < 1 && e < (uint64_t)r->indptr[row + 1]; e++) {
            struct agreed *one = &of[g->type[r->source].first + r->indices[e]];
            bool taken = k < s->drawn[i] && s->place[draw + k] == e;
            k += taken;
            if (taken) one->took = share < one->took ? share : one->took;
            else one->left = share > one->left ? share : one->left;
        }
    }
    for (uint64_t v = 0; v < g->n; v++)
        HOLDS(of[v].left <= of[v].took, "a row takes what one with a larger share leaves");
    free(of);
}

/* Entries that a visit of a row of `length` entries draws by the uniform sampler. */
static uint64_t drawn_of(const struct workload *w, int relation, int hop, uint64_t length)
{
    uint64_t fanout = workload_fanout(w, relation, hop);
    return length < fanout ? length : fanout;
}

/* LABOR on several types: a neighbour has one number for the rows of all relations, and a row takes as many as its
 * fan-out on average. */
static void labor_shares_numbers(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        enum { EPOCHS = 400 };
        struct dice d = {test_seed(i)};
        struct graph g;
        struct workload w;
        struct sampler *s = NULL;
        struct sample_counts c;
        const struct sample_steps *steps = NULL;
        const uint32_t *ids;
        double seen = 0, expected = 0, variance = 1;
        types_random(&g, &d, 20);
        do types_workload_random(&g, &d, &w);
        while (w.together);
        w.sampler = SAMPLER_LABOR;
        w.batch = g.train_count;
        uint32_t *train = types_trains(&g);
        OK(sampler_new(&g, &w, 64, 1, &s, &err));
        OK(sampler_keep_steps(s, &err));
        OK(sampler_gpu(s, 1, train, g.train_count, EPOCHS, &err));
        types_sheet(&c, &g, w.hops);
        for (uint64_t e = 0; e < EPOCHS; e++) {
            (void)sampler_batch(s, 0, e, &c, &ids);
            OK(sampler_steps(s, 0, &steps, &err));
            for (int h = 0; h < w.hops; h++) rows_agree(&g, &w, steps, h);
        }
        for (int r = 0; r < g.relations; r++) {
            const struct graph_relation *x = &g.relation[r];
            for (uint64_t v = 0; v < x->rows; v++) {
                seen += c.draws[x->first_row + v];
                for (int h = 0; h < w.hops; h++) {
                    double many = (double)sample_row_visits(&g, &w, c.visits[h], r, h, v),
                           mean = (double)drawn_of(&w, r, h, length(x, v));
                    expected += many * mean;
                    variance += many * mean * (double)x->rows; /* rows that share numbers vary together */
                }
            }
        }
        HOLDS(fabs(seen - expected) <= 6 * sqrt(variance), "seed %d: %.0f draws, expected %.0f", (int)i, seen,
              expected);
        types_sheet_drop(&c);
        sampler_free(s);
        free(train);
        types_drop(&g);
    }
}

/* A row's draws are those of its edges, and follow from the visits: of the row, or together of all rows of its vertex.
 */
static void draws_follow(const struct graph *g, const struct workload *w, const struct sample_counts *c, int r)
{
    const struct graph_relation *x = &g->relation[r];
    for (uint64_t v = 0; v < x->rows; v++) {
        uint64_t edges = 0, follows = 0, drawn = c->draws[x->first_row + v],
                 entries = w->together ? types_entries(g, r, v) : length(x, v);
        for (int64_t e = x->indptr[v]; x->features.row_bytes && e < x->indptr[v + 1]; e++)
            edges += c->edge[x->first_edge + (uint64_t)e];
        if (x->features.row_bytes) EQUAL(edges, drawn, "relation %d row %d", r, (int)v);
        for (int h = 0; h < w->hops; h++)
            follows += sample_row_visits(g, w, c->visits[h], r, h, v) *
                       (entries < workload_fanout(w, r, h) ? entries : workload_fanout(w, r, h));
        for (int k = 0; w->together && k < g->relations; k++)
            if (k != r && g->relation[k].target == x->target) drawn += c->draws[g->relation[k].first_row + v];
        EQUAL(drawn, follows, "relation %d row %d", r, (int)v);
    }
}

/* Draws follow from the visits; threads and pieces change nothing. */
static void counts_add_up(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(150); i++) {
        struct dice d = {test_seed(i)};
        struct graph g;
        struct workload w;
        struct sample_counts c[2];
        struct sampler *s[2] = {NULL, NULL};
        types_random(&g, &d, 30);
        types_workload_random(&g, &d, &w);
        types_workload_other(&g, &d, &w);
        uint32_t *train = types_trains(&g);
        uint64_t tasks = 0, lines = 0;
        for (int k = 0; k < 2; k++) {
            OK(sampler_new(&g, &w, 64, 1 + 3 * k, &s[k], &err));
            OK(sampler_gpu(s[k], 1, train, g.train_count, 2, &err));
            types_sheet(&c[k], &g, w.hops);
            tasks = 2 * sampler_batches(s[k]);
            sampler_run(s[k], 0, tasks / 3, &c[k]);
            sampler_run(s[k], tasks / 3, tasks, &c[k]);
        }
        assert_memory_equal(c[0].feature, c[1].feature, g.n * sizeof(uint32_t));
        assert_memory_equal(c[0].lines, c[1].lines, g.topology_rows * sizeof(uint32_t));
        assert_memory_equal(c[0].draws, c[1].draws, g.topology_rows * sizeof(uint32_t));
        if (g.edge_rows) assert_memory_equal(c[0].edge, c[1].edge, g.edge_rows * sizeof(uint32_t));
        for (uint64_t r = 0; r < g.topology_rows; r++) lines += c[0].lines[r];
        EQUAL(lines, c[0].total_lines, "seed %d", (int)i);
        EQUAL(c[1].total_lines, c[0].total_lines, "seed %d", (int)i);
        for (int r = 0; r < g.relations; r++) draws_follow(&g, &w, &c[0], r);
        for (int k = 0; k < 2; k++) {
            types_sheet_drop(&c[k]);
            sampler_free(s[k]);
        }
        free(train);
        types_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(means_are_those_of_all_outcomes),
                                       cmocka_unit_test(means_by_weight_are_those_of_all_outcomes),
                                       cmocka_unit_test(walks_follow_metapaths),
                                       cmocka_unit_test(edges_and_negatives_are_seeds),
                                       cmocka_unit_test(relations_are_drawn_independently),
                                       cmocka_unit_test(relations_are_drawn_together),
                                       cmocka_unit_test(one_type_is_the_homogeneous_sampler),
                                       cmocka_unit_test(labor_shares_numbers),
                                       cmocka_unit_test(counts_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
