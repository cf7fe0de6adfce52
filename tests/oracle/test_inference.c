/* Inference counted again slowly on 1,000 tiny graphs: sets, deal, chunks and every read by its definition (rules:
 * simulator/inference/inference.h, count.h). */
#include "simulator/inference/count.h"
#include "tests/oracle/types_instance.h"

enum { MOST = 4, TINY = 160 };

/* One instance. */
struct made {
    struct dice d;
    struct graph g;
    struct inference j;
    struct inference_chunks chunks;
    struct inference_held held;
    int clique_of[MOST], id[MOST], cliques;
    uint32_t order[TINY], place[TINY];
    uint8_t owner[MOST][TINY], topology[TINY], dram[TINY];
    bool in[INFERENCE_LAYERS_MAX + 1][TINY]; /* T_l, by its definition */
    bool linked[TINY][TINY];                 /* row v lists u */
    uint64_t arcs[TINY], rows[TINY];         /* entries and rows of topology of v */
    int gpu[TINY];                           /* by place in the order */
};
static struct made m;

static void plain(struct graph *g, struct dice *d)
{
    struct arcs a = {0};
    uint64_t n = dice_range(d, 1, 40), arcs = dice_below(d, 4 * n);
    types_begin(g, 1, &n);
    types_feature(&g->type[0].features, dice_range(d, 1, 40), 4);
    for (uint64_t i = 0; i < arcs; i++) arcs_add(&a, dice_below(d, n), dice_below(d, n));
    types_relate(g, 0, 0, &a, 0);
}

static void link_rows(void)
{
    memset(m.linked, 0, sizeof m.linked);
    memset(m.arcs, 0, sizeof m.arcs);
    memset(m.rows, 0, sizeof m.rows);
    for (int i = 0; i < m.g.relations; i++) {
        const struct graph_relation *r = &m.g.relation[i];
        for (uint64_t v = 0; v < r->rows; v++) {
            uint64_t at = m.g.type[r->target].first + v;
            m.rows[at]++;
            for (int64_t e = r->indptr[v]; e < r->indptr[v + 1]; e++, m.arcs[at]++)
                m.linked[at][m.g.type[r->source].first + r->indices[e]] = true;
        }
    }
}

/* T_L is the set; T_(l-1) is T_l and all that its rows list. */
static void find_sets(const uint32_t *ids, uint64_t count)
{
    int L = m.j.layers;
    memset(m.in, 0, sizeof m.in);
    for (uint64_t v = 0; v < m.g.n; v++) m.in[L][v] = !ids;
    for (uint64_t i = 0; ids && i < count; i++) m.in[L][ids[i]] = true;
    for (int l = L; l > 0; l--)
        for (uint64_t u = 0; u < m.g.n; u++) {
            m.in[l - 1][u] = m.in[l][u];
            for (uint64_t v = 0; v < m.g.n; v++) m.in[l - 1][u] |= m.in[l][v] && m.linked[v][u];
        }
}

static uint64_t work(uint64_t v)
{
    uint64_t layers = 0;
    for (int l = 1; l <= m.j.layers; l++) layers += m.in[l][v];
    return layers * (m.arcs[v] + 1);
}

/* The GPU at place i: where the middle of its work lies, of equal parts of all work. */
static void find_gpus(void)
{
    uint64_t total = 0, before = 0;
    int last = 0;
    for (uint64_t v = 0; v < m.g.n; v++) total += work(v);
    for (uint64_t i = 0; i < m.g.n; i++) {
        uint64_t own = work(m.order[i]);
        uint64_t at = total ? (2 * before + own) * (uint64_t)m.chunks.gpus / (2 * total) : (uint64_t)last;
        m.gpu[i] = last = at >= (uint64_t)m.chunks.gpus ? m.chunks.gpus - 1 : (int)at;
        before += own;
    }
}

static uint64_t row_bytes(int level, uint64_t v)
{
    if (level) return (level == m.j.layers ? m.j.gnn.classes : m.j.gnn.hidden) * m.j.element_bytes;
    for (int t = m.g.types; t-- > 0;)
        if (v >= m.g.type[t].first) return m.g.type[t].features.row_bytes;
    return 0;
}

static uint64_t largest_row(int level)
{
    uint64_t most = 0;
    for (uint64_t v = 0; v < m.g.n; v++) most = row_bytes(level, v) > most ? row_bytes(level, v) : most;
    for (int t = 0; !level && t < m.g.types; t++)
        most = m.g.type[t].features.row_bytes > most ? m.g.type[t].features.row_bytes : most;
    return most;
}

/* Where row v begins on the SSDs. */
static uint64_t begins(int level, uint64_t v)
{
    uint64_t at = 0, block = m.held.block_bytes;
    if (m.held.place) return m.held.place[v] * row_bytes(level, v);
    if (level) return v * row_bytes(level, v);
    for (int t = 0; t < m.g.types; t++) {
        uint64_t bytes = m.g.type[t].count * m.g.type[t].features.row_bytes;
        if (v < m.g.type[t].first + m.g.type[t].count) return at + (v - m.g.type[t].first) * row_bytes(0, v);
        at += bytes % block ? bytes - bytes % block + block : bytes;
    }
    return at;
}

