/* What a comparison says first: the sentence, the rows that are chosen, and rows that are one. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "hwprofiles/model/server_reach.h"
#include "reports/results/results_answer.h"
#include "tests/unit/unit.h"

enum { MANY = 12 };

static doc *row(const char *policy, const char *reach, double total, double error)
{
    doc *d = doc_object(), *sim = doc_object();
    doc_put(d, "policy", doc_text(policy));
    doc_put(d, "reach", doc_text(reach));
    doc_put(sim, "total_transactions", doc_real(total));
    doc_put(sim, "feature_transactions", doc_real(total));
    doc_put(sim, "prediction_error", doc_real(error));
    doc_put(d, "simulated", sim);
    return d;
}

static void drop(doc **rows, int count)
{
    for (int i = 0; i < count; i++) doc_free(rows[i]);
}

/* dsp leaves the fewest, but reads farther; oracle saw the epochs, exact and legion+density are ours: the answer names
 * dsp and the best of ours (of equals hotset), and legion is what hotset is held against beside it. */
static void the_rival_is_of_others_and_reads_as_far(void **state)
{
    doc *rows[] = {row("dsp", "forward", 500, .005),        row("oracle", "direct", 550, 0),
                   row("exact", "direct", 600, 0),          row("hotset", "direct", 600, -.0123),
                   row("legion+density", "direct", 700, 0), row("legion", "direct", 800, .05)};
    char said[ANSWER_SENTENCE];
    struct results_access access[RESULTS_ACCESSES];
    (void)state;
    doc_put(rows[4], "source", doc_text("this project")); /* as rows say since 0.2.0; its name alone says nothing */
    results_sentence((const doc *const *)rows, 6, true, said);
    assert_string_equal(said, "dsp leaves the fewest transactions, 500: 16.7 % fewer than hotset, the best of ours\n"
                              "predicted to 0.5 %");
    assert_int_equal(results_accesses((const doc *const *)rows, 6, access), 1);
    assert_ptr_equal(access[0].own, rows[3]);
    assert_ptr_equal(access[0].rival, rows[5]);
    doc *bound = doc_object();
    doc_put(bound, "gap", doc_real(.004));
    doc_put(rows[3], "bound", bound);
    results_sentence((const doc *const *)(rows + 2), 4, true, said); /* without dsp */
    assert_non_null(strstr(said, "\nwithin 0.4 % of the best possible; predicted"));
    assert_int_equal(results_accesses((const doc *const *)rows, 5, access), 0); /* without legion */
    drop(rows, 6);
}

static void put_epoch(doc *row, double seconds)
{
    doc *epoch = doc_object();
    doc_put(epoch, "seconds", doc_real(seconds));
    doc_put(doc_get(row, "simulated"), "epoch_time", epoch);
}

/* Seconds come first: whose epoch is the shortest leads, whatever it reads; reads are said behind. */
static void epochs_are_said(void **state)
{
    doc *rows[] = {row("hotset", "direct", 600, 0), row("legion", "direct", 800, 0)};
    static const double theirs[] = {1.25, 0.8, 1, NAN};
    static const char *const said_of[] = {"hotset has the shortest epoch, 1 s: 20.0 % less than legion, the best "
                                          "other\nit needs 25.0 % fewer "
                                          "transactions; predicted to",
                                          "legion has the shortest epoch, 800 ms: 20.0 % less than hotset, the best of "
                                          "ours\nit needs 33.3 % more "
                                          "transactions; predicted to",
                                          "hotset has the shortest epoch, 1 s: as long as legion, the best other\nit "
                                          "needs 25.0 % fewer",
                                          "hotset has the shortest epoch, 1 s: 25.0 % fewer transactions than legion, "
                                          "the best other\npredicted to"};
    char said[ANSWER_SENTENCE];
    (void)state;
    put_epoch(rows[0], 1);
    for (int i = 0; i < 4; i++) {
        const doc *order[] = {rows[0], rows[1]};
        put_epoch(rows[1], theirs[i]);
        results_sort(order, 2);
        assert_ptr_equal(order[0], rows[i == 1]);
        results_sentence(order, 2, true, said);
        if (!text_starts(said, said_of[i])) fail_msg("%s is not %s", said, said_of[i]);
    }
    drop(rows, 2);
}

