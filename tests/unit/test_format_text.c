/* Text formats: edge list, Matrix Market, METIS, OGB csv. Expected rows are worked out by hand from the few arcs
 * shown. */
#include <sys/stat.h>
#include <zlib.h>

#include "test_graph_help.h"

/* Arcs 0->1, 0->2, 2->1, 3->3, 0->1 again. In: row 1 draws 0 and 2, row 2 draws 0, row 3 itself. */
static const char arcs[] = "# a comment\n0 1\n0\t2\r\n\n2,1\n% another\n3 3 \n0 1\n";

static void edge_list_directions(void **state)
{
    struct test_place *p = *state;
    const char *f = put_text(p, "a.txt", arcs);
    struct import_options o = plain_options(NULL, 0);
    imports(p, f, ";0 2;0;3;");
    assert_int_equal(p->summary.duplicates, 1);
    assert_int_equal(p->summary.self_loops, 1);
    assert_string_equal(p->summary.sample, "in");
    o.sample_out = true;
    assert_int_equal(import_as(p, f, o), ST_OK);
    has_rows(p, "1 2;;1;3;");
    o.undirected = true;
    assert_int_equal(import_as(p, f, o), ST_OK);
    has_rows(p, "1 2;0 2;0 1;3;");
    assert_string_equal(p->summary.sample, "both");
    assert_int_equal(p->summary.duplicates, 2); /* 0-1 twice and back; 3-3 is its own way back */
}

static void edge_list_header_and_gzip(void **state)
{
    struct test_place *p = *state;
    gzFile z = gzopen(in_place(p, "e.csv.gz"), "wb");
    gzputs(z, "id_1,id_2\n0,1\n1,2\n");
    gzclose(z);
    imports(p, in_place(p, "e.csv.gz"), ";0;1;");
    imports(p, put_text(p, "last", "5 0"), "5;;;;;;");
    refused(p, put_text(p, "two", "a,b\nc,d\n0,1\n"), "line 3 ('0,1') has two numbers, but ids above it are names");
    refused(p, put_text(p, "late", "0 1\nx y\n"), "line 2 has 'x', which is not an integer");
}

static void edge_list_renumbers(void **state)
{
    struct test_place *p = *state;
    struct import_options o = plain_options(NULL, 0);
    struct npy ids;
    o.renumber = true;
    o.train_share = 0;
    o.train = put_text(p, "train", "9000000000000000000\n7\n");
    assert_int_equal(import_as(p, put_text(p, "a", "7 9000000000000000000\n500 7\n500 500\n"), o), ST_OK);
    has_rows(p, "1;1;0;");
    assert_int_equal(npy_map(in_place(p, "G/original_ids.npy"), &ids, &p->err), ST_OK);
    assert_memory_equal(ids.data, ((int64_t[]){7, 500, 9000000000000000000}), 24);
    npy_release(&ids);
    assert_int_equal(npy_map(in_place(p, "G/train.npy"), &ids, &p->err), ST_OK);
    assert_memory_equal(ids.data, ((uint32_t[]){0, 2}), 8);
    npy_release(&ids);
}

static void edge_list_keeps_weights(void **state)
{
    struct test_place *p = *state;
    struct import_options o = plain_options(NULL, 0);
    struct graph g;
    o.weights = true;
    assert_int_equal(import_as(p, put_text(p, "a", "2 1 0.5\n0 1 3\n0 1 2\n1 0 -0\n"), o), ST_OK);
    has_rows(p, "1;0 2;;");
    assert_int_equal(graph_open(in_place(p, "G"), 1, &g, &p->err), ST_OK);
    assert_memory_equal(g.weights, ((float[]){0, 2, 0.5f}), 12);
    graph_close(&g);
    unlink(in_place(p, "G/graph.json"));
    o = plain_options(NULL, 0);
    o.weights = true;
    assert_int_equal(import_as(p, put_text(p, "b", "0 1\n"), o), ST_INPUT); /* G is no graph any more: left alone */
}

