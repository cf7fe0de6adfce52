/* hotset_gather and hotset_find_rows against a row-by-row truth: row sizes that are awkward, both tables, ids of both
 * widths, any number of threads, addresses that are not aligned, and everything that must not be read. */
#include "tests/unit/unit.h"

#include "tests/lib/gather_cases.h"

static struct hotset_error error;
static hotset_plan *plan;
enum { VERTICES = 700 };

static int open_plan(void **state)
{
    const char *hotset = getenv("HOTSET");
    char command[1500];
    if (scratch_make(state) || !hotset) return -1;
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && '%s' graph synth community --vertices 700 --edges 6000 --feature-dim 3 "
             "--feature-type f16 -o G --quiet && '%s' plan --graph G --server p3.16xlarge --policy quiver "
             "--budget 900 --fanout 4,3 --batch 8 --simulate-epochs 0 -o P --quiet",
             scratch, hotset, hotset);
    return system(command) || hotset_open(in_scratch("P"), NULL, &plan, &error) != HOTSET_OK;
}

static int close_plan(void **state)
{
    hotset_close(plan);
    return scratch_remove(state);
}

/* Memories of all GPUs and the host, `shift` bytes off every alignment. */
struct laid {
    struct hotset_rows memory[HOTSET_MEMORIES_MAX], host;
    unsigned char *block[HOTSET_MEMORIES_MAX + 1];
    int gpus;
};

static void lay_out(struct laid *l, uint64_t row_bytes, int shift)
{
    uint64_t count;
    l->gpus = hotset_gpus(plan);
    for (int g = 0; g <= l->gpus; g++) {
        const uint32_t *ids = g < l->gpus ? hotset_ids(plan, g, HOTSET_FEATURE, &count) : NULL;
        if (g == l->gpus) count = VERTICES;
        unsigned char *base = l->block[g] = malloc(count * row_bytes + 64);
        assert_non_null(base);
        case_fill(base + shift, ids, count, row_bytes);
        *(g < l->gpus ? &l->memory[g] : &l->host) = (struct hotset_rows){base + shift, count};
    }
}

static void put_away(struct laid *l)
{
    for (int g = 0; g <= l->gpus; g++) free(l->block[g]);
}

static struct hotset_lookup *table_of(int reader, int layout)
{
    struct hotset_request r = HOTSET_REQUEST_INIT(reader, HOTSET_FEATURE);
    struct hotset_lookup *t = NULL;
    r.layout = layout;
    r.threads = 1;
    assert_int_equal(hotset_lookup_build(plan, &r, &t, &error), HOTSET_OK);
    return t;
}

/* Gathers ids with g (which names everything but ids and out) and compares bytes, counts and what lies around them. */
static void check(struct hotset_gather_request g, const uint64_t *ids, uint64_t count, uint32_t id_bytes, int shift)
{
    uint32_t narrow[CASE_IDS];
    uint64_t want_counts[HOTSET_MEMORIES_MAX + 2], counts[HOTSET_MEMORIES_MAX + 2];
    unsigned char *want = malloc(count * g.row_bytes + 1), *out = malloc(count * g.row_bytes + 2 * CASE_GUARD);
    assert_true(want && out && count <= CASE_IDS);
    for (uint64_t i = 0; i < count; i++) narrow[i] = (uint32_t)ids[i];
    memset(out, 0xA5, count * g.row_bytes + 2 * CASE_GUARD);
    for (uint32_t k = 0; k < g.memories + 2; k++) counts[k] = 1000 + k; /* they are added to */
    g.ids = id_bytes == 4 ? (const void *)narrow : ids;
    g.id_bytes = id_bytes;
    g.count = count;
    g.out = out + CASE_GUARD + shift;
    g.counts = counts;
    case_truth(&g, ids, want, want_counts);
    int code = hotset_gather(&g, &error);
    assert_int_equal(code, want_counts[g.memories + 1] ? HOTSET_INPUT : HOTSET_OK);
    assert_memory_equal(g.out, want, count * g.row_bytes);
    for (uint32_t k = 0; k < g.memories + 2; k++) assert_int_equal(counts[k], want_counts[k] + 1000 + k);
    for (int k = 0; k < CASE_GUARD - 8; k++)
        if (out[k] != 0xA5 || out[count * g.row_bytes + CASE_GUARD + 8 + (unsigned)k] != 0xA5)
            fail_msg("written beside");
    free(want);
    free(out);
}

