/* batches_open.c - reads mini-batches that `hotset simulate --export-batches` wrote (declared in hotset.h; the files
 * are described in simulator/replay/batches.h).
 *
 * The files are mapped and could be wrong in every number, so lengths are compared when they are opened, and the
 * numbers of a mini-batch when it is read.
 */
#include <stdlib.h>
#include <string.h>

#include "simulator/lib/internal.h"

enum { SEEDS, VERTICES, EXPANDED, EDGES, PARTED, ROWS = PARTED, COLUMNS, ARRAYS }; /* those below PARTED have offsets */

static const char *const names[ARRAYS] = {"seeds", "vertices", "expanded", "edges", "rows", "columns"};

/* batches.json. */
struct gpu_stated {
    int id;
    uint64_t batches;
    int64_t length[PARTED];
};
struct batches_stated {
    const char *fingerprint, *sampler, *seeds; /* NULL: not stated */
    uint64_t vertices, edges, epochs;
    int64_t seed;
    int32_t hops, negatives;
    int gpus;
    struct gpu_stated gpu[GPUS_MAX];
};
#define INTEGER(k, T, m, least_, most_, ...)                                                                           \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, FIELD_TO(T, m), .low = least_, .high = most_, __VA_ARGS__                     \
    }
#define NEEDED .flags = FIELD_NEEDED
#define LENGTH(k, of, say) INTEGER(k, struct gpu_stated, length[of], 0, INT64_MAX / 8, NEEDED, .help = say)
#define B struct batches_stated
static const char *const schema_words[] = {"batches/1", NULL};
static const struct field
    graph_fields[] =
        {INTEGER("vertices", B, vertices, 0, (int64_t)UINT32_MAX + 1, NEEDED, .help = "Of the graph."),
         INTEGER("edges", B, edges, 0, INT64_MAX / 16, NEEDED, .help = "Of the graph."),
         {.key = "name", .kind = FIELD_TEXT, .help = "Of the graph."},
         {.key = "fingerprint", .kind = FIELD_STRING, FIELD_TO(B, fingerprint), .help = "A checksum of the graph."},
         FIELDS_OPEN},
    workload_fields[] =
        {{.key = "sampler", .kind = FIELD_STRING, FIELD_TO(B, sampler), .help = "Absent: uniform."},
         {.key = "seeds", .kind = FIELD_STRING, FIELD_TO(B, seeds), .help = "vertices or edges."},
         INTEGER("negatives", B, negatives, 0, (1 << 16) - 1, .help = "Per edge that is a seed."),
         {.key = "fanout", .kind = FIELD_LIST, .help = "Neighbours per hop."},
         {.key = "batch", .kind = FIELD_INTEGER, .high = INT64_MAX, .help = "Seeds of a mini-batch."},
         {.key = "frontier", .kind = FIELD_TEXT, .help = "Whose neighbours the next hop draws."},
         {.key = "seed", .kind = FIELD_INTEGER, .low = INT64_MIN, .high = INT64_MAX, .help = "Of planning."},
         FIELDS_OPEN},
    gpu_fields[] = {INTEGER("id", struct gpu_stated, id, 0, 255, NEEDED, .help = "In the names of its files."),
                    INTEGER("batches", struct gpu_stated, batches, 0, UINT32_MAX, NEEDED, .help = "Per epoch."),
                    LENGTH("seeds", SEEDS, "In all its mini-batches."),
                    LENGTH("vertices", VERTICES, "Distinct ones, of each mini-batch."),
                    LENGTH("expanded", EXPANDED, "Vertices whose neighbours were drawn."),
                    LENGTH("edges", EDGES, "That were drawn."),
                    FIELDS_OPEN};
const struct field batches_fields[] =
    {FIELD_SCHEMA(schema_words),
     {.key = "graph", .kind = FIELD_OBJECT, NEEDED, .of = graph_fields, .help = "What they were drawn from."},
     {.key = "workload", .kind = FIELD_OBJECT, NEEDED, .of = workload_fields, .help = "How they were drawn."},
     INTEGER("seed", B, seed, INT64_MIN, INT64_MAX, NEEDED, .help = "Of the random numbers."),
     INTEGER("epochs", B, epochs, 0, 1 << 24, NEEDED, .help = "That were drawn."),
     INTEGER("hops", B, hops, 1, HOTSET_HOPS_MAX, NEEDED, .help = "Of every mini-batch."),
     {.key = "gpus",
      .kind = FIELD_LIST,
      FIELD_EACH(B, gpu, gpus),
      .of = gpu_fields,
      NEEDED,
      .help = "Each one's files."},
     FIELDS_OPEN};
