/* Typed graphs: what their reader, the reader of fan-outs, traces and plans refuse; fan-outs by name; edges with
 * features; no allocation that fails leaks or lets a half-made graph stand. */
#include "test_graph_help.h"
#include "simulator/replay/batches.h"
#include "simulator/plan/plan.h"
#include "planner/policies/side_counts.h"
#include "traces/recording/trace_counts.h"
#include "traces/builder/graph_info.h"
#include "traces/formats/types_import.h"

static const char hetero[] = "{\"types\": [{\"name\": \"a\", \"count\": 2, \"feature_dim\": 3, \"feature_type\": "
                             "\"f16\", \"train\": \"t.npy\"}, {\"name\": "
                             "\"b\"}], \"relations\": [{\"source\": \"b\", \"name\": \"r\", \"target\": \"a\", "
                             "\"edge_index\": \"r.npy\"}, {\"source\": "
                             "\"a\", \"name\": \"s\", \"target\": \"b\", \"edge_index\": \"s.npy\", \"feature_dim\": "
                             "5, \"feature_type\": \"u8\"}]}";

static void save(struct test_place *p, const char *name, const char *type, int dims, uint64_t x, uint64_t y,
                 const void *data)
{
    assert_int_equal(npy_save(in_place(p, name), type, dims, ((uint64_t[]){x, y}), data, &p->err), ST_OK);
}

/* b-r->a: 0-0 1-0 1-0 3-1, a duplicate among them; a-s->b: 0-1 0-1 1-2, which stays, having features. b has 4 vertices.
 */
static void sources(struct test_place *p)
{
    char folder[300];
    snprintf(folder, sizeof folder, "mkdir -p '%s/S'", p->folder);
    assert_int_equal(system(folder), 0);
    put_text(p, "S/hetero.json", hetero);
    save(p, "S/r.npy", "i8", 2, 2, 4, ((int64_t[]){0, 1, 1, 3, 0, 0, 0, 1}));
    save(p, "S/s.npy", "i4", 2, 3, 2, ((int32_t[]){0, 1, 0, 1, 1, 2}));
    save(p, "S/t.npy", "i8", 1, 1, 0, ((int64_t[]){1}));
}

static enum st import(struct test_place *p, bool undirected)
{
    const char *from = in_place(p, "S");
    const struct types_import_options o = {.path = from,
                                           .name = "x",
                                           .format = types_format_of(from, NULL),
                                           .undirected = undirected,
                                           .threads = 2};
    return types_import(&o, in_place(p, "G"), &p->err);
}

static void made(struct test_place *p)
{
    sources(p);
    if (import(p, false) != ST_OK) fail_msg("%s", p->err.text);
}

static void opens_what_was_imported(void **state)
{
    struct test_place *p = *state;
    struct graph g;
    struct graph_info info;
    struct npy ids = {0};
    made(p);
    assert_int_equal(graph_open_any(in_place(p, "G/"), 2, &g, &p->err), ST_OK);
    assert_false(graph_plain(&g));
    assert_int_equal(g.n, 6);
    assert_int_equal(g.m, 6); /* 3 of r, 3 of s */
    assert_int_equal(g.topology_rows, 6);
    assert_int_equal(g.edge_rows, 3);
    assert_int_equal(g.type[1].count, 4);
    assert_int_equal(g.type[1].first, 2);
    assert_int_equal(g.train_count, 1);
    assert_int_equal(g.type[0].train[0], 1);
    assert_int_equal(graph_type_of(&g, 1), 0);
    assert_int_equal(graph_type_of(&g, 2), 1);
    assert_int_equal(graph_relation_of_row(&g, 1), 0);
    assert_int_equal(graph_relation_of_row(&g, 2), 1);
    assert_memory_equal(g.relation[0].indptr, ((int64_t[]){0, 2, 3}), 24);
    assert_memory_equal(g.relation[0].indices, ((uint32_t[]){0, 1, 3}), 12);
    assert_memory_equal(g.relation[1].indptr, ((int64_t[]){0, 0, 2, 3, 3}), 40);
    assert_memory_equal(g.relation[1].indices, ((uint32_t[]){0, 0, 1}), 12);
    assert_int_equal(npy_map(in_place(p, "G/relation1_edge_ids.npy"), &ids, &p->err), ST_OK);
    assert_int_equal(npy_expect(&ids, "edge ids", "u4", 1, ((uint64_t[]){3}), &p->err), ST_OK);
    assert_memory_equal(ids.data, ((uint32_t[]){0, 1, 2}), 12);
    npy_release(&ids);
    struct graph_totals sum = graph_totals(&g);
    assert_int_equal(sum.topology, 4 * 6 + 8 * 6);
    assert_int_equal(sum.feature, 2 * 6);
    assert_int_equal(sum.edge, 3 * 5);
    assert_int_equal(graph_info_make(&g, true, 1, &info, &p->err), ST_OK);
    assert_int_equal(info.check, CHECK_EQUAL);
    graph_close(&g);
    graph_close(&g);
}

