/* Binary formats: npy, npz, GAP, WebGraph BV; and the data sets of ../shared when they are there. */
#include <math.h>
#include <sys/stat.h>
#include <zlib.h>

#include "test_graph_help.h"

struct bytes {
    unsigned char data[8192];
    size_t used;
};

static void add(struct bytes *b, const void *data, size_t count)
{
    assert_true(b->used + count <= sizeof b->data);
    if (count) memcpy(b->data + b->used, data, count);
    b->used += count;
}

static void add_int(struct bytes *b, uint64_t v, size_t width) { add(b, &v, width); }

static void add_npy(struct bytes *b, const char *type, int dims, uint64_t rows, uint64_t columns, const void *data,
                    size_t bytes)
{
    char text[128];
    if (dims == 1)
        snprintf(text, sizeof text, "{'descr': '<%s', 'fortran_order': False, 'shape': (%llu,), }\n", type,
                 (unsigned long long)rows);
    else
        snprintf(text, sizeof text, "{'descr': '<%s', 'fortran_order': False, 'shape': (%llu, %llu), }\n", type,
                 (unsigned long long)rows, (unsigned long long)columns);
    add(b, "\x93NUMPY\x01\x00", 8);
    add_int(b, strlen(text), 2);
    add(b, text, strlen(text));
    add(b, data, bytes);
}

/* An archive in the making: members first, the directory collected beside. */
struct archive {
    struct bytes body, directory;
    int count;
};

