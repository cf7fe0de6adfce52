#include "planner/running/observed.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define MOST ((int64_t)1 << 53)

const char *place_word(enum served_by p)
{
    static const char *const words[PLACES] = {"own", "peer", "host"};
    return words[p];
}

static enum st observed_add(uint64_t *sum, int64_t more, const char *where, struct err *err)
{
    if (*sum > (uint64_t)(4 * MOST)) return err_set(err, ST_INPUT, "%s: the numbers add up to more than 2^55", where);
    *sum += (uint64_t)more;
    return ST_OK;
}

/* A line as it is written. */
struct places_stated {
    int64_t of[PLACES];
};
struct line_stated {
    int64_t gpu, epoch, batches;
    struct places_stated rows, bytes;
    const char *table; /* NULL: not stated */
};
#define COUNT(k, T, m, help_)                                                                                          \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, .flags = FIELD_NEEDED, FIELD_TO(T, m), .high = MOST, .help = help_            \
    }
#define L struct line_stated
static const char *const schema_words[] = {"observed/1", NULL};
static const struct field place_fields[] = {COUNT("own", struct places_stated, of[PLACE_OWN], "From its own memory."),
                                            COUNT("peer", struct places_stated, of[PLACE_PEER], "From other GPUs."),
                                            COUNT("host", struct places_stated, of[PLACE_HOST], "Over PCIe."),
                                            FIELDS_OPEN};
const struct field observed_fields[] =
    {FIELD_SCHEMA(schema_words),
     COUNT("gpu", L, gpu, "Its id in the plan."),
     COUNT("epoch", L, epoch, "Its number."),
     COUNT("batches", L, batches, "Mini-batches of the GPU; 0: it had nothing to train."),
     {.key = "table", .kind = FIELD_STRING, FIELD_TO(L, table), .help = "Whose rows, where a graph has several types."},
     {.key = "rows",
      .kind = FIELD_OBJECT,
      .flags = FIELD_NEEDED,
      FIELD_TO(L, rows),
      .of = place_fields,
      .help = "Feature rows that it read in the epoch."},
     {.key = "bytes",
      .kind = FIELD_OBJECT,
      .flags = FIELD_NEEDED,
      FIELD_TO(L, bytes),
      .of = place_fields,
      .unit = "bytes",
      .help = "The same."},
     {.key = "seconds", .kind = FIELD_OBJECT, .unit = "s", .help = "Of stages of the epoch, by name."},
     FIELDS_OPEN};
#undef L

static enum st add_places(const struct places_stated *each, const char *where, uint64_t *sums, struct err *err)
{
    for (int i = 0; i < PLACES; i++) PASS(observed_add(&sums[i], each->of[i], where, err));
    return ST_OK;
}

/* The number of a stage, added when it is new. */
static enum st find_stage(const char *name, const char *where, struct observed *o, int *out, struct err *err)
{
    int i = 0;
    while (i < o->stages && strcmp(o->stage[i], name)) i++;
    if (i == OBSERVED_STAGES || strlen(name) >= OBSERVED_NAME)
        return err_set(err, ST_INPUT, "%s: stage '%.40s': expected at most %d stages with names of up to %d letters",
                       where, name, OBSERVED_STAGES, OBSERVED_NAME - 1);
    if (i == o->stages) snprintf(o->stage[o->stages++], OBSERVED_NAME, "%s", name);
    *out = i;
    return ST_OK;
}

static enum st add_seconds(const doc *line, const char *where, struct observed *o, struct observed_gpu *g,
                           struct err *err)
{
    const doc *d = doc_get(line, "seconds");
    if (!doc_is_object(d)) return ST_OK;
    for (const char *k = doc_next_key(d, NULL); k; k = doc_next_key(d, k)) {
        int at = 0;
        double seconds;
        PASS(doc_need_real(d, k, 0, 1e15, where, &seconds, err));
        PASS(find_stage(k, where, o, &at, err));
        g->seconds[at] += seconds;
    }
    return ST_OK;
}

