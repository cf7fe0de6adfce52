/* The reader of nvidia-smi topo -m: retyped machines with known answers, every refusal, truncation at every byte,
 * random damage. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/server.h"

extern const struct server_format server_format_nvidia_smi;

static struct server server;
static char warning[1024];
static struct err err;

static enum st read_bytes(const char *text, size_t n)
{
    server_release(&server);
    memset(&server, 0, sizeof server);
    err_clear(&err);
    warning[0] = 0;
    return server_format_nvidia_smi.read(text, n, "t", &server, warning, sizeof warning, &err);
}
static enum st read_text(const char *text) { return read_bytes(text, strlen(text)); }

/* The answer in the form of the .expected files, without the warning. */
static void describe(char *out, size_t size)
{
    out[0] = 0;
    text_append(out, size, "gpus %d\ncliques ", server.gpus);
    for (int k = 0; k < server.cliques; k++)
        for (int i = 0; i < server.clique_size[k]; i++)
            text_append(out, size, "%s%d%s", i ? "," : "{", server.clique[k][i],
                        i + 1 == server.clique_size[k] ? "}" : "");
    text_append(out, size, "\nlinks");
    for (int i = 0; i < server.gpus; i++)
        for (int j = i + 1; j < server.gpus; j++)
            if (server.links[i][j]) text_append(out, size, " %d-%d:%d", i, j, server.links[i][j]);
    text_append(out, size, "\nswitches");
    for (int i = 0; i < server.gpus; i++)
        if (server.gpu[i].pcie_switch < 0) text_append(out, size, " -");
        else text_append(out, size, " %d", server.gpu[i].pcie_switch);
    text_append(out, size, "\nsockets");
    for (int i = 0; i < server.gpus; i++)
        if (server.gpu[i].socket < 0) text_append(out, size, " -");
        else text_append(out, size, " %d", server.gpu[i].socket);
    text_append(out, size, "\n");
}

static size_t slurp(const char *folder, const char *name, char *out, size_t size)
{
    char path[512];
    FILE *f;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "rb");
    if (!f) return 0;
    n = fread(out, 1, size - 1, f);
    out[n] = 0;
    fclose(f);
    return n;
}

/* Calls visit(text, bytes, expected) for every machine; returns how many there were. */
static int each_machine(void (*visit)(const char *text, size_t n, const char *want, const char *name))
{
    static char text[1 << 16], want[4096];
    const char *folder = "tests/machines";
    DIR *d = opendir(folder);
    struct dirent *e;
    int count = 0;
    assert_non_null(d);
    while ((e = readdir(d))) {
        char *dot = strrchr(e->d_name, '.'), name[300];
        size_t n;
        if (!dot || strcmp(dot, ".txt")) continue;
        n = slurp(folder, e->d_name, text, sizeof text);
        snprintf(name, sizeof name, "%.*s.expected", (int)(dot - e->d_name), e->d_name);
        assert_true(slurp(folder, name, want, sizeof want) > 0);
        visit(text, n, want, e->d_name);
        count++;
    }
    closedir(d);
    return count;
}

static void check_machine(const char *text, size_t n, const char *want, const char *name)
{
    char got[4096], *rest;
    if (read_bytes(text, n) != ST_OK) print_error("%s: %s\n", name, err.text);
    assert_int_equal(err.code, ST_OK);
    describe(got, sizeof got);
    if (strncmp(got, want, strlen(got))) print_error("%s: got\n%swant\n%s", name, got, want);
    assert_true(!strncmp(got, want, strlen(got)));
    rest = (char *)want + strlen(got);
    if (text_starts(rest, "warning ")) {
        char part[256];
        snprintf(part, sizeof part, "%.*s", (int)strcspn(rest + 8, "\n"), rest + 8);
        assert_non_null(strstr(warning, part));
    } else {
        assert_string_equal(warning, "");
    }
}

static void machines(void **state)
{
    (void)state;
    assert_true(each_machine(check_machine) >= 5);
}

/* Cuts the text at every byte: the whole answer about links, or a refusal. */
static void cut_machine(const char *text, size_t n, const char *want, const char *name)
{
    (void)want;
    int wrong = 0;
    static struct server whole;
    assert_int_equal(read_bytes(text, n), ST_OK);
    whole = server;
    whole.document = NULL;
    for (size_t cut = 0; cut < n; cut++) {
        char *part = strndup(text, cut); /* exact size, so that a read beyond it is found by the sanitizer */
        enum st st = read_bytes(part, cut);
        bool right = st == ST_OK && server.gpus == whole.gpus && !memcmp(server.links, whole.links, sizeof whole.links);
        if (!right && !(st == ST_INPUT && err.text[0])) {
            print_error("%s cut at %zu: status %d, %d GPUs\n", name, cut, st, server.gpus);
            wrong++;
        }
        free(part);
    }
    assert_int_equal(wrong, 0);
}

