/* The reader of exported mini-batches: what it gives is what lies in the files, and files that were changed, cut off or
 * are missing are refused, or give numbers in range. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <hotset.h>

static struct hotset_error error;
enum { N = 700 };
static const char *const names[] = {"seeds",   "vertices", "expanded",    "edges",       "rows",
                                    "columns", "seeds_at", "vertices_at", "expanded_at", "edges_at"};

static int make_batches(void **state)
{
    const char *hotset = getenv("HOTSET");
    char command[3000];
    if (scratch_make(state) || !hotset) return -1;
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && '%s' graph synth community --vertices 700 --edges 6000 --train-share 0.2 "
             "-o G "
             "--quiet && '%s' plan --graph G --server pcie-8:3 --budget 10%% --fanout 4,3 --batch 8 --simulate-epochs "
             "0 "
             "-o P --quiet && '%s' simulate P --seed 9 --epochs 2 --export-batches B --quiet && "
             "'%s' plan --graph G --server pcie-8:2 --sampler walk --seeds edges --budget 10%% --batch 50 "
             "--simulate-epochs 0 -o W --quiet && '%s' simulate W --seed 9 --epochs 1 --gpu 1 --export-batches BW "
             "--quiet && '%s' plan --graph G --server dgx-v100:2 --budget 15%% --fanout 4,3 --batch 8 "
             "--simulate-epochs "
             "0 -o N --quiet && '%s' simulate N --seed 9 --epochs 1 --gpu 0 --export-batches BN --quiet",
             scratch, hotset, hotset, hotset, hotset, hotset, hotset, hotset);
    return system(command);
}

struct raw {
    unsigned char *bytes;
    size_t size;
};

/* A file of B behind its header. */
static struct raw raw_of(const char *folder, int gpu, const char *name)
{
    char path[100];
    struct raw r = {malloc(1 << 20), 0};
    snprintf(path, sizeof path, "%.20s/gpu%d_%.20s.npy", folder, gpu, name);
    FILE *f = fopen(in_scratch(path), "rb");
    if (!f || fseek(f, 128, SEEK_SET)) fail_msg("%s is not there", path);
    r.size = fread(r.bytes, 1, 1 << 20, f);
    fclose(f);
    return r;
}

/* Appends what was read to the array it came from. */
static void add(struct raw *to, const void *data, uint64_t bytes)
{
    if (to->size + bytes > 1 << 20) fail_msg("too much was read");
    if (bytes) memcpy(to->bytes + to->size, data, bytes);
    to->size += bytes;
}

static void what_is_read_is_what_was_written(void **state)
{
    (void)state;
    static const char *const folders[] = {"B", "BW"};
    for (int k = 0; k < 2; k++) {
        hotset_batches *b = NULL;
        struct hotset_batches_facts about = {.struct_bytes = sizeof about};
        if (hotset_batches_open(in_scratch(folders[k]), &b, &error) != HOTSET_OK) fail_msg("%s", error.text);
        assert_int_equal(hotset_batches_about(b, &about, &error), HOTSET_OK);
        assert_true(about.gpus == (k ? 1 : 3) && about.hops == (k ? 3 : 2) && about.seed == 9 && about.vertices == N);
        assert_true(about.edge_seeds == k && about.epochs == (k ? 1u : 2u) && strlen(about.fingerprint) > 60);
        assert_string_equal(about.sampler, k ? "walk" : "uniform");
        for (int g = 0; g < about.gpus; g++) {
            struct raw have[6], want;
            uint64_t per = hotset_batches_per_epoch(b, g);
            assert_int_equal(hotset_batches_gpu_id(b, g), k ? 1 : g);
            for (int i = 0; i < 6; i++) have[i] = (struct raw){malloc(1 << 20), 0};
            assert_true(per > 2);
            for (uint64_t at = 0; at < per * about.epochs; at++) {
                struct hotset_batch x = {.struct_bytes = sizeof x};
                if (hotset_batches_read(b, g, at, &x, &error) != HOTSET_OK) fail_msg("%s", error.text);
                assert_true(x.epoch == at / per && x.number == at % per && x.hops == about.hops);
                assert_true(x.seed_vertices > 0 && x.seed_vertices <= x.hop[0].found);
                assert_true(k ? x.seed_count % 2 == 0 : x.seed_count == x.seed_vertices);
                assert_int_equal(x.hop[x.hops - 1].found, x.count);
                add(&have[0], x.seeds, x.seed_count * 4);
                add(&have[1], x.vertices, x.count * 4);
                for (int h = 0; h < x.hops; h++) {
                    add(&have[2], x.hop[h].expanded, x.hop[h].visits * 4);
                    add(&have[3], x.hop[h].edges, x.hop[h].draws * 8);
                    add(&have[4], x.hop[h].rows, x.hop[h].draws * 4);
                    add(&have[5], x.hop[h].columns, x.hop[h].draws * 4);
                }
            }
            for (int i = 0; i < 6; i++) {
                want = raw_of(folders[k], hotset_batches_gpu_id(b, g), names[i]);
                assert_true(want.size > 0 && have[i].size == want.size);
                assert_memory_equal(have[i].bytes, want.bytes, want.size);
                free(want.bytes);
                free(have[i].bytes);
            }
        }
        hotset_batches_close(b);
    }
}