static void add_member(struct archive *a, const char *name, const struct bytes *content, bool deflate_it)
{
    unsigned char packed[8192];
    size_t length = content->used, offset = a->body.used;
    uint32_t crc = (uint32_t)crc32(0, content->data, (unsigned)content->used);
    memcpy(packed, content->data, content->used);
    if (deflate_it) {
        z_stream s = {0};
        deflateInit2(&s, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
        s.next_in = (unsigned char *)(uintptr_t)content->data;
        s.avail_in = (unsigned)content->used;
        s.next_out = packed;
        s.avail_out = sizeof packed;
        assert_int_equal(deflate(&s, Z_FINISH), Z_STREAM_END);
        length = sizeof packed - s.avail_out;
        deflateEnd(&s);
    }
    for (int central = 0; central < 2; central++) {
        struct bytes *to = central ? &a->directory : &a->body;
        add_int(to, central ? 0x02014b50 : 0x04034b50, 4);
        if (central) add_int(to, 20, 2);
        add_int(to, 20, 2);
        add_int(to, 0, 2);
        add_int(to, deflate_it ? 8 : 0, 2);
        add_int(to, 0, 4);
        add_int(to, crc, 4);
        add_int(to, length, 4);
        add_int(to, content->used, 4);
        add_int(to, strlen(name), 2);
        add_int(to, 0, 2);
        if (central) {
            add_int(to, 0, 2 + 2 + 2 + 2);
            add_int(to, 0, 2);
            add_int(to, offset, 4);
        }
        add(to, name, strlen(name));
    }
    add(&a->body, packed, length);
    a->count++;
}

static const char *put_archive(const struct test_place *p, const char *name, struct archive *a)
{
    struct bytes *all = calloc(1, sizeof *all);
    add(all, a->body.data, a->body.used);
    add(all, a->directory.data, a->directory.used);
    add_int(all, 0x06054b50, 4);
    add_int(all, 0, 4);
    add_int(all, (uint64_t)a->count, 2);
    add_int(all, (uint64_t)a->count, 2);
    add_int(all, a->directory.used, 4);
    add_int(all, a->body.used, 4);
    add_int(all, 0, 2);
    const char *path = put(p, name, all->data, all->used);
    free(all);
    return path;
}

static void add_array(struct archive *a, const char *name, const char *type, int dims, uint64_t rows, uint64_t columns,
                      const void *data, size_t bytes, bool packed)
{
    struct bytes content = {.used = 0};
    add_npy(&content, type, dims, rows, columns, data, bytes);
    add_member(a, name, &content, packed);
}

/* Rows of targets: 0 -> 1, 2; 2 -> 1. In: row 1 draws 0 and 2, row 2 draws 0. */
static const int32_t indptr[] = {0, 2, 2, 3}, indices[] = {2, 1, 1};
static const int64_t shape[] = {3, 3}, arcs[] = {0, 1, 0, 2, 2, 1};

static void npz_csr(void **state)
{
    struct test_place *p = *state;
    for (int packed = 0; packed < 2; packed++) {
        struct archive *a = calloc(1, sizeof *a);
        add_array(a, "indptr.npy", "i4", 1, 4, 0, indptr, sizeof indptr, packed);
        add_array(a, "indices.npy", "i4", 1, 3, 0, indices, sizeof indices, packed);
        add_array(a, "shape.npy", "i8", 1, 2, 0, shape, sizeof shape, packed);
        imports(p, put_archive(p, "a.npz", a), ";0 2;0;");
        free(a);
    }
}

static void npz_pairs_and_masks(void **state)
{
    struct test_place *p = *state;
    struct archive *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    struct import_options o = plain_options(NULL, 0);
    static const int64_t turned[] = {0, 0, 2, 1, 2, 1};
    add_array(a, "edges.npy", "i8", 2, 3, 2, arcs, sizeof arcs, true);
    add_array(a, "train_masks.npy", "u1", 2, 2, 4, "\1\0\0\1\0\1\1\0", 8, true);
    o.train_share = 0;
    assert_int_equal(import_as(p, put_archive(p, "a.npz", a), o), ST_OK);
    has_rows(p, ";0 2;0;;"); /* the mask says four vertices */
    assert_int_equal(p->summary.train, 2);
    add_array(b, "edge_index.npy", "i8", 2, 2, 3, turned, sizeof turned, false);
    imports(p, put_archive(p, "b.npz", b), ";0 2;0;");
    free(a);
    free(b);
}

/* Classes and masks as the GNN benchmarks keep them; what is no class per vertex is left out, with a warning. */
static void npz_labels_and_sets(void **state)
{
    struct test_place *p = *state;
    static const float part[] = {0, 0.5f, 2, 1}, whole[] = {1, 0, -1, 2};
    for (int k = 0; k < 4; k++) {
        struct archive *a = calloc(1, sizeof *a);
        struct import_options o = plain_options(NULL, 0);
        add_array(a, "edges.npy", "i8", 2, 3, 2, arcs, sizeof arcs, true);
        add_array(a, "train_masks.npy", "u1", 2, 2, 4, "\1\0\0\0\0\1\1\0", 8, true);
        add_array(a, "val_masks.npy", "u1", 2, 2, 4, "\0\1\0\0\0\1\1\0", 8, true);
        add_array(a, "test_masks.npy", "u1", 2, 2, 4, "\0\0\1\1\0\1\1\0", 8, true);
        if (k == 0) add_array(a, "node_labels.npy", "i8", 1, 4, 0, ((int64_t[]){1, 0, 7, -3}), 32, true);
        if (k == 1) add_array(a, "labels.npy", "f4", 2, 4, 1, whole, sizeof whole, false);
        if (k == 2) add_array(a, "node_labels.npy", "f4", 1, 4, 0, part, sizeof part, true);
        if (k == 3) add_array(a, "node_labels.npy", "i8", 1, 3, 0, ((int64_t[]){1, 0, 7}), 24, true);
        o.train_share = 0;
        assert_int_equal(import_as(p, put_archive(p, "a.npz", a), o), ST_OK);
        has_sets(p, k == 0 ? "1 0 7 -1" : k == 1 ? "1 0 -1 2" : "", "1", "2 3");
        if (k == 0) assert_int_equal(p->summary.classes, 8);
        if (k == 2) assert_non_null(strstr(p->summary.doubt, "entry 1 of labels of the archive is not the number"));
        if (k == 3) assert_non_null(strstr(p->summary.doubt, "have 3 entries for 4 vertices"));
        free(a);
    }
}

/* A data set of OGB as arrays: 0 -> 1, 2; 2 -> 1 among four vertices, labels as ogbn-papers100M has them. */
static void ogb_folder(void **state)
{
    struct test_place *p = *state;
    struct archive *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c),
                   *d = calloc(1, sizeof *d);
    struct import_options o = plain_options(NULL, 0);
    static const int64_t turned[] = {0, 0, 2, 1, 2, 1}, four = 4, two[] = {2, 2};
    static const float labels[] = {2, NAN, 0, 5};
    mkdir(in_place(p, "d"), 0777);
    mkdir(in_place(p, "d/raw"), 0777);
    mkdir(in_place(p, "d/split"), 0777);
    mkdir(in_place(p, "d/split/time"), 0777);
    add_array(a, "edge_index.npy", "i8", 2, 2, 3, turned, sizeof turned, true);
    add_array(a, "num_nodes_list.npy", "i8", 1, 1, 0, &four, sizeof four, true);
    put_archive(p, "d/raw/data.npz", a);
    o.train_share = 0;
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_rows(p, ";0 2;0;;");
    has_sets(p, "", "", "");
    add_array(b, "node_label.npy", "f4", 2, 4, 1, labels, sizeof labels, true);
    put_archive(p, "d/raw/node-label.npz", b);
    put_text(p, "d/split/time/train.csv", "3\n1\n");
    put_text(p, "d/split/time/valid.csv", "2\n");
    put_text(p, "d/split/time/test.csv", "0\n");
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_rows(p, ";0 2;0;;");
    assert_int_equal(p->summary.train, 2);
    assert_int_equal(p->summary.classes, 6);
    has_sets(p, "2 -1 0 5", "2", "0");
    put_text(p, "d/split/time/test.csv", "4\n");
    refused(p, in_place(p, "d"), "one vertex id");
    put_text(p, "d/split/time/test.csv", "0\n");
    add_array(c, "labels.npy", "i8", 1, 1, 0, &four, sizeof four, true);
    put_archive(p, "d/raw/node-label.npz", c);
    refused(p, in_place(p, "d"), "lacks node_label");
    add_array(d, "edge_index.npy", "i8", 2, 2, 3, turned, sizeof turned, true);
    put_archive(p, "d/raw/data.npz", d);
    refused(p, in_place(p, "d"), "lacks num_nodes_list");
    add_array(d, "num_nodes_list.npy", "i8", 1, 2, 0, two, sizeof two, true);
    put_archive(p, "d/raw/data.npz", d);
    refused(p, in_place(p, "d"), "expected one graph");
    free(a);
    free(b);
    free(c);
    free(d);
}

