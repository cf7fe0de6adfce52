/* libhotset as a runtime links it: facts and tables against a slow truth read from the files, and plans that were
 * damaged in every place. */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <hotset.h>

static struct hotset_error error;

/* ---- folders and files ---- */

static void shell(const char *format, ...)
{
    char command[2000];
    va_list ap;
    va_start(ap, format);
    vsnprintf(command, sizeof command, format, ap);
    va_end(ap);
    if (system(command) != 0) fail_msg("%s", command);
}

struct file {
    char name[64];
    unsigned char *bytes;
    size_t size;
};
struct folder {
    struct file list[40];
    int count;
};

static struct file *file_of(struct folder *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->list[i].name, name)) return &f->list[i];
    fail_msg("%s is not there", name);
    return NULL;
}

static void read_folder(const char *name, struct folder *out)
{
    DIR *d = opendir(in_scratch(name));
    assert_non_null(d);
    out->count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        struct file *f = &out->list[out->count];
        char path[600];
        if (e->d_name[0] == '.') continue;
        out->count++;
        snprintf(f->name, sizeof f->name, "%.63s", e->d_name);
        snprintf(path, sizeof path, "%s/%s", in_scratch(name), f->name);
        FILE *in = fopen(path, "rb");
        f->bytes = malloc(1 << 20);
        f->size = fread(f->bytes, 1, 1 << 20, in);
        fclose(in);
    }
    closedir(d);
}

static void free_folder(struct folder *f)
{
    for (int i = 0; i < f->count; i++) free(f->list[i].bytes);
}

static void write_into(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[150];
    snprintf(path, sizeof path, "%.50s/%.64s", folder, name);
    put_file(path, bytes, size);
}

/* Writes one byte of a file of D in its place, which is much faster than a new file. */
static void poke(const char *name, size_t at, unsigned char byte)
{
    char path[150];
    snprintf(path, sizeof path, "D/%.64s", name);
    int f = open(in_scratch(path), O_WRONLY);
    if (f < 0 || pwrite(f, &byte, 1, (off_t)at) != 1 || close(f)) fail_msg("%s cannot be written", path);
}

/* Makes folder D as P is. */
static void fresh_copy(const struct folder *f)
{
    shell("rm -rf '%s' && mkdir '%s'", in_scratch("D"), in_scratch("D"));
    for (int i = 0; i < f->count; i++) write_into("D", f->list[i].name, f->list[i].bytes, f->list[i].size);
}

static int make_plans(void **state)
{
    const char *hotset = getenv("HOTSET");
    if (scratch_make(state) || !hotset) return -1;
    char command[3000];
    snprintf(command, sizeof command,
             "cd '%s' && exec >/dev/null && "
             "'%s' graph synth community --vertices 700 --edges 6000 --feature-dim 3 --feature-type f16 -o G --quiet "
             "&& "
             "'%s' graph synth community --vertices 700 --edges 6000 --feature-dim 3 --feature-type f16 --seed 5 -o G2 "
             "--quiet && "
             "'%s' plan --graph G --server p3.16xlarge --policy quiver --budget 12%% --fanout 4,3 --batch 8 "
             "--simulate-epochs 0 -o P --quiet && "
             "'%s' plan --graph G2 --server p3.16xlarge --policy quiver --budget 12%% --fanout 4,3 --batch 8 "
             "--simulate-epochs 0 -o P2 --quiet && "
             "'%s' plan --graph G --server dgx-a100 --policy hotset --budget 8%% --fanout 4,3 --batch 8 "
             "--simulate-epochs 0 -o L --quiet && "
             "'%s' plan --graph G --server siton --policy gnnlab --budget 60%% --fanout 4,3 --batch 8 "
             "--simulate-epochs 0 -o S --quiet && "
             "'%s' plan --graph G --server siton --policy bgl --budget 600 --fanout 4,3 --batch 8 --simulate-epochs 0 "
             "-o F --quiet",
             scratch, hotset, hotset, hotset, hotset, hotset, hotset, hotset);
    return system(command);
}

/* ---- facts and tables ---- */