#undef B

struct gpu {
    int id;
    uint64_t batches;                     /* per epoch */
    struct npy array[ARRAYS], at[PARTED]; /* mapped */
};

struct hotset_batches {
    char folder[PATH_BYTES];
    struct hotset_batches_facts facts;
    struct gpu *gpu; /* [facts.gpus], owned */
};

/* ---- opening ---- */

static enum st map_array(const struct hotset_batches *b, int id, const char *name, const char *end, const char *type,
                         uint64_t length, struct npy *out, struct err *err)
{
    char file[64], path[PATH_BYTES];
    snprintf(file, sizeof file, "gpu%d_%s%s.npy", id, name, end);
    PASS(path_join(path, b->folder, file, err));
    PASS(npy_map(path, out, err));
    return npy_expect(out, path, type, 1, &length, err);
}

/* Parts that the offsets of an array have in `batches` mini-batches. */
static uint64_t parts_of(int k, uint64_t batches, int hops)
{
    return batches * (k == SEEDS ? 1 : k == VERTICES ? (uint64_t)hops + 1 : (uint64_t)hops);
}

static enum st open_gpu(const struct hotset_batches *b, const struct gpu_stated *about, struct gpu *gpu,
                        struct err *err)
{
    const int64_t *length = about->length;
    uint64_t all;
    gpu->id = about->id;
    gpu->batches = about->batches;
    all = gpu->batches * b->facts.epochs; /* below 2^56 */
    for (int k = 0; k < PARTED; k++) {
        uint64_t parts = parts_of(k, all, b->facts.hops);
        PASS(map_array(b, gpu->id, names[k], "_at", "i8", parts + 1, &gpu->at[k], err));
        const int64_t *at = gpu->at[k].data;
        if (at[0] != 0 || at[parts] != length[k])
            return err_set(err, ST_INPUT,
                           "%s/gpu%d_%s_at.npy: goes from %lld to %lld, expected 0 to %lld; export the batches again",
                           b->folder, gpu->id, names[k], (long long)at[0], (long long)at[parts], (long long)length[k]);
    }
    for (int k = 0; k < ARRAYS; k++)
        PASS(map_array(b, gpu->id, names[k], "", k == EDGES ? "i8" : "u4", (uint64_t)length[k < PARTED ? k : EDGES],
                       &gpu->array[k], err));
    return ST_OK;
}

static void read_facts(const struct batches_stated *s, struct hotset_batches_facts *f)
{
    f->vertices = s->vertices;
    f->edges = s->edges;
    f->seed = s->seed;
    f->epochs = s->epochs;
    f->hops = s->hops;
    if (s->seeds && !strcmp(s->seeds, "edges")) f->edge_seeds = 1 + s->negatives;
    snprintf(f->fingerprint, sizeof f->fingerprint, "%.79s", s->fingerprint ? s->fingerprint : "");
    snprintf(f->sampler, sizeof f->sampler, "%.31s", s->sampler ? s->sampler : "uniform");
}

static enum st open_all(const char *path, struct hotset_batches *b, struct err *err)
{
    char where[PATH_BYTES];
    struct batches_stated s;
    OWNED_DOC doc *d = NULL;
    if (snprintf(b->folder, sizeof b->folder, "%s", path) >= (int)sizeof b->folder)
        return err_set(err, ST_INPUT, "%.60s..: the path is longer than %d bytes", path, PATH_BYTES - 1);
    PASS(path_join(where, path, "batches.json", err));
    PASS(doc_load(where, "batches/1", &d, err));
    PASS(fields_read(batches_fields, d, where, &s, err));
    read_facts(&s, &b->facts);
    b->gpu = lib_cleared((uint64_t)s.gpus, sizeof *b->gpu);
    if (!b->gpu) return err_set(err, ST_LIMIT, "%s: no memory for %d GPUs", where, s.gpus);
    for (int i = 0; i < s.gpus; i++) {
        b->facts.gpus = i + 1; /* so that closing lets go of what was mapped */
        PASS(open_gpu(b, &s.gpu[i], &b->gpu[i], err));
        for (int j = 0; j < i; j++)
            if (b->gpu[j].id == b->gpu[i].id)
                return err_set(err, ST_INPUT, "%s: lists GPU %d twice", where, b->gpu[i].id);
    }
    return ST_OK;
}