static void npz_refusals(void **state)
{
    struct test_place *p = *state;
    struct archive *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c);
    static const char object[] = "\x93NUMPY\x01\x00\x3b\x00{'descr': '|O', 'fortran_order': False, 'shape': (), }     "
                                 "\n";
    struct bytes pickled = {.used = 0};
    add(&pickled, object, sizeof object - 1);
    add_member(a, "adj_matrix.npy", &pickled, false);
    refused(p, put_archive(p, "a.npz", a), "pickled");
    add_array(b, "indptr.npy", "i4", 1, 4, 0, indptr, sizeof indptr, true);
    refused(p, put_archive(p, "b.npz", b), "no indices");
    add_array(b, "indices.npy", "i4", 1, 2, 0, indices, 8, true);
    refused(p, put_archive(p, "b.npz", b), "indptr: entry 3 is 3");
    add_array(c, "edges.npy", "i8", 2, 1000000000000, 2, arcs, sizeof arcs, false);
    refused(p, put_archive(p, "c.npz", c), "header states");
    size_t whole = c->directory.used;
    memcpy(c->directory.data + 24, "\xff\xff\xff\xf0", 4); /* claims 4 GB, stored */
    refused(p, put_archive(p, "d.npz", c), "only stored and deflated");
    c->directory.data[10] = 8; /* claims to be deflated into 4 GB */
    refused(p, put_archive(p, "e.npz", c), "more bytes than its data can hold");
    c->directory.used = whole / 2;
    refused(p, put_archive(p, "f.npz", c), "directory lies outside");
    refused(p, put_text(p, "g.npz", "PK\3\4 and then nothing at all.."), "no end record");
    struct archive *wide = calloc(1, sizeof *wide);
    add_array(wide, "indptr.npy", "i4", 1, 4, 0, indptr, sizeof indptr, true);
    add_array(wide, "indices.npy", "i4", 1, 3, 0, indices, sizeof indices, true);
    add_array(wide, "shape.npy", "i8", 1, 2, 0, (const int64_t[]){3, 4}, 16, true);
    refused(p, put_archive(p, "h.npz", wide), "3 x 4");
    free(wide);
    free(a);
    free(b);
    free(c);
}