/* The same edges the other way round, and both. */
static void reverses_relations(void **state)
{
    struct test_place *p = *state;
    struct graph g;
    sources(p);
    assert_int_equal(import(p, true), ST_OK);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(g.relations, 4);
    assert_string_equal(g.relation[1].name, "rev_r");
    assert_memory_equal(g.relation[1].indptr, ((int64_t[]){0, 1, 2, 2, 3}), 40);
    assert_memory_equal(g.relation[1].indices, ((uint32_t[]){0, 0, 1}), 12);
    assert_string_equal(g.relation[3].name, "rev_s");
    assert_int_equal(g.relation[3].features.row_bytes, 5);
    graph_close(&g);
}

static void not_opened(struct test_place *p, const char *part)
{
    struct graph g;
    if (graph_open_any(in_place(p, "G"), 2, &g, &p->err) != ST_INPUT || !strstr(p->err.text, part))
        fail_msg("'%s', expected '%s'", p->err.text, part);
}

static void refuses_broken_arrays(void **state)
{
    struct test_place *p = *state;
    made(p);
    save(p, "G/relation0_indices.npy", "u4", 1, 3, 0, ((uint32_t[]){0, 1, 4}));
    not_opened(p, "entry 2 is 4, but type b has 4 vertices");
    save(p, "G/relation0_indices.npy", "u4", 1, 2, 0, ((uint32_t[]){0, 1}));
    not_opened(p, "expected (3,)");
    made(p);
    save(p, "G/relation1_indptr.npy", "i8", 1, 5, 0, ((int64_t[]){0, 2, 1, 3, 3}));
    not_opened(p, "decreases from 2 to 1 at entry 2");
    save(p, "G/relation1_indptr.npy", "i8", 1, 5, 0, ((int64_t[]){1, 1, 2, 3, 3}));
    not_opened(p, "begins with 1");
    save(p, "G/relation1_indptr.npy", "i8", 1, 5, 0, ((int64_t[]){0, 1, 2, 2, 2}));
    not_opened(p, "ends with 2");
    made(p);
    save(p, "G/type0_train.npy", "u4", 1, 1, 0, ((uint32_t[]){2}));
    not_opened(p, "entry 0 is 2, but type a has 2 vertices");
}

/* Replaces a text in graph.json of the graph that was made. */
static void edited(struct test_place *p, const char *from, const char *to)
{
    char command[600];
    made(p);
    snprintf(command, sizeof command, "sed -i 's|%s|%s|' '%s/G/graph.json'", from, to, p->folder);
    assert_int_equal(system(command), 0);
}

