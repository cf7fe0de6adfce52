#include "traces/formats/graph_import.h"

#include <string.h>

#include "base/mem.h"
#include "base/packed.h"
#include "base/precision.h"
#include "base/text.h"
#include "traces/builder/builder_times.h"
#include "traces/builder/graph_text.h"
#include "traces/builder/name_table.h"
#include "traces/formats/foreign.h"

enum { HEAD = 1 << 16, FORMATS_MOST = 64 };

static void names_of_formats(const char *names[FORMATS_MOST + 1], char *list, size_t size)
{
    int n = 0;
    *list = '\0';
    for (const struct graph_format *const *f = graph_formats_registered; *f && n < FORMATS_MOST; f++) {
        text_append(list, size, "%s%s", n ? ", " : "", (*f)->name);
        names[n++] = (*f)->name;
    }
    names[n] = NULL;
}

static enum st find_by_name(const char *name, const struct graph_format **out, struct err *err)
{
    const char *names[FORMATS_MOST + 1];
    char list[512];
    for (const struct graph_format *const *f = graph_formats_registered; *f; f++)
        if (!strcmp((*f)->name, name)) {
            *out = *f;
            return ST_OK;
        }
    names_of_formats(names, list, sizeof list);
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--format: '%.40s' is not known%s%s%s; there are %s", name,
                   near ? ", did you mean " : "", near ? near : "", near ? "?" : "", list);
}

/* Fills the probe. A path without a file is possible: some formats have several files with the path as their stem. */
static enum st read_head(const char *path, unsigned char *head, struct format_probe *p, struct err *err)
{
    struct source *s = NULL;
    size_t got = 1;
    struct mapping raw = {0};
    enum st st = ST_OK;
    *p = (struct format_probe){.path = path, .directory = file_is_directory(path), .head = head};
    if (p->directory || !file_exists(path)) return ST_OK;
    TRY(file_map(path, &raw, err));
    if (!raw.bytes) FAIL(ST_INPUT, "%s: is empty", path);
    p->packed = packing_of(raw.base, raw.bytes) != NULL;
    TRY(source_open(path, &s, err));
    while (got && p->head_bytes < HEAD) {
        TRY(source_read(s, head + p->head_bytes, HEAD - p->head_bytes, &got, err));
        p->head_bytes += got;
    }
    if (p->head_bytes > 3 && !memcmp(head, UTF8_MARK, 3)) {
        p->head += 3;
        p->head_bytes -= 3;
    }
    if (!p->head_bytes) FAIL(ST_INPUT, "%s: is empty after decompression", path);
done:
    source_close(s);
    file_unmap(&raw);
    return st;
}

/* The second line of a text that is no comment (the first may be a header), or the first; its number from 1. 0 for what
 * is no text. */
static uint64_t second_line(const struct format_probe *p, char *line, size_t size)
{
    bool whole;
    char next[128];
    uint64_t number = 0, found = 0;
    int seen = 0;
    if (p->directory || !text_looks_like(p->head, p->head_bytes)) return 0;
    for (size_t at = 0; seen < 2 && text_head_line(p->head, p->head_bytes, &at, next, sizeof next, &whole);) {
        if (!number++ && text_starts(next, UTF8_MARK)) memmove(next, next + 3, strlen(next + 3) + 1);
        if (!*text_skip(next) || strchr("#%", *text_skip(next))) continue;
        snprintf(line, size, "%s", next);
        found = number;
        seen++;
    }
    return found;
}