void hotset_batches_close(hotset_batches *b)
{
    if (!b) return;
    for (int i = 0; b->gpu && i < b->facts.gpus; i++) {
        for (int k = 0; k < ARRAYS; k++) npy_release(&b->gpu[i].array[k]);
        for (int k = 0; k < PARTED; k++) npy_release(&b->gpu[i].at[k]);
    }
    free(b->gpu);
    free(b);
}

int hotset_batches_open(const char *path, hotset_batches **out, struct hotset_error *error)
{
    struct err err = {0};
    struct hotset_batches *b = NULL;
    enum st st = ST_OK;
    if (!path || !*path || !out) st = err_set(&err, ST_USAGE, "hotset_batches_open: path and out must be given");
    else if (!(b = lib_cleared(1, sizeof *b))) st = err_set(&err, ST_LIMIT, "%s: no memory", path);
    if (st == ST_OK) st = open_all(path, b, &err);
    if (st == ST_OK) *out = b;
    else hotset_batches_close(b);
    return lib_finish(st, &err, error);
}

/* ---- facts ---- */

int hotset_batches_about(const hotset_batches *b, struct hotset_batches_facts *out, struct hotset_error *error)
{
    struct err err = {0};
    enum st st = ST_OK;
    if (!b || !out) st = err_set(&err, ST_USAGE, "hotset_batches_about: batches and out must be given");
    else st = lib_check_struct(out->struct_bytes, sizeof *out, "hotset_batches_facts", &err);
    if (st == ST_OK) {
        *out = b->facts;
        out->struct_bytes = (uint32_t)sizeof *out;
    }
    return lib_finish(st, &err, error);
}

static const struct gpu *gpu_at(const hotset_batches *b, int gpu)
{
    return b && gpu >= 0 && gpu < b->facts.gpus ? &b->gpu[gpu] : NULL;
}

int hotset_batches_gpu_id(const hotset_batches *b, int gpu) { return gpu_at(b, gpu) ? b->gpu[gpu].id : -1; }

uint64_t hotset_batches_per_epoch(const hotset_batches *b, int gpu) { return gpu_at(b, gpu) ? b->gpu[gpu].batches : 0; }

/* ---- one mini-batch ---- */

static enum st out_of_range(const struct hotset_batches *b, const struct gpu *gpu, int k, uint64_t at, struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s/gpu%d_%s.npy: mini-batch %llu has a number that is out of range; the file is damaged, export "
                   "the batches again",
                   b->folder, gpu->id, names[k], (unsigned long long)at);
}

/* Where parts [first, first + parts) of array k end, from the beginning of the first; *from: that beginning. Offsets
 * may have changed since they were compared: each is held against the array's length. */
static enum st ends_of(const struct hotset_batches *b, const struct gpu *gpu, int k, uint64_t batch, uint64_t first,
                       int parts, uint64_t *from, uint64_t *end, struct err *err)
{
    const volatile int64_t *at = (const int64_t *)gpu->at[k].data + first;
    int64_t begin = at[0], last = begin, length = (int64_t)gpu->array[k].count;
    if (begin < 0 || begin > length) return out_of_range(b, gpu, k, batch, err);
    for (int i = 0; i < parts; i++) {
        int64_t here = at[i + 1];
        if (here < last || here > length) return out_of_range(b, gpu, k, batch, err);
        end[i] = (uint64_t)(here - begin);
        last = here;
    }
    *from = (uint64_t)begin;
    return ST_OK;
}

static bool below(const uint32_t *number, uint64_t count, uint64_t bound)
{
    uint32_t largest = 0;
    for (uint64_t i = 0; i < count; i++) largest = number[i] > largest ? number[i] : largest;
    return !count || largest < bound;
}

static bool edges_below(const int64_t *number, uint64_t count, uint64_t bound)
{
    uint64_t largest = 0; /* negative ones are large */
    for (uint64_t i = 0; i < count; i++) largest = (uint64_t)number[i] > largest ? (uint64_t)number[i] : largest;
    return !count || largest < bound;
}

