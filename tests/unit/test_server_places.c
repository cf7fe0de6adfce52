/* NUMA nodes, links between sockets, NICs and drives: what a document may say, what is refused and how, what the XML
 * formats read, and how two descriptions of one machine are joined. */
#include "tests/unit/unit.h"
#include "base/file.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/profiles.h"
#include "hwprofiles/model/server_places.h"
#include "hwprofiles/show/server_print.h"
#include "hwprofiles/show/server_svg.h"

static struct server server, other;
static struct err err;
static char path[2][80], warning[512];

#define HEAD                                                                                                           \
    "{\"schema\": \"server/1\", \"name\": \"x\", \"host_memory_bytes\": \"8GiB\", \"gpus\": [{\"id\": 0, "             \
    "\"switch\": 0, \"socket\": 0}, {\"id\": 1, \"switch\": 1, \"socket\": 1}], "

static enum st load(const char *members)
{
    char text[4000];
    snprintf(text, sizeof text, HEAD "%s}", members);
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    assert_int_equal(file_write(path[0], text, strlen(text), &err), ST_OK);
    return server_load(path[0], &server, &err);
}

static enum st import(const char *a, const char *b)
{
    const struct server_import_options none = {0};
    const char *source[2] = {path[0], path[1]}, *text[2] = {a, b};
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    for (int i = 0; i < 2 && text[i]; i++) assert_int_equal(file_write(path[i], text[i], strlen(text[i]), &err), ST_OK);
    return server_import(source, b ? 2 : 1, &none, &server, warning, sizeof warning, &err);
}

static void read_and_written(void **state)
{
    (void)state;
    assert_int_equal(load("\"numa\": [{\"id\": 0, \"socket\": 0, \"memory_bytes\": \"3GiB\", \"gbps\": 100, "
                          "\"distances\": [10, 21]}, {\"id\": 4, \"socket\": 1, \"memory_bytes\": \"5GiB\", "
                          "\"distances\": [21, 10]}], \"socket_links\": [{\"a\": 1, \"b\": 0, \"gbps\": 40}], "
                          "\"nics\": [{\"name\": \"mlx5_0\", \"gbps\": 25, \"switch\": 1, \"socket\": 1, \"rail\": "
                          "3}, {}], \"nvme\": [{\"name\": \"nvme0n1\", \"drive\": \"gen4\", \"socket\": 0}]"),
                     ST_OK);
    assert_int_equal(doc_save(server.document, path[1], &err), ST_OK);
    assert_int_equal(server_load(path[1], &other, &err), ST_OK);
    const struct server_places *p = &other.places;
    assert_memory_equal(p, &server.places, sizeof *p);
    assert_true(p->numas == 2 && p->numa[1].id == 4 && p->numa[1].distance[0] == 21 && p->numa[1].gbps == 0);
    assert_true(p->socket_link[0].a == 0 && p->socket_link[0].b == 1 && p->socket_link[0].gbps == 40);
    assert_true(p->nic[0].rail == 3 && p->nic[0].pcie_switch == 1 && p->nic[0].gbps == 25);
    assert_true(p->nic[1].rail == -1 && p->nic[1].socket == -1 && p->nic[1].name[0] == 0);
    assert_true(p->nvmes == 1 && !strcmp(p->nvme[0].drive, "gen4") && p->nvme[0].bytes == 0);
    assert_int_equal(places_socket_memory(p, 1), 5ull << 30);
    assert_int_equal(places_socket_memory(p, 2), 0);
    server_release(&other);
}