static enum st find_by_content(const char *path, const struct graph_format **out, struct err *err)
{
    struct format_probe p;
    const char *names[FORMATS_MOST + 1];
    char list[512];
    char line[128], expected[600];
    uint64_t number;
    int best = 0;
    OWNED_NEW(unsigned char, head, HEAD, "the head of a file");
    PASS(read_head(path, head, &p, err));
    PASS(foreign_refuse(&p, true, err));
    for (const struct graph_format *const *f = graph_formats_registered; *f; f++) {
        int score = (*f)->probe(&p);
        if (score > best) {
            best = score;
            *out = *f;
        }
    }
    if (best <= FORMAT_DOUBTFUL) PASS(foreign_refuse(&p, false, err));
    if (best) return ST_OK;
    if (!p.directory && !file_exists(path)) return err_set(err, ST_INPUT, "%s: does not exist; check the path", path);
    names_of_formats(names, list, sizeof list);
    if (p.directory)
        return err_set(err, ST_INPUT,
                       "%s: is a folder, but not one of a known graph format ('hotset list formats'); name the file in "
                       "it that has the edges",
                       path);
    if ((number = second_line(&p, line, sizeof line))) {
        snprintf(expected, sizeof expected, "two vertex ids, or one of the formats %s", list);
        PASS(text_error(TEXT_OTHER, path, number, line, expected, err));
    }
    return err_set(err, ST_INPUT,
                   "%s: is in no known graph format (%s); check the file, or name its format with --format", path,
                   list);
}

/* The format of a source: the one named, else by content. */
static enum st find_format(const char *path, const char *name, const struct graph_format **out, struct err *err)
{
    return name ? find_by_name(name, out, err) : find_by_content(path, out, err);
}

static enum st no_features(const char *path, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    if (file_is_directory(path)) return ST_OK;
    PASS(npy_map(path, &a, err));
    return builder_no_features(&a, path, err);
}

/* Reads every source into the builder. */
static enum st read_sources(const struct import_options *o, struct builder *b, const char **origin, struct err *err)
{
    const struct graph_format *first = NULL, *next = NULL;
    PASS(find_format(o->sources[0], o->format, &first, err));
    *origin = first->name;
    PASS(first->read(o->sources[0], b, err));
    if (builder_second(b)) return ST_OK;
    for (int i = 1; i < o->source_count; i++) {
        PASS(find_format(o->sources[i], o->format, &next, err));
        if (!strcmp(next->name, "npy")) PASS(no_features(o->sources[i], err));
        if (next != first || strcmp(first->name, "edge-list"))
            return err_set(err, ST_INPUT,
                           "%s: is a second source; several sources can be edge lists, or indptr.npy and indices.npy",
                           o->sources[i]);
        PASS(next->read(o->sources[i], b, err));
    }
    return ST_OK;
}

static bool ends_npy(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && !strcmp(path + length - 4, ".npy");
}

/* "graphs/soc-slashdot/" -> "soc-slashdot" */
static void name_from(const char *target, char out[128])
{
    char path[PATH_BYTES];
    const char *base = path_base(path_trim(target, path));
    snprintf(out, 128, "%s", strspn(base, "./") == strlen(base) ? "graph" : base);
}

/* ---- what training needs ---- */

struct chosen { /* owned */
    struct train_set set[VERTEX_SETS];
    struct label_list labels;
    int64_t *vertex_times;
    char train_what[128], doubt[GRAPH_DOUBT];
};

static void chosen_release(struct chosen *c)
{
    for (int i = 0; i < VERTEX_SETS; i++) mem_free(c->set[i].ids);
    mem_free(c->labels.label);
    mem_free(c->vertex_times);
}

static enum st choose_train(const struct import_options *o, const struct builder_result *r, struct chosen *c,
                            struct err *err)
{
    const struct source_set *own = &r->sets->set[SET_TRAIN];
    struct id_map map = {.n = r->n, .original = r->original_ids, .names = r->names};
    if (o->train) {
        snprintf(c->train_what, sizeof c->train_what, "from %.100s", path_base(o->train));
        return train_from_file(o->train, &map, &c->set[SET_TRAIN], err);
    }
    if (o->train_share == 0 && own->ids) {
        snprintf(c->train_what, sizeof c->train_what, "%s", own->what);
        return train_from_ids(own->ids, own->count, own->what, &map, &c->set[SET_TRAIN], err);
    }
    double share = o->train_share == 0 ? 0.1 : o->train_share;
    snprintf(c->train_what, sizeof c->train_what, "%srandom share %.9g, seed %llu",
             o->train_share == 0 ? "assumed: " : "", share, (unsigned long long)o->seed);
    return train_by_share(r->n, share, o->seed, o->threads, &c->set[SET_TRAIN], err);
}