static void refuses_broken_documents(void **state)
{
    static const struct {
        const char *from, *to, *said;
    } cases[] = {{"\"name\": \"b\"", "\"name\": \"a\"", "the name 'a' is there twice"},
                 {"\"name\": \"b\"", "\"name\": \"b c\"", "letters, digits"},
                 {"\"name\": \"b\"", "\"name\": \"\"", "is empty"},
                 {"\"count\": 4", "\"count\": 0", "count"},
                 {"\"count\": 4", "\"count\": 4294967293", "4294967294"},
                 {"\"edges\": 3", "\"edges\": -1", "edges"},
                 {"\"f16\"", "\"f12\"", "f12"},
                 {"\"f16\"", "null", "both be there"},
                 {"\"source\": \"b\"", "\"source\": \"c\"", "none of the types"},
                 {"\"sample\": \"in\"", "\"sample\": \"out\"", "sample\" is \"out\", expected one of in"},
                 {"\"feature_dim\": 3", "\"feature_dim\": 16777217", "feature_dim"},
                 {"\"train_vertices\": 1", "\"train_vertices\": 3", "expected (3,)"},
                 {"graph/2", "graph/3", "another major"}};
    struct test_place *p = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        edited(p, cases[i].from, cases[i].to);
        not_opened(p, cases[i].said);
    }
    made(p);
    struct graph plain;
    assert_int_equal(graph_open(in_place(p, "G"), 1, &plain, &p->err), ST_INPUT);
    assert_non_null(strstr(p->err.text, "several node types"));
}

static void not_imported(struct test_place *p, const char *part)
{
    if (import(p, false) != ST_INPUT || !strstr(p->err.text, part)) fail_msg("'%s', expected '%s'", p->err.text, part);
    if (file_exists(in_place(p, "G"))) fail_msg("a graph was left");
}

static void refuses_broken_sources(void **state)
{
    struct test_place *p = *state;
    sources(p);
    save(p, "S/r.npy", "i8", 2, 2, 4, ((int64_t[]){0, 1, 1, 3, 0, 0, 0, 2}));
    not_imported(p, "names target 2 of type a, which has 2 vertices");
    save(p, "S/r.npy", "i8", 2, 2, 4, ((int64_t[]){0, -1, 1, 3, 0, 0, 0, 1}));
    not_imported(p, "edge 1 has an id");
    save(p, "S/r.npy", "f4", 2, 2, 1, ((float[]){0, 1}));
    not_imported(p, "expected integers of shape (2, edges)");
    save(p, "S/r.npy", "i8", 1, 4, 0, ((int64_t[]){0, 1, 1, 3}));
    not_imported(p, "expected integers of shape (2, edges)");
    sources(p);
    save(p, "S/t.npy", "i8", 1, 1, 0, ((int64_t[]){2}));
    not_imported(p, "2");
    put_text(p, "S/hetero.json",
             "{\"types\": [{\"name\": \"a\", \"count\": 2147483647}, {\"name\": \"b\", \"count\": 4}], \"relations\": "
             "[{\"source\": \"b\", \"name\": \"r\", \"target\": \"a\", \"edge_index\": \"s.npy\"}]}");
    not_imported(p, "type a has 2147483647 vertices but only 3 arcs"); /* before memory is taken */
    put_text(p, "S/hetero.json", "{\"types\": [], \"relations\": []}");
    not_imported(p, "no relation");
    put_text(p, "S/hetero.json", "{\"types\": [], \"relation\": []}");
    not_imported(p, "relations");
}

/* ---- fan-outs ---- */

static enum st fanout(const struct graph *g, const char *text, struct workload *w, struct err *err)
{
    struct int_list list = {0, {0}, text};
    return workload_make(g, &list, "relation", 5, "new", 1, w, err);
}