/* The first GPUs of a shipped server leave NICs and links on sockets without a GPU; such a document is read again. */
static void parts_of_shipped_servers(void **state)
{
    (void)state;
    int lonely = 0;
    for (const char *const *name = profiles_names; *name; name++)
        for (int n = 1, gpus = 1; n <= gpus; n++) {
            char word[80];
            snprintf(word, sizeof word, "%s:%d", *name, n);
            server_release(&server);
            memset(&server, 0, sizeof server);
            assert_int_equal(server_load(*name, &server, &err), ST_OK);
            gpus = server.gpus;
            server_release(&server);
            assert_int_equal(server_load(word, &server, &err), ST_OK);
            assert_int_equal(doc_save(server.document, path[1], &err), ST_OK);
            if (server_load(path[1], &other, &err) != ST_OK) fail_msg("%s: %s", word, err.text);
            assert_memory_equal(&other.places, &server.places, sizeof other.places);
            for (int i = 0; i < other.places.nics; i++) lonely += n == 1 && other.places.nic[i].socket > 0;
            server_release(&other);
        }
    assert_true(lonely > 0);
    assert_int_equal(load("\"nics\": [{\"socket\": 2}], \"socket_links\": [{\"a\": 0, \"b\": 7}]"), ST_OK);
}

/* Plans of one server do not depend on these members: its fingerprint is that without them. */
static void fingerprint_stays(void **state)
{
    (void)state;
    char before[sizeof server.fingerprint];
    assert_int_equal(load("\"cls\": 64"), ST_OK);
    memcpy(before, server.fingerprint, sizeof before);
    assert_int_equal(load("\"cls\": 64, \"nics\": [{\"gbps\": 25}], \"numa\": [{\"id\": 0, \"socket\": 0}]"), ST_OK);
    assert_string_equal(before, server.fingerprint);
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[][2] =
        {{"\"nics\": 3", "\"nics\""},
         {"\"nics\": [3]", "\"nics[0]\" is an integer, expected object"},
         {"\"nics\": [{\"gpbs\": 25}]", "gbps"},
         {"\"nics\": [{\"gbps\": 200000}]", "0.001 to 1000 GB/s"},
         {"\"nics\": [{\"gbps\": -1}]", "0.001 to 1000 GB/s"},
         {"\"nics\": [{\"gbps\": \"fast\"}]", "\"nics[0].gbps\" is a text, expected number"},
         {"\"nics\": [{\"name\": \"a\"}, {\"name\": \"a\"}]", "is called a, as nics[0] is"},
         {"\"nics\": [{\"name\": \"012345678901234567890123456789012\"}]", "\"nics[0].name\" is 33 bytes long"},
         {"\"nics\": [{\"name\": \"a\\u001b[2J\"}]", "control character"},
         {"\"nics\": [{\"socket\": 0, \"switch\": 1}]", "GPU 1 below that switch is on socket 1"},
         {"\"nics\": [{\"rail\": 5000}]", "rail"},
         {"\"nvme\": [{\"drive\": \"gen9\"}]", "there is no drive \"gen9\""},
         {"\"nvme\": [{\"bytes\": 0}]", "bytes"},
         {"\"numa\": [{\"socket\": 0}]", "id"},
         {"\"numa\": [{\"id\": 1}, {\"id\": 1}]", "id 1 follows 1"},
         {"\"numa\": [{\"id\": 0, \"memory_bytes\": \"9GiB\"}]", "host_memory_bytes is 8589934592"},
         {"\"numa\": [{\"id\": 0, \"distances\": [10, 20]}]", "lists 2 numbers for 1 NUMA nodes"},
         {"\"numa\": [{\"id\": 0, \"distances\": [0]}]", "\"numa[0].distances[0]\" is 0, expected 1 to 1000"},
         {"\"socket_links\": [{\"a\": 1, \"b\": 1}]", "joins socket 1 with itself"},
         {"\"socket_links\": [{\"a\": 0, \"b\": 1}, {\"a\": 1, \"b\": 0}]", "as socket_links[0] does"}};
    char many[2000] = "\"nics\": [{}";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(load(bad[i][0]), ST_INPUT);
        if (!strstr(err.text, bad[i][1])) fail_msg("%s: says '%s'", bad[i][0], err.text);
    }
    for (int i = 0; i < SERVER_NICS_MAX; i++) strcat(many, ", {}");
    strcat(many, "]");
    assert_int_equal(load(many), ST_INPUT);
    assert_non_null(strstr(err.text, "\"nics\" has 65 entries, expected at most 64"));
}

