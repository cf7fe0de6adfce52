/* NCCL and hwloc XML: machines with known answers, random links written in both formats and read back, what is
 * unknown, every refusal, truncation. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/server.h"

static struct server server;
static struct err err;
static char path[80], warning[1024];

enum { TEXT = 1 << 20 };
static char text[TEXT];

static enum st read_bytes(const char *from, size_t n)
{
    const struct server_import_options none = {0};
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    FILE *f = fopen(path, "wb"); /* not file_write, which waits for the disk */
    assert_non_null(f);
    assert_int_equal(fwrite(from, 1, n, f), n);
    fclose(f);
    return server_import((const char *const[]){path}, 1, &none, &server, warning, sizeof warning, &err);
}
static enum st read_text(const char *from) { return read_bytes(from, strlen(from)); }

static void describe(char *out, size_t size)
{
    out[0] = 0;
    text_append(out, size, "gpus %d\ncliques ", server.gpus);
    for (int k = 0; k < server.cliques; k++)
        for (int i = 0; i < server.clique_size[k]; i++)
            text_append(out, size, "%s%d%s", i ? "," : "{", server.gpu[server.clique[k][i]].id,
                        i + 1 == server.clique_size[k] ? "}" : "");
    text_append(out, size, "\nlinks");
    for (int i = 0; i < server.gpus; i++)
        for (int j = i + 1; j < server.gpus; j++)
            if (server.links[i][j])
                text_append(out, size, " %d-%d:%d", server.gpu[i].id, server.gpu[j].id, server.links[i][j]);
    text_append(out, size, "\nswitches");
    for (int i = 0; i < server.gpus; i++)
        text_append(out, size, server.gpu[i].pcie_switch < 0 ? " -" : " %d", server.gpu[i].pcie_switch);
    text_append(out, size, "\nsockets");
    for (int i = 0; i < server.gpus; i++)
        text_append(out, size, server.gpu[i].socket < 0 ? " -" : " %d", server.gpu[i].socket);
    text_append(out, size, "\n");
}

static size_t slurp(const char *name, char *out, size_t size)
{
    char where[300];
    snprintf(where, sizeof where, "tests/machines/%s", name);
    FILE *f = fopen(where, "rb");
    assert_non_null(f);
    size_t n = fread(out, 1, size - 1, f);
    out[n] = 0;
    fclose(f);
    return n;
}

/* The answers of tests/machines, and that a cut file is refused at every byte: it never gives a smaller machine. */
static void machines(void **state)
{
    (void)state;
    static const char *const names[] = {"nccl_two_triangles", "hwloc_pair_and_one"};
    for (size_t k = 0; k < 2; k++) {
        char file[100], want[1000], got[1000];
        snprintf(file, sizeof file, "%s.expected", names[k]);
        slurp(file, want, sizeof want);
        snprintf(file, sizeof file, "%s.xml", names[k]);
        size_t n = slurp(file, text, sizeof text);
        assert_int_equal(read_bytes(text, n), ST_OK);
        describe(got, sizeof got);
        assert_string_equal(got, want);
        assert_string_equal(warning, "");
        while (n && text[n - 1] == '\n') n--;
        for (size_t cut = 0; cut < n; cut += cut < 600 || n - cut < 200 ? 1 : 7)
            if (read_bytes(text, cut) != ST_INPUT || !err.text[0])
                fail_msg("%s cut at %d: %d GPUs", names[k], (int)cut, server.gpus);
    }
}