static void below(struct inference_gpu *x, int level, uint64_t v, bool *block)
{
    if (!m.held.input_on_ssd || (m.held.dram && m.held.dram[v])) {
        x->host_rows++;
        x->host_bytes += row_bytes(level, v);
        return;
    }
    x->ssd_rows++;
    x->ssd_bytes += row_bytes(level, v);
    for (uint64_t b = 0; b < row_bytes(level, v); b++) {
        uint64_t at = (begins(level, v) + b) / m.held.block_bytes;
        x->ssd_blocks += !block[at];
        block[at] = true;
    }
}

/* The vertices at the places [from, to) that the layer computes, as a chunk of GPU g. */
static void chunk(struct inference_gpu *x, uint32_t reads[MOST][TINY], int g, int layer, uint64_t from, uint64_t to)
{
    static bool block[1 << 16];
    bool need[TINY] = {false};
    uint64_t bytes = 0, rows = 0;
    memset(block, 0, sizeof block);
    x->chunks++;
    for (uint64_t i = from; i < to; i++) {
        uint64_t v = m.order[i], own = 4 * m.arcs[v] + 8 * m.rows[v];
        if (!m.in[layer][v]) continue;
        need[v] = true;
        for (uint64_t u = 0; u < m.g.n; u++) need[u] |= m.linked[v][u];
        x->vertices++;
        x->arcs += m.arcs[v];
        x->written += row_bytes(layer, v);
        *(layer > 1 && m.held.topology && m.held.topology[v] ? &x->topology_own : &x->topology_host) += own;
        bytes += own + row_bytes(layer, v) + largest_row(layer - 1);
    }
    for (uint64_t u = 0; u < m.g.n; u++) {
        if (!need[u]) continue;
        const uint8_t *owner = m.held.owner[m.clique_of[g]];
        reads[g][u]++;
        x->rows++;
        x->bytes += row_bytes(layer - 1, u);
        rows++;
        bytes += row_bytes(layer - 1, u);
        if (!owner || owner[u] == INFERENCE_NOBODY) below(x, layer - 1, u, block);
        else if (owner[u] == g) x->own_rows++, x->own_bytes += row_bytes(layer - 1, u);
        else x->peer_rows++, x->peer_bytes[owner[u]] += row_bytes(layer - 1, u);
    }
    x->most_bytes = bytes > x->most_bytes ? bytes : x->most_bytes;
    x->most_rows = rows > x->most_rows ? rows : x->most_rows;
}

static void fill(struct inference_gpu *x, int g, int layer)
{
    static bool block[1 << 16];
    const uint8_t *owner = m.held.owner[m.clique_of[g]];
    memset(block, 0, sizeof block);
    for (uint64_t v = 0; owner && v < m.g.n; v++) {
        if (owner[v] != g) continue;
        uint64_t before = x->ssd_bytes;
        below(x, layer - 1, v, block);
        x->fill_rows++;
        x->fill_bytes += row_bytes(layer - 1, v);
        x->fill_ssd_bytes += x->ssd_bytes - before;
    }
}

static uint64_t weight(uint64_t v, int layer)
{
    if (m.chunks.unit == CHUNK_VERTICES) return 1;
    if (m.chunks.unit == CHUNK_EDGES) return m.arcs[v];
    return 4 * m.arcs[v] + 8 * m.rows[v] + (m.arcs[v] + 1) * largest_row(layer - 1);
}

static void expect(struct inference_gpu *x, uint32_t reads[MOST][TINY], int layer)
{
    for (int g = 0; g < m.chunks.gpus; g++) {
        uint64_t from = 0, sum = 0, members = 0, n = m.g.n;
        for (uint64_t i = 0; i <= n; i++) {
            bool mine = i < n && m.gpu[i] == g && m.in[layer][m.order[i]];
            if (i < n && !mine) continue;
            uint64_t own = i < n ? weight(m.order[i], layer) : 0;
            if (members && (i == n || sum + own > m.chunks.limit)) {
                uint64_t to = i;
                for (uint64_t k = from; k < i; k++) /* the stretch of one GPU lies together */
                    if (m.gpu[k] != g) to = k < to ? k : to;
                chunk(&x[g], reads, g, layer, from, to);
                sum = members = 0;
            }
            if (i == n) break;
            if (!members) from = i;
            sum += own;
            members++;
        }
        fill(&x[g], g, layer);
    }
}