/* Rows without seconds stand behind those with; equal seconds are sorted by reads. */
static void seconds_sort(void **state)
{
    doc *rows[] = {row("a", "direct", 1, 0), row("b", "direct", 900, 0), row("c", "direct", 800, 0),
                   row("d", "direct", 950, 0)};
    const doc *order[] = {rows[0], rows[1], rows[2], rows[3]};
    static const int want[] = {3, 2, 1, 0};
    (void)state;
    put_epoch(rows[1], 2);
    put_epoch(rows[2], 2.0000000001); /* of six digits */
    put_epoch(rows[3], 1);
    results_sort(order, 4);
    for (int i = 0; i < 4; i++) assert_ptr_equal(order[i], rows[want[i]]);
    drop(rows, 4);
}

/* What binds: computing with reads that are hidden but for 15 % of them, links, stages that follow each other. */
static void what_binds_is_said(void **state)
{
    static const struct {
        const char *epoch, *said;
    } of[] = {{"{\"seconds\": 1, \"bottleneck\": \"propagate\", \"limited_by\": \"GPU 5\", \"pipelined\": true, "
               "\"unoverlapped\": 0.15, \"execution_seconds\": 0.5, \"stages\": {\"load\": 0.1, \"transfer\": 0.3}}",
               "\ncompute-bound (GPU 5): caching more gains at most 12 %"},
              {"{\"seconds\": 1, \"bottleneck\": \"propagate\", \"limited_by\": \"GPU 5\", \"pipelined\": true, "
               "\"unoverlapped\": 0.0, \"execution_seconds\": 0.5, \"stages\": {\"transfer\": 0.3}}",
               "\ncompute-bound (GPU 5): caching more gains nothing"},
              {"{\"seconds\": 1, \"bottleneck\": \"sample\", \"limited_by\": \"CPU\", \"pipelined\": true, "
               "\"execution_seconds\": 0.5, \"stages\": {}}",
               "\nsampling-bound (CPU): caching more gains nothing"},
              {"{\"seconds\": 1, \"bottleneck\": \"transfer\", \"limited_by\": \"PCIe switch 0\", \"pipelined\": true, "
               "\"execution_seconds\": 0.5, \"without_cache_seconds\": 2}",
               "\nbound by PCIe switch 0 (transfer); its assignment uncached: 2 s"},
              {"{\"seconds\": 1, \"bottleneck\": \"propagate\", \"limited_by\": \"GPU 5\", \"pipelined\": false, "
               "\"unoverlapped\": null, \"execution_seconds\": 0.5, \"stages\": {\"transfer\": 0.2}}",
               "\nmost of it is propagate (GPU 5), reads are 40 %"}};
    char said[ANSWER_SENTENCE];
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        doc *one = row("hotset", "direct", 600, 0), *epoch = NULL;
        const doc *order[] = {one};
        struct err err = {0};
        assert_int_equal(doc_parse(of[i].epoch, strlen(of[i].epoch), "epoch", &epoch, &err), ST_OK);
        doc_put(doc_get(one, "simulated"), "epoch_time", epoch);
        results_sentence(order, 1, true, said);
        if (!text_starts(said, "hotset has the shortest epoch, 1 s\npredicted to 0.0 %\n") || !strstr(said, of[i].said))
            fail_msg("%s lacks %s", said, of[i].said);
        doc_free(one);
    }
}

/* A system whose GPUs hold more than the budget is no rival, stands in the short table, and is named with its memory.
 */
static void more_memory_is_no_rival(void **state)
{
    doc *rows[] = {row("gnnlab", "own", 900, 0), row("hotset", "direct", 600, 0), row("pagraph", "own", 950, 0),
                   row("dgl-uva", "own", 2000, 0)};
    const doc *order[] = {rows[0], rows[1], rows[2], rows[3]};
    char said[ANSWER_SENTENCE];
    (void)state;
    for (int i = 0; i < 4; i++) {
        put_epoch(rows[i], 1 + i);
        doc_put(rows[i], "budget_bytes", doc_integer(480));
    }
    doc_put(rows[0], "sampler_held_bytes", doc_integer(480));
    results_sentence(order, 4, true, said);
    assert_true(text_starts(said, "gnnlab has the shortest epoch, 1 s: 50.0 % less than hotset"));
    doc_put(rows[0], "sampler_held_bytes", doc_integer(1600));
    doc_put(rows[0], "held_bytes", doc_integer(4960));
    doc_put(rows[0], "held_budget_bytes", doc_integer(3840));
    results_sentence(order, 4, true, said);
    assert_string_equal(said, "hotset has the shortest epoch, 2 s: 33.3 % less than pagraph, the best other\nit needs "
                              "36.8 "
                              "% fewer transactions; predicted to 0.0 %; nothing cached: 4 s\ngnnlab: not at equal "
                              "memory, its GPUs hold 1.3 times the budgets; epochs of 1 s");
    assert_ptr_equal(results_best(order, 4), rows[1]);
    assert_int_equal(results_choose(order, 4, ANSWER_ROWS), 4);
    drop(rows, 4);
}