static void truncations(void **state)
{
    (void)state;
    each_machine(cut_machine);
}

/* Changes some bytes at random: never a crash, never a matrix that breaks its promises. */
static void damage_machine(const char *text, size_t n, const char *want, const char *name)
{
    (void)want;
    static const char bytes[] = "\t \n\r0129GPUNVXSYO[m|.-\x1b\xc2\xe2\x01";
    for (uint64_t round = 0; round < 1500; round++) {
        char *copy = strndup(text, n);
        int changes = 1 + (int)(rng_hash(11, 1, round) % 4);
        for (int k = 0; k < changes; k++) {
            size_t at = rng_hash(12 + (uint64_t)k, 2, round) % n;
            copy[at] = bytes[rng_hash(13 + (uint64_t)k, 3, round) % (sizeof bytes - 1)];
        }
        if (read_bytes(copy, n) == ST_OK) {
            assert_in_range(server.gpus, 1, SERVER_GPUS_MAX);
            for (int i = 0; i < server.gpus; i++)
                for (int j = 0; j < server.gpus; j++) {
                    assert_int_equal(server.links[i][j], server.links[j][i]);
                    if (i == j) assert_int_equal(server.links[i][j], 0);
                }
        } else {
            if (err.code != ST_INPUT || !err.text[0]) print_error("%s, round %d: %s\n", name, (int)round, err.text);
            assert_int_equal(err.code, ST_INPUT);
        }
        free(copy);
    }
}