static void choose_held(int layer)
{
    memset(&m.held, 0, sizeof m.held);
    m.held.block_bytes = 1u << dice_range(&m.d, 5, 9);
    for (int c = 0; c < m.cliques; c++) {
        if (dice_chance(&m.d, 0.2)) continue;
        m.held.owner[c] = m.owner[c];
        for (uint64_t v = 0; v < m.g.n; v++) {
            int g = (int)dice_below(&m.d, (uint64_t)m.chunks.gpus);
            m.owner[c][v] = dice_chance(&m.d, 0.4) && m.clique_of[g] == c ? (uint8_t)g : INFERENCE_NOBODY;
        }
    }
    for (uint64_t v = 0; v < m.g.n; v++) {
        m.topology[v] = dice_chance(&m.d, 0.5);
        m.dram[v] = dice_chance(&m.d, 0.5);
        m.place[v] = m.order[v];
    }
    if (dice_chance(&m.d, 0.7)) m.held.topology = m.topology;
    m.held.input_on_ssd = dice_chance(&m.d, 0.6);
    if (dice_chance(&m.d, 0.5)) m.held.dram = m.dram;
    if (layer > 1 && dice_chance(&m.d, 0.5)) m.held.place = m.place;
}

static void make(uint64_t seed)
{
    memset(&m, 0, sizeof m);
    m.d.at = seed;
    if (dice_chance(&m.d, 0.5)) plain(&m.g, &m.d);
    else types_random(&m.g, &m.d, 12);
    link_rows();
    OK(graph_join(&m.g, &err));
    m.j = (struct inference){.graph = &m.g,
                             .layers = (int)dice_range(&m.d, 1, 4),
                             .gnn = {GNN_SAGE, dice_range(&m.d, 1, 50), dice_range(&m.d, 1, 20)},
                             .element_bytes = dice_chance(&m.d, 0.5) ? 4 : 2};
    for (uint64_t v = 0; v < m.g.n; v++) m.order[v] = (uint32_t)v;
    for (uint64_t v = m.g.n; v-- > 1;) {
        uint64_t with = dice_below(&m.d, v + 1);
        uint32_t swap = m.order[v];
        m.order[v] = m.order[with];
        m.order[with] = swap;
    }
    m.chunks = (struct inference_chunks){.order = m.order,
                                         .unit = (enum chunk_unit)dice_below(&m.d, 3),
                                         .limit = dice_range(&m.d, 1, 20),
                                         .gpus = (int)dice_range(&m.d, 1, MOST)};
    if (m.chunks.unit == CHUNK_BYTES) m.chunks.limit *= 300;
    for (int g = 0; g < m.chunks.gpus; g++) {
        m.id[g] = g;
        m.clique_of[g] = g && dice_chance(&m.d, 0.5) ? m.clique_of[g - 1] : m.cliques++;
    }
}

static void drop(void)
{
    inference_end(&m.j);
    graph_union_release(m.g.joined);
    mem_free(m.g.joined);
    types_drop(&m.g);
}

static void equal_layer(int layer, int threads, uint64_t seed)
{
    static struct inference_layer found;
    static struct inference_gpu right[MOST];
    static uint32_t reads[MOST][TINY];
    struct inference_setting s = {&m.chunks, m.clique_of, m.id, 64, threads};
    memset(&found, 0, sizeof found);
    memset(right, 0, sizeof right);
    memset(reads, 0, sizeof reads);
    expect(right, reads, layer);
    OK(inference_count(&m.j, &s, layer, &m.held, true, &found, &err));
    for (int g = 0; g < m.chunks.gpus; g++) {
        const uint64_t *a = (const uint64_t *)&found.gpu[g], *b = (const uint64_t *)&right[g];
        for (size_t i = 0; i < sizeof found.gpu[g] / sizeof *a; i++)
            EQUAL(a[i], b[i], "seed %llu, layer %d, GPU %d, member %d", (unsigned long long)seed, layer, g, (int)i);
        for (uint64_t v = 0; v < m.g.n; v++)
            EQUAL(found.reads[(uint64_t)g * m.g.n + v], reads[g][v], "seed %llu, reads of %d by GPU %d",
                  (unsigned long long)seed, (int)v, g);
        const struct inference_gpu *x = &found.gpu[g];
        EQUAL(x->rows + x->fill_rows, x->own_rows + x->peer_rows + x->host_rows + x->ssd_rows, "seed %llu",
              (unsigned long long)seed);
    }
    inference_layer_release(&found);
}

static void counts_equal(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(1000); i++) {
        uint64_t seed = test_seed(i);
        uint32_t ids[TINY];
        uint64_t count = 0;
        make(seed);
        bool all = dice_chance(&m.d, 0.5);
        for (uint32_t v = 0; v < m.g.n; v++)
            if (dice_chance(&m.d, 0.2)) ids[count++] = v;
        OK(inference_begin(&m.j, all ? NULL : ids, count, &err));
        find_sets(all ? NULL : ids, count);
        inference_deal(&m.j, &m.chunks);
        find_gpus();
        for (int l = 0; l <= m.j.layers; l++) {
            uint64_t targets = 0;
            for (uint64_t v = 0; v < m.g.n; v++) targets += m.in[l][v];
            EQUAL(m.j.targets[l], targets, "seed %llu, set %d", (unsigned long long)seed, l);
        }
        for (int l = 1; l <= m.j.layers; l++) {
            choose_held(l);
            equal_layer(l, 1 + (int)(i % 3), seed);
        }
        drop();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