/* The part whose rows a line counts. */
static enum st find_part(const char *table, const char *where, const struct graph *g, int *out, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    *out = 0;
    if (graph_plain(g) && !table) return ST_OK;
    if (!graph_plain(g) && !table)
        return err_set(err, ST_INPUT,
                       "%s: has no \"table\"; where a graph has several types, a line says whose rows it counts",
                       where);
    for (int k = 0; !graph_plain(g) && k < observed_parts(g); k++) {
        int t = observed_table(g, k);
        if (!graph_table_there(g, t) || strcmp(graph_table_label(g, t, label), table)) continue;
        *out = k;
        return ST_OK;
    }
    return err_set(err, ST_INPUT, "%s: counts rows of '%.60s', but the graph has no such feature rows", where, table);
}

static enum st add_line(const doc *line, const char *where, const struct plan *p, const struct graph *graph,
                        struct observed *o, struct err *err)
{
    int g = 0, part;
    struct line_stated l;
    PASS(fields_read(observed_fields, line, where, &l, err));
    while (g < p->assignment.gpus && p->assignment.id[g] != l.gpu) g++;
    if (g == p->assignment.gpus)
        return err_set(err, ST_INPUT, "%s: GPU %lld is not in the plan; was the job run with another plan?", where,
                       (long long)l.gpu);
    PASS(find_part(l.table, where, graph, &part, err));
    const uint64_t row_bytes = graph_table(graph, observed_table(graph, part)).row_bytes;
    struct observed_gpu *gpu = &o->gpu[part * o->gpus + g];
    PASS(add_places(&l.rows, where, gpu->rows, err));
    PASS(add_places(&l.bytes, where, gpu->bytes, err));
    for (int i = 0; i < PLACES; i++)
        if ((unsigned __int128)l.rows.of[i] * row_bytes != (unsigned __int128)l.bytes.of[i])
            return err_set(err, ST_INPUT, "%s: %lld rows took %lld bytes, but rows of the plan have %llu bytes", where,
                           (long long)l.rows.of[i], (long long)l.bytes.of[i], (unsigned long long)row_bytes);
    if (!l.batches && (l.rows.of[PLACE_OWN] || l.rows.of[PLACE_PEER] || l.rows.of[PLACE_HOST]))
        return err_set(err, ST_INPUT,
                       "%s: \"batches\" is 0, but rows were read; expected the mini-batches that read them", where);
    PASS(observed_add(&gpu->batches, l.batches, where, err));
    gpu->epochs++;
    return add_seconds(line, where, o, gpu, err);
}

void observed_release(struct observed *o)
{
    mem_free(o->gpu);
    memset(o, 0, sizeof *o);
}

enum st observed_read(const char *path, const struct plan *p, const struct graph *graph, struct observed *out,
                      struct err *err)
{
    OWNED_BY(file_unmap) struct mapping m = {0};
    uint64_t number = 0, lines = 0;
    OWNED_DOC doc *line = NULL;
    out->gpus = p->assignment.gpus;
    out->parts = observed_parts(graph);
    PASS(file_map(path, &m, err));
    if (!out->gpu) MAKE(out->gpu, out->parts * out->gpus, "counters");
    for (const char *at = m.base, *end = at + m.bytes; m.bytes && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop ? stop : end) - at);
        char where[PATH_BYTES + 32];
        snprintf(where, sizeof where, "%s, line %llu", path, (unsigned long long)++number);
        if (bytes && !(bytes == 1 && *at == '\r')) {
            PASS(doc_parse(at, bytes, where, &line, err));
            PASS(add_line(line, where, p, graph, out, err));
            doc_free(line);
            line = NULL;
            lines++;
        }
        at += bytes + 1;
    }
    if (!lines)
        return err_set(err, ST_INPUT, "%s: holds no counters; a job appends a line per GPU and epoch (hotset_observe)",
                       path);
    return ST_OK;
}