static void hwloc_facts(void **state)
{
    (void)state;
    size_t n = slurp("hwloc_pair_and_one.xml", text, sizeof text);
    assert_int_equal(read_bytes(text, n), ST_OK);
    assert_string_equal(server.gpu[0].model, "RTX A6000 & \"friends\"");
    assert_int_equal(server.gpu[0].memory_bytes, 48ull << 30);
    assert_int_equal(server.gpu[1].memory_bytes, 0);
    assert_true(server.link_gbps[0][1] == 100 && server.link_gbps[0][2] == 0);
    assert_int_equal(server.sockets, 2);
    assert_int_equal(server.cores, 3);
    assert_int_equal(server.host_memory_bytes, 128ull << 30);
    assert_int_equal(server.pcie_generation, 0); /* hwloc says GB/s only */
    assert_true(server.pcie_gbps > 15.7 && server.pcie_gbps < 15.8);
    assert_int_equal(server.pcie_width, 0);
}

/* ---- random graphs in both formats ---- */

static uint64_t random_state;
static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

static int want[SERVER_GPUS_MAX][SERVER_GPUS_MAX];

static void random_links(int n, unsigned density)
{
    memset(want, 0, sizeof want);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (random_below(100) < density) want[i][j] = want[j][i] = 1 + (int)random_below(6);
}