/* One list for all relations of a vertex together, written and read again. */
static void fanouts_together(struct test_place *p, const struct graph *g)
{
    const struct int_list list = {2, {4, 2}, NULL}, named = {0, {0}, "r=2"};
    struct workload w, again;
    doc *d = doc_object(), *other = doc_array();
    assert_int_equal(workload_make(g, &list, "vertex", 5, "all", 1, &w, &p->err), ST_OK);
    assert_true(w.together);
    workload_put(g, &w, d);
    assert_int_equal(workload_read(g, d, "x", &again, &p->err), ST_OK);
    assert_memory_equal(&w, &again, sizeof w);
    doc_append(other, doc_integer(4));
    doc_append(other, doc_integer(3));
    doc_put(doc_get(d, "fanout"), "b-r->a", other);
    assert_int_equal(workload_read(g, d, "x", &again, &p->err), ST_INPUT);
    assert_non_null(strstr(p->err.text, "the same for all relations"));
    doc_put(d, "fanout_over", doc_text("edge"));
    assert_int_equal(workload_read(g, d, "x", &again, &p->err), ST_INPUT);
    assert_non_null(strstr(p->err.text, "expected \"relation\" or \"vertex\""));
    doc_free(d);
    assert_int_equal(workload_make(g, &named, "vertex", 5, "all", 1, &w, &p->err), ST_USAGE);
    assert_non_null(strstr(p->err.text, "for all relations of a vertex together"));
}

static void reads_fanouts(void **state)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {{"r=2,x", "x"},         {"r=2;r=3", "another part names"},
                 {"q=2", "no relation"}, {"r=2;s=1,1", "same number"},
                 {"r=70000", "70000"},   {"r=0,0;s=0,0", "no relation"},
                 {"r=", "--fanout"},     {"=2", "NAME=LIST"}};
    struct test_place *p = *state;
    struct graph g;
    struct workload w, again;
    made(p);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(fanout(&g, "b-r->a=4,2;*=1,0", &w, &p->err), ST_OK);
    assert_int_equal(w.hops, 2);
    assert_int_equal(workload_fanout(&w, 0, 0) * 10 + workload_fanout(&w, 0, 1), 42);
    assert_int_equal(workload_fanout(&w, 1, 0) * 10 + workload_fanout(&w, 1, 1), 10);
    doc *d = doc_object();
    workload_put(&g, &w, d);
    assert_int_equal(workload_read(&g, d, "x", &again, &p->err), ST_OK);
    assert_memory_equal(&w, &again, sizeof w);
    doc_free(d);
    assert_int_equal(fanout(&g, "s=3", &w, &p->err), ST_OK);
    assert_int_equal(workload_fanout(&w, 0, 0), 0);
    fanouts_together(p, &g);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (fanout(&g, wrong[i].text, &w, &p->err) != ST_USAGE || !strstr(p->err.text, wrong[i].said))
            fail_msg("%s: '%s', expected '%s'", wrong[i].text, p->err.text, wrong[i].said);
    graph_close(&g);
}

/* More lists than a workload has room for: one relation each. */
static void too_many_lists(void **state)
{
    struct workload w = {.hops = 1};
    uint32_t all[WORKLOAD_LISTS + 2][HOPS_MAX] = {{0}};
    struct err err = {0};
    (void)state;
    for (int r = 0; r < WORKLOAD_LISTS + 2; r++) all[r][0] = (uint32_t)r % (WORKLOAD_LISTS + 1);
    assert_int_equal(workload_set_lists(&w, all, WORKLOAD_LISTS + 2, &err), ST_OK);
    for (int r = 0; r < WORKLOAD_LISTS + 2; r++) assert_int_equal(workload_fanout(&w, r, 0), all[r][0]);
    all[WORKLOAD_LISTS + 1][0] = FANOUT_MAX;
    assert_int_equal(workload_set_lists(&w, all, WORKLOAD_LISTS + 2, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "more than 32 different lists"));
}