static void npy_arrays(void **state)
{
    struct test_place *p = *state;
    struct bytes b = {.used = 0}, c = {.used = 0}, d = {.used = 0};
    add_npy(&b, "i8", 2, 3, 2, arcs, sizeof arcs);
    imports(p, put(p, "pairs.npy", b.data, b.used), ";0 2;0;");
    add_npy(&c, "i4", 1, 4, 0, indptr, sizeof indptr);
    add_npy(&d, "i4", 1, 3, 0, indices, sizeof indices);
    char *both[] = {(char *)(uintptr_t)put(p, "indices.npy", d.data, d.used),
                    (char *)(uintptr_t)put(p, "indptr.npy", c.data, c.used)};
    struct import_options o = plain_options(both, 2);
    assert_int_equal(graph_import(&o, in_place(p, "G"), NULL, &p->err), ST_OK);
    has_rows(p, ";0 2;0;");
    imports(p, p->folder, ";0 2;0;");
    refused(p, in_place(p, "indices.npy"), "one list of numbers");
    static const int64_t negative[] = {0, -1};
    struct bytes e = {.used = 0};
    add_npy(&e, "i8", 2, 1, 2, negative, sizeof negative);
    refused(p, put(p, "n.npy", e.data, e.used), "has id -1");
}

static void gap_graphs(void **state)
{
    struct test_place *p = *state;
    struct bytes b = {.used = 0};
    static const int32_t other[] = {0, 0, 2, 0, 0, 0};
    add_int(&b, 1, 1);
    add_int(&b, 3, 8);
    add_int(&b, 3, 8);
    for (int i = 0; i < 4; i++) add_int(&b, (uint64_t)indptr[i], 8);
    add(&b, indices, 12);
    for (int i = 0; i < 4; i++) add_int(&b, (uint64_t)(i > 1 ? i : 0), 8);
    add(&b, other, 12);
    assert_int_equal(b.used, 105); /* as the format's notes work it out */
    imports(p, put(p, "a.sg", b.data, b.used), ";0 2;0;");
    refused(p, put(p, "b.sg", b.data, 100), "do not match its header");
    memset(b.data + 1, 0x7f, 8); /* a claim of 2^62 arcs */
    refused(p, put(p, "c.sg", b.data, b.used), "do not match its header");
}