static hotset_plan *opened(const char *name)
{
    hotset_plan *p = NULL;
    if (hotset_open(in_scratch(name), NULL, &p, &error) != HOTSET_OK) fail_msg("%s", error.text);
    assert_int_equal(error.code, HOTSET_OK);
    return p;
}

static const char *const plans[] = {"P", "L", "S"};

static void arrays_are_the_files(void **state)
{
    (void)state;
    static const char *const parts[] = {"feature", "topology", "train"};
    for (size_t k = 0; k < 3; k++) {
        struct folder f;
        hotset_plan *p = opened(plans[k]);
        read_folder(plans[k], &f);
        assert_true(hotset_gpus(p) >= 8 && hotset_sealed(p) == 1);
        assert_int_equal(hotset_row_bytes(p), 6);
        assert_int_equal(hotset_vertices(p), 700);
        for (int g = 0; g < hotset_gpus(p); g++)
            for (int l = 0; l < 3; l++) {
                char name[64];
                uint64_t count;
                snprintf(name, sizeof name, "gpu%d_%s.npy", hotset_gpu_id(p, g), parts[l]);
                const struct file *npy = file_of(&f, name);
                const uint32_t *ids = hotset_ids(p, g, (enum hotset_list)l, &count);
                assert_int_equal(count, (npy->size - 128) / 4);
                if (count) assert_memory_equal(ids, npy->bytes + 128, count * 4);
                if (l == HOTSET_FEATURE) assert_int_equal(hotset_bytes(p, g, HOTSET_BYTES_FEATURE), count * 6);
                if (l == HOTSET_TRAIN) assert_int_equal(hotset_bytes(p, g, HOTSET_BYTES_TRAIN), count * 4);
            }
        free_folder(&f);
        hotset_close(p);
    }
}

/* Who serves v for reader g, and from which slot: looked for in the lists. */
static int slow_find(const hotset_plan *p, int g, int list, uint32_t v, uint32_t *memory, uint64_t *slot)
{
    int peers;
    const int32_t *peer = hotset_peers(p, g, &peers);
    for (int i = -1; i < peers; i++) {
        uint64_t count;
        const uint32_t *ids = hotset_ids(p, i < 0 ? g : peer[i], (enum hotset_list)list, &count);
        for (uint64_t k = 0; k < count; k++)
            if (ids[k] == v) {
                *memory = (uint32_t)(i < 0 ? g : peer[i]);
                *slot = k;
                return 1;
            }
    }
    return 0;
}

static void check_table(const hotset_plan *p, int g, int list, const struct hotset_lookup *t)
{
    uint64_t found = 0;
    for (uint32_t v = 0; v < 700; v++) {
        uint32_t m1 = 99, m2 = 99;
        uint64_t s1 = 99, s2 = 99;
        int want = slow_find(p, g, list, v, &m1, &s1), have = hotset_find(t, v, &m2, &s2);
        if (want != have || m1 != m2 || s1 != s2)
            fail_msg("reader %d, list %d, layout %u, vertex %u: (%u, %u), expected (%u, %u)", g, list, t->layout, v, m2,
                     (unsigned)s2, m1, (unsigned)s1);
        found += (uint64_t)have;
    }
    assert_int_equal(t->rows, found);
    uint32_t m;
    uint64_t s;
    assert_false(hotset_find(t, 700, &m, &s) || hotset_find(t, UINT64_MAX, &m, &s));
}

static void tables_answer_as_the_lists_do(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        hotset_plan *p = opened(plans[k]);
        for (int g = 0; g < hotset_gpus(p); g++)
            for (int list = 0; list < 2; list++)
                for (int layout = 0; layout < 3; layout++) {
                    struct hotset_request r = HOTSET_REQUEST_INIT(g, list);
                    struct hotset_lookup *t = NULL;
                    uint64_t bytes = 0, working = 0;
                    r.layout = layout;
                    r.threads = 1 + g % 3;
                    assert_int_equal(hotset_lookup_bytes(p, &r, &bytes, &working, &error), HOTSET_OK);
                    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
                    assert_true(t->bytes <= bytes && bytes <= working && t->reader == (uint32_t)g);
                    check_table(p, g, list, t);
                    hotset_lookup_free(t);
                }
        hotset_close(p);
    }
}