static void rows_are_those_of_the_lists(void **state)
{
    uint64_t ids[CASE_IDS], own = 0, peer = 0, host = 0;
    (void)state;
    for (size_t size = 0; size < CASE_SIZES; size++)
        for (int shift = 0; shift < 8; shift += 1 + 4 * (shift == 1)) {
            struct laid l;
            lay_out(&l, case_row_bytes[size], shift);
            for (int reader = 0; reader < l.gpus; reader += 3)
                for (int layout = HOTSET_DENSE; layout <= HOTSET_RANKED; layout++) {
                    struct hotset_lookup *t = table_of(reader, layout);
                    struct hotset_gather_request g = HOTSET_GATHER_INIT;
                    g.threads = 1 + reader;
                    g.table = t;
                    g.memories = (uint32_t)l.gpus;
                    g.memory = l.memory;
                    g.host = l.host;
                    g.row_bytes = case_row_bytes[size];
                    static const uint64_t counts[] = {0, 1, 2, 15, 16, 17, 33, 64, 97, 129, CASE_IDS};
                    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                        case_ids(ids, counts[k], VERTICES, 0, reader);
                        check(g, ids, counts[k], k % 2 ? 4 : 8, shift);
                        case_ids(ids, counts[k], VERTICES, 1, reader);
                        check(g, ids, counts[k], 8, shift);
                    }
                    for (uint64_t v = 0; v < VERTICES; v++) {
                        uint32_t m;
                        uint64_t slot;
                        if (!hotset_find(t, v, &m, &slot)) host++;
                        else if (m == (uint32_t)reader) own++;
                        else peer++;
                    }
                    hotset_lookup_free(t);
                }
            put_away(&l);
        }
    if (own < 1000 || peer < 1000 || host < 1000)
        fail_msg("%d own, %d peer, %d host", (int)own, (int)peer, (int)host); /* all kinds of places were read */
}

/* Many pieces, shared by threads, with counts and the first bad place exact. */
static void threads_share_large_gathers(void **state)
{
    enum { COUNT = 30000, BYTES = 512 };
    struct laid l;
    uint64_t *ids = malloc(COUNT * sizeof *ids), want_counts[HOTSET_MEMORIES_MAX + 2];
    unsigned char *want = malloc((size_t)COUNT * BYTES), *out = malloc((size_t)COUNT * BYTES);
    (void)state;
    lay_out(&l, BYTES, 0);
    struct hotset_lookup *t = table_of(1, HOTSET_RANKED);
    case_ids(ids, COUNT, VERTICES, 0, 5);
    ids[20001] = VERTICES;
    ids[29999] = (uint64_t)-1;
    struct hotset_gather_request g = HOTSET_GATHER_INIT;
    g.table = t;
    g.ids = ids;
    g.id_bytes = 8;
    g.count = COUNT;
    g.memories = (uint32_t)l.gpus;
    g.memory = l.memory;
    g.host = l.host;
    g.row_bytes = BYTES;
    g.out = out;
    case_truth(&g, ids, want, want_counts);
    for (g.threads = 0; g.threads < 7; g.threads += 2) {
        uint64_t counts[HOTSET_MEMORIES_MAX + 2] = {0};
        g.counts = counts;
        memset(out, 0x5a, (size_t)COUNT * BYTES);
        assert_int_equal(hotset_gather(&g, &error), HOTSET_INPUT);
        assert_non_null(strstr(error.text, "2 of 30000 rows"));
        assert_non_null(strstr(error.text, "at place 20001, id 700;"));
        assert_memory_equal(out, want, (size_t)COUNT * BYTES);
        assert_memory_equal(counts, want_counts, (g.memories + 2) * sizeof *counts);
    }
    hotset_lookup_free(t);
    put_away(&l);
    free(ids);
    free(want);
    free(out);
}