/* Validation or test vertices. Those of the source may include some that --renumber dropped. */
static enum st choose_set(const struct builder_result *r, enum vertex_set set, const char *file, struct chosen *c,
                          struct err *err)
{
    const struct source_set *own = &r->sets->set[set];
    struct id_map map = {.n = r->n, .original = r->original_ids, .names = r->names, .set = graph_set_word(set)};
    if (file) return train_from_file(file, &map, &c->set[set], err);
    map.partly = r->original_ids != NULL;
    return own->ids ? train_from_ids(own->ids, own->count, own->what, &map, &c->set[set], err) : ST_OK;
}

static enum st choose_labels(const struct import_options *o, const struct builder_result *r, struct chosen *c,
                             struct err *err)
{
    struct id_map map = {.n = r->n, .original = r->original_ids, .names = r->names};
    char why[200] = "";
    enum st st = o->labels ? labels_from_file(o->labels, &map, &c->labels, err)
                           : labels_from_source(r->sets, &map, &c->labels, why, err);
    if (*why) snprintf(c->doubt, sizeof c->doubt, "%s", why);
    return st;
}

/* The vertices' times: of a file, of the source under --times, or those of their arcs. */
static enum st choose_times(const struct import_options *o, const struct builder_result *r, struct chosen *c,
                            struct graph_facts *facts, struct err *err)
{
    const struct id_map map = {.n = r->n, .original = r->original_ids, .names = r->names};
    const char *own = o->times && *r->vertex_times_file ? r->vertex_times_file : NULL,
               *file = o->vertex_times ? o->vertex_times : own;
    facts->edge_times = r->vertex_times != NULL;
    facts->vertex_times = r->vertex_times;
    facts->times_fine = r->times_fine;
    if (!file) return ST_OK;
    PASS(builder_times_of_vertices(file, &map, facts->edge_times, &c->vertex_times, &facts->times_fine, err));
    facts->vertex_times = c->vertex_times;
    return ST_OK;
}

/* Vertices that are in both of two ascending sets. */
static uint64_t common(const struct train_set *a, const struct train_set *b)
{
    uint64_t i = 0, k = 0, both = 0;
    while (i < a->count && k < b->count) {
        uint32_t x = a->ids[i], y = b->ids[k];
        both += x == y;
        i += x <= y;
        k += y <= x;
    }
    return both;
}

/* A vertex of two sets makes an accuracy look better than it is. */
static void doubt_overlap(struct chosen *c)
{
    for (enum vertex_set a = SET_TRAIN; a < SET_TEST; a++)
        for (enum vertex_set b = a + 1; b < VERTEX_SETS; b++) {
            uint64_t both = common(&c->set[a], &c->set[b]);
            if (both && !*c->doubt)
                snprintf(c->doubt, sizeof c->doubt,
                         "%llu %s vertices are %s vertices, too, so that accuracy on them is too high",
                         (unsigned long long)both, graph_set_word(b), graph_set_word(a));
        }
}