/* What lies within the error of the seconds is a tie, whichever is shorter. */
/* A share of nothing says nothing: counts do. */
static void a_rival_that_reads_nothing_is_said(void **state)
{
    doc *rows[] = {row("hotset", "forward", 1600, 0), row("dsp", "forward", 0, 0)};
    char said[ANSWER_SENTENCE];
    (void)state;
    put_epoch(rows[0], 1);
    put_epoch(rows[1], 1.25);
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_non_null(strstr(said, "\nit needs 1,600 transactions, dsp none; predicted"));
    drop(rows, 2);
}

static void ties_are_said(void **state)
{
    doc *rows[] = {row("hotset", "direct", 600, 0), row("legion", "direct", 800, 0)}, *ties[2];
    char said[ANSWER_SENTENCE];
    (void)state;
    for (int i = 0; i < 2; i++) {
        put_epoch(rows[i], 1 + 0.25 * i);
        doc_append(ties[i] = doc_array(), doc_text(i ? "hotset" : "legion"));
        doc_put(rows[i], "ties", ties[i]);
    }
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_true(text_starts(said, "hotset has the shortest epoch, 1 s: a tie with legion, the best other (20.0 % "
                                  "less)\nit needs 25.0 % fewer transactions"));
    drop(rows, 2);
}

static void a_rival_that_is_better_is_said(void **state)
{
    doc *rows[] = {row("quiver", "direct", 450, 0), row("hotset", "direct", 600, 0)};
    char said[ANSWER_SENTENCE];
    (void)state;
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_string_equal(said, "quiver leaves the fewest transactions, 450: 25.0 % fewer than hotset, the best of ours\n"
                              "predicted to 0.0 %");
    struct results_access access[RESULTS_ACCESSES]; /* the same the other way round */
    assert_int_equal(results_accesses((const doc *const *)rows, 2, access), 0);
    drop(rows, 2);
}

/* At each reach hotset is held against what reads no farther: dsp is no rival of direct links, and pagraph is one of
 * own memory. Equal numbers at two reaches are two rows. */
static void each_reach_has_its_line(void **state)
{
    static const char *const want[] = {"hotset --reach forward", "dsp",     "hotset", "legion", "quiver",
                                       "hotset --reach own",     "pagraph", "dgl-uva"};
    doc *rows[] = {row("hotset --reach forward", "forward", 300, 0),
                   row("dsp", "forward", 500, 0),
                   row("hotset", "direct", 600, 0),
                   row("legion", "direct", 800, 0),
                   row("quiver", "direct", 850, 0),
                   row("hotset --reach own", "own", 900, 0),
                   row("pagraph", "own", 900, 0),
                   row("dgl-uva", "own", 2000, 0)};
    const doc *order[8];
    char said[ANSWER_SENTENCE], names[64];
    (void)state;
    for (int i = 0; i < 8; i++) order[i] = rows[i];
    results_sentence(order, 8, true, said);
    assert_string_equal(said, "hotset (forwarded) leaves the fewest transactions, 300: 40.0 % fewer than dsp, the best "
                              "other\npredicted to 0.0 %");
    results_sentence(order, 8, false, said); /* beside the table of accesses */
    assert_true(text_starts(said, "hotset (forwarded) leaves the fewest transactions, 300: 40.0 % fewer than dsp\n"));
    struct results_access access[RESULTS_ACCESSES];
    static const int own[] = {5, 2, 0}, rival[] = {6, 3, 1};
    static const char *const reads[] = {"own memory", "NVLink neighbours", "forwarded"};
    assert_int_equal(results_accesses(order, 8, access), 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(access[i].reads, reads[i]);
        assert_ptr_equal(access[i].own, rows[own[i]]);
        assert_ptr_equal(access[i].rival, rows[rival[i]]);
    }
    const doc *stands;
    assert_int_equal(results_merged(order, 8, 5, &stands, names, sizeof names), 2);
    assert_string_equal(names, "hotset = pagraph");
    assert_ptr_equal(stands, rows[5]);
    assert_int_equal(results_choose(order, 8, ANSWER_ROWS), 8); /* what is equal is one line */
    for (int i = 0; i < 8; i++) order[i] = rows[i];
    doc_put(doc_get(rows[6], "simulated"), "total_transactions", doc_real(901));
    assert_int_equal(results_choose(order, 8, ANSWER_ROWS), ANSWER_ROWS);
    for (int i = 0; i < ANSWER_ROWS; i++) assert_string_equal(doc_text_value(doc_get(order[i], "policy"), ""), want[i]);
    drop(rows, 8);
}