static void edge_list_refusals(void **state)
{
    struct test_place *p = *state;
    struct import_options o = plain_options(NULL, 0);
    refused(p, put_text(p, "empty", ""), "is empty");
    refused(p, put_text(p, "comments", "# nothing\n"), "in no known graph format");
    refused(p, put(p, "junk", "\x01\x02\xff\x00\x10junk", 9), "in no known graph format");
    refused(p, in_place(p, "absent"), "does not exist");
    refused(p, put_text(p, "big", "0 1\n1 99999999999999999999\n"), "line 2 has a number beyond 64-bit");
    refused(p, put_text(p, "wide", "0 1\n1 4294967294\n"), "line 2 has id 4294967294");
    refused(p, put_text(p, "sparse", "0 1\n1 4294967293\n"),
            "line 2 has id 4294967293, which asks for 4294967294 vertices");
    refused(p, put_text(p, "minus", "0 1\n1 -2\n"), "line 2 has a negative number");
    refused(p, put_text(p, "one", "0 1\n1\n"), "line 2 has too few numbers");
    refused(p, put_text(p, "word", "0 1\n1 2x\n"), "line 2 has '2x', which is not an integer");
    refused(p, put(p, "nul", "0 1\n1 \0 2\n", 10), "in no known graph format");
    refused(p, put(p, "gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b", 11), "gz");
    o.weights = true;
    refused_as(p, put_text(p, "nan", "0 1 nan\n"), o, "line 1");
    refused_as(p, put_text(p, "neg", "0 1 -1\n"), o, "weight -1");
    refused_as(p, put_text(p, "none", "0 1\n"), o, "no weight in column 3");
}

/* Lines of other lengths: refused with both lines shown. Lines of equal lengths, however they are written, are read. */
static void edge_list_fields_agree(void **state)
{
    struct test_place *p = *state;
    refused(p, put_text(p, "counts", "81306,1342310,u,name\n0,1\n1,2\n"),
            "line 1 ('81306,1342310,u,name') has 4 fields, but line 2 ('0,1') has 2");
    refused(p, put_text(p, "short", "# c\n0 1 7\n1 2 7\n\n2 3\n"),
            "line 2 ('0 1 7') has 3 fields, but line 5 ('2 3') has 2");
    refused(p, put_text(p, "half", "0 1\n1 b\n"), "line 2 has 'b', which is not an integer");
    refused(p, put_text(p, "first", "0 b\n1 2\n"), "line 1 has 'b', which is not an integer");
    imports(p, put_text(p, "same", "0 1 x \n1\t2\ty z\n0,2,q\n1 0 5\t\r\n"), "1;0;0 1;");
    imports(p, put_text(p, "empty-fields", "0,1,,3\n1,2,5,\n2 , 0 ,,\n"), "2;0;1;");
    imports(p, put_text(p, "tabs", "0\t1\t\t2020\n1\t2\tfriend of\t2021\n"), ";0;1;");
}

/* A byte order mark is no part of the first id, of a header, or of a comment. */
static void edge_list_byte_order_mark(void **state)
{
    struct test_place *p = *state;
    imports(p,
            put_text(p, "mark",
                     "\xef\xbb\xbf"
                     "0 1\n1 2\n"),
            ";0;1;");
    imports(p,
            put_text(p, "mark-header",
                     "\xef\xbb\xbf"
                     "from,to\n0,1\n"),
            ";0;");
    imports(p, put_text(p, "mark-comment", "\xef\xbb\xbf# c\n0,1\n"), ";0;");
    refused(p, put_text(p, "mark-alone", "\xef\xbb\xbf"), "in no known graph format");
    struct import_options o = plain_options(NULL, 0);
    o.train = put_text(p, "train",
                       "\xef\xbb\xbf"
                       "1\n");
    assert_int_equal(import_as(p, in_place(p, "mark"), o), ST_OK);
    assert_int_equal(p->summary.train, 1);
}