/* What several types cannot, as options and in a file; a plain graph can. */
static void says_what_types_cannot(void **state)
{
    static const struct {
        struct sampler_args a;
        const char *over, *said;
    } wrong[] = {{{.sampler = "layer-wise"}, "relation", "no agreed law"},
                 {{.sampler = "layer-wise-replace"}, "relation", "no agreed law"},
                 {{.sampler = "labor"}, "vertex", "drawn by uniform only"},
                 {{.sampler = "biased"}, "vertex", "drawn by uniform only"}};
    const struct int_list list = {2, {4, 2}, NULL};
    struct test_place *p = *state;
    struct graph g;
    struct workload w, back;
    made(p);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        doc *d = doc_object();
        assert_int_equal(workload_make(&g, &list, wrong[i].over, 5, "new", 1, &w, &p->err), ST_OK);
        assert_int_equal(workload_set_sampler(&g, &w, &wrong[i].a, &p->err), ST_USAGE);
        assert_non_null(strstr(p->err.text, wrong[i].said));
        workload_put(&g, &w, d);
        assert_int_equal(workload_read(&g, d, "file", &back, &p->err), ST_INPUT);
        if (strncmp(p->err.text, "file: ", 6) || !strstr(p->err.text, wrong[i].said)) fail_msg("%s", p->err.text);
        assert_int_equal(workload_make(NULL, &list, wrong[i].over, 5, "new", 1, &w, &p->err), ST_OK);
        assert_int_equal(workload_set_sampler(NULL, &w, &wrong[i].a, &p->err), ST_OK);
        doc_free(d);
    }
    graph_close(&g);
}

/* Walks and edge seeds name relations: wrong names, and what a document says of right ones. */
static void names_relations_of_walks_and_seeds(void **state)
{
    static const struct {
        struct sampler_args a;
        const char *said;
    } wrong[] = {{{.sampler = "walk"}, "needs --metapath"},
                 {{.metapath = "r"}, "--metapath: belongs to --sampler walk"},
                 {{.sampler = "walk", .metapath = "q"}, "--metapath: 'q' is no relation"},
                 {{.sampler = "walk", .metapath = "r,r"}, "each begins where the one before leads"},
                 {{.sampler = "walk", .metapath = "r", .walk_length = 2}, "or take fewer steps"},
                 {{.sampler = "walk", .metapath = "r,s", .walk_length = 1}, "shorter than the metapath of 2"},
                 {{.seeds = "edges"}, "name the one whose edges are seeds"},
                 {{.seeds = "edges:q"}, "--seeds: 'q' is no relation"},
                 {{.seeds = "arcs"}, "is not vertices, edges or edges:RELATION"},
                 {{.negatives = 2}, "--negatives: belongs to --seeds edges"}};
    static const struct sampler_args right[] = {{.sampler = "walk", .metapath = "r,s", .walk_length = 4, .walks = 3},
                                                {.sampler = "walk", .metapath = "r"},
                                                {.seeds = "edges:s", .negatives = 2}};
    const struct int_list list = {2, {4, 2}, NULL};
    struct test_place *p = *state;
    struct graph g;
    struct workload w, back;
    made(p);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(workload_make(&g, &list, "relation", 5, "new", 1, &w, &p->err), ST_OK);
        assert_int_equal(workload_set_sampler(&g, &w, &wrong[i].a, &p->err), ST_USAGE);
        if (!strstr(p->err.text, wrong[i].said)) fail_msg("%s", p->err.text);
    }
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        doc *d = doc_object();
        assert_int_equal(workload_make(&g, &list, "relation", 5, "new", 1, &w, &p->err), ST_OK);
        if (workload_set_sampler(&g, &w, &right[i], &p->err) != ST_OK) fail_msg("%s", p->err.text);
        workload_put(&g, &w, d);
        if (workload_read(&g, d, "file", &back, &p->err) != ST_OK) fail_msg("%s", p->err.text);
        assert_memory_equal(&w, &back, sizeof w);
        doc_put(d, i < 2 ? "metapath" : "seed_relation", doc_text("b-q->a"));
        assert_int_equal(workload_read(&g, d, "file", &back, &p->err), ST_INPUT);
        doc_free(d);
    }
    graph_close(&g);
}

/* ---- mini-batches as files ---- */