static void wrong_calls_are_told(void **state)
{
    hotset_batches *b = NULL, *c = NULL;
    struct hotset_batch x = {.struct_bytes = sizeof x};
    struct hotset_batches_facts about = {.struct_bytes = 3};
    (void)state;
    assert_int_equal(hotset_batches_open(in_scratch("B"), &b, NULL), HOTSET_OK);
    assert_int_equal(hotset_batches_open(NULL, &c, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_open(in_scratch("B"), NULL, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_open(in_scratch("P"), &c, &error), HOTSET_INPUT);
    assert_int_equal(hotset_batches_about(b, &about, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_read(b, 3, 0, &x, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_read(b, -1, 0, &x, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_read(b, 0, 2 * hotset_batches_per_epoch(b, 0), &x, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_read(b, 0, UINT64_MAX, &x, &error), HOTSET_USAGE);
    x.struct_bytes = 8;
    assert_int_equal(hotset_batches_read(b, 0, 0, &x, &error), HOTSET_USAGE);
    assert_true(hotset_batches_gpu_id(b, 9) == -1 && hotset_batches_per_epoch(NULL, 0) == 0);
    hotset_batches_close(b);
    hotset_batches_close(NULL);
    assert_null(c);
}

/* ---- damage ---- */

/* By the lists alone: 0 where GPU 0 holds the neighbour list of v, 1 where a peer does, else 2. */
static int place_of(const hotset_plan *plan, uint32_t v)
{
    int peers = 0;
    const int32_t *peer = hotset_peers(plan, 0, &peers);
    for (int k = -1; k < peers; k++) {
        uint64_t count = 0;
        const uint32_t *ids = hotset_ids(plan, k < 0 ? 0 : peer[k], HOTSET_TOPOLOGY, &count);
        for (uint64_t i = 0; i < count; i++)
            if (ids[i] == v) return k >= 0;
    }
    return 2;
}

static void visits_are_counted_by_place(void **state)
{
    hotset_plan *plan = NULL;
    hotset_batches *b = NULL;
    struct hotset_lookup *table = NULL;
    struct hotset_request wanted = HOTSET_REQUEST_INIT(0, HOTSET_TOPOLOGY);
    struct hotset_batch x = {.struct_bytes = sizeof x};
    uint64_t have[3] = {5, 6, 7}, want[3] = {5, 6, 7}, kept[3];
    (void)state;
    assert_int_equal(hotset_open(in_scratch("N"), NULL, &plan, &error), HOTSET_OK);
    assert_int_equal(hotset_batches_open(in_scratch("BN"), &b, &error), HOTSET_OK);
    for (int layout = HOTSET_DENSE; layout <= HOTSET_RANKED; layout++) {
        wanted.layout = layout;
        assert_int_equal(hotset_lookup_build(plan, &wanted, &table, &error), HOTSET_OK);
        for (uint64_t at = 0; at < hotset_batches_per_epoch(b, 0); at++) {
            assert_int_equal(hotset_batches_read(b, 0, at, &x, &error), HOTSET_OK);
            assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_OK);
            for (int h = 0; h < x.hops; h++)
                for (uint64_t i = 0; i < x.hop[h].visits; i++) want[place_of(plan, x.hop[h].expanded[i])]++;
        }
        assert_memory_equal(have, want, sizeof have);
        if (layout == HOTSET_DENSE) hotset_lookup_free(table);
    }
    assert_true(want[0] > 20 && want[1] > 20 && want[2] > 20);
    memcpy(kept, have, sizeof kept);
    assert_int_equal(hotset_count_visits(NULL, &x, have, &error), HOTSET_USAGE);
    assert_int_equal(hotset_count_visits(table, NULL, have, &error), HOTSET_USAGE);
    assert_int_equal(hotset_count_visits(table, &x, NULL, &error), HOTSET_USAGE);
    x.hops = HOTSET_HOPS_MAX + 1;
    assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_USAGE);
    x.hops = -1;
    assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_USAGE);
    x.hops = 2;
    x.hop[1].expanded = (const uint32_t[]){1, N};
    x.hop[1].visits = 2;
    assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_INPUT);
    assert_non_null(strstr(error.text, "vertex 700 is beyond the graph's 700 vertices"));
    x.struct_bytes = 8;
    assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_USAGE);
    x.struct_bytes = sizeof x;
    x.hops = 0;
    table->magic[0]++;
    assert_int_equal(hotset_count_visits(table, &x, have, &error), HOTSET_USAGE);
    table->magic[0]--;
    assert_memory_equal(have, kept, sizeof have);
    hotset_lookup_free(table);
    hotset_batches_close(b);
    hotset_close(plan);
}

static void shell(const char *what)
{
    char command[1000];
    snprintf(command, sizeof command, "cd '%s' && %s", scratch, what);
    if (system(command)) fail_msg("%s", what);
}

/* Every number of the mini-batch is in range: it is used the way a runtime would. */
static void use(const struct hotset_batches_facts *f, const struct hotset_batch *x)
{
    for (uint64_t i = 0; i < x->seed_count; i++) assert_true(x->seeds[i] < f->vertices);
    for (uint64_t i = 0; i < x->count; i++) assert_true(x->vertices[i] < f->vertices);
    assert_true(x->seed_vertices <= x->count);
    for (int h = 0; h < x->hops; h++) {
        const struct hotset_hop *hop = &x->hop[h];
        assert_true(hop->found <= x->count && (!h || hop->found >= x->hop[h - 1].found));
        for (uint64_t i = 0; i < hop->visits; i++) assert_true(hop->expanded[i] < f->vertices);
        for (uint64_t i = 0; i < hop->draws; i++) {
            assert_true(hop->rows[i] < x->count && hop->columns[i] < x->count);
            assert_true(hop->edges[i] >= 0 && (uint64_t)hop->edges[i] < f->edges);
        }
    }
}

/* Opens D and uses all of it. Returns whether something was refused. */
static bool refused(const char *what)
{
    hotset_batches *b = NULL;
    bool some = false;
    struct hotset_batches_facts about = {.struct_bytes = sizeof about};
    int code = hotset_batches_open(in_scratch("D"), &b, &error);
    if (code != HOTSET_OK) {
        if (code != HOTSET_INPUT || b || strlen(error.text) < 30) fail_msg("%s: code %d: %s", what, code, error.text);
        return true;
    }
    assert_int_equal(hotset_batches_about(b, &about, &error), HOTSET_OK);
    for (int g = 0; g < about.gpus; g++)
        for (uint64_t at = 0; at < about.epochs * hotset_batches_per_epoch(b, g); at++) {
            struct hotset_batch x = {.struct_bytes = sizeof x};
            code = hotset_batches_read(b, g, at, &x, &error);
            if (code == HOTSET_OK) use(&about, &x);
            else if (code != HOTSET_INPUT || strlen(error.text) < 30)
                fail_msg("%s: code %d: %s", what, code, error.text);
            some |= code != HOTSET_OK;
        }
    hotset_batches_close(b);
    return some;
}

/* Writes 8 bytes, little-endian, as often as fit `width`, into a file of D. */
static void poke(const char *name, off_t at, uint64_t value, size_t width)
{
    char path[100];
    snprintf(path, sizeof path, "D/%.60s", name);
    int f = open(in_scratch(path), O_WRONLY);
    if (f < 0 || pwrite(f, &value, width, at) != (ssize_t)width || close(f)) fail_msg("%s cannot be written", path);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[60];
        size_t width = k == 3 || k > 5 ? 8 : 4;
        snprintf(name, sizeof name, "gpu1_%.20s.npy", names[k]);
        for (int where = 0; where < 4; where++) {
            shell("rm -rf D && cp -r B D");
            assert_false(refused("nothing was changed"));
            poke(name, 128 + (off_t)(width * (size_t)(where * where)), where % 2 ? UINT64_MAX : 1u << 30, width);
            if (!refused(name)) fail_msg("%s, entry %d: was not refused", name, where * where);
        }
    }
    shell("rm -rf D && cp -r B D"); /* an offset that goes back, in the middle */
    poke("gpu0_edges_at.npy", 128 + 8 * 3, 0, 8);
    assert_true(refused("edges_at"));
    shell("rm -rf D && cp -r B D"); /* one that begins behind the first entry */
    poke("gpu0_edges_at.npy", 128, 1, 8);
    assert_true(refused("edges_at"));
}

