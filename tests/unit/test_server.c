/* Server documents: every shipped profile, hostile documents, import of files, the picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <math.h>
#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/show/server_print.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/profiles.h"
#include "hwprofiles/model/link_rates.h"

static struct server server, other;
static struct err err;
static char path[64], copy[64], warning[1024];

static enum st import_text(const char *text, size_t n, const struct server_import_options *wants)
{
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    assert_int_equal(file_write(path, text, n, &err), ST_OK);
    return server_import((const char *const[]){path}, 1, wants, &server, warning, sizeof warning, &err);
}
static enum st import_json(const char *text)
{
    const struct server_import_options none = {0};
    return import_text(text, strlen(text), &none);
}

static bool tagged(const doc *d, const char *what)
{
    const doc *list = doc_get(d, "provenance");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(doc_text_value(doc_get(doc_at(list, i), "what"), ""), what)) return true;
    return false;
}

/* Shape of every shipped machine: GPUs, cliques, GPUs of the first clique, MiB per GPU as its driver shows them where
 * that is known. */
enum { GIB = 1024 };
static const struct {
    const char *name;
    int gpus, cliques, first;
    uint64_t mib;
} known[] = {{"2x2080ti-bridge", 2, 1, 2, 11 * GIB},
             {"2x3090", 2, 2, 1, 24 * GIB},
             {"2x3090-bridge", 2, 1, 2, 24 * GIB},
             {"2x4090", 2, 2, 1, 24 * GIB},
             {"2x5090", 2, 2, 1, 32607},
             {"2xa6000-bridge", 2, 1, 2, 48 * GIB},
             {"3xa6000-bridge", 3, 2, 2, 48 * GIB},
             {"a100-pcie-4-pairs", 4, 2, 2, 80 * GIB},
             {"a2-highgpu-8g", 8, 1, 8, 40 * GIB},
             {"a2-megagpu-16g", 16, 1, 16, 40 * GIB},
             {"a3-highgpu-8g", 8, 1, 8, 81559},
             {"data-tiering-4xv100", 4, 1, 4, 32 * GIB},
             {"dgx-1-p100", 8, 2, 4, 16 * GIB},
             {"dgx-1-v100-32gb", 8, 2, 4, 32 * GIB},
             {"dgx-2", 16, 1, 16, 32 * GIB},
             {"dgx-a100", 8, 1, 8, 80 * GIB},
             {"dgx-a100-40gb", 8, 1, 8, 40 * GIB},
             {"dgx-b200", 8, 1, 8, 183359},
             {"dgx-h100", 8, 1, 8, 81559},
             {"dgx-h200", 8, 1, 8, 143771},
             {"dgx-spark", 1, 1, 1, 119 * GIB},
             {"dgx-station-a100", 4, 1, 4, 80 * GIB},
             {"dgx-station-v100", 4, 1, 4, 32 * GIB},
             {"dgx-v100", 8, 2, 4, 16 * GIB},
             {"g4dn.12xlarge", 4, 4, 1, 15360},
             {"g5.48xlarge", 8, 8, 1, 23028},
             {"gb200-2-trays", 8, 1, 8, 189471},
             {"gb200-nvl72", 72, 1, 72, 189471},
             {"gb200-tray", 4, 1, 4, 189471},
             {"gb300-tray", 4, 1, 4, 284208},
             {"gh200", 1, 1, 1, 97871},
             {"gh200-4", 4, 1, 4, 97871},
             {"h200-nvl-4", 4, 1, 4, 143771},
             {"hgx-a100-4", 4, 1, 4, 40 * GIB},
             {"hgx-a100-8", 8, 1, 8, 80 * GIB},
             {"hgx-b200-8", 8, 1, 8, 183359},
             {"hgx-b300-8", 8, 1, 8, 275040},
             {"hgx-h100-8", 8, 1, 8, 81559},
             {"hgx-h20-8", 8, 1, 8, 97871},
             {"hgx-h200-8", 8, 1, 8, 143771},
             {"hgx-h800-8", 8, 1, 8, 81559},
             {"hyscale-4xa5000", 4, 4, 1, 24 * GIB},
             {"hyscale-4xu250", 4, 4, 1, 64 * GIB},
             {"l4-2", 2, 2, 1, 23034},
             {"l40s-8", 8, 8, 1, 46068},
             {"mi210-8", 8, 2, 4, 64 * GIB},
             {"mi250x-4", 8, 4, 2, 64 * GIB},
             {"mi300x-8", 8, 1, 8, 192 * GIB},
             {"mi325x-8", 8, 1, 8, 256 * GIB},
             {"mi355x-8", 8, 1, 8, 288 * GIB},
             {"nc96ads-a100-v4", 4, 2, 2, 80 * GIB},
             {"nd40rs-v2", 8, 2, 4, 32 * GIB},
             {"nd96amsr-a100-v4", 8, 1, 8, 80 * GIB},
             {"nd96asr-v4", 8, 1, 8, 40 * GIB},
             {"nd96isr-h100-v5", 8, 1, 8, 81559},
             {"p2.16xlarge", 16, 16, 1, 12 * GIB},
             {"p3.16xlarge", 8, 2, 4, 16 * GIB},
             {"p3.8xlarge", 4, 1, 4, 16 * GIB},
             {"p3dn.24xlarge", 8, 2, 4, 32 * GIB},
             {"p4d.24xlarge", 8, 1, 8, 40 * GIB},
             {"p4de.24xlarge", 8, 1, 8, 80 * GIB},
             {"p5.48xlarge", 8, 1, 8, 81559},
             {"p5en.48xlarge", 8, 1, 8, 143771},
             {"pagraph-4x1080ti", 4, 4, 1, 11 * GIB},
             {"pcie-8", 8, 8, 1, 24 * GIB},
             {"power8-4xp100", 4, 2, 2, 16 * GIB},
             {"power9-4xv100", 4, 2, 2, 16 * GIB},
             {"power9-6xv100", 6, 2, 3, 16 * GIB},
             {"rtx-pro-6000-8", 8, 8, 1, 97887},
             {"siton", 8, 4, 2, 40 * GIB}};