static void damage(void **state)
{
    (void)state;
    each_machine(damage_machine);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"", "no header"},
                 {"\n\n", "no header"},
                 {"GPU0: Tesla\nGPU 0 is here\n", "no header"},
                 {"\tGPU0\tGPU1\n", "no row of a GPU"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\n", "no row GPU1"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\n...\n", "no row GPU1"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\n", "row GPU1 ends before column GPU1"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\n", "row GPU1, column GPU0"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tN/A\tX\n", "found \"N/A\""},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\tNVX\n", "row GPU1, column GPU1: found \"NVX\""},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV0\nGPU1\tNV0\tX\n", "found \"NV0\""},
                 {"\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV120-19\nGPU1\tNV12\tX\t0\n", "found \"NV120-19\""},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \nGPU1\tNV4\t X \n", "given in line 3"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \nGPU2\tNV4\t X \n", "no column GPU2"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV2\t X \n", "both describe the same path"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tSYS\t X \n", "both describe the same path"},
                 {"\tGPU0\tGPU1\nGPU0\tNV4\t X \nGPU1\t X \tNV4\n", "X is expected on the diagonal"},
                 {"\tGPU0\tGPU1\nGPU0\tNV4\tNV4\nGPU1\tNV4\tNV4\n", "X is expected on the diagonal"},
                 {"\tGPU0\tGPU1\nGPU0\t X \tNV4\tNV4\nGPU1\tNV4\t X \tNV4\n", "after the last of 2 columns"},
                 {"\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tNV4\nGPU1\tNV4\t X \tNV4\n", "only GPUs have NVLink"},
                 {"\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV4\tFOO\nGPU1\tNV4\t X \tSYS\n", "column NIC0: found \"FOO\""},
                 {"\tGPU0\tGPU2\nGPU0\t X \tNV4\nGPU2\tNV4\t X \n", "are missing"},
                 {"\tGPU0\tGPU1\tGPU1\nGPU0\t X \tNV4\tNV4\n", "GPU1 twice"},
                 {"\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tOK\tX\n", "topo -p2p"},
                 {"\tGPU0\tGPU1\nGPU0\tX\tCNS\nGPU1\tCNS\tX\n", "topo -p2p"},
                 {"| | GPU0 | GPU1 |\n| GPU0 | X | NV4 |\n| GPU1 | NV4 | X |\n", "Markdown"},
                 {"  GPU0 GPU1 CPU Affinity GPU0 X NV4 0-7 GPU1 NV4 X 0-7", "one line"},
                 {"GPU0\t X \tNV4\nGPU1\tNV4\t X \n", "no header"},
                 {"\tGPU0\tGPU1\tGP\nGPU0\t X \tNV4\tNV\nGPU1\tNV4\t X \tNV\n", "no header"},
                 {"\tGPU0\tGPU1\tGPU2\nGPU0\nGPU0\t X\n", "ends before column GPU1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = read_text(cases[i].text);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says))
            print_error("case %zu: status %d, \"%s\", should say \"%s\"\n", i, st, err.text, cases[i].says);
        assert_int_equal(st, ST_INPUT);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

static void too_many_gpus(void **state)
{
    (void)state;
    char text[2048] = "";
    for (int i = 0; i <= SERVER_GPUS_MAX; i++) text_append(text, sizeof text, "\tGPU%d", i);
    text_append(text, sizeof text, "\nGPU0\t X \n");
    assert_int_equal(read_text(text), ST_INPUT);
    assert_non_null(strstr(err.text, "at most 72"));
}

/* Dress that must not change the answer: two GPUs with NV4. */
static void dress(void **state)
{
    (void)state;
    static const char *const cases[] = {"\t\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n",
                                        "GPU0GPU1\nGPU0 X NV4\nGPU1 NV4 X\n",
                                        "\t\\e[4mGPU0\tGPU1\\e[0m\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n",
                                        "\t^[[4mGPU0\tGPU1^[[0m\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n",
                                        "\t\x1b[1;4mGPU0\tGPU1\tCPU Affinity\x1b[m\x1b[K\n\x1b[0mGPU0\t X "
                                        "\tNV4\t0-3\nGPU1\tNV4\t X \t0-3\n",
                                        "\tGPU0\tGPU1\r\r\nGPU0\t X \tNV4\r\r\nGPU1\tNV4\t X \r\r\n",
                                        "\tGPU0\tGPU1\rGPU0\t X \tNV4\rGPU1\tNV4\t X \r",
                                        "\xc2\xa0 GPU0\xc2\xa0 GPU1\nGPU0\xc2\xa0 X\xe2\x80\x83NV4\nGPU1 NV4 X\n",
                                        "GPU Topology:\nGPU 0 is fast\n----\n0000:17:00.0\n\tGPU0\tGPU1\nGPU0\t X "
                                        "\tNV4\n\n\nGPU1\tNV4\t X   <-- SYS would be slow\nmodule load cuda\n",
                                        "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X "
                                        "\tNV4\t\t\t\tN/A\nGPU1\tNV4\t X \t\t1\t\tN/A\n",
                                        "\tNIC0\tGPU0\tGPU1\nNIC0\t X \tSYS\tSYS\nGPU0\tSYS\t X "
                                        "\tNV4\nGPU1\tSYS\tNV4\t X \n",
                                        "GPU1 and GPU0 GPU1\n\tGPU0\tGPU1\nGPU1\tNV4\t X \nGPU0\t X \tNV4\nGPU0 idles "
                                        "at 40 C\nLegend:\nGPU0\t X \tSYS\n",
                                        "# \tGPU0\tGPU1\n# GPU0\t X NV4\n# GPU1\tNV4X\n"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = read_text(cases[i]);
        if (st != ST_OK || server.gpus != 2 || server.links[0][1] != 4 || server.cliques != 1)
            print_error("case %zu: %s (%d GPUs, NV%d)\n", i, err.text, server.gpus, server.links[0][1]);
        assert_int_equal(st, ST_OK);
        assert_int_equal(server.gpus, 2);
        assert_int_equal(server.links[1][0], 4);
        assert_int_equal(server.cliques, 1);
    }
}

/* The k-th allocation fails, for every k: a sentence, no leak, no crash. */
static void out_of_memory(void **state)
{
    (void)state;
    const char *text = "\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tNV4\t X \n";
    int failures = 0;
    for (uint64_t k = 1; k < 50; k++) {
        uint64_t before = mem_in_use();
        enum st st;
        mem_fail_at(k);
        st = read_text(text);
        mem_fail_at(0);
        assert_int_equal(mem_in_use(), before);
        if (st == ST_OK) break;
        assert_int_equal(st, ST_LIMIT);
        failures++;
    }
    assert_true(failures >= 3);
}

static void probes(void **state)
{
    (void)state;
    assert_true(server_format_nvidia_smi.probe("\tGPU0\n", 6) > 0);
    assert_int_equal(server_format_nvidia_smi.probe("hello", 5), 0);
}

static int release(void **state)
{
    (void)state;
    server_release(&server);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machines),      cmocka_unit_test(truncations),
                                       cmocka_unit_test(damage),        cmocka_unit_test(refusals),
                                       cmocka_unit_test(too_many_gpus), cmocka_unit_test(dress),
                                       cmocka_unit_test(out_of_memory), cmocka_unit_test(probes)};
    return cmocka_run_group_tests(tests, NULL, release);
}