static void shuffled(int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int j = (int)random_below((unsigned)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* GPU i has dev i and a bus id that has nothing to do with it; listed in any order. */
static void write_nccl(int n, const int *order, const int *bus)
{
    text[0] = 0;
    char *to = text + sprintf(text, "<system version=\"1\"><cpu numaid=\"-1\">\n");
    for (int k = 0; k < n; k++) {
        int i = order[k];
        to += sprintf(to, "<pci busid=\"0000:%02x:00.0\" class=\"0x030200\"><gpu dev=\"%d\" sm=\"80\">\n", bus[i], i);
        for (int j = 0; j < n; j++)
            if (want[i][j])
                to += sprintf(to, "<nvlink target=\"0000:%02x:00.0\" count=\"%d\" tclass=\"0x030200\"/>", bus[j],
                              want[i][j]);
        to += sprintf(to, "<nvlink target=\"0000:%02x:00.0\" count=\"1\" tclass=\"0x068001\"/></gpu></pci>",
                      200); /* to the CPU: no peer */
    }
    sprintf(to, "</cpu></system>");
}

static void write_hwloc(int n, const int *order, const int *bus)
{
    char *to = text + sprintf(text, "<topology version=\"2.0\"><object type=\"Machine\" gp_index=\"1\">\n");
    for (int k = 0; k < n; k++)
        to += sprintf(to,
                      "<object type=\"PCIDev\" gp_index=\"%d\" pci_busid=\"0000:%02x:00.0\" pci_type=\"0302 "
                      "[10de:1db8] x\"><object type=\"OSDev\" gp_index=\"%d\" name=\"nvml%d\"/></object>\n",
                      100 + order[k], bus[order[k]], 500 + order[k], order[k]);
    to += sprintf(to, "</object><distances2hetero nbobjs=\"%d\" kind=\"25\" name=\"NVLinkBandwidth\"><indexes>", n);
    for (int k = 0; k < n; k++)
        to += sprintf(to, "OSDev:%d %s", 500 + order[k], k % 10 == 9 ? "</indexes><indexes>" : "");
    to += sprintf(to, "</indexes><u64values>");
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            to += sprintf(to, "%d %s", a == b ? 1000000 : 25000 * want[order[a]][order[b]],
                          (a * n + b) % 10 == 9 ? "</u64values>\n<u64values>" : "");
    sprintf(to, "</u64values></distances2hetero></topology>");
}

static void compare(int n, const char *format)
{
    assert_int_equal(server.gpus, n);
    assert_true(server.links_known);
    for (int i = 0; i < n; i++) {
        assert_int_equal(server.gpu[i].id, i);
        for (int j = 0; j < n; j++)
            if (server.links[i][j] != want[i][j])
                fail_msg("%s, %d GPUs: %d-%d has %d links, not %d", format, n, i, j, server.links[i][j], want[i][j]);
    }
}

static void random_machines(void **state)
{
    (void)state;
    for (int round = 0; round < 120; round++) {
        int n = round < 73 ? 1 + round % 72 : 1 + (int)random_below(16), order[SERVER_GPUS_MAX], bus[SERVER_GPUS_MAX];
        random_state = (uint64_t)round;
        random_links(n, random_below(101));
        shuffled(order, n);
        shuffled(bus, n);
        write_nccl(n, order, bus);
        if (read_text(text) != ST_OK) fail_msg("NCCL, %d GPUs: %s", n, err.text);
        compare(n, "NCCL");
        write_hwloc(n, order, bus);
        if (read_text(text) != ST_OK) fail_msg("hwloc, %d GPUs: %s", n, err.text);
        if (n > 1) compare(n, "hwloc");
    }
}

/* ---- switches ---- */

/* A rack: 18 trays that call their GPUs 0 to 3 and use the same bus ids, told apart by host_hash, on one fabric. */
static void rack_of_72(void **state)
{
    (void)state;
    char *to = text + sprintf(text, "<system version=\"1\">\n");
    for (int tray = 0; tray < 18; tray++)
        for (int cpu = 0; cpu < 2; cpu++) {
            to += sprintf(to, "<cpu host_hash=\"0x%x\" numaid=\"%d\">", 77 + tray, cpu);
            for (int g = 2 * cpu; g < 2 * cpu + 2; g++)
                to += sprintf(to,
                              "<pci busid=\"00%02d:01:00.0\" class=\"0x030200\"><gpu dev=\"%d\" rank=\"%d\"><nvlink "
                              "target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>",
                              g, g, 4 * tray + g);
            to += sprintf(to, "</cpu>\n");
        }
    sprintf(to, "</system>");
    assert_int_equal(read_text(text), ST_OK);
    assert_int_equal(server.gpus, 72);
    assert_int_equal(server.cliques, 1);
    assert_int_equal(server.clique_size[0], 72);
    for (int i = 0; i < 72; i++) {
        assert_int_equal(server.gpu[i].id, i);
        assert_int_equal(server.links[i][(i + 1) % 72], 18);
        for (int j = 0; j < 72; j++) assert_int_equal(server.gpu[i].socket == server.gpu[j].socket, i / 2 == j / 2);
    }
}

#define SYSTEM(cpu) "<system version=\"1\"><cpu numaid=\"0\">" cpu "</cpu></system>"
#define GPU(bus, dev, links)                                                                                           \
    "<pci busid=\"0000:0" bus ":00.0\" class=\"0x030200\"><gpu dev=\"" dev "\">" links "</gpu></pci>"
#define LINK(target, count, class) "<nvlink target=\"" target "\" count=\"" count "\" tclass=\"" class "\"/>"

static void uneven_fabric(void **state)
{
    (void)state;
    /* five links over two switches, four over one: joined by the narrower; the third hangs on nothing */
    assert_int_equal(read_text(SYSTEM(
                         GPU("1", "0", LINK("0000:c1:00.0", "3", "0x068000") LINK("0000:c2:00.0", "2", "0x068000"))
                             GPU("2", "1", LINK("0000:c2:00.0", "4", "0x068000")) GPU("3", "2", ""))),
                     ST_OK);
    assert_int_equal(server.links[0][1], 4);
    assert_int_equal(server.links[0][2], 0);
    assert_int_equal(server.cliques, 2);
    /* a link without a class goes to what the file lists at that place */
    assert_int_equal(read_text(SYSTEM("<pci busid=\"0000:c1:00.0\" class=\"0x068000\"/>" GPU("1", "0",
                                                                                             "<nvlink "
                                                                                             "target=\"0000:c1:00.0\" "
                                                                                             "count=\"2\"/>")
                                          GPU("2", "1", "<nvlink target=\"0000:c1:00.0\" count=\"2\"/>"))),
                     ST_OK);
    assert_int_equal(server.links[0][1], 2);
}

static void unknown_links(void **state)
{
    (void)state;
    assert_int_equal(read_text(SYSTEM(GPU("1", "0", "") GPU("2", "1", ""))), ST_OK);
    assert_false(server.links_known);
    assert_true(doc_is_null(doc_get(server.document, "nvlinks")) && doc_is_null(doc_get(server.document, "cliques")));
    assert_int_equal(server.gpu[0].pcie_switch, -1); /* no bridge anywhere: a template */
    assert_int_equal(read_text(SYSTEM(GPU("1", "0", LINK("0000:01:00.0", "4", "0x030200"))
                                          GPU("2", "1", LINK("0000:02:00.0", "4", "0x030200")))),
                     ST_OK);
    assert_false(server.links_known);
    assert_non_null(strstr(warning, "own GPU"));
    assert_int_equal(read_text(SYSTEM(GPU("1", "0", LINK("0000:09:00.0", "4", "0x030200")) GPU("2", "1", ""))), ST_OK);
    assert_non_null(strstr(warning, "does not list"));
    assert_int_equal(read_text(SYSTEM(
                         "<pci busid=\"0000:01:00.0\" class=\"0x030000\" vendor=\"0x1a03\"/>" GPU("2", "0", ""))),
                     ST_OK); /* a console */
    assert_int_equal(server.gpus, 1);
    assert_non_null(strstr(warning, "another vendor"));
    assert_int_equal(read_text(SYSTEM("<strange>" GPU("1", "0", "") "</strange>" GPU("2", "1", ""))),
                     ST_OK); /* unknown tags hide what they hold */
    assert_int_equal(server.gpus, 1);
}

/* By hand: gpu@dev wins, others get the lowest free number in the order of bus ids. */
static void numbers(void **state)
{
    (void)state;
    assert_int_equal(read_text("<system version='1'><cpu numaid='0'><pci busid='0001:05:00.0' class='0x030200'/><pci "
                               "busid='0000:09:00.0' class='0x030200'/>"
                               "<pci busid='0000:0a:00.0' class='0x030200'><gpu dev='1'/></pci></cpu></system>"),
                     ST_OK);
    assert_int_equal(server.gpus, 3);
    assert_int_equal(server.gpu[2].id, 2);
    assert_int_equal(read_text("<system version='1'><cpu numaid='0'><pci busid='0000:0a:00.0' class='0x030200'><gpu "
                               "dev='7'/></pci></cpu></system>"),
                     ST_OK);
    assert_int_equal(server.gpu[0].id, 7);
}

static void nccl_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"<graphs version=\"1\"/>", "<graphs>"},
                 {"<system/>", "version"},
                 {"<system version=\"3\"/>", "\"3\""},
                 {SYSTEM(""), "lists no GPU"},
                 {SYSTEM("<pci busid=\"0000:01:00.0\"/>"), "lists no GPU"},
                 {SYSTEM(GPU("1", "0", "") GPU("1", "1", "")), "same bus id"},
                 {SYSTEM(GPU("1", "0", "") GPU("2", "0", "")), "number 0"},
                 {SYSTEM(GPU("1", "x", "")), "dev is \"x\""},
                 {SYSTEM(GPU("1", "256", "")), "256"},
                 {SYSTEM("<pci class=\"0x030200\"/>"), "bus id"},
                 {SYSTEM("<pci busid=\"7\" class=\"0x030200\"/>"), "bus id"},
                 {SYSTEM("<pci busid=\"0000:01:00.0\"><gpu dev=\"0\"/><gpu dev=\"1\"/></pci>"), "two GPUs"},
                 {SYSTEM(GPU("1", "0", LINK("0000:02:00.0", "2", "0x030200"))
                             GPU("2", "1", LINK("0000:01:00.0", "1", "0x030200"))),
                  "has 2 NVLinks"},
                 {SYSTEM(GPU("1", "0", LINK("0000:02:00.0", "2", "0x030200")) GPU("2", "1", "")), "has 0 to"},
                 {SYSTEM(GPU("1", "0", LINK("0000:02:00.0", "0", "0x030200")) GPU("2", "1", "")), "count is \"0\""},
                 {SYSTEM(GPU("1", "0", LINK("0000:02:00.0", "-1", "0x030200")) GPU("2", "1", "")), "count is \"-1\""},
                 {SYSTEM(GPU("1", "0", LINK("0000:02:00.0", "100", "0x030200")) GPU("2", "1", "")), "count is \"100\""},
                 {SYSTEM(GPU("1", "0", "<nvlink target=\"0000:02:00.0\"/>") GPU("2", "1", "")), "count is \"\""},
                 {SYSTEM(GPU("1", "0", LINK("nowhere", "1", "0x030200"))), "\"nowhere\""},
                 {SYSTEM(GPU("1", "0", LINK("0000:55:00.0", "1", ""))), "neither a GPU"},
                 {"<network/>", "<network>"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = read_text(cases[i].text);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says))
            fail_msg("%s: code %d, %s", cases[i].text, st, err.text);
    }
    char *to = text + sprintf(text, "<system version='1'>");
    for (int i = 0; i < 73; i++) to += sprintf(to, "<pci busid='0000:%02x:00.0' class='0x030200'/>", i);
    sprintf(to, "</system>");
    assert_int_equal(read_text(text), ST_INPUT);
    assert_non_null(strstr(err.text, "more than 72"));
}