static void shipped_profiles(void **state)
{
    (void)state;
    int count = 0;
    for (const char *const *n = server_names(); *n; n++, count++) {
        size_t i = 0;
        if (count) assert_true(strcmp(n[-1], *n) < 0);
        while (i < sizeof known / sizeof *known && strcmp(known[i].name, *n)) i++;
        if (i == sizeof known / sizeof *known)
            fail_msg("%s is shipped, but known[] in tests/unit/test_server.c does not know its shape: add a row {name, "
                     "GPUs, "
                     "cliques, GPUs of the first, MiB per GPU}",
                     *n);
        if (server_load(*n, &server, &err) != ST_OK) fail_msg("%s", err.text);
        assert_string_equal(server.name, known[i].name);
        if (server.gpus != known[i].gpus || server.cliques != known[i].cliques ||
            server.clique_size[0] != known[i].first)
            fail_msg("%s: %d GPUs, %d cliques, the first of %d", server.name, server.gpus, server.cliques,
                     server.clique_size[0]);
        assert_true(server.links_known && server.description[0] && strlen(server.name) <= 19 &&
                    strlen(server.description) <= 98); /* a line of hotset list servers */
        for (int g = 0; g < server.gpus; g++) assert_int_equal(server.gpu[g].memory_bytes, known[i].mib << 20);
        server_release(&server);
    }
    assert_true(count >= 64);
}

/* Where the rate of sampling is fitted to memory, it follows the memory that the profile states. */
static void sampling_follows_memory(void **state)
{
    int fitted = 0;
    (void)state;
    for (const char *const *n = server_names(); *n; n++) {
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        const doc *list = doc_get(server.document, "provenance");
        for (uint64_t i = 0; i < doc_size(list); i++) {
            const struct server_gpu *g = &server.gpu[0];
            if (!strstr(doc_text_value(doc_get(doc_at(list, i), "source"), ""), "one draw per 3070 bytes")) continue;
            if (fabs(g->sampling_edges * 3070 / (g->memory_gbps * 1e9) - 1) > 0.01) fail_msg("%s", *n);
            fitted++;
        }
        server_release(&server);
    }
    assert_true(fitted > 40);
}