/* No ratio with a zero below it. */
static void nothing_left_has_no_ratio(void **state)
{
    doc *rows[] = {row("legion", "direct", 0, 0), row("hotset", "direct", 0, 0), row("hotset", "direct", 5, 0)};
    const doc *other[] = {rows[0], rows[2]};
    char said[ANSWER_SENTENCE];
    (void)state;
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_true(text_starts(said, "hotset leaves the fewest transactions, 0: as many as legion, the best other"));
    results_sentence(other, 2, true, said);
    assert_true(text_starts(said, "legion leaves the fewest transactions, 0: 100.0 % fewer than hotset, the best of "
                                  "ours\npredicted to 0.0 %"));
    drop(rows, 3);
}

static void equal_rows_are_one(void **state)
{
    doc *rows[] = {row("legion", "direct", 601, 0), row("hotset", "direct", 600, 0), row("exact", "direct", 600, 0),
                   row("none", "direct", NAN, 0)};
    const doc *order[] = {rows[0], rows[3], rows[1], rows[2]}, *stands;
    static const char *const name[] = {"oracle", "legion --reach own", "bgl"};
    char names[64];
    (void)state;
    results_sort(order, 4);
    static const int want[] = {2, 1, 0, 3}; /* equals by name */
    for (int i = 0; i < 4; i++) assert_ptr_equal(order[i], rows[want[i]]);
    assert_int_equal(results_merged(order, 3, 0, &stands, names, sizeof names), 2);
    assert_string_equal(names, "hotset = exact"); /* the default stands first, wherever it lies */
    assert_ptr_equal(stands, rows[1]);
    assert_int_equal(results_merged(order, 3, 2, &stands, names, sizeof names), 1);
    assert_string_equal(names, "legion");
    assert_int_equal(results_names(name, 3, true, names, sizeof names), 1);
    assert_string_equal(names, "legion (own memory) = oracle = bgl");
    drop(rows, 4);
}

static void put_interval(doc *row, double low, double high)
{
    doc *pair = doc_array();
    doc_append(pair, doc_real(low));
    doc_append(pair, doc_real(high));
    doc_put(doc_get(row, "simulated"), "total_interval", pair);
}

/* On how many epochs it was counted; how far ahead it is of the best that reads no farther. */
static void epochs_and_lead(void **state)
{
    doc *rows[] = {row("hotset", "direct", 600, .01), row("dsp", "forward", 700, 0), row("legion", "direct", 800, 0)};
    char said[ANSWER_SENTENCE];
    (void)state;
    doc_put(doc_get(rows[0], "simulated"), "epochs", doc_integer(1));
    results_sentence((const doc *const *)rows, 3, true, said);
    assert_non_null(strstr(said, "predicted to 1.0 % (1 unseen epoch)"));
    doc_put(doc_get(rows[0], "simulated"), "epochs", doc_integer(8));
    results_sentence((const doc *const *)rows, 3, true, said);
    assert_non_null(strstr(said, "predicted to 1.0 % (8 unseen epochs)"));
    bool seconds;
    assert_float_equal(results_ahead((const doc *const *)rows, 3, &seconds), 0.25, 1e-12);
    assert_false(seconds);
    assert_true(isnan(results_ahead((const doc *const *)rows, 2, &seconds))); /* dsp reads farther */
    put_epoch(rows[0], 9);
    put_epoch(rows[2], 10);
    assert_float_equal(results_ahead((const doc *const *)rows, 3, &seconds), 0.1, 1e-12);
    assert_true(seconds);
    for (int i = 0; i < 3; i++) doc_free(rows[i]);
}

/* The rival in reach is the one with the shortest epoch, not that which leaves least; one that reads farther is none.
 */