static void gap_weighted(void **state)
{
    struct test_place *p = *state;
    struct bytes b = {.used = 0};
    struct import_options o = plain_options(NULL, 0);
    struct graph g;
    static const int32_t entries[] = {1, 5, 0, 5};
    add_int(&b, 0, 1);
    add_int(&b, 2, 8);
    add_int(&b, 2, 8);
    for (uint64_t i = 0; i < 3; i++) add_int(&b, i, 8);
    add(&b, entries, sizeof entries);
    o.weights = true;
    assert_int_equal(import_as(p, put(p, "a.wsg", b.data, b.used), o), ST_OK);
    has_rows(p, "1;0;");
    assert_string_equal(p->summary.sample, "both");
    assert_int_equal(graph_open(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_true(g.weights[0] == 5 && g.weights[1] == 5);
    graph_close(&g);
}

/* Bits by hand, window 0, intervals off, residuals in zeta 1 (= gamma):
 * vertex 0 -> 1, 2: degree gamma(2) = 011, first gamma(2 * 1) = 011, gap gamma(0) = 1; vertex 1: gamma(0) = 1;
 * vertex 2 -> 1: gamma(1) = 010, first -1 -> gamma(1) = 010.  0110111 1 010010 -> 0x6f 0x48 */
static void webgraph_by_hand(void **state)
{
    struct test_place *p = *state;
    static const char head[] = "graphclass=it.unimi.dsi.webgraph.BVGraph\nversion=0\nnodes=3\nwindowsize="
                               "0\nminintervallength=0\nzetak=1\n";
    char text[512];
    put(p, "w.graph", "\x6f\x48", 2);
    snprintf(text, sizeof text, "%sarcs=3\ncompressionflags=\n", head);
    put_text(p, "w.properties", text);
    imports(p, in_place(p, "w.graph"), ";0 2;0;");
    imports(p, in_place(p, "w"), ";0 2;0;");
    snprintf(text, sizeof text, "%sarcs=3\ncompressionflags=RESIDUALS_GAMMA | OUTDEGREES_GAMMA\n", head);
    put_text(p, "w.properties", text);
    imports(p, in_place(p, "w.properties"), ";0 2;0;");
    snprintf(text, sizeof text, "%sarcs=4\n", head);
    put_text(p, "w.properties", text);
    refused(p, in_place(p, "w.graph"), "holds 3 arcs, but");
    put(p, "w.graph", "\x6f", 1);
    refused(p, in_place(p, "w.graph"), "inside the list of vertex 2");
    snprintf(text, sizeof text, "%snodes=1000000000\narcs=3\n", head);
    put_text(p, "w.properties", text);
    refused(p, in_place(p, "w.graph"), "too few for the 1000000000");
    put_text(p, "w.properties", "graphclass=EFGraph\nnodes=3\narcs=3\n");
    refused(p, in_place(p, "w.graph"), "not BVGraph");
    snprintf(text, sizeof text, "%sarcs=3\ncompressionflags=RESIDUALS_MAGIC\n", head);
    put_text(p, "w.properties", text);
    refused(p, in_place(p, "w.graph"), "RESIDUALS_MAGIC");
}

/* A copied list, an interval and a residual: window 1, intervals of 2 and more.
 * vertex 0 -> 1, 2, 3: degree gamma(3) = 00100, reference unary 0 = 1, one interval: gamma(1) = 010, left gamma(2) =
 * 011, length 3 - 2: gamma(1) = 010 vertex 1 -> 1, 3, 0: degree 00100, reference 1 = 01, blocks gamma(2) = 011: copy
 * gamma(1) = 010, skip 1 = gamma(0) = 1, even: the rest is copied (3);
 *   one extra: no interval gamma(0) = 1, residual 0 - 1 = -1 -> zeta1(1) = 010
 * vertex 2, 3: degree 0: 1 1
 * 00100 1 010 011 010 | 00100 01 011 010 1 1 010 | 1 1 */
static void webgraph_copies(void **state)
{
    struct test_place *p = *state;
    static const char bits[] = "001001010011010"
                               "00100010110101"
                               "1010"
                               "11";
    unsigned char bytes[8] = {0};
    for (size_t i = 0; i < sizeof bits - 1; i++) bytes[i / 8] |= (unsigned char)((bits[i] - '0') << (7 - i % 8));
    put(p, "w.graph", bytes, (sizeof bits + 6) / 8);
    put_text(p, "w.properties",
             "graphclass=it.unimi.dsi.webgraph.BVGraph\nversion=0\nnodes=4\narcs=6\nwindowsize=1\nminintervallength="
             "2\nzetak=1\n");
    imports(p, in_place(p, "w.graph"), "1;0 1;0;0 1;");
}

/* Properties that do not say so mean intervals of at least 4: vertex 0 -> 1, 2, 3, 4: degree gamma(4) = 00101, one
 * interval gamma(1) = 010 from gamma(2 * 1) = 011, of 4 + gamma(0) = 1; the others: gamma(0) = 1 each. */
static void webgraph_without_an_interval_length(void **state)
{
    struct test_place *p = *state;
    put(p, "i.graph", "\x2a\x7f", 2); /* 00101 010 011 1 1111 */
    put_text(p, "i.properties",
             "graphclass=it.unimi.dsi.webgraph.BVGraph\nversion=0\nnodes=5\narcs=4\nwindowsize=0\nzetak=1\n");
    imports(p, in_place(p, "i.graph"), ";0;0;0;0;");
}

/* Real graphs: one that is shipped, and others when they lie beside the project. */
static void real_data(void **state)
{
    struct test_place *p = *state;
    static const struct {
        const char *path;
        bool undirected;
        uint64_t n, m;
    } sets[] = {{"tests/data/squirrel.npz", true, 2223, 2 * 46998},
                {"../shared/data/graphs/amazon-computers/adjacency.npz", true, 13752, 491722},
                {"../shared/data/graphs/musae-facebook/edges.csv.gz", true, 22470, 341825},
                {"../shared/data/graphs/tolokers/tolokers.npz", true, 11758, 1038000},
                {"../shared/data/graphs/cnr-2000/cnr-2000.graph", false, 325557, 3216152}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (i && !file_exists(sets[i].path)) continue;
        struct import_options o = plain_options(NULL, 0);
        o.undirected = sets[i].undirected;
        if (import_as(p, sets[i].path, o) != ST_OK) fail_msg("%s", p->err.text);
        assert_int_equal(p->summary.n, sets[i].n);
        assert_int_equal(p->summary.m, sets[i].m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(npz_csr),
                                       WITH_PLACE(ogb_folder),
                                       WITH_PLACE(npz_pairs_and_masks),
                                       WITH_PLACE(npz_labels_and_sets),
                                       WITH_PLACE(npz_refusals),
                                       WITH_PLACE(npy_arrays),
                                       WITH_PLACE(gap_graphs),
                                       WITH_PLACE(gap_weighted),
                                       WITH_PLACE(webgraph_by_hand),
                                       WITH_PLACE(webgraph_copies),
                                       WITH_PLACE(webgraph_without_an_interval_length),
                                       WITH_PLACE(real_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