static int copied(void *to, const void *from, uint64_t bytes, void *context)
{
    *(uint64_t *)context = bytes;
    memcpy(to, from, bytes);
    return 0;
}

static int refused(void *to, const void *from, uint64_t bytes, void *context)
{
    (void)to, (void)from, (void)bytes, (void)context;
    return 1;
}

static void buffers_threads_and_copies_give_the_same_bytes(void **state)
{
    (void)state;
    hotset_plan *p = opened("L");
    for (int layout = 1; layout < 3; layout++) {
        struct hotset_request r = HOTSET_REQUEST_INIT(3, HOTSET_FEATURE);
        struct hotset_lookup *own, *t;
        uint64_t bytes, sent = 0;
        r.layout = layout;
        r.threads = 1;
        assert_int_equal(hotset_lookup_bytes(p, &r, &bytes, NULL, &error), HOTSET_OK);
        assert_int_equal(hotset_lookup_build(p, &r, &own, &error), HOTSET_OK);
        char *block = aligned_alloc(16, (bytes + 31) / 16 * 16);
        r.buffer = block;
        r.buffer_bytes = bytes;
        for (r.threads = 1; r.threads < 9; r.threads++) {
            memset(block, 0x5a, bytes);
            assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
            assert_ptr_equal(t, block);
            assert_memory_equal(t, own, own->bytes);
        }
        r.copy = copied;
        r.copy_context = &sent;
        memset(block, 0x5a, bytes);
        assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
        assert_int_equal(sent, own->bytes);
        assert_memory_equal(block, own, own->bytes);
        r.copy = refused;
        assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_LIMIT);
        r.copy = NULL;
        r.buffer_bytes = bytes - 1;
        assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_USAGE);
        assert_non_null(strstr(error.text, "hotset_lookup_bytes"));
        r.buffer_bytes = bytes;
        r.buffer = block + 8;
        assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_USAGE);
        free(block);
        hotset_lookup_free(own);
    }
    hotset_close(p);
}

static void tables_outlive_the_plan(void **state)
{
    (void)state;
    hotset_plan *p = opened("P");
    struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
    struct hotset_lookup *t;
    uint64_t count, slot;
    uint32_t memory, first = *hotset_ids(p, 0, HOTSET_FEATURE, &count);
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
    hotset_close(p);
    assert_int_equal(hotset_find(t, first, &memory, &slot), 1);
    assert_int_equal(memory, 0);
    assert_int_equal(slot, 0);
    hotset_lookup_free(t);
}

static void memory_is_said_first_and_bounded(void **state)
{
    (void)state;
    hotset_plan *p = opened("P"), *q = NULL;
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    o.threads = 2;
    uint64_t need = hotset_verify_bytes(p, 2);
    assert_true(need > 0 && need < 1 << 20 && hotset_verify_bytes(p, 1) < need);
    o.memory_limit = need - 1;
    assert_int_equal(hotset_open(in_scratch("P"), &o, &q, &error), HOTSET_LIMIT);
    assert_null(q);
    assert_non_null(strstr(error.text, "memory_limit"));
    assert_int_equal(hotset_verify(p, &o, &error), HOTSET_LIMIT);
    o.memory_limit = need;
    assert_int_equal(hotset_verify(p, &o, &error), HOTSET_OK);
    struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
    struct hotset_lookup *t = NULL;
    uint64_t working;
    assert_int_equal(hotset_lookup_bytes(p, &r, NULL, &working, &error), HOTSET_OK);
    r.memory_limit = working - 1;
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_LIMIT);
    assert_null(t);
    r.memory_limit = working;
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
    hotset_lookup_free(t);
    hotset_close(p);
}