static void the_quickest_in_reach_is_the_rival(void **state)
{
    doc *rows[] = {row("dsp", "forward", 500, 0), row("hotset", "direct", 600, 0), row("legion", "direct", 800, 0),
                   row("quiver", "direct", 900, 0)};
    const doc *order[] = {rows[0], rows[3], rows[1], rows[2]};
    char said[ANSWER_SENTENCE];
    (void)state;
    put_epoch(rows[0], 50);
    put_epoch(rows[1], 100);
    put_epoch(rows[2], 110);
    put_epoch(rows[3], 80);
    results_sentence(order, 4, true, said);
    struct results_access access[RESULTS_ACCESSES];
    assert_int_equal(results_accesses(order, 4, access), 1);
    assert_ptr_equal(access[0].own, rows[1]);
    assert_ptr_equal(access[0].rival, rows[3]);
    drop(rows, 4);
}

/* How far the sentence can be believed: intervals that overlap, and numbers that nothing has counted. */
static void doubt_is_said(void **state)
{
    doc *rows[] = {row("hotset", "direct", 600, .01), row("legion", "direct", 610, 0)};
    char said[ANSWER_SENTENCE];
    (void)state;
    put_interval(rows[0], 590, 610);
    put_interval(rows[1], 611, 620);
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_null(strstr(said, "overlap"));
    put_interval(rows[1], 609, 620);
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_non_null(strstr(said, "the best other (a tie: confidence intervals overlap)\npredicted to 1.0 %"));
    for (int i = 0; i < 2; i++) {
        doc *predicted = doc_object();
        doc_put(predicted, "total_transactions", doc_real(600 + 200 * i));
        doc_put(rows[i], "predicted", predicted);
        doc_put(rows[i], "simulated", doc_null());
    }
    results_sentence((const doc *const *)rows, 2, true, said);
    assert_string_equal(said, "hotset leaves the fewest transactions, 600: 25.0 % fewer than legion, the best other\n"
                              "predicted, not simulated");
    drop(rows, 2);
}

/* reports knows no server: its order of reaches is that of hwprofiles. */
static void reaches_are_in_order(void **state)
{
    bool seconds;
    (void)state;
    for (enum server_reach mine = REACH_OWN; mine <= REACH_P2P; mine++)
        for (enum server_reach its = REACH_OWN; its <= REACH_P2P; its++) {
            doc *rows[] = {row("hotset", reach_name(mine), 600, 0), row("legion", reach_name(its), 800, 0)};
            assert_int_equal(isnan(results_ahead((const doc *const *)rows, 2, &seconds)), its > mine);
            drop(rows, 2);
        }
}

/* Of several groups each answer says which; a document without rows says nothing. */
static void a_document_says_its_groups(void **state)
{
    static const char *const text = "{\"rows\":[{\"policy\":\"dsp\",\"graph\":\"g\",\"server\":\"s\",\"budget\":\"5%\","
                                    "\"simulated\":{\"total_transactions\":8}},{\"policy\":\"hotset\",\"graph\":\"g\","
                                    "\"server\":\"s\",\"budget\":\"5%\",\"simulated\":{\"total_transactions\":6}},{"
                                    "\"policy\":\"hotset\",\"graph\":\"g\",\"server\":\"t\",\"budget\":\"5%\","
                                    "\"simulated\":{\"total_transactions\":6}},{\"policy\":\"dsp\",\"graph\":\"g\","
                                    "\"server\":\"t\",\"budget\":\"5%\",\"simulated\":{\"total_transactions\":4}}]}";
    doc *d;
    struct err err = {0};
    (void)state;
    assert_int_equal(doc_parse(text, strlen(text), "text", &d, &err), ST_OK);
    results_say(d);
    assert_string_equal(doc_text_value(doc_get(d, "sentence"), ""), "g on s, 5% per GPU: hotset leaves the fewest "
                                                                    "transactions, 6: 25.0 % fewer than dsp, the best "
                                                                    "other\ng on t, 5% per GPU: dsp leaves the fewest "
                                                                    "transactions, 4: 33.3 % fewer than hotset, "
                                                                    "the best of ours");
    doc_free(d);
    assert_int_equal(doc_parse("{\"rows\":[]}", 11, "text", &d, &err), ST_OK);
    results_say(d);
    assert_null(doc_get(d, "sentence"));
    doc_free(d);
}