#define TOPOLOGY(inside)                                                                                               \
    "<topology version=\"2.0\"><object type=\"Machine\" gp_index=\"1\">" CARD("1", "0")                                \
        CARD("2", "1") "</object>" inside "</topology>"
#define CARD(bus, n)                                                                                                   \
    "<object type=\"PCIDev\" gp_index=\"1" n "\" pci_busid=\"0000:0" bus                                               \
    ":00.0\" pci_type=\"0302 [10de:1db8]\"><object type=\"OSDev\" gp_index=\"2" n "\" name=\"nvml" n "\"/></object>"
#define MATRIX(count, indexes, values)                                                                                 \
    "<distances2hetero nbobjs=\"" count "\" name=\"NVLinkBandwidth\"><indexes>" indexes "</indexes><u64values>" values \
    "</u64values></distances2hetero>"

static void hwloc_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"<topology/>", "no NVIDIA GPU"},
                 {"<topology version=\"4.0\"/>", "\"4.0\""},
                 {"<topology><object type='PCIDev' pci_busid='0000:01:00.0' pci_type='0302 [1002:1]'><object "
                  "type='OSDev' name='rsmi0'/><object type='OSDev' name='opencl0d0'/></object></topology>",
                  "AMD"},
                 {"<topology><object type='PCIDev' pci_busid='0000:01:00.0' pci_type='0302 [10de:1]'/></topology>",
                  "without a loaded driver"},
                 {"<topology><object type='PCIDev' pci_busid='x' pci_type='0302 [10de:1]'><object type='OSDev' "
                  "name='nvml0'/></object></topology>",
                  "pci_busid"},
                 {"<topology><object type='PCIDev' pci_busid='0000:01:00.0' pci_type='0302 [10de:1]'><object "
                  "type='OSDev' name='nvml0'/><object type='OSDev' name='nvml1'/></object></topology>",
                  "MIG"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20", "0 1 1 0")), "1 indexes"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:21", "0 1 1")), "3 values"},
                 {TOPOLOGY(MATRIX("3", "OSDev:20 OSDev:21", "0 1 1 0")), "3 objects"},
                 {TOPOLOGY(MATRIX("-1", "OSDev:20 OSDev:21", "0 1 1 0")), "\"-1\" objects"},
                 {TOPOLOGY(MATRIX("9999", "", "")), "\"9999\" objects"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:29", "0 1 1 0")), "OSDev:29"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:20", "0 1 1 0")), "same GPU"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 PCIDev:10", "0 1 1 0")), "same GPU"},
                 {TOPOLOGY(MATRIX("2", "20 21", "0 1 1 0")), "an object \"20\""},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:x", "0 1 1 0")), "an object"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:21", "0 -1 1 0")), "\"-1\""},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:21", "0 50000 25000 0")), "has 2 NVLinks"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:21", "0 99999999 99999999 0")), "99 links"},
                 {TOPOLOGY(MATRIX("2", "OSDev:20 OSDev:21", "0 25000 25000 0")
                               MATRIX("2", "OSDev:20 OSDev:21", "0 25000 25000 0")),
                  "two matrices"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = read_text(cases[i].text);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says))
            fail_msg("%s: code %d, %s", cases[i].text, st, err.text);
    }
    assert_int_equal(read_text(TOPOLOGY("")), ST_OK);
    assert_false(server.links_known);
    assert_int_equal(read_text(TOPOLOGY("<distances2 type=\"OSDev\" name=\"Mine\" nbobjs=\"1\"/>")),
                     ST_OK); /* other matrices are not links */
    assert_false(server.links_known);
    assert_int_equal(read_text(TOPOLOGY(MATRIX("1", "OSDev:20", "1000000"))), ST_OK);
    assert_non_null(strstr(warning, "1 of 2 GPUs"));
    assert_true(server.links_known);
}

