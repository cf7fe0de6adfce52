/* Captures of Intel PCM: columns by name, glued tags, ragged rows, time stamps, and what must be refused; idle
 * subtraction. */
#include "tests/unit/unit.h"
#include "base/doc.h"
#include "hwprofiles/counters/pcm.h"

static struct err err;

static const char *text(const char *content) { return put_file("capture", content, strlen(content)); }

static void test_pcie(void **state)
{
    struct pcm p;
    uint64_t bytes;
    (void)state;
    /* definitions with commas in front; PCIRdCur is the second, then the first column */
    GOOD(pcm_read(text("  PCIRdCur - reads, of "
                       "lines\n\nSkt,PCIRdCur,ItoM\n0,10,7\n1,20,7\nSkt,PCIRdCur,ItoM\n0,1,7\n1,2,7\n"),
                  &p, &err));
    assert_false(p.iio);
    assert_int_equal(p.sockets, 2);
    assert_int_equal(p.iterations, 2);
    assert_int_equal(p.per_socket[0], 11);
    assert_int_equal(p.per_socket[1], 22);
    assert_int_equal(p.sum, 33);
    assert_true(pcm_bytes(&p, &bytes));
    assert_int_equal(bytes, 33 * 64);
    GOOD(pcm_read(text("Skt,ItoM,PCIeRdCur\r\n0,7,5\r\n"), &p, &err));
    assert_int_equal(p.sum, 5);
    GOOD(pcm_read(text("Skt;ItoM;PCIRdCur\n0;7;5\n"), &p, &err));
    assert_int_equal(p.sum, 5);
    /* -e: Total is not Miss + Hit */
    GOOD(pcm_read(text("Skt,PCIRdCur,WiL\n0,9,3(Total)\n0,5,3(Miss)\n0,3,0(Hit)\n"), &p, &err));
    assert_int_equal(p.sum, 9);
}

static void test_iio(void **state)
{
    struct pcm p;
    uint64_t bytes;
    (void)state;
    GOOD(pcm_read(text("\n Monitor (1)\n\nSocket,Name,Part,IB write (bytes),IB read (bytes),OB read "
                       "(bytes)\nSocket0,IIO - CBDMA/DMI,Part0 (1st x16/x8/x4),1,100,3\n"
                       "Socket0,IIO Stack 1,Part1,1,11\nSocket1,IIO Stack 1,Part0,9,1000,9\n"),
                  &p, &err));
    assert_true(p.iio);
    assert_int_equal(p.sum, 1111);
    assert_int_equal(p.per_socket[1], 1000);
    assert_false(pcm_bytes(&p, &bytes));
    p.interval_s = 3;
    assert_true(pcm_bytes(&p, &bytes));
    assert_int_equal(bytes, 3333);
    /* stamps 1.5 s apart, over midnight at the end of a month */
    GOOD(pcm_read(text("Date,Time,Socket,Root Port,Name,Part,IB write,IB "
                       "read\n2024-02-29,23:59:59.000,Socket0,17:02.0,a,Part0,0,10\n"
                       "Date,Time,Socket,Root Port,Name,Part,IB write,IB read\n2024-03-01,00:00:00.500,Socket0,        "
                       ",a,Part0,0,20\n"),
                  &p, &err));
    assert_int_equal(p.iterations, 2);
    assert_true(p.interval_s == 1.5);
    assert_true(pcm_bytes(&p, &bytes));
    assert_int_equal(bytes, 45);
}