/* A first line of counts that looks like an arc cannot be told for sure: it is read, and doubted. */
static void edge_list_counts_are_doubted(void **state)
{
    struct test_place *p = *state;
    const struct {
        const char *text;
        bool doubt;
    } cases[] = {{"4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n", true},             /* 4 vertices, 5 arcs */
                 {"4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n", true},             /* the same, ids from 1 */
                 {"4 4 5\n1 2 9\n2 3 9\n3 4 9\n4 1 9\n1 3 9\n", true}, /* rows, columns, entries */
                 {"4 6\n0 1\n1 2\n2 3\n3 0\n0 2\n", false},            /* another number of lines */
                 {"2 5\n0 1\n1 2\n2 3\n3 0\n0 2\n", false}};           /* ids beyond the first number */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(import_plain(p, put_text(p, "counts", cases[i].text)), ST_OK);
        if (!!*p->summary.doubt != cases[i].doubt) fail_msg("case %d: doubt '%s'", (int)i, p->summary.doubt);
    }
    assert_int_equal(import_plain(p, put_text(p, "counts", cases[0].text)), ST_OK);
    assert_string_equal(p->summary.doubt, "counts: line 1 ('4 5') was read as an arc, but 5 lines follow it: if it "
                                          "states counts, put '#' in front of it");
}

static void matrix_market_kinds(void **state)
{
    struct test_place *p = *state;
    imports(p, put_text(p, "g.mtx", "%%MatrixMarket matrix coordinate real general\n% c\n\n3 3 2\n1 2 0.5\n3 2 -1e3\n"),
            ";0 2;;");
    imports(p, put_text(p, "s.mtx", "%%matrixmarket MATRIX Coordinate Pattern SYMMETRIC\n3 3 3\n2 1\n3 2\n3 3\n"),
            "1;0 2;1 2;");
    assert_string_equal(p->summary.sample, "both");
    imports(p, put_text(p, "k.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -4\n"),
            "1;0;");
    imports(p, put_text(p, "h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 2\n"), "1;0;");
    imports(p, put_text(p, "e.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n"), ";;;");
}