static void every_flipped_byte_is_refused_or_harmless(void **state)
{
    struct raw json = {malloc(1 << 16), 0};
    int harmless = 0;
    (void)state;
    shell("rm -rf D && cp -r B D");
    json.size = get_file(in_scratch("B/batches.json"), (char *)json.bytes, 1 << 16);
    for (size_t at = 0; at < json.size; at++) {
        poke("batches.json", (off_t)at, json.bytes[at] ^ (1u << at % 8), 1);
        harmless += !refused("batches.json");
        poke("batches.json", (off_t)at, json.bytes[at], 1);
    }
    assert_true(harmless > 20 && harmless < (int)json.size);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[60];
        unsigned char head[160];
        snprintf(name, sizeof name, "D/gpu2_%.20s.npy", names[k]);
        FILE *f = fopen(in_scratch(name), "rb");
        assert_true(f && fread(head, 1, sizeof head, f) == sizeof head);
        fclose(f);
        for (size_t at = 0; at < sizeof head; at++) {
            poke(name + 2, (off_t)at, head[at] ^ (1u << at % 8), 1);
            (void)refused(name);
            poke(name + 2, (off_t)at, head[at], 1);
        }
    }
    free(json.bytes);
}

static void cut_and_missing_files_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char name[60];
        snprintf(name, sizeof name, "D/gpu0_%.20s.npy", names[k]);
        for (off_t size = 1000; size > 0; size -= size / 5 + 1) {
            shell("rm -rf D && cp -r B D");
            assert_int_equal(truncate(in_scratch(name), size % 140 + (k % 2 ? 0 : 60)), 0);
            assert_true(refused(name));
        }
        assert_int_equal(unlink(in_scratch(name)), 0);
        assert_true(refused(name));
    }
    shell("rm -rf D && cp -r B D && cp D/gpu0_rows.npy D/gpu1_rows.npy"); /* of another length */
    assert_true(refused("swapped"));
    shell("rm -rf D && cp -r B D && rm D/batches.json");
    assert_true(refused("batches.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_what_was_written),
                                       cmocka_unit_test(wrong_calls_are_told),
                                       cmocka_unit_test(visits_are_counted_by_place),
                                       cmocka_unit_test(numbers_out_of_range_are_refused),
                                       cmocka_unit_test(every_flipped_byte_is_refused_or_harmless),
                                       cmocka_unit_test(cut_and_missing_files_are_refused)};
    return cmocka_run_group_tests(tests, make_batches, scratch_remove);
}