/* Of twelve, one without a result: the fixed ones and the best of the others, in order. */
static void few_rows_answer(void **state)
{
    static const char *const want[] = {"oracle", "hotset", "dsp", "legion", "quiver", "gnnlab", "pagraph", "dgl-uva"};
    static const char *const all[MANY] = {"oracle", "hotset",  "legion+density", "dsp",     "legion", "quiver",
                                          "gnnlab", "pagraph", "random",         "dgl-uva", "bgl",    "legion-topogpu"};
    doc *rows[MANY];
    const doc *order[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++) order[i] = rows[i] = row(all[i], "direct", 100 + i, 0);
    doc_put(rows[2], "source", doc_text("this project"));
    doc_put(rows[MANY - 1], "simulated", doc_null());
    assert_int_equal(results_choose(order, MANY, ANSWER_ROWS), ANSWER_ROWS);
    for (int i = 0; i < ANSWER_ROWS; i++) assert_string_equal(doc_text_value(doc_get(order[i], "policy"), ""), want[i]);
    drop(rows, MANY);
}

static void put_deal(doc *row, const char *chosen, const char *tried)
{
    struct err err = {0};
    doc *deal = NULL;
    assert_int_equal(doc_parse(tried, strlen(tried), "deal", &deal, &err), ST_OK);
    doc_put(deal, "chosen", doc_text(chosen));
    doc_put(row, "deal", deal);
}

static bool deals_say(doc *const *rows, const char *what)
{
    char said[ANSWER_SENTENCE];
    results_sentence((const doc *const *)rows, 2, true, said);
    return strstr(said, what);
}

/* hotset would leave 600 * 900 / 660 = 818 with the rival's deal, of whose 1000 that is 18.2 % less; 600 * 1100 / 660
 * is what the rival leaves. */
static void what_the_deal_alone_gives_is_said(void **state)
{
    doc *rows[] = {row("hotset", "direct", 600, 0), row("legion", "direct", 1000, 0)};
    static const char tried[] = "{\"partition\": \"reads\", \"tried\": [{\"deal\": \"clique\", \"partition\": "
                                "\"metis\", \"predicted_transactions\": 900},{\"deal\": \"gpu\", \"partition\": "
                                "\"reads\", \"predicted_transactions\": 1100},{\"deal\": \"nested\", \"partition\": "
                                "\"reads\", \"predicted_transactions\": 660}]}";
    static const char metis[] = "{\"partition\": \"metis\"}", reads[] = "{\"partition\": \"reads\"}";
    (void)state;
    put_deal(rows[0], "nested", tried);
    put_deal(rows[1], "clique", metis);
    assert_true(deals_say(rows, "\nwith legion's assignment (clique) hotset would read 18.2 % fewer; its own (nested) "
                                "saves the rest"));
    put_deal(rows[1], "gpu", reads);
    assert_true(deals_say(rows, "\nwith legion's assignment (gpu) hotset would read as many; its own (nested) saves "
                                "all "
                                "of it"));
    put_deal(rows[1], "gpu", metis); /* parts that were not tried */
    assert_false(deals_say(rows, "hotset would read"));
    put_deal(rows[1], "global", metis);
    assert_false(deals_say(rows, "hotset would read"));
    put_deal(rows[1], "nested", reads); /* the same */
    assert_false(deals_say(rows, "hotset would read"));
    put_deal(rows[1], "clique", metis);
    doc_put(doc_get(rows[0], "simulated"), "total_transactions", doc_real(1200)); /* there is no lead */
    assert_false(deals_say(rows, "hotset would read"));
    drop(rows, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_rival_is_of_others_and_reads_as_far),
                                       cmocka_unit_test(a_rival_that_is_better_is_said),
                                       cmocka_unit_test(epochs_are_said),
                                       cmocka_unit_test(what_the_deal_alone_gives_is_said),
                                       cmocka_unit_test(each_reach_has_its_line),
                                       cmocka_unit_test(nothing_left_has_no_ratio),
                                       cmocka_unit_test(equal_rows_are_one),
                                       cmocka_unit_test(epochs_and_lead),
                                       cmocka_unit_test(the_quickest_in_reach_is_the_rival),
                                       cmocka_unit_test(seconds_sort),
                                       cmocka_unit_test(what_binds_is_said),
                                       cmocka_unit_test(more_memory_is_no_rival),
                                       cmocka_unit_test(a_rival_that_reads_nothing_is_said),
                                       cmocka_unit_test(ties_are_said),
                                       cmocka_unit_test(doubt_is_said),
                                       cmocka_unit_test(reaches_are_in_order),
                                       cmocka_unit_test(a_document_says_its_groups),
                                       cmocka_unit_test(few_rows_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