static const uint32_t *ids_at(const struct gpu *gpu, int k, uint64_t from)
{
    return gpu->array[k].count ? (const uint32_t *)gpu->array[k].data + from : NULL;
}

static enum st read_hops(const struct hotset_batches *b, const struct gpu *gpu, uint64_t at, struct hotset_batch *out,
                         struct err *err)
{
    int hops = b->facts.hops;
    uint64_t visits[HOTSET_HOPS_MAX], draws[HOTSET_HOPS_MAX], visit = 0, draw = 0, v0 = 0, d0 = 0;
    PASS(ends_of(b, gpu, EXPANDED, at, at * (uint64_t)hops, hops, &v0, visits, err));
    PASS(ends_of(b, gpu, EDGES, at, at * (uint64_t)hops, hops, &d0, draws, err));
    for (int h = 0; h < hops; h++) {
        struct hotset_hop *hop = &out->hop[h];
        hop->expanded = ids_at(gpu, EXPANDED, v0 + visit);
        hop->visits = visits[h] - visit;
        hop->rows = ids_at(gpu, ROWS, d0 + draw);
        hop->columns = ids_at(gpu, COLUMNS, d0 + draw);
        hop->edges = gpu->array[EDGES].count ? (const int64_t *)gpu->array[EDGES].data + d0 + draw : NULL;
        hop->draws = draws[h] - draw;
        visit = visits[h];
        draw = draws[h];
        if (!below(hop->expanded, hop->visits, b->facts.vertices)) PASS(out_of_range(b, gpu, EXPANDED, at, err));
        if (!below(hop->rows, hop->draws, out->count)) PASS(out_of_range(b, gpu, ROWS, at, err));
        if (!below(hop->columns, hop->draws, out->count)) PASS(out_of_range(b, gpu, COLUMNS, at, err));
        if (!edges_below(hop->edges, hop->draws, b->facts.edges)) PASS(out_of_range(b, gpu, EDGES, at, err));
    }
    return ST_OK;
}

static enum st read_batch(const struct hotset_batches *b, const struct gpu *gpu, uint64_t at, struct hotset_batch *out,
                          struct err *err)
{
    int hops = b->facts.hops;
    uint64_t found[HOTSET_HOPS_MAX + 1], seeds = 0, from = 0;
    *out = (struct hotset_batch){.struct_bytes = (uint32_t)sizeof *out,
                                 .hops = hops,
                                 .epoch = at / gpu->batches,
                                 .number = at % gpu->batches};
    PASS(ends_of(b, gpu, SEEDS, at, at, 1, &from, &seeds, err));
    out->seeds = ids_at(gpu, SEEDS, from);
    out->seed_count = seeds;
    PASS(ends_of(b, gpu, VERTICES, at, at * ((uint64_t)hops + 1), hops + 1, &from, found, err));
    out->vertices = ids_at(gpu, VERTICES, from);
    out->seed_vertices = found[0];
    out->count = found[hops];
    if (!below(out->seeds, seeds, b->facts.vertices)) PASS(out_of_range(b, gpu, SEEDS, at, err));
    if (!below(out->vertices, out->count, b->facts.vertices)) PASS(out_of_range(b, gpu, VERTICES, at, err));
    for (int h = 0; h < hops; h++) out->hop[h].found = found[h + 1];
    return read_hops(b, gpu, at, out, err);
}

int hotset_batches_read(const hotset_batches *b, int gpu, uint64_t at, struct hotset_batch *out,
                        struct hotset_error *error)
{
    struct err err = {0};
    struct hotset_batch read;
    const struct gpu *own = gpu_at(b, gpu);
    enum st st = ST_OK;
    if (!own || !out) st = err_set(&err, ST_USAGE, "hotset_batches_read: there is no GPU at position %d", gpu);
    else st = lib_check_struct(out->struct_bytes, sizeof *out, "hotset_batch", &err);
    if (st == ST_OK && at >= own->batches * b->facts.epochs)
        st = err_set(&err, ST_USAGE, "hotset_batches_read: GPU %d has %llu mini-batches, number %llu was asked for",
                     own->id, (unsigned long long)(own->batches * b->facts.epochs), (unsigned long long)at);
    if (st == ST_OK) st = read_batch(b, own, at, &read, &err);
    if (st == ST_OK) *out = read;
    return lib_finish(st, &err, error);
}
