/* Several sources of one machine: what fills what, which contradictions are refused and how, and where the numbers
 * are said to come from. */
#include "tests/unit/unit.h"
#include "base/file.h"
#include "base/text.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/show/server_diff.h"
#include "hwprofiles/model/server.h"
#include "hwprofiles/show/server_svg.h"

static struct server server, other;
static struct err err;
static char warning[1024];
enum { SOURCES = 3 };
static char path[SOURCES][80];

/* Imports up to three texts as files "0", "1", "2"; a text without a blank is the name of a profile. */
static enum st merge(const char *a, const char *b, const char *c)
{
    const struct server_import_options none = {0};
    const char *text[SOURCES] = {a, b, c}, *source[SOURCES];
    int n = 0;
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    for (; n < SOURCES && text[n]; n++) {
        source[n] = strchr(text[n], ' ') ? path[n] : text[n];
        if (source[n] == path[n]) assert_int_equal(file_write(path[n], text[n], strlen(text[n]), &err), ST_OK);
    }
    return server_import(source, n, &none, &server, warning, sizeof warning, &err);
}

/* The source of the first line of provenance for `what`, "" when there is none. */
static const char *source_of(const char *what)
{
    const doc *list = doc_get(server.document, "provenance");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(list, i), "what"), ""), what))
            return doc_text_value(doc_get(doc_at(list, i), "source"), "");
    return "";
}
static int lines_of(const char *what)
{
    const doc *list = doc_get(server.document, "provenance");
    int n = 0;
    for (uint64_t i = 0; i < doc_size(list); i++)
        n += !strcmp(doc_text_value(doc_get(doc_at(list, i), "what"), ""), what);
    return n;
}

#define LINKS "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n "
#define PLACES                                                                                                         \
    "<system version=\"1\"><cpu numaid=\"1\"><pci busid=\"0:1:0.0\" class=\"0x060400\" link_speed=\"16 GT/s\" "        \
    "link_width=\"16\"><pci busid=\"0:2:0.0\" class=\"0x0302\" link_speed=\"16 GT/s\" link_width=\"16\"/>"             \
    "<pci busid=\"0:3:0.0\" class=\"0x0302\" link_speed=\"16 GT/s\" link_width=\"16\"/></pci></cpu></system>"
#define PROFILE(more) "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0" more "}, {\"id\": 1" more "}]}"

static void filling(void **state)
{
    (void)state;
    assert_int_equal(merge(LINKS, PLACES,
                           "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0, \"model\": \"M\", \"memory_bytes\": "
                           "4096}, {\"id\": 1}], \"cls\": 32, \"cores\": 8, \"price_per_hour\": 2.5,"
                           " \"provenance\": [{\"what\": \"memory_bytes\", \"kind\": \"vendor\", \"source\": "
                           "\"leaflet\"}, {\"what\": \"cls\", \"kind\": \"measured\", \"source\": \"counter\"}]}"),
                     ST_OK);
    assert_int_equal(server.links[0][1], 4);
    assert_int_equal(server.gpu[0].pcie_switch, 0);
    assert_int_equal(server.gpu[1].pcie_switch, 0);
    assert_int_equal(server.gpu[1].socket, 1);
    assert_int_equal(server.pcie_generation, 4);
    assert_int_equal(server.gpu[0].memory_bytes, 4096);
    assert_int_equal(server.gpu[1].memory_bytes, 0);
    assert_string_equal(server.gpu[0].model, "M");
    assert_int_equal(server.line_bytes, 32); /* measured beats the assumed 64 of the others */
    assert_int_equal(server.cores, 8);
    assert_int_equal(server.cliques, 1);
    char want[200];
    snprintf(want, sizeof want, "%s: leaflet", path_base(path[2]));
    assert_string_equal(source_of("memory_bytes"), want);
    snprintf(want, sizeof want, "%s: counter", path_base(path[2]));
    assert_string_equal(source_of("cls"), want);
    assert_int_equal(lines_of("cls"), 1);
    assert_true(text_starts(source_of("nvlinks"), path_base(path[0])) &&
                text_starts(source_of("pcie"), path_base(path[1])) &&
                text_starts(source_of("switch"), path_base(path[1])));
    assert_true(doc_real_value(doc_get(server.document, "price_per_hour"), 0) == 2.5);
}

/* The order decides the name only. */
static void either_order(void **state)
{
    (void)state;
    assert_int_equal(merge(LINKS, PLACES, NULL), ST_OK);
    char first[80];
    snprintf(first, sizeof first, "%s", server.fingerprint);
    assert_int_equal(merge(PLACES, LINKS, NULL), ST_OK);
    assert_string_equal(first, server.fingerprint);
    assert_int_equal(merge(LINKS, LINKS, LINKS), ST_OK);
    assert_int_equal(merge(LINKS, "2x3090-bridge", NULL), ST_OK); /* a shipped profile as a source */
    assert_int_equal(server.gpu[1].memory_bytes, 24ull << 30);
    assert_true(server.link_gbps[0][1] == 56.25);
    assert_true(text_starts(source_of("gbps"), "2x3090-bridge: "));
    assert_true(server.gpu[1].memory_gbps == 936 && server.gpu[0].tflops > 35 && server.pcie_read.gbps > 26 &&
                server.pcie_read.requests > 1e7 && server.nvlink_share > 0.7);
    assert_true(text_starts(source_of("read"), "2x3090-bridge: ") &&
                text_starts(source_of("nvlink_read"), "2x3090-bridge: ") && lines_of("tflops") == 1);
}