static void what_cannot_be_read_is_zeros(void **state)
{
    uint64_t ids[CASE_IDS];
    struct laid l;
    struct hotset_lookup *t = table_of(2, HOTSET_DENSE);
    struct hotset_gather_request g = HOTSET_GATHER_INIT, whole;
    (void)state;
    lay_out(&l, 12, 0);
    case_ids(ids, CASE_IDS, VERTICES, 0, 1);
    g.table = t;
    g.memories = (uint32_t)l.gpus;
    g.memory = l.memory;
    g.host = l.host;
    g.row_bytes = 12;
    whole = g;
    g.host.base = NULL; /* no host at all */
    check(g, ids, CASE_IDS, 8, 0);
    g = whole;
    g.host.rows = 100; /* features of another graph */
    check(g, ids, CASE_IDS, 8, 0);
    g = whole;
    g.host.rows = VERTICES + 5; /* of a larger one: what is beyond the table's graph is not read */
    case_ids(ids, CASE_IDS, VERTICES, 1, 1);
    check(g, ids, CASE_IDS, 8, 0);
    case_ids(ids, CASE_IDS, VERTICES, 0, 1);
    g = whole;
    l.memory[2].rows = 3; /* a memory that holds fewer rows than the table says */
    check(g, ids, CASE_IDS, 8, 0);
    l.memory[2] = (struct hotset_rows){NULL, 0};
    check(g, ids, CASE_IDS, 8, 0);
    g.memories = 2; /* positions of the table beyond those given */
    check(g, ids, CASE_IDS, 8, 0);
    g = whole;
    g.table = NULL; /* the host alone: how a memory is filled */
    g.memories = 0;
    g.memory = NULL;
    check(g, ids, CASE_IDS, 4, 0);
    g.host.rows = 600;
    check(g, ids, CASE_IDS, 4, 0);
    hotset_lookup_free(t);
    put_away(&l);
}

/* Entries of 8 bytes, whose slots do not fit 32 bits with their memory. */
static void wide_entries_are_read(void **state)
{
    struct {
        struct hotset_lookup head;
        uint64_t entry[64];
    } t = {{"hslook1", sizeof t, 64, 3, 64, 64, HOTSET_DENSE, 8, 40, 0}, {0}};
    unsigned char rows[50], host[64], out[64];
    uint32_t ids[64];
    (void)state;
    memset(t.entry, 0xff, sizeof t.entry);
    t.entry[5] = (uint64_t)1 << 40 | 49;
    t.entry[9] = (uint64_t)1 << 40 | ((uint64_t)1 << 33); /* beyond the memory's rows */
    t.entry[11] = (uint64_t)70 << 40 | 1;                 /* beyond the memories */
    case_fill(rows, NULL, 50, 1);
    for (uint32_t i = 0; i < 64; i++) host[i] = (unsigned char)(200 + i % 40), ids[i] = i;
    struct hotset_rows memory[2] = {{NULL, 0}, {rows, 50}};
    uint64_t counts[4] = {0};
    struct hotset_gather_request g = HOTSET_GATHER_INIT;
    g.table = &t.head;
    g.ids = ids;
    g.count = 64;
    g.memories = 2;
    g.memory = memory;
    g.host = (struct hotset_rows){host, 64};
    g.row_bytes = 1;
    g.out = out;
    g.counts = counts;
    assert_int_equal(hotset_gather(&g, &error), HOTSET_INPUT);
    assert_int_equal(out[5], case_byte(49, 0));
    assert_true(!out[9] && !out[11] && out[12] == host[12]);
    assert_true(counts[0] == 0 && counts[1] == 1 && counts[2] == 61 && counts[3] == 2);
}