/* Every number has a line that says where it comes from, and no line stands for a number that is not there. */
static void provenance_is_complete(void **state)
{
    (void)state;
    static const char *const numbers[] =
        {"sockets",     "cores",   "host_memory_bytes", "price_per_hour", "cls",
         "pcie",        "nvlinks", "host_memory_gbps",  "cpu_tflops",     "cpu_sampling_edges_per_second",
         "nvlink_read", "numa",    "socket_links",      "nics",           "nvme",
         NULL};
    for (const char *const *n = server_names(); *n; n++) {
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        const doc *d = server.document, *list = doc_get(d, "provenance");
        if ((server.gpu[0].memory_gbps > 0) != tagged(d, "memory_gbps") ||
            (server.gpu[0].tflops > 0) != tagged(d, "tflops") || (server.pcie_rates > 0) != tagged(d, "effective") ||
            (server.pcie_read.gbps > 0) != tagged(d, "read"))
            fail_msg("%s: constants of the time model and their provenance do not go together", *n);
        for (int k = 0; numbers[k]; k++)
            if (tagged(d, numbers[k]) == doc_is_null(doc_get(d, numbers[k])))
                fail_msg("%s: %s and its provenance do not go together", *n, numbers[k]);
        assert_true(tagged(d, "memory_bytes"));
        bool places[2] = {false, false}, gbps = false;
        for (int i = 0; i < server.gpus; i++) {
            places[0] = places[0] || server.gpu[i].pcie_switch >= 0;
            places[1] = places[1] || server.gpu[i].socket >= 0;
            for (int j = 0; j < i; j++) {
                gbps = gbps || server.link_gbps[i][j] > 0;
                if (server.links[i][j]) assert_true(server.link_gbps[i][j] > 0);
            }
        }
        if (places[0] != tagged(d, "switch") || places[1] != tagged(d, "socket") || gbps != tagged(d, "gbps"))
            fail_msg("%s: switch, socket or gbps and their provenance do not go together", *n);
        for (uint64_t i = 0; i < doc_size(list); i++)
            if (strlen(doc_text_value(doc_get(doc_at(list, i), "source"), "")) < 7)
                fail_msg("%s: provenance line %d names no source", *n, (int)i);
        server_release(&server);
    }
}

/* What physics allows: no GPU has more links than its generation, and a line rate is that of its lanes. */
static void numbers_fit_together(void **state)
{
    (void)state;
    for (const char *const *n = server_names(); *n; n++) {
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        if (server.pcie_generation && server.pcie_width)
            assert_true(server.pcie_gbps > 0.99 * link_pcie_gbps(server.pcie_generation, server.pcie_width) &&
                        server.pcie_gbps < 1.01 * link_pcie_gbps(server.pcie_generation, server.pcie_width));
        for (int i = 0; i < server.gpus; i++) {
            int most = 0, sum = 0;
            for (int j = 0; j < server.gpus; j++) {
                sum += server.links[i][j];
                most = server.links[i][j] > most ? server.links[i][j] : most;
            }
            assert_true(most <= 18);
            assert_true(sum <= 18 ||
                        sum == most * (server.gpus - 1)); /* beyond that only a switch joins all with all */
            assert_true(server.sockets == 0 || server.gpu[i].socket < server.sockets);
        }
        server_release(&server);
    }
}

/* What is written reads back as the same server with the same bytes. */
static void round_trip(void **state)
{
    (void)state;
    for (const char *const *n = server_names(); *n; n++) {
        struct mapping a, b;
        assert_int_equal(server_load(*n, &server, &err), ST_OK);
        assert_int_equal(doc_save(server.document, path, &err), ST_OK);
        assert_int_equal(server_load(path, &other, &err), ST_OK);
        assert_string_equal(server.fingerprint, other.fingerprint);
        assert_memory_equal(server.links, other.links, sizeof server.links);
        assert_int_equal(doc_save(other.document, copy, &err), ST_OK);
        assert_int_equal(file_map(path, &a, &err), ST_OK);
        assert_int_equal(file_map(copy, &b, &err), ST_OK);
        assert_int_equal(a.bytes, b.bytes);
        assert_memory_equal(a.base, b.base, a.bytes);
        file_unmap(&a);
        file_unmap(&b);
        server_release(&server);
        server_release(&other);
    }
}