/* Writes the mini-batches of one epoch of a GPU with id 6 that trains vertex 0 of type a. */
static enum st export(struct test_place *p, const struct graph *g, const struct workload *w) {
    static uint32_t train[] = {0};
    const struct assignment a = {.gpus = 1, .cliques = 1, .id = {6}, .train = {train}, .train_count = {1}};
    struct graph rows = *g;
    const struct replay_request r =
        {.graph = &rows, .assignment = &a, .workload = w, .line_bytes = 64, .epochs = 1, .seed = 3, .threads = 2};
    const int reader = 0;
    doc *d = NULL;
    enum st st = graph_list_tables(&rows, &p->err);
    if (st == ST_OK) st = batches_save(&r, &reader, 1, in_place(p, "B"), &d, &p->err);
    doc_free(d);
    mem_free(rows.table);
    return st;
}

static void holds_ids(struct test_place *p, const char *file, const char *type, const char *expected)
{
    struct npy a = {0};
    char path[64], text[200] = "";
    bool ok;
    snprintf(path, sizeof path, "B/gpu6_%s.npy", file);
    if (npy_map(in_place(p, path), &a, &p->err) != ST_OK) fail_msg("%s", p->err.text);
    assert_string_equal(a.type, type);
    for (uint64_t i = 0; i < a.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%lld", i ? " " : "", (long long)npy_integer(&a, i, &ok));
    }
    assert_string_equal(text, expected);
    npy_release(&a);
}

/* a0 draws b0 and b1, the entries 0 and 1 of r; then b0 nothing and b1 a0 twice, the entries 0 and 1 of s. */
static void writes_mini_batches(void **state)
{
    struct test_place *p = *state;
    struct graph g;
    struct workload w;
    made(p);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(fanout(&g, "*=2,2", &w, &p->err), ST_OK);
    if (export(p, &g, &w) != ST_OK) fail_msg("%s", p->err.text);
    holds_ids(p, "vertices", "u4", "0 0 1");
    holds_ids(p, "vertices_at", "i8", "0 1 1 1 1 3 3"); /* a: level 0, 1, 2; b: level 0, 1, 2 */
    holds_ids(p, "edges_at", "i8", "0 2 2 2 4");        /* r: hop 0, 1; s: hop 0, 1 */
    holds_ids(p, "rows", "u4", "0 0 1 1");
    holds_ids(p, "columns", "u4", "0 1 0 0");
    holds_ids(p, "edges", "i8", "0 1 0 1");
    graph_close(&g);
}

/* ---- traces ---- */

static void same_counts(struct count_row a, struct count_row b, uint64_t n)
{
    for (uint64_t v = 0; v < n; v++) assert_int_equal(count_at(a, v), count_at(b, v));
}

/* Counts of other programs replace gathers, of all types in one list; draws are no part of a trace of several types. */
static void takes_counts(struct test_place *p, struct trace *t)
{
    const uint32_t counts[] = {1, 0, 5, 0, 2, 7};
    char path[200];
    struct trace_counts_request r = {.path = path, .topology = true, .epochs = t->epochs};
    struct trace_counts_summary said;
    snprintf(path, sizeof path, "%s", in_place(p, "counts.npy"));
    assert_int_equal(npy_save(path, "u4", 1, &t->n, counts, &p->err), ST_OK);
    assert_int_equal(trace_counts_import(&r, t, &said, &p->err), ST_USAGE);
    assert_non_null(strstr(p->err.text, "--kind feature"));
    r.topology = false;
    assert_int_equal(trace_counts_import(&r, t, &said, &p->err), ST_OK);
    for (uint64_t v = 0; v < t->n; v++)
        assert_int_equal(count_at(t->feature[0], v) + count_at(t->feature[1], v), counts[v]);
}

/* Counts side by side answer what the trace answers, of every row of both kinds, in 4 epochs and in 500, whose counts
 * no byte holds. Vertex 1 of a trains on GPU 1, so that its row of features is read there once an epoch, its row of
 * topology (one entry) drawn from at least as often, and neither on GPU 0. */