static void places_are_those_of_single_look_ups(void **state)
{
    uint64_t ids[CASE_IDS];
    int32_t memory[CASE_IDS], narrow[CASE_IDS];
    int64_t slot[CASE_IDS];
    (void)state;
    for (int bad = 0; bad < 2; bad++)
        for (int layout = HOTSET_DENSE; layout <= HOTSET_RANKED; layout++)
            for (int reader = 0; reader < hotset_gpus(plan); reader++) {
                struct hotset_lookup *t = table_of(reader, layout);
                case_ids(ids, CASE_IDS, VERTICES, bad, reader);
                for (int i = 0; i < CASE_IDS; i++) narrow[i] = (int32_t)ids[i];
                int code = reader % 2 ? hotset_find_rows(t, ids, 8, CASE_IDS, 1, memory, slot, &error)
                                      : hotset_find_rows(t, narrow, 4, CASE_IDS, 3, memory, slot, &error);
                assert_int_equal(code, bad ? HOTSET_INPUT : HOTSET_OK);
                for (int i = 0; i < CASE_IDS; i++) {
                    uint32_t m = 0;
                    uint64_t s = 0, v = reader % 2 ? ids[i] : (uint32_t)narrow[i];
                    if (v >= VERTICES) assert_true(memory[i] == HOTSET_NOWHERE && slot[i] == 0);
                    else if (hotset_find(t, v, &m, &s)) assert_true(memory[i] == (int32_t)m && slot[i] == (int64_t)s);
                    else assert_true(memory[i] == HOTSET_HOST && slot[i] == (int64_t)v);
                }
                hotset_lookup_free(t);
            }
}

static void wrong_calls_are_told(void **state)
{
    uint64_t ids[2] = {1, 2}, counts[3] = {7, 7, 7};
    unsigned char host[VERTICES * 4], out[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    struct hotset_lookup *t = table_of(0, HOTSET_DENSE), other = *t;
    struct hotset_rows memory[8] = {{0}};
    int32_t m;
    int64_t s;
    (void)state;
    for (int k = 0; k < 12; k++) {
        struct hotset_gather_request g = HOTSET_GATHER_INIT;
        g.table = t;
        g.ids = ids;
        g.id_bytes = 8;
        g.count = 2;
        g.memories = 8;
        g.memory = memory;
        g.host = (struct hotset_rows){host, VERTICES};
        g.row_bytes = 4;
        g.out = out;
        g.counts = counts;
        switch (k) {
        case 0: g.struct_bytes--; break;
        case 1: g.id_bytes = 2; break;
        case 2: g.ids = NULL; break;
        case 3: g.ids = (const char *)ids + 4; break;
        case 4: g.memories = HOTSET_MEMORIES_MAX + 1; break;
        case 5: g.memory = NULL; break;
        case 6: g.row_bytes = 0; break;
        case 7: g.row_bytes = UINT64_MAX; break;
        case 8: g.out = NULL; break;
        case 9: other.magic[0] = 'x', g.table = &other; break;
        case 10: other = *t, other.layout = 7, g.table = &other; break;
        case 11: other = *t, other.entry_bytes = 5, g.table = &other; break;
        }
        assert_int_equal(hotset_gather(&g, &error), HOTSET_USAGE);
        assert_true(strlen(error.text) > 20 && out[0] == 9 && counts[0] == 7);
    }
    assert_int_equal(hotset_gather(NULL, NULL), HOTSET_USAGE);
    assert_int_equal(hotset_find_rows(NULL, ids, 8, 2, 1, &m, &s, &error), HOTSET_USAGE);
    assert_int_equal(hotset_find_rows(t, ids, 3, 2, 1, &m, &s, &error), HOTSET_USAGE);
    assert_int_equal(hotset_find_rows(t, ids, 8, 1, 1, NULL, &s, &error), HOTSET_USAGE);
    assert_int_equal(hotset_find_rows(&other, ids, 8, 1, 1, &m, &s, &error), HOTSET_USAGE);
    hotset_lookup_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_lists),
                                       cmocka_unit_test(threads_share_large_gathers),
                                       cmocka_unit_test(what_cannot_be_read_is_zeros),
                                       cmocka_unit_test(wide_entries_are_read),
                                       cmocka_unit_test(places_are_those_of_single_look_ups),
                                       cmocka_unit_test(wrong_calls_are_told)};
    return cmocka_run_group_tests(tests, open_plan, close_plan);
}