static void contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *says;
    } cases[] = {{LINKS, "dgx-v100", "has 2 GPUs and dgx-v100 has 8"},
                 {LINKS, "\tGPU0\tGPU1\nGPU0\t X \tNV2\nGPU1\tNV2\t X \n ", "states 4 NVLinks between GPUs 0 and 1"},
                 {LINKS, "2x4090", "states 4 NVLinks between GPUs 0 and 1 and 2x4090 states 0"},
                 {LINKS, "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}, {\"id\": 2}]}", "has a GPU 1 where"},
                 {PROFILE(", \"memory_bytes\": 1000"), PROFILE(", \"memory_bytes\": 2000"),
                  "gives GPU 0 a memory of 1000 bytes"},
                 {PLACES,
                  "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0, \"switch\": 4}, {\"id\": 1, \"switch\": 5}]}",
                  "share a PCIe switch"},
                 {PLACES,
                  "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}, {\"id\": 1}], \"pcie\": {\"generation\": 3}}",
                  "PCIe generation"},
                 {"{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}], \"sockets\": 1}",
                  "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}], \"sockets\": 2}", "number of sockets"},
                 {"{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}], \"cls\": 32}",
                  "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0}], \"cls\": 128}", "cls"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = merge(cases[i].a, cases[i].b, NULL);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says) || !strstr(err.text, path[0]))
            fail_msg("%s + %s: code %d, %s", cases[i].a, cases[i].b, st, err.text);
        assert_true(strstr(err.text, path[1]) || strstr(err.text, cases[i].b));
    }
    /* groups that differ only in their numbers, memory that a driver holds back, and NUMA nodes within sockets are no
     * contradictions */
    assert_int_equal(merge(PLACES,
                           "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0, \"switch\": 7}, {\"id\": 1, \"switch\": "
                           "7}]}",
                           NULL),
                     ST_OK);
    assert_int_equal(merge(PROFILE(", \"memory_bytes\": 1000"), PROFILE(", \"memory_bytes\": 950"), NULL), ST_OK);
    assert_int_equal(server.gpu[0].memory_bytes, 1000);
    assert_int_equal(merge(PROFILE(", \"socket\": 0"),
                           "{ \"schema\": \"server/1\", \"gpus\": [{\"id\": 0, \"socket\": 0}, {\"id\": 1, \"socket\": "
                           "1}]}",
                           NULL),
                     ST_OK);
}

static const doc *difference(const doc *d, const char *what)
{
    const doc *list = doc_get(d, "differences");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(list, i), "what"), ""), what)) return doc_at(list, i);
    return NULL;
}

static void differences(void **state)
{
    (void)state;
    server_release(&server);
    assert_int_equal(server_load("dgx-v100", &other, &err), ST_OK);
    for (const char *const *n = server_names(); *n; n++) {
        struct server again = {0};
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        assert_int_equal(server_load(*n, &again, &err), ST_OK);
        doc *d = server_diff(&server, &again);
        assert_true(doc_bool_value(doc_get(d, "same"), false));
        assert_int_equal(doc_size(doc_get(d, "differences")), 0);
        doc_free(d);
        server_release(&again);
        server_release(&server);
    }
    assert_int_equal(server_load("dgx-v100", &server, &err), ST_OK);
    server.links[0][4] = server.links[4][0] = 1; /* the counts of widths change, and one pair is named */
    doc *d = server_diff(&server, &other);
    assert_int_equal(doc_size(doc_get(d, "differences")), 3);
    const doc *pair = difference(d, "NVLinks GPU0-GPU4");
    assert_string_equal(doc_text_value(doc_get(pair, "a"), ""), "NV1");
    assert_string_equal(doc_text_value(doc_get(pair, "b"), ""), "NV2");
    assert_non_null(difference(d, "NVLinks"));
    assert_non_null(difference(d, "per NVLink and direction"));
    doc_free(d);
    server_release(&server);
    server_release(&other);
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* Every picture is complete: one chip per GPU, one cell per pair, tags that close, equal bytes for equal servers. */
static void pictures(void **state)
{
    (void)state;
    for (const char *const *n = server_names(); *n; n++) {
        char *text[2];
        size_t bytes[2];
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        for (int k = 0; k < 2; k++) {
            FILE *f = open_memstream(&text[k], &bytes[k]);
            server_svg(&server, f);
            fclose(f);
        }
        assert_string_equal(text[0], text[1]);
        assert_int_equal(count(text[0], ">GPU"), server.gpus);
        assert_int_equal(count(text[0], "stroke=\"#999\""), server.gpus > 1 ? server.gpus * server.gpus : 0);
        assert_int_equal(count(text[0], "<text "), count(text[0], "</text>"));
        assert_int_equal(count(text[0], "</svg>"), 1);
        assert_null(strstr(text[0], "height=\"0\""));
        free(text[0]);
        free(text[1]);
        server_release(&server);
    }
}

static int begin(void **state)
{
    (void)state;
    for (int i = 0; i < SOURCES; i++) snprintf(path[i], sizeof path[i], "/tmp/hotset-merge-%ld-%d", (long)getpid(), i);
    return 0;
}
static int end(void **state)
{
    (void)state;
    server_release(&server);
    server_release(&other);
    for (int i = 0; i < SOURCES; i++) unlink(path[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filling), cmocka_unit_test(either_order),
                                       cmocka_unit_test(contradictions), cmocka_unit_test(differences),
                                       cmocka_unit_test(pictures)};
    return cmocka_run_group_tests(tests, begin, end);
}