static void side_by_side(const struct graph *g, const struct trace *t, struct err *err)
{
    const int gpu[] = {1, 0};
    struct side_counts s = {0};
    assert_int_equal(side_counts_make(g, t, gpu, 2, false, 2, &s, err), ST_OK);
    for (uint64_t x = 0; x < graph_items(g); x++)
        for (int i = 0; i < 2; i++) {
            bool topology = x < graph_topology_rows(g);
            uint64_t row = topology ? x : x - graph_topology_rows(g), heat = trace_item_heat(t, g, x, gpu[i]);
            assert_int_equal(side_hot(&s, topology, row, i), heat);
            assert_int_equal(s.hot[topology][2 * row + (uint64_t)i], heat < 255 ? heat : 255);
        }
    assert_int_equal(side_hot(&s, false, 1, 0), t->epochs);
    assert_true(side_hot(&s, true, 1, 0) >= t->epochs);
    side_counts_release(&s);
}

/* A trace of two GPUs is saved and loaded; then one file of it is damaged. */
static void traces_come_back(void **state)
{
    struct test_place *p = *state;
    struct graph g = {.types = 0};
    struct trace t = {.epochs = 0}, back = {.epochs = 0};
    struct workload w;
    uint32_t train[2][1] = {{0}, {1}};
    struct assignment a = {.kind = ASSIGNMENT_HIERARCHICAL, .uneven = true, .gpus = 2, .cliques = 1, .id = {3, 5}};
    struct trace_options o = {.epochs = 500,
                              .line_bytes = 64,
                              .threads = 1,
                              .folds = true,
                              .server_name = "here",
                              .server_fingerprint = "none"};
    for (int i = 0; i < 2; i++) a.train[i] = train[i];
    a.train_count[0] = a.train_count[1] = 1;
    sources(p);
    assert_int_equal(import(p, false), ST_OK);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(fanout(&g, "*=2,2", &w, &p->err), ST_OK);
    assert_int_equal(trace_record(&g, &a, &w, &o, &t, &p->err), ST_OK);
    side_by_side(&g, &t, &p->err);
    trace_release(&t);
    o.epochs = 4;
    assert_int_equal(trace_record(&g, &a, &w, &o, &t, &p->err), ST_OK);
    side_by_side(&g, &t, &p->err);
    assert_int_equal(trace_save(&t, &g, in_place(p, "T"), &p->err), ST_OK);
    assert_int_equal(trace_load(in_place(p, "T"), &g, &back, &p->err), ST_OK);
    assert_true(back.assignment.uneven && back.folds == t.folds && t.folds == 4 && back.folds_per_epoch == 1);
    assert_int_equal(back.n_tsum[0], t.n_tsum[0]);
    assert_string_equal(back.server_name, "here");
    for (int f = 0; f < 4; f++)
        for (int q = 0; q < 3; q++) same_counts(trace_fold(&back, 0, f, q), trace_fold(&t, 0, f, q), g.n);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(back.assignment.train[i][0], train[i][0]);
        same_counts(back.feature[i], t.feature[i], g.n);
        for (int h = 0; h < 2; h++) same_counts(back.visits[h][i], t.visits[h][i], g.n);
    }
    takes_counts(p, &back);
    trace_release(&back);
    assert_int_equal(npy_save(in_place(p, "T/train_gpu5.npy"), "u4", 1, (const uint64_t[]){1}, train[0], &p->err),
                     ST_OK);
    assert_int_equal(trace_load(in_place(p, "T"), &g, &back, &p->err), ST_INPUT);
    assert_non_null(strstr(p->err.text, "train_gpu5.npy: training vertex 0 also belongs to another GPU"));
    trace_release(&t);
    graph_close(&g);
}