#define NCCL                                                                                                           \
    "<system version=\"1\"><cpu numaid=\"1\"><pci busid=\"0:1:0.0\" class=\"0x060400\" link_speed=\"16 GT/s\" "        \
    "link_width=\"16\"><pci busid=\"0:2:0.0\" class=\"0x0302\" link_speed=\"16 GT/s\" link_width=\"16\"/>"             \
    "<pci busid=\"0:3:0.0\" class=\"0x0200\"><nic><net name=\"mlx5_0\" speed=\"200000\"/></nic></pci></pci>"           \
    "<pci busid=\"0:4:0.0\" class=\"0x0200\"><nic><net name=\"mlx5_1\" speed=\"-1\"/></nic></pci></cpu>"               \
    "<cpu numaid=\"0\"><nic><net name=\"eth0\" speed=\"10000\"/></nic></cpu></system>"

static void nccl(void **state)
{
    (void)state;
    assert_int_equal(import(NCCL, NULL), ST_OK);
    const struct server_places *p = &server.places;
    assert_int_equal(p->nics, 3);
    assert_true(p->nic[0].gbps == 25 && p->nic[0].pcie_switch == server.gpu[0].pcie_switch && p->nic[0].socket == 1);
    assert_true(p->nic[1].gbps == 0 && p->nic[1].pcie_switch == 1 && p->nic[1].rail == -1);
    assert_true(p->nic[2].gbps == 1.25 && p->nic[2].pcie_switch == -1 && p->nic[2].socket == 0);
    assert_true(p->numas == 2 && p->numa[0].id == 0 && p->numa[1].socket == 1 && p->numa[0].memory_bytes == 0);
}

#define HWLOC(values)                                                                                                  \
    "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\" os_index=\"3\">"                      \
    "<object type=\"NUMANode\" os_index=\"0\" local_memory=\"4096\"/><object type=\"NUMANode\" os_index=\"250\" "      \
    "subtype=\"GPUMemory\" local_memory=\"99\"/><object type=\"Bridge\" pci_busid=\"0000:00:01.0\">"                   \
    "<object type=\"PCIDev\" pci_busid=\"0000:02:00.0\" pci_type=\"0302 [10de:15f9]\"><object type=\"OSDev\" "         \
    "name=\"nvml0\"/></object><object type=\"PCIDev\" pci_busid=\"0000:03:00.0\" pci_type=\"0207 [15b3:1013]\">"       \
    "<object type=\"OSDev\" name=\"ib0\"/><object type=\"OSDev\" name=\"mlx5_0\"><info name=\"NodeGUID\" "             \
    "value=\"1\"/></object></object><object type=\"PCIDev\" pci_busid=\"0000:05:00.0\" pci_type=\"0200 [8086:1]\"/>"   \
    "</object></object><object type=\"Package\" os_index=\"4\"><object type=\"NUMANode\" os_index=\"1\" "              \
    "local_memory=\"8192\"/><object type=\"PCIDev\" pci_busid=\"0000:84:00.0\" pci_type=\"0108 [144d:a808]\">"         \
    "<object type=\"OSDev\" name=\"nvme0n1\"><info name=\"Size\" value=\"1000\"/></object></object></object>"          \
    "</object><distances2 nbobjs=\"2\" name=\"NUMALatency\" indexing=\"os\"><indexes>1 0 </indexes><u64values>" values \
    "</u64values></distances2></topology>"