static void small_profiles(void **state)
{
    (void)state;
    assert_int_equal(import_json("{\"schema\":\"server/"
                                 "1\",\"gpus\":[{\"id\":7,\"memory_bytes\":\"16GiB\"},{\"id\":3}],\"nvlinks\":[{\"a\":"
                                 "7,\"b\":3,\"links\":2}],\"cliques\":[[7,3]]}"),
                     ST_OK);
    assert_int_equal(server.gpu[0].id, 3); /* sorted */
    assert_int_equal(server.gpu[1].memory_bytes, 16ull << 30);
    assert_int_equal(server.links[0][1], 2);
    assert_int_equal(server.line_bytes, 64);
    assert_int_equal(import_json("{\"schema\":\"server/1\",\"gpus\":[{\"id\":0},{\"id\":1}]}"), ST_OK);
    assert_false(server.links_known);
    assert_true(doc_is_null(doc_get(server.document, "cliques")));
    assert_int_equal(import_json("{\"schema\":\"server/1\",\"gpus\":[{\"id\":0}]}"), ST_OK);
    assert_int_equal(doc_size(doc_get(server.document, "cliques")), 1);
    assert_true(doc_is_null(doc_get(server.document, "nvlinks")));
}

#define ONE "{\"schema\":\"server/1\",\"gpus\":[{\"id\":0},{\"id\":1}]"