static void wrong_calls_are_told(void **state)
{
    (void)state;
    hotset_plan *p = opened("P"), *q = NULL;
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_lookup *t = NULL;
    uint64_t count = 7;
    int peers = 7;
    assert_int_equal(hotset_open(NULL, NULL, &q, &error), HOTSET_USAGE);
    assert_int_equal(hotset_open(in_scratch("P"), NULL, NULL, NULL), HOTSET_USAGE);
    o.struct_bytes = 4;
    assert_int_equal(hotset_open(in_scratch("P"), &o, &q, &error), HOTSET_USAGE);
    for (int k = 0; k < 6; k++) {
        struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
        switch (k) {
        case 0: r.gpu = 8; break;
        case 1: r.gpu = -1; break;
        case 2: r.list = HOTSET_TRAIN; break;
        case 3: r.layout = 3; break;
        case 4: r.struct_bytes--; break;
        case 5: r.copy = copied; break;
        }
        assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_USAGE);
        assert_int_equal(hotset_lookup_bytes(p, &r, NULL, NULL, &error), HOTSET_USAGE);
        assert_true(strlen(error.text) > 20);
    }
    assert_null(t);
    assert_null(q);
    assert_null(hotset_ids(p, 8, HOTSET_FEATURE, &count));
    assert_int_equal(count, 0);
    assert_null(hotset_peers(p, -1, &peers));
    assert_int_equal(peers, 0);
    assert_int_equal(hotset_gpu_id(p, 99), -1);
    assert_int_equal(hotset_find_gpu(p, 99), -1);
    assert_string_equal(hotset_text(p, (enum hotset_text)99), "");
    assert_string_equal(hotset_text(p, HOTSET_TEXT_POLICY), "quiver");
    hotset_close(NULL);
    hotset_close(p);
}

/* Moves the row of a held vertex, whose neighbour in the numbering is not held, to the very end of the edges, and one
 * beyond. */
static void offsets_end_at_the_edges(hotset_plan *p, const int64_t *good)
{
    static int64_t indptr[701];
    uint64_t count;
    const uint32_t *id = hotset_ids(p, 0, HOTSET_TOPOLOGY, &count);
    uint32_t alone = 0;
    for (uint64_t i = 0; i < count && !alone; i++) {
        bool next = false;
        for (uint64_t k = 0; k < count; k++) next |= id[k] + 1 == id[i] || id[k] == id[i] + 1;
        for (int g = 1; g < hotset_gpus(p); g++) {
            uint64_t others;
            const uint32_t *other = hotset_ids(p, g, HOTSET_TOPOLOGY, &others);
            for (uint64_t k = 0; k < others; k++) next |= other[k] + 1 == id[i] || other[k] == id[i] + 1;
        }
        if (!next) alone = id[i];
    }
    assert_true(alone > 0);
    for (int beyond = 0; beyond < 2; beyond++) {
        memcpy(indptr, good, sizeof indptr);
        indptr[alone + 1] = (int64_t)hotset_edges(p) + beyond;
        indptr[alone] = indptr[alone + 1] - (good[alone + 1] - good[alone]);
        struct hotset_graph g = {sizeof g, 0, 700, hotset_edges(p), NULL, indptr};
        assert_int_equal(hotset_check_graph(p, &g, &error), beyond ? HOTSET_INPUT : HOTSET_OK);
    }
}

static void the_graph_is_compared(void **state)
{
    (void)state;
    static int64_t indptr[701];
    hotset_plan *p = opened("L");
    FILE *f = fopen(in_scratch("G/indptr.npy"), "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 128, SEEK_SET), 0);
    assert_int_equal(fread(indptr, sizeof *indptr, 701, f), 701);
    fclose(f);
    struct hotset_graph g = {sizeof g, 0, 700, hotset_edges(p), hotset_text(p, HOTSET_TEXT_FINGERPRINT), indptr};
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_OK);
    uint64_t count;
    uint32_t held = *hotset_ids(p, 0, HOTSET_TOPOLOGY, &count);
    offsets_end_at_the_edges(p, indptr);
    for (uint32_t v = held + 1; v <= 700; v++) indptr[v]--; /* the row of a held vertex is one shorter */
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_INPUT);
    indptr[held + 1] = -5;
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_INPUT);
    g.indptr = NULL;
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_OK);
    g.fingerprint = "another";
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_INPUT);
    g.fingerprint = NULL;
    g.edges++;
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_INPUT);
    hotset_close(p);
}

/* ---- threads ---- */