static void hwloc(void **state)
{
    (void)state;
    assert_int_equal(import(HWLOC("10 32 21 11"), NULL), ST_OK);
    const struct server_places *p = &server.places;
    assert_true(p->numas == 2 && p->numa[0].socket == 3 && p->numa[1].memory_bytes == 8192);
    assert_true(p->numa[1].distance[1] == 10 && p->numa[1].distance[0] == 32 && p->numa[0].distance[1] == 21 &&
                p->numa[0].distance[0] == 11); /* the matrix lists node 1 first */
    assert_true(p->nics == 1 && !strcmp(p->nic[0].name, "mlx5_0") && p->nic[0].pcie_switch == 0 &&
                p->nic[0].socket == 3 && p->nic[0].gbps == 0);
    assert_true(p->nvmes == 1 && p->nvme[0].bytes == 1024000 && p->nvme[0].pcie_switch == 1 && p->nvme[0].socket == 4);
    assert_int_equal(import(HWLOC("10 32 21"), NULL), ST_OK); /* a matrix that is cut states nothing */
    assert_int_equal(server.places.numa[0].distances, 0);
    assert_int_equal(import(HWLOC("10 32 21 x"), NULL), ST_OK);
    assert_int_equal(server.places.numa[0].distances, 0);
}

/* Socket 1 of the NCCL file is package 3 of hwloc; the NIC of both gets its rate from NCCL, the drive from hwloc. */
static void merged(void **state)
{
    (void)state;
    assert_int_equal(import(NCCL, HWLOC("10 32 21 11")), ST_OK);
    const struct server_places *p = &server.places;
    assert_true(p->nics == 3 && p->nic[0].gbps == 25 && p->numas == 2 && p->numa[0].memory_bytes == 0);
    assert_true(p->nvmes == 1 && p->nvme[0].pcie_switch == -1 && p->nvme[0].socket == -1); /* no GPU there: unknown */
    assert_int_equal(import(HWLOC("10 32 21 11"), NCCL), ST_OK);
    assert_true(p->nics == 1 && p->nic[0].gbps == 25 && p->nic[0].socket == 3 && p->nvme[0].socket == 4);
}

static void shown(void **state)
{
    (void)state;
    char text[8000] = "";
    FILE *f = fopen(path[1], "w+");
    assert_int_equal(import(NCCL, NULL), ST_OK);
    server_print(&server, true, f);
    server_svg(&server, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_non_null(strstr(text, "switch 0: GPU0; NIC mlx5_0 (25 GB/s)"));
    assert_non_null(strstr(text, "NUMA nodes\n"));
    assert_non_null(strstr(text, ">mlx5_0</text>"));
    assert_non_null(strstr(text, ">25 GB/s</text>"));
    assert_non_null(strstr(text, "share a switch with no GPU")); /* mlx5_1 and eth0 */
}

/* A device is drawn by the end of its name, cut between characters. */
static void name_of_any_letters(void **state)
{
    (void)state;
    char text[8000] = "";
    assert_int_equal(load("\"nics\": [{\"name\": \"aaaa\\u00e9bcdefghi\", \"switch\": 0}, {\"name\": "
                          "\"aaaaa\\u00e9bcdefgh\", "
                          "\"switch\": 1}]"),
                     ST_OK);
    FILE *f = fopen(path[1], "w+");
    server_svg(&server, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_non_null(strstr(text, ">..bcdefghi</text>")); /* \u00e9 is two bytes, the second one of the last nine */
    assert_non_null(strstr(text, ">..\xc3\xa9"
                                 "bcdefgh</text>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_and_written),
                                       cmocka_unit_test(parts_of_shipped_servers),
                                       cmocka_unit_test(fingerprint_stays),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(nccl),
                                       cmocka_unit_test(hwloc),
                                       cmocka_unit_test(merged),
                                       cmocka_unit_test(shown),
                                       cmocka_unit_test(name_of_any_letters)};
    for (int i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "/tmp/hotset_places_%d_%d", (int)getpid(), i);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < 2; i++) remove(path[i]);
    server_release(&server);
    return failed;
}