/* hwloc 1: no version, sockets called so inside NUMA nodes beside which the bridges hang, no matrix. */
static void hwloc_one(void **state)
{
    (void)state;
    assert_int_equal(read_text("<topology><object type='Machine'><object type='NUMANode' os_index='0' "
                               "local_memory='1024'><object type='Socket' os_index='0'><object type='Core' "
                               "os_index='0'/></object>"
                               "</object><object type='NUMANode' os_index='1' local_memory='1024'><object "
                               "type='Socket' os_index='1'/><object type='Bridge' bridge_type='0-1'><object "
                               "type='Bridge' "
                               "bridge_type='1-1' pci_busid='0000:80:02.0' pci_link_speed='4.0'><object type='PCIDev' "
                               "pci_busid='0000:81:00.0' pci_type='0302 [10de:1021] [10de:0982] a1' "
                               "pci_link_speed='4.0'><object type='OSDev' name='cuda0' osdev_type='5'><info "
                               "name='CoProcType' value='CUDA'/><info name='GPUModel' value='Tesla "
                               "K20m'/></object></object>"
                               "</object></object></object></object></topology>"),
                     ST_OK);
    assert_int_equal(server.gpus, 1);
    assert_int_equal(server.gpu[0].socket, 1);
    assert_int_equal(server.gpu[0].pcie_switch, 0);
    assert_int_equal(server.sockets, 2);
    assert_int_equal(server.host_memory_bytes, 2048);
    assert_string_equal(server.gpu[0].model, "Tesla K20m");
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"nccl_two_triangles.xml", "hwloc_pair_and_one.xml"};
    for (int f = 0; f < 2; f++) {
        size_t n = slurp(names[f], text, sizeof text);
        for (uint64_t k = 1;; k++) {
            server_release(&server);
            memset(&server, 0, sizeof server);
            uint64_t before = mem_in_use();
            mem_fail_at(k);
            enum st st = read_bytes(text, n);
            mem_fail_at(0);
            assert_int_equal(mem_in_use(), before);
            if (st == ST_OK) {
                assert_true(k > 5);
                break;
            }
            assert_int_equal(st, ST_LIMIT);
        }
    }
}

static int begin(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/hotset-xml-%ld.xml", (long)getpid());
    return 0;
}
static int end(void **state)
{
    (void)state;
    server_release(&server);
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machines),        cmocka_unit_test(hwloc_facts),
                                       cmocka_unit_test(random_machines), cmocka_unit_test(rack_of_72),
                                       cmocka_unit_test(uneven_fabric),   cmocka_unit_test(unknown_links),
                                       cmocka_unit_test(numbers),         cmocka_unit_test(nccl_refusals),
                                       cmocka_unit_test(hwloc_refusals),  cmocka_unit_test(hwloc_one),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