static void *open_often(void *of)
{
    const char *path = of;
    struct hotset_error e;
    for (int i = 0; i < 30; i++) {
        hotset_plan *p = NULL;
        struct hotset_options o = HOTSET_OPTIONS_INIT;
        struct hotset_lookup *t = NULL;
        o.threads = 2;
        if (hotset_open(path, &o, &p, &e) != HOTSET_OK) return "not opened";
        for (int g = 0; g < hotset_gpus(p); g++) {
            struct hotset_request r = HOTSET_REQUEST_INIT(g, i % 2);
            uint64_t count, slot;
            uint32_t memory;
            r.threads = 2;
            if (hotset_lookup_build(p, &r, &t, &e) != HOTSET_OK) return "not built";
            const uint32_t *ids = hotset_ids(p, g, (enum hotset_list)(i % 2), &count);
            for (uint64_t k = 0; k < count; k++)
                if (!hotset_find(t, ids[k], &memory, &slot) || memory != (uint32_t)g || slot != k)
                    return "another answer";
            hotset_lookup_free(t);
        }
        hotset_close(p);
    }
    return NULL;
}

static void plans_in_threads_do_not_meet(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    char path[THREADS][400];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        snprintf(path[i], sizeof path[i], "%s", in_scratch(plans[i % 3]));
        assert_int_equal(pthread_create(&thread[i], NULL, open_often, path[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *said = NULL;
        pthread_join(thread[i], &said);
        if (said) fail_msg("thread %d: %s", i, (const char *)said);
    }
}

/* ---- damage ---- */

/* Opening D must be refused with a sentence. */
static void must_refuse(const char *what, size_t at)
{
    hotset_plan *p = NULL;
    int code = hotset_open(in_scratch("D"), NULL, &p, &error);
    if (code == HOTSET_OK) fail_msg("%s, byte %zu: was not noticed", what, at);
    if (code != HOTSET_INPUT || p || strlen(error.text) < 30)
        fail_msg("%s, byte %zu: code %d: %s", what, at, code, error.text);
}

static unsigned char flipped(unsigned char byte, size_t at) { return (unsigned char)(byte ^ 1 << at % 8); }

static void every_flipped_byte_is_noticed(void **state)
{
    (void)state;
    struct folder f;
    read_folder("P", &f);
    fresh_copy(&f);
    for (int i = 0; i < f.count; i++) {
        struct file *x = &f.list[i];
        for (size_t at = 0; at < x->size; at += test_step(23)) {
            poke(x->name, at, flipped(x->bytes[at], at));
            must_refuse(x->name, at);
            poke(x->name, at, x->bytes[at]);
        }
    }
    hotset_close(opened("D"));
    free_folder(&f);
}

/* The member "checksum" removed, as others write plans. */
static void unseal(struct file *json)
{
    char *at = strstr((char *)json->bytes, ",\n \"checksum\"");
    assert_non_null(at);
    strcpy(at, "\n}\n");
    json->size = strlen((char *)json->bytes);
}

/* What opened in spite of a change holds the same rows, and all of it can be used. */
static void check_harmless(const hotset_plan *p, const hotset_plan *good, size_t at)
{
    if (hotset_gpus(p) != hotset_gpus(good) || hotset_sealed(p)) fail_msg("byte %zu: %d GPUs", at, hotset_gpus(p));
    for (int g = 0; g < hotset_gpus(p); g++) {
        int peers;
        const int32_t *peer = hotset_peers(p, g, &peers);
        for (int i = 0; i < peers; i++) assert_true(peer[i] >= 0 && peer[i] < hotset_gpus(p) && peer[i] != g);
        for (int list = 0; list < 3; list++) {
            uint64_t a, b;
            const uint32_t *x = hotset_ids(p, g, (enum hotset_list)list, &a),
                           *y = hotset_ids(good, g, (enum hotset_list)list, &b);
            if (a != b || (a && memcmp(x, y, a * sizeof *x)))
                fail_msg("byte %zu: list %d of GPU %d is another", at, list, g);
        }
        if (hotset_bytes(p, g, HOTSET_BYTES_FEATURE) + hotset_bytes(p, g, HOTSET_BYTES_TOPOLOGY) >
            hotset_bytes(p, g, HOTSET_BYTES_BUDGET))
            fail_msg("byte %zu: budget", at);
    }
    struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
    struct hotset_lookup *t = NULL;
    r.threads = 1;
    r.memory_limit = 1 << 24; /* a graph may claim to be larger than it is */
    int code = hotset_lookup_build(p, &r, &t, &error);
    if (code == HOTSET_OK) {
        uint64_t count, slot;
        uint32_t memory;
        const uint32_t *ids = hotset_ids(p, 0, HOTSET_FEATURE, &count);
        for (uint64_t k = 0; k < count; k++)
            assert_true(hotset_find(t, ids[k], &memory, &slot) && memory == 0 && slot == k);
    } else {
        assert_int_equal(code, HOTSET_LIMIT);
    }
    hotset_lookup_free(t);
}

static void without_a_seal_a_flip_is_refused_or_harmless(void **state)
{
    (void)state;
    struct folder f;
    hotset_plan *good = opened("P");
    int taken = 0;
    read_folder("P", &f);
    struct file *json = file_of(&f, "plan.json");
    json->bytes[json->size] = '\0';
    unseal(json);
    fresh_copy(&f);
    for (size_t at = 0; at < json->size; at += test_step(23)) {
        hotset_plan *p = NULL;
        poke("plan.json", at, flipped(json->bytes[at], at));
        int code = hotset_open(in_scratch("D"), NULL, &p, &error);
        if (code == HOTSET_OK) check_harmless(p, good, at);
        else if (code != HOTSET_INPUT || strlen(error.text) < 30)
            fail_msg("byte %zu: code %d: %s", at, code, error.text);
        taken += code == HOTSET_OK;
        hotset_close(p);
        poke("plan.json", at, json->bytes[at]);
    }
    assert_true(taken > 20 / (int)test_step(20) &&
                taken < (int)json->size); /* names and figures may change, the rest may not */
    hotset_close(good);
    free_folder(&f);
}

static void cut_swapped_and_missing_files_are_refused(void **state)
{
    (void)state;
    struct folder f, other;
    read_folder("P", &f);
    read_folder("P2", &other);
    for (int i = 0; i < f.count; i++) {
        struct file *x = &f.list[i];
        fresh_copy(&f);
        char path[150];
        snprintf(path, sizeof path, "D/%.64s", x->name);
        for (size_t size = x->size; size-- > 0; size -= size / 40) {
            assert_int_equal(truncate(in_scratch(path), (off_t)size), 0);
            must_refuse(x->name, size);
        }
        unlink(in_scratch(path));
        must_refuse(x->name, 0);
        struct file *y = file_of(&other, x->name); /* the file of that name of another graph's plan */
        if (y->size != x->size || memcmp(x->bytes, y->bytes, x->size)) {
            write_into("D", x->name, y->bytes, y->size);
            must_refuse(x->name, 1);
        }
        for (int k = 0; k < i; k++) { /* two files in each other's place */
            const struct file *z = &f.list[k];
            if (z->size == x->size && !memcmp(z->bytes, x->bytes, x->size)) continue;
            write_into("D", x->name, z->bytes, z->size);
            write_into("D", z->name, x->bytes, x->size);
            must_refuse(x->name, 2);
            write_into("D", z->name, z->bytes, z->size);
        }
    }
    free_folder(&f);
    free_folder(&other);
}

/* Replaces a text of plan.json and opens the result. */
static int open_with(const struct folder *f, const char *old, const char *new, hotset_plan **out)
{
    struct folder copy = *f;
    const struct file *json = file_of(&copy, "plan.json");
    char *text = calloc(1, json->size + strlen(new) + 1);
    const char *at = strstr((const char *)json->bytes, old);
    assert_non_null(at);
    memcpy(text, json->bytes, (size_t)(at - (const char *)json->bytes));
    strcat(text, new);
    strcat(text, at + strlen(old));
    write_into("D", "plan.json", text, strlen(text));
    free(text);
    return hotset_open(in_scratch("D"), NULL, out, &error);
}

/* Calls that no caller means: a code, a sentence, and nothing is touched. */
static void misuse_is_refused(void **state)
{
    (void)state;
    const struct hotset_options good = HOTSET_OPTIONS_INIT;
    struct hotset_options o[4] = {good, good, good, good};
    struct hotset_lookup *t = NULL;
    hotset_plan *p = opened("P"), *q = NULL;
    hotset_batches *b = NULL;
    uint32_t id = 0;
    int32_t memory;
    int64_t slot;
    o[0].reserved = 1;
    o[1].skip = 4;
    o[2].skip = 0x80000003u;
    o[3].threads = -1;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(hotset_open(in_scratch("P"), &o[i], &q, &error), HOTSET_USAGE);
        assert_true(strlen(error.text) > 20);
        assert_int_equal(hotset_verify(p, &o[i], &error), HOTSET_USAGE);
    }
    assert_int_equal(hotset_open("", NULL, &q, &error), HOTSET_USAGE);
    assert_int_equal(hotset_batches_open("", &b, &error), HOTSET_USAGE);
    assert_null(q);
    struct hotset_graph g = {(uint32_t)sizeof g, 1, hotset_vertices(p), hotset_edges(p), NULL, NULL};
    assert_int_equal(hotset_check_graph(p, &g, &error), HOTSET_USAGE);
    assert_int_equal(hotset_check_graph(p, NULL, &error), HOTSET_USAGE);
    struct hotset_request r = HOTSET_REQUEST_INIT(0, HOTSET_FEATURE);
    r.reserved = 7;
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_USAGE);
    r.reserved = 0;
    r.threads = -1;
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_USAGE);
    r.threads = 1;
    assert_int_equal(hotset_lookup_build(p, &r, &t, &error), HOTSET_OK);
    const uint64_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4 + 1, UINT64_C(1) << 61};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(hotset_find_rows(t, &id, 4, counts[i], 1, &memory, &slot, &error), HOTSET_USAGE);
        struct hotset_gather_request x =
            {.struct_bytes = sizeof x, .ids = &id, .id_bytes = 4, .count = counts[i], .row_bytes = 1, .out = &slot};
        assert_int_equal(hotset_gather(&x, &error), HOTSET_USAGE);
    }
    assert_int_equal(hotset_find_rows(t, &id, 4, 1, -1, &memory, &slot, &error), HOTSET_USAGE);
    assert_int_equal(hotset_find_rows(t, &id, 4, 1, 1, NULL, NULL, &error), HOTSET_USAGE);
    assert_int_equal(hotset_epoch_order(p, 0, 1, 0, SIZE_MAX, &id, &error), HOTSET_USAGE);
    struct hotset_observation seen = {.struct_bytes = sizeof seen, .reserved = 1};
    assert_int_equal(hotset_observe("none", &seen, &error), HOTSET_USAGE);
    seen.reserved = 0;
    assert_int_equal(hotset_observe("", &seen, &error), HOTSET_USAGE);
    assert_non_null(hotset_peers(p, 0, NULL));
    (void)hotset_ids(p, 0, HOTSET_TRAIN, NULL);
    hotset_lookup_free(t);
    hotset_close(p);
}