/* The rows as options say, else the source, else as they are assumed. */
static enum st choose_rows(const struct import_options *o, const struct builder_result *r, struct chosen *c,
                           struct graph_facts *facts, struct err *err)
{
    const struct source_rows *own = &r->sets->features;
    const bool stated = own->dim, said = o->feature_dim || o->feature_type;
    if (stated && !o->feature_dim && !r->original_ids && own->rows != r->n)
        return err_set(err, ST_INPUT,
                       "%s: states %llu feature rows, but the graph has %llu vertices; correct the source, or give "
                       "--feature-dim",
                       own->what, (unsigned long long)own->rows, (unsigned long long)r->n);
    facts->feature_dim = o->feature_dim ? o->feature_dim : stated ? own->dim : 128;
    facts->feature_type = o->feature_type ? o->feature_type : stated ? own->element : "f32";
    facts->feature_bytes = precision_element_bytes(facts->feature_type);
    facts->feature_origin = o->feature_dim ? "--feature-dim" : stated ? own->what : GRAPH_ROWS_ASSUMED;
    if (said && stated && (facts->feature_dim != own->dim || strcmp(facts->feature_type, own->element)) && !*c->doubt)
        snprintf(c->doubt, sizeof c->doubt, "%s states feature rows of %llu x %s, but options say %llu x %s", own->what,
                 (unsigned long long)own->dim, own->element, (unsigned long long)facts->feature_dim,
                 facts->feature_type);
    return ST_OK;
}

static enum st choose_sets(const struct import_options *o, const struct builder_result *r, struct chosen *c,
                           struct err *err)
{
    PASS(choose_train(o, r, c, err));
    PASS(choose_set(r, SET_VALID, o->valid, c, err));
    PASS(choose_set(r, SET_TEST, o->test, c, err));
    PASS(choose_labels(o, r, c, err));
    doubt_overlap(c);
    return ST_OK;
}

static enum st build(const struct import_options *o, const char *target, const struct output *to, struct builder *b,
                     struct graph_summary *summary, struct err *err)
{
    struct builder_result r;
    OWNED_BY(chosen_release) struct chosen c = {0};
    struct graph_facts facts = {.train_origin = c.train_what,
                                .valid = &c.set[SET_VALID],
                                .test = &c.set[SET_TEST],
                                .labels = &c.labels};
    char name[128];
    PASS(read_sources(o, b, &facts.origin, err));
    PASS(builder_finish(b, to, &r, err));
    PASS(choose_sets(o, &r, &c, err));
    PASS(choose_rows(o, &r, &c, &facts, err));
    PASS(choose_times(o, &r, &c, &facts, err));
    name_from(target, name);
    facts.name = o->name ? o->name : name;
    facts.sample = r.sample;
    facts.name_bytes = r.names ? (uint64_t)r.names->offset[r.names->count] : 0;
    PASS(graph_save(to, r.n, &r.csr, &c.set[SET_TRAIN], &facts, o->threads, summary, err));
    if (!summary) return ST_OK;
    summary->counted = r.counted;
    snprintf(summary->doubt, sizeof summary->doubt, "%s", *r.doubt ? r.doubt : c.doubt);
    return ST_OK;
}

enum st graph_import(const struct import_options *o, const char *target, struct graph_summary *summary, struct err *err)
{
    struct output to = {0};
    struct builder *b = NULL;
    struct builder_options options = {.sample_out = o->sample_out,
                                      .undirected = o->undirected,
                                      .names = o->names,
                                      .renumber = o->renumber,
                                      .weights = o->weights,
                                      .parallel = o->parallel,
                                      .times = o->times,
                                      .columns = o->columns,
                                      .vertices = o->vertices,
                                      .edge_times = o->edge_times,
                                      .threads = o->threads,
                                      .progress = o->progress};
    enum st st;
    if (o->train_share < 0 || o->train_share > 1)
        FAIL(ST_USAGE, "--train-share: %g is out of range; expected a share above 0 and up to 1", o->train_share);
    TRY(output_directory(&to, target, err));
    options.near = to.temporary;
    if (o->source_count == 2 && ends_npy(o->sources[0]) && ends_npy(o->sources[1])) options.second = o->sources[1];
    TRY(builder_open(&options, &b, err));
    TRY(build(o, target, &to, b, summary, err));
    TRY(output_commit(&to, err));
done:
    builder_close(b);
    output_abort(&to);
    return st;
}