static void matrix_market_refusals(void **state)
{
    struct test_place *p = *state;
#define HEAD "%%MatrixMarket matrix coordinate real general\n"
    refused(p, put_text(p, "a", "%%MatrixMarket matrix array real general\n2 2\n"), "only 'matrix coordinate'");
    refused(p, put_text(p, "b", "%%MatrixMarket matrix coordinate text general\n2 2 0\n"), "field 'text'");
    refused(p, put_text(p, "c", "%%MatrixMarket matrix coordinate real odd\n2 2 0\n"), "symmetry 'odd'");
    refused(p, put_text(p, "d", HEAD), "ends before");
    refused(p, put_text(p, "e", HEAD "2 3 1\n1 1 1\n"), "square");
    refused(p, put_text(p, "f", HEAD "2 2 2\n1 1 1\n"), "after 1 of 2 entries");
    refused(p, put_text(p, "g", HEAD "2 2 1\n1 1 1\n1 2 1\n"), "line 4 is one more");
    refused(p, put_text(p, "h", HEAD "2 2 1\n1 3 1\n"), "line 3 names vertex 2");
    refused(p, put_text(p, "i", HEAD "2 2 1\n0 1 1\n"), "index 0");
    refused(p, put_text(p, "j", HEAD "2 2 1\n1 1 nan\n"), "NaN");
    refused(p, put_text(p, "k", HEAD "2 2 1\n1 1\n"), "value");
    refused(p, put_text(p, "l", HEAD "4000000000 4000000000 1\n1 1 1\n"), "states 4000000000 vertices");
    refused(p, put_text(p, "m", HEAD "1000000000000 1000000000000 1\n1 1 1\n"), "at most");
    refused(p, put_text(p, "n", HEAD "0 0 0\n"), "no vertices");
    refused(p, put_text(p, "o", HEAD "2 2\n"), "too few");
    refused(p, put_text(p, "p", HEAD "3 2 1\n1 1 1\n"), "square");
    refused(p, put_text(p, "q", HEAD "2 2 1\n1 0 1\n"), "index 0");
    refused(p, put_text(p, "r", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 1\n"),
            "expected 2 numbers");
}

static void metis_variants(void **state)
{
    struct test_place *p = *state;
    imports(p, put_text(p, "a.graph", "% c\n4 3\n2 3\n1\n% inside\n1 4\n3\n"), "1 2;0;0 3;2;");
    imports(p, put_text(p, "b.graph", "3 1 1\n2 7\n1 7\n\n"), "1;0;;");
    imports(p, put_text(p, "c.graph", "3 2 011 2\n5 5 2 1\n6 6 1 1 3 4\n7 7 2 4\n"), "1;0 2;1;");
    imports(p, put_text(p, "d.graph", "2 1 100\n9 2\n9 1\n"), "1;0;");
    imports(p, put_text(p, "nosuffix", "4 3\n2 3 4\n1\n1\n1\n"), "1 2 3;0;0;0;");
    refused(p, put_text(p, "e.graph", "3 1\n2\n1\n"), "after 2 of 3 vertices");
    refused(p, put_text(p, "f.graph", "2 1\n2\n1\n1\n"), "line 4 is one more");
    refused(p, put_text(p, "g.graph", "2 2\n2\n1\n"), "2 neighbours");
    refused(p, put_text(p, "h.graph", "2 1\n3 1\n1\n"), "line 2 names vertex 3");
    refused(p, put_text(p, "i.graph", "2 1\nx\n1\n"), "line 2");
}

static void ogb_folder(void **state)
{
    struct test_place *p = *state;
    struct import_options o = plain_options(NULL, 0);
    o.train_share = 0;
    mkdir(in_place(p, "d"), 0777);
    mkdir(in_place(p, "d/raw"), 0777);
    mkdir(in_place(p, "d/split"), 0777);
    mkdir(in_place(p, "d/split/time"), 0777);
    put_text(p, "d/raw/edge.csv", "0,1\n1,2\n");
    put_text(p, "d/raw/num-node-list.csv", "4\n");
    put_text(p, "d/raw/num-edge-list.csv", "2\n");
    put_text(p, "d/split/time/train.csv", "3\n1\n");
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_rows(p, ";0;1;;");
    assert_int_equal(p->summary.train, 2);
    has_sets(p, "", "", "");
    put_text(p, "d/split/time/valid.csv", "2\n");
    put_text(p, "d/split/time/test.csv", "1\n0\n");
    put_text(p, "d/raw/node-label.csv", "4\nnan\n0.0\n2\n");
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_sets(p, "4 -1 0 2", "2", "0 1");
    assert_non_null(strstr(p->summary.doubt, "1 test vertices are training vertices, too"));
    put_text(p, "d/raw/node-label.csv", "0,1\n1,1\n0,0\n1,0\n");
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_sets(p, "", "2", "0 1");
    assert_non_null(strstr(p->summary.doubt, "not one class per vertex"));
    o.renumber = true; /* vertex 3 has no arc */
    put_text(p, "d/raw/node-label.csv", "4\n5\n6\n2\n");
    put_text(p, "d/split/time/train.csv", "1\n");
    put_text(p, "d/split/time/test.csv", "3\n0\n");
    assert_int_equal(import_as(p, in_place(p, "d"), o), ST_OK);
    has_sets(p, "4 5 6", "2", "0");
    put_text(p, "d/raw/num-edge-list.csv", "3\n");
    refused(p, in_place(p, "d"), "has 2 edges, but");
    put_text(p, "d/raw/num-node-list.csv", "2\n2\n");
    refused(p, in_place(p, "d"), "several graphs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(edge_list_directions),
                                       WITH_PLACE(edge_list_header_and_gzip),
                                       WITH_PLACE(edge_list_renumbers),
                                       WITH_PLACE(edge_list_keeps_weights),
                                       WITH_PLACE(edge_list_refusals),
                                       WITH_PLACE(edge_list_fields_agree),
                                       WITH_PLACE(edge_list_byte_order_mark),
                                       WITH_PLACE(edge_list_counts_are_doubted),
                                       WITH_PLACE(matrix_market_kinds),
                                       WITH_PLACE(matrix_market_refusals),
                                       WITH_PLACE(metis_variants),
                                       WITH_PLACE(ogb_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