/* What the planner refuses in a document, the library does, too. */
static void one_reader_of_a_plan(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"\"cls\": 64", "\"cls\": 63"},
                                           {"\"cls\": 64", "\"clz\": 64"},
                                           {"\"peers\": [", "\"peers\": -5, \"old\": ["},
                                           {"\"frontier\": \"new\"", "\"frontier\": \"old\""},
                                           {"\"file\": \"gpu1_feature.npy\"", "\"file\": \"gpu0_feature.npy\""},
                                           {"\"predicted\": {", "\"predicted\": 7, \"old\": {"},
                                           {"\"total_transactions\": ", "\"total_transactions\": 1"},
                                           {"\"feature_dim\": ", "\"feature_dim\": 1"},
                                           {"\"topology_access\": \"gpu\"", "\"topology_access\": \"gpus\""}};
    struct folder f;
    hotset_plan *p = NULL;
    read_folder("P", &f);
    struct file *json = file_of(&f, "plan.json");
    json->bytes[json->size] = '\0';
    unseal(json);
    fresh_copy(&f);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (open_with(&f, wrong[i][0], wrong[i][1], &p) != HOTSET_INPUT) fail_msg("%s: opened", wrong[i][1]);
    free_folder(&f);
}

static void dynamic_plans_open(void **state)
{
    (void)state;
    struct folder f;
    uint64_t count;
    hotset_plan *p = opened("F");
    assert_string_equal(hotset_text(p, HOTSET_TEXT_DYNAMIC_CACHE), "fifo");
    for (int g = 0; g < hotset_gpus(p); g++) {
        assert_int_equal(hotset_dynamic_rows(p, g), hotset_bytes(p, g, HOTSET_BYTES_BUDGET) / 6);
        assert_null(hotset_ids(p, g, HOTSET_FEATURE, &count));
    }
    hotset_close(p);
    p = NULL;
    read_folder("F", &f);
    struct file *json = file_of(&f, "plan.json");
    json->bytes[json->size] = '\0';
    unseal(json);
    fresh_copy(&f);
    assert_int_equal(open_with(&f, "\"dynamic\": {",
                               "\"dynamic\": {\"cache\": \"fifo\", \"rows\": 36, \"gpu_rows\": [1, 2, 3, 4, 5, 6, 7, "
                               "8]}, \"old\": {",
                               &p),
                     HOTSET_OK);
    assert_string_equal(hotset_text(p, HOTSET_TEXT_DYNAMIC_CACHE), "fifo");
    assert_int_equal(hotset_dynamic_rows(p, 7), 8);
    assert_int_equal(hotset_bytes(p, 7, HOTSET_BYTES_DYNAMIC), 48);
    hotset_close(p);
    p = NULL;
    static const char *const wrong[] = {"{\"cache\": \"lru\", \"rows\": 3, \"gpu_rows\": [1, 2]}",
                                        "{\"cache\": \"lru\", \"rows\": 1}",
                                        "{\"rows\": 0, \"gpu_rows\": [0, 0, 0, 0, 0, 0, 0, 0]}",
                                        "{\"cache\": \"lru\", \"rows\": 800000, \"gpu_rows\": [800000,0,0,0,0,0,0,0]}",
                                        "7"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[200];
        snprintf(text, sizeof text, "\"dynamic\": %s, \"old\": {", wrong[i]);
        assert_int_equal(open_with(&f, "\"dynamic\": {", text, &p), HOTSET_INPUT);
    }
    assert_null(p);
    free_folder(&f);
}