static void hostile_profiles(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"{", ""},
                 {"[]", ""},
                 {"{}", "schema"},
                 {"{\"schema\":\"server/2\",\"gpus\":[]}", "server/1"},
                 {"{\"schema\":\"plan/1\"}", "server/1"},
                 {"{\"schema\":\"server/1\"}", "gpus"},
                 {"{\"schema\":\"server/1\",\"gpus\":[]}", "has 0 entries, expected 1 to 72"},
                 {"{\"schema\":\"server/1\",\"gpus\":7}", "gpus"},
                 {"{\"schema\":\"server/1\",\"gpus\":[3]}", "expected object"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{}]}", "id"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":-1}]}", "id"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":256}]}", "0 to 255"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0},{\"id\":0}]}", "which another GPU has"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"memory_byte\":1}]}", "memory_bytes"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"memory_bytes\":-5}]}", "memory_bytes"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"memory_bytes\":\"much\"}]}", "memory_bytes"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"memory_bytes\":\"9999999TiB\"}]}", "memory_bytes"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"switch\":99999999999}]}", "switch"},
                 {"{\"schema\":\"server/1\",\"gpus\":[{\"id\":0,\"model\":\"\\u001b[2J\"}]}", "control character"},
                 {"{\"schema\":\"server/"
                  "1\",\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\",\"gpus\":[{\"id\":"
                  "0}]}",
                  "64 bytes"},
                 {ONE ",\"nvlink\":[]}", "nvlinks"},
                 {ONE ",\"nvlinks\":{}}", "nvlinks"},
                 {ONE ",\"nvlinks\":[1]}", "expected object"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":2,\"links\":1}]}", "no GPU 2"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":0,\"links\":1}]}", "itself"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":1,\"links\":0}]}", "links"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":1,\"links\":300}]}", "links"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":1,\"links\":1},{\"a\":1,\"b\":0,\"links\":1}]}", "once"},
                 {ONE ",\"nvlinks\":[{\"a\":0,\"b\":1,\"links\":1,\"gbps\":-1}]}", "gbps"},
                 {ONE ",\"nvlinks\":[],\"cliques\":[[0,1]]}", "cliques[0]"},
                 {ONE ",\"nvlinks\":[],\"cliques\":[[0]]}", "states 1 cliques"},
                 {ONE ",\"nvlinks\":[],\"cliques\":[[0],[0]]}", "cliques[1]"},
                 {ONE ",\"nvlinks\":[],\"cliques\":[[0],[]]}", "cliques[1]"},
                 {ONE ",\"nvlinks\":[],\"cliques\":[[0],7]}", "cliques[1]"},
                 {ONE ",\"cliques\":[[0],[1]]}", "no \"nvlinks\""},
                 {ONE ",\"cls\":63}", "multiple of 4"},
                 {ONE ",\"cls\":0}", "cls"},
                 {ONE ",\"cls\":\"64\"}", "cls"},
                 {ONE ",\"pcie\":[]}", "pcie"},
                 {ONE ",\"pcie\":{\"lanes\":16}}", "lanes"},
                 {ONE ",\"pcie\":{\"generation\":0}}", "generation"},
                 {ONE ",\"sockets\":0}", "sockets"},
                 {ONE ",\"provenance\":[{\"what\":\"x\",\"kind\":\"guess\"}]}", "measured"},
                 {ONE ",\"provenance\":[1]}", "expected object"},
                 {ONE ",\"price_per_hour\":-1}", "price_per_hour"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = import_json(cases[i].text);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says))
            print_error("%s: status %d, %s\n", cases[i].text, st, err.text);
        assert_int_equal(st, ST_INPUT);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void other_files(void **state)
{
    (void)state;
    const struct server_import_options none = {0};
    assert_int_equal(import_text("", 0, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "empty"));
    assert_int_equal(import_text("GPU0\0GPU1", 9, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "byte 4 is zero"));
    assert_int_equal(import_text("\xff\xfeG\0P\0U\0", 8, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "UTF-16"));
    assert_int_equal(import_text("nothing at all", 14, &none), ST_INPUT);
    assert_int_equal(import_text("<system version=\"1\"><cpu/></system>", 35, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "lists no GPU"));
    assert_int_equal(import_text("<?xml version=\"1.0\"?>\n<topology/>", 33, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "no NVIDIA GPU"));
    assert_int_equal(import_text("<html/>", 7, &none), ST_INPUT);
    assert_non_null(strstr(err.text, "<html>"));
    err_clear(&err);
    assert_int_equal(server_import((const char *const[]){"/nonexistent/topo.txt"}, 1, &none, &server, warning,
                                   sizeof warning, &err),
                     ST_INPUT);
    assert_int_equal(server_load("dgx-v10", &server, &err), ST_INPUT);
    assert_non_null(strstr(err.text, "dgx-v100"));
    assert_int_equal(file_write(path, "\tGPU0\nGPU0 X\n", 13, &err), ST_OK);
    assert_int_equal(server_load(path, &server, &err), ST_INPUT);
    assert_non_null(strstr(err.text, "server import"));
}

static void options_fill_in(void **state)
{
    (void)state;
    static const char text[] = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n";
    struct server_import_options wants = {.gpu_memories = 1,
                                          .gpu_memory = {1ull << 34},
                                          .pcie_generation = 4,
                                          .pcie_width = 16,
                                          .name = "mine"};
    assert_int_equal(import_text(text, sizeof text - 1, &wants), ST_OK);
    assert_string_equal(server.name, "mine");
    assert_int_equal(server.gpu[1].memory_bytes, 1ull << 34);
    assert_true(server.pcie_gbps > 31 && server.pcie_gbps < 32);
    assert_true(tagged(server.document, "memory_bytes") && tagged(server.document, "pcie"));
    char before[80];
    memcpy(before, server.fingerprint, sizeof before);
    wants.gpu_memory[0] = 1ull << 35;
    assert_int_equal(import_text(text, sizeof text - 1, &wants), ST_OK);
    assert_string_not_equal(before, server.fingerprint);
    assert_int_equal(import_text(profiles_shipped[0].json, strlen(profiles_shipped[0].json), &wants), ST_OK);
    assert_non_null(strstr(warning, "--gpu-memory is not used"));
    wants.name = "";
    assert_int_equal(import_text(text, sizeof text - 1, &wants), ST_USAGE);
    wants.name = "a\nb";
    assert_int_equal(import_text(text, sizeof text - 1, &wants), ST_USAGE);
}