/* A recording in a store is the one in memory; a second run takes its files. Counts are as narrow as they can be. */
static void traces_in_a_store(void **state)
{
    struct test_place *p = *state;
    struct graph g = {.types = 0};
    struct trace t = {.epochs = 0};
    struct checkpoint store = {0};
    struct workload w;
    struct trace_options o = {.epochs = 4, .line_bytes = 64, .threads = 1, .folds = true, .part = ""};
    struct assignment a = {.kind = ASSIGNMENT_HIERARCHICAL, .gpus = 2, .cliques = 1, .id = {3, 5}};
    uint32_t train[2][1] = {{0}, {1}};
    doc *about = doc_object();
    for (int i = 0; i < 2; i++) a.train[i] = train[i];
    a.train_count[0] = a.train_count[1] = 1;
    sources(p);
    assert_int_equal(import(p, false), ST_OK);
    assert_int_equal(graph_open_any(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_int_equal(fanout(&g, "*=2,2", &w, &p->err), ST_OK);
    assert_int_equal(trace_record(&g, &a, &w, &o, &t, &p->err), ST_OK);
    assert_int_equal(checkpoint_open(&store, in_place(p, "P"), NULL, about, false, &p->err), ST_OK);
    o.checkpoint = &store;
    for (int run = 0; run < 2; run++) {
        struct trace kept = {.epochs = 0};
        assert_int_equal(trace_record(&g, &a, &w, &o, &kept, &p->err), ST_OK);
        assert_int_equal(kept.n_tsum[0], t.n_tsum[0]);
        for (int f = 0; f < 4; f++)
            for (int q = 0; q < 3; q++) same_counts(trace_fold(&kept, 0, f, q), trace_fold(&t, 0, f, q), g.n);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(kept.topology[i].bytes, 0);
            assert_int_equal(kept.feature[i].bytes, 1);
            same_counts(kept.feature[i], t.feature[i], g.n);
            for (int h = 0; h < 2; h++) same_counts(kept.visits[h][i], t.visits[h][i], g.n);
        }
        trace_release(&kept);
    }
    checkpoint_close(&store, true);
    doc_free(about);
    trace_release(&t);
    graph_close(&g);
}

/* ---- memory ---- */

/* Import, opening, recording and mini-batches with the k-th allocation failing, for every k. */
static void survives_lack_of_memory(void **state)
{
    struct test_place *p = *state;
    enum st st = ST_LIMIT;
    sources(p);
    for (uint64_t k = 1; st != ST_OK; k++) {
        struct graph g = {.types = 0};
        struct trace t = {.epochs = 0};
        struct workload w;
        struct assignment a = {.gpus = 1, .cliques = 1};
        const struct trace_options o =
            {.epochs = 2, .line_bytes = 64, .threads = 1, .folds = true, .server_name = "", .server_fingerprint = ""};
        uint32_t train[] = {0};
        a.train[0] = train;
        a.train_count[0] = 1;
        mem_fail_at(k);
        st = import(p, false);
        if (st == ST_OK) st = graph_open_any(in_place(p, "G"), 1, &g, &p->err);
        if (st == ST_OK) st = fanout(&g, "*=2,2", &w, &p->err);
        if (st == ST_OK) st = trace_record(&g, &a, &w, &o, &t, &p->err);
        if (st == ST_OK) st = trace_save(&t, &g, in_place(p, "T"), &p->err);
        if (st == ST_OK) st = export(p, &g, &w);
        mem_fail_at(0);
        if (st != ST_OK && st != ST_LIMIT) fail_msg("allocation %d: code %d, %s", (int)k, st, p->err.text);
        trace_release(&t);
        graph_close(&g);
        assert_int_equal(mem_in_use(), 0);
        assert_true(k < 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(opens_what_was_imported),
                                       WITH_PLACE(reverses_relations),
                                       WITH_PLACE(refuses_broken_arrays),
                                       WITH_PLACE(refuses_broken_documents),
                                       WITH_PLACE(refuses_broken_sources),
                                       WITH_PLACE(reads_fanouts),
                                       cmocka_unit_test(too_many_lists),
                                       WITH_PLACE(says_what_types_cannot),
                                       WITH_PLACE(names_relations_of_walks_and_seeds),
                                       WITH_PLACE(writes_mini_batches),
                                       WITH_PLACE(traces_come_back),
                                       WITH_PLACE(traces_in_a_store),
                                       WITH_PLACE(survives_lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