static void claims_cost_nothing(void **state)
{
    (void)state;
    struct folder f;
    hotset_plan *p = NULL;
    read_folder("P", &f);
    struct file *json = file_of(&f, "plan.json");
    json->bytes[json->size] = '\0';
    unseal(json);
    fresh_copy(&f);
    assert_int_equal(open_with(&f, "\"vertices\": 700", "\"vertices\": 4294967296", &p),
                     HOTSET_OK); /* few ids: no bit per vertex is taken */
    assert_true(hotset_verify_bytes(p, 4) < 1 << 20);
    hotset_close(p);
    p = NULL;
    assert_int_equal(open_with(&f, "\"vertices\": 700", "\"vertices\": 4294967297", &p), HOTSET_INPUT);
    assert_int_equal(open_with(&f, "\"vertices\": 700", "\"vertices\": 600", &p), HOTSET_INPUT); /* some id is beyond */
    assert_null(p);
    free_folder(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_are_the_files),
                                       cmocka_unit_test(tables_answer_as_the_lists_do),
                                       cmocka_unit_test(buffers_threads_and_copies_give_the_same_bytes),
                                       cmocka_unit_test(tables_outlive_the_plan),
                                       cmocka_unit_test(memory_is_said_first_and_bounded),
                                       cmocka_unit_test(wrong_calls_are_told),
                                       cmocka_unit_test(the_graph_is_compared),
                                       cmocka_unit_test(plans_in_threads_do_not_meet),
                                       cmocka_unit_test(every_flipped_byte_is_noticed),
                                       cmocka_unit_test(without_a_seal_a_flip_is_refused_or_harmless),
                                       cmocka_unit_test(cut_swapped_and_missing_files_are_refused),
                                       cmocka_unit_test(misuse_is_refused),
                                       cmocka_unit_test(one_reader_of_a_plan),
                                       cmocka_unit_test(dynamic_plans_open),
                                       cmocka_unit_test(claims_cost_nothing)};
    return cmocka_run_group_tests(tests, make_plans, scratch_remove);
}