static void test_refused(void **state)
{
    struct pcm p;
    static const struct {
        const char *text, *words;
    } bad[] = {{"", "no table"},
               {"PCIRdCur - reads\n", "no table"},
               {"Skt,ItoM\n0,1\n", "no column"},
               {"Socket,Name,IB write\n", "no column"},
               {"Skt,PCIRdCur,WiL\n", "without rows"},
               {"Skt,PCIRdCur,WiL\n0,5\n", "number of cells"},
               {"Skt,PCIRdCur,WiL\n0,5,1,1\n", "number of cells"},
               {"Skt,PCIRdCur,WiL\n0,5.5,1\n", "not an integer"},
               {"Skt,PCIRdCur,WiL\n0,-5,1\n", "not an integer"},
               {"Skt,PCIRdCur,WiL\n0,513 K,1\n", "not an integer"},
               {"Skt,PCIRdCur,WiL\n0,5,1(Sum)\n", "tag"},
               {"Skt | PCIRdCur | WiL\n0 513 K 1\n", "three digits"},
               {"Skt,PCIRdCur,WiL\n0,5,1\n0,5,1\n", "second time"},
               {"Skt,PCIRdCur,WiL\n1,5,1\n", "missing"},
               {"Skt,PCIRdCur,WiL\n16,5,1\n", "beyond 15"},
               {"Skt,PCIRdCur,WiL\n0,5,1\n1,5,1\nSkt,PCIRdCur,WiL\n0,5,1\n", "other sockets"},
               {"Skt,PCIRdCur,WiL\n0,5,1\nSocket,Name,IB read\nSocket0,a,1\n", "other PCM tool"},
               {"Skt,PCIRdCur,WiL\n0,4503599627370497,1\n", "2^52"},
               {"Skt,PCIRdCur,WiL\n0,99999999999999999999,1\n", "not an integer"},
               {"Socket,Name,Part,IB write,IB read\nSocket0,a,Part0,1\n", "ends before"},
               {"Date,Time,IB read,Socket\n2024-01-01,00:00:00,7\n", "ends before"},
               {"Date,Time,Socket,Name,IB read\n2024-01-01,00:00:00,Port,a,1\n", "no Socket"}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        BAD(ST_INPUT, bad[i].words, pcm_read(text(bad[i].text), &p, &err));
    BAD(ST_INPUT, "", pcm_read(in_scratch("nothing"), &p, &err));
}

static void test_net(void **state)
{
    struct pcm busy = {.sockets = 1, .iterations = 4, .sum = 100}, idle = {.sockets = 1, .iterations = 3, .sum = 10},
               iio = {.iio = true, .sockets = 1, .iterations = 2, .sum = 640};
    uint64_t lines;
    (void)state;
    GOOD(pcm_net_lines(&busy, NULL, &lines, &err));
    assert_int_equal(lines, 100);
    GOOD(pcm_net_lines(&busy, &idle, &lines, &err)); /* 10 * 4 / 3 = 13.3 */
    assert_int_equal(lines, 87);
    BAD(ST_INPUT, "swapped", pcm_net_lines(&idle, &busy, &lines, &err));
    BAD(ST_INPUT, "same tool", pcm_net_lines(&busy, &iio, &lines, &err));
    BAD(ST_INPUT, "--interval", pcm_net_lines(&iio, NULL, &lines, &err));
    iio.interval_s = 1;
    GOOD(pcm_net_lines(&iio, NULL, &lines, &err)); /* 640 bytes */
    assert_int_equal(lines, 10);
    idle.sockets = 2;
    BAD(ST_INPUT, "sockets", pcm_net_lines(&busy, &idle, &lines, &err));
}

/* The captures of ../shared with their published sums. */
static void test_shared(void **state)
{
    doc *all = NULL;
    struct pcm p;
    (void)state;
    if (doc_load("../shared/data/pcm/expected.json", NULL, &all, &err) != ST_OK) skip();
    for (const char *key = doc_next_key(all, NULL); key; key = doc_next_key(all, key)) {
        char path[300];
        const doc *want = doc_get(all, key);
        snprintf(path, sizeof path, "../shared/data/pcm/%s", doc_text_value(doc_get(want, "file"), ""));
        if (doc_bool_value(doc_get(want, "refuse"), false)) {
            BAD(ST_INPUT, "no table", pcm_read(path, &p, &err));
            continue;
        }
        GOOD(pcm_read(path, &p, &err));
        assert_int_equal(p.sockets, doc_integer_value(doc_get(want, "sockets"), -1));
        assert_int_equal(p.iterations, doc_integer_value(doc_get(want, "iterations"), -1));
        assert_int_equal(p.sum, doc_integer_value(doc_get(want, p.iio ? "ib_read_sum" : "transactions"), -1));
        for (int s = 0; s < p.sockets && !p.iio; s++)
            assert_int_equal(p.per_socket[s], doc_integer_value(doc_at(doc_get(want, "per_socket"), (uint64_t)s), -1));
    }
    doc_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_pcie, scratch_make, scratch_remove),
                                       cmocka_unit_test_setup_teardown(test_iio, scratch_make, scratch_remove),
                                       cmocka_unit_test_setup_teardown(test_refused, scratch_make, scratch_remove),
                                       cmocka_unit_test(test_net), cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests_name("pcm", tests, NULL, NULL);
}