static void pcie_words(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     "4",    "4x",    "x16",   "4x3",   "0x16",
                                        "7x16", "4x64", "4x16 ", "44x16", "4x016", "4y16"};
    int g, w;
    assert_int_equal(link_parse_pcie("4x16", &g, &w, &err), ST_OK);
    assert_int_equal(g, 4);
    assert_int_equal(w, 16);
    assert_int_equal(link_parse_pcie("5X8", &g, &w, &err), ST_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (link_parse_pcie(wrong[i], &g, &w, &err) != ST_USAGE) fail_msg("--pcie \"%s\" was taken", wrong[i]);
}

/* Large machines are folded; what does not fold is dense. No line of the picture is wider than 150 columns. */
static void picture_of_72(void **state)
{
    (void)state;
    char *text = NULL, *end;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(server_load("gb200-nvl72", &server, &err), ST_OK);
    server_print(&server, true, f);
    for (int i = 0; i < 72; i++)
        for (int j = 0; j < i; j++) server.links[i][j] = server.links[j][i] = (uint8_t)((i * j + (i ^ j)) % 7);
    fputs("====", f);
    server_print(&server, true, f);
    fclose(f);
    end = strstr(text, "====");
    assert_non_null(strstr(text, "GPU0-71  NV18"));
    assert_non_null(strstr(text, "+- 35 more sockets like socket 0 (1 to 35): GPU2-71"));
    assert_non_null(strstr(text, "{0-71}"));
    assert_non_null(strstr(end, "\nGPU71   "));
    int lines = 0;
    *strstr(text, "\nCliques") = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++)
        if (strlen(line) > 150) fail_msg("%s", line);
    assert_true(lines > 10 && lines < 25);
    free(text);
    server_release(&server);
}

/* "siton:4" is the first four of eight. */
static void the_first_gpus(void **state)
{
    (void)state;
    assert_int_equal(server_load("siton:4", &server, &err), ST_OK);
    assert_int_equal(server.gpus, 4);
    for (int g = 0; g < 4; g++) assert_int_equal(server.gpu[g].id, g);
    server_release(&server);
    assert_int_equal(server_load("siton:6+1", &server, &err), ST_OK);
    assert_int_equal(server.gpus, 2);
    assert_int_equal(server.gpu[0].id, 1);
    assert_int_equal(server.gpu[1].id, 6);
    server_release(&server);
}

static void picture(void **state)
{
    (void)state;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(server_load("dgx-v100", &server, &err), ST_OK);
    server_print(&server, true, f);
    fclose(f);
    assert_non_null(strstr(text, "Kc x Kg = 2 x 4): {0-3} {4-7}"));
    assert_non_null(strstr(text, "switch 3: GPU6 GPU7"));
    free(text);
    server_release(&server);
}

static void out_of_memory(void **state)
{
    (void)state;
    for (uint64_t k = 1; k < 10; k++) {
        uint64_t before = mem_in_use();
        mem_fail_at(k);
        enum st st = server_load("siton", &server, &err);
        mem_fail_at(0);
        assert_int_equal(mem_in_use(), before);
        if (st == ST_OK) {
            server_release(&server);
            return;
        }
        assert_int_equal(st, ST_LIMIT);
    }
    fail();
}

static int begin(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/hotset-server-%ld.json", (long)getpid());
    snprintf(copy, sizeof copy, "/tmp/hotset-server-%ld-copy.json", (long)getpid());
    return 0;
}
static int end(void **state)
{
    (void)state;
    server_release(&server);
    unlink(path);
    unlink(copy);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_profiles),
                                       cmocka_unit_test(sampling_follows_memory),
                                       cmocka_unit_test(provenance_is_complete),
                                       cmocka_unit_test(numbers_fit_together),
                                       cmocka_unit_test(round_trip),
                                       cmocka_unit_test(small_profiles),
                                       cmocka_unit_test(hostile_profiles),
                                       cmocka_unit_test(other_files),
                                       cmocka_unit_test(options_fill_in),
                                       cmocka_unit_test(pcie_words),
                                       cmocka_unit_test(picture),
                                       cmocka_unit_test(the_first_gpus),
                                       cmocka_unit_test(picture_of_72),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
