#include "planner/decisions/ties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/results/results_answer.h"
#include "simulator/movement/epoch_time.h"

/* An epoch as a row states it. */
struct epoch {
    bool known, piped, one_stage;
    double iterations, unoverlapped, counts; /* counts: half of the interval of its transactions, a share */
    double stage[ALL_STAGES];
    const char *limit[ALL_STAGES];
    const char *drawn[3]; /* what says who trains what: rows that agree in it were counted on the same mini-batches */
};

/* As a document has it: rows that were kept in one, and those that were not, say the same. */
static double written(const doc *d, const char *key, double otherwise)
{
    char text[32];
    double v = doc_number(d, key);
    snprintf(text, sizeof text, "%.9g", v);
    return isnan(v) ? otherwise : strtod(text, NULL);
}

static void read_epoch(const doc *row, struct epoch *out)
{
    const doc *sim = doc_get(row, "simulated"), *time = doc_get(sim, "epoch_time"),
              *interval = doc_get(sim, "total_interval");
    double total = written(sim, "total_transactions", 0),
           half = (doc_real_value(doc_at(interval, 1), 0) - doc_real_value(doc_at(interval, 0), 0)) / 2;
    *out = (struct epoch){.known = isfinite(results_seconds(row)) && doc_is_object(doc_get(time, "stages")),
                          .piped = doc_bool_value(doc_get(time, "pipelined"), true),
                          .one_stage = doc_get(time, "prefetch") != NULL,
                          .iterations = written(time, "iterations", 0),
                          .unoverlapped = written(time, "unoverlapped", 0),
                          .counts = total > 0 && half > 0 ? half / total : 0,
                          .drawn = {doc_text_value(doc_path(row, "deal.chosen"), ""),
                                    doc_text_value(doc_path(row, "deal.partition"), ""),
                                    doc_text_value(doc_get(row, "reach"), "")}};
    for (int i = 0; i < ALL_STAGES; i++) {
        out->stage[i] = written(doc_get(time, "stages"), stage_word((enum stage_name)i), 0);
        out->limit[i] = doc_text_value(doc_path(doc_get(time, "limits"), stage_word((enum stage_name)i)), "");
    }
}

/* Whether a stage waits for one kind of resource in both: "PCIe switch 0" and "PCIe link of GPU 3" do, "sampler GPUs"
 * and "GPU 1" do. */
static bool alike(const char *a, const char *b)
{
    static const char samplers[] = "sampler ";
    enum { ENOUGH = 3 }; /* letters that tell GPU, CPU, PCIe, NVLink, memory, host memory apart */
    if (text_starts(a, samplers)) a += strlen(samplers);
    if (text_starts(b, samplers)) b += strlen(samplers);
    return !*a || !*b || !strncmp(a, b, ENOUGH);
}

/* What may be off in one of the two epochs or in both: a stage, the share that nothing hides, or all counts. */
enum { CAUSE_OVERLAP = ALL_STAGES, CAUSE_COUNTS };
struct cause {
    int of_what;
    bool of[2];
    double half;   /* of the logarithm; of the share itself */
    double moved;  /* by so much of it, -1 to 1 */
    double closer; /* by how much it brings the epochs together */
};
enum { CAUSES_MOST = 2 * ALL_STAGES + 3 };

/* Logarithm of epoch e, the first or the second of two, with all causes moved as they say. */
static double log_seconds(const struct epoch *e, int which, const struct cause *causes, int count)
{
    double piped[ALL_STAGES], sum = 0, open = 1, counts = 0;
    memcpy(piped, e->stage, sizeof piped);
    for (int i = 0; i < count; i++) {
        if (!causes[i].of[which]) continue;
        double by = causes[i].moved * causes[i].half;
        if (causes[i].of_what == CAUSE_OVERLAP) open += by;
        else if (causes[i].of_what == CAUSE_COUNTS) counts += by;
        else piped[causes[i].of_what] *= exp(by);
    }
    for (int i = 0; i < ALL_STAGES; i++) sum += piped[i];
    if (e->one_stage) {
        piped[STAGE_TRANSFER] += piped[STAGE_LOAD];
        piped[STAGE_LOAD] = 0;
    }
    if (e->piped) sum = epoch_pipelined(piped, ALL_STAGES, fmin(1, open * e->unoverlapped));
    return log(e->iterations * sum) + counts;
}

/* ln(second / first). */
static double ahead(const struct epoch *const e[2], const struct cause *causes, int count)
{
    return log_seconds(e[1], 1, causes, count) - log_seconds(e[0], 0, causes, count);
}

static int list_causes(const struct epoch *const e[2], const struct size_errors *errors, struct cause *out)
{
    int count = 0;
    bool same = true;
    for (int i = 0; i < 3; i++) same &= !strcmp(e[0]->drawn[i], e[1]->drawn[i]);
    out[count++] = (struct cause){.of_what = CAUSE_OVERLAP, .of = {true, true}, .half = 1};
    for (int i = 0; i < ALL_STAGES; i++) {
        double half = size_error_of_stage(errors, (enum stage_name)i);
        bool both = alike(e[0]->limit[i], e[1]->limit[i]);
        out[count++] = (struct cause){.of_what = i, .of = {true, both}, .half = half};
        if (!both) out[count++] = (struct cause){.of_what = i, .of = {false, true}, .half = half};
    }
    for (int k = 0; k < 2 && !same; k++)
        out[count++] = (struct cause){.of_what = CAUSE_COUNTS, .of = {!k, k}, .half = log1p(e[k]->counts)};
    return count;
}

/* Whether two epochs, the first no longer than the second, lie within the error of the seconds. */
static bool tie(const struct epoch *const e[2], const struct size_errors *errors)
{
    struct cause causes[CAUSES_MOST];
    const int count = list_causes(e, errors, causes);
    const double now = ahead(e, NULL, 0);
    double sum = 0;
    for (int i = 0; i < count; i++) { /* each alone, to the side that brings them together */
        struct cause one = causes[i];
        for (one.moved = -1; one.moved <= 1; one.moved += 2) {
            double closer = now - ahead(e, &one, 1);
            if (closer <= causes[i].closer) continue;
            causes[i].closer = closer;
            causes[i].moved = one.moved;
        }
        sum += causes[i].closer * causes[i].closer;
    }
    for (int i = 0; i < count; i++) causes[i].moved *= sum > 0 ? causes[i].closer / sqrt(sum) : 0;
    return ahead(e, causes, count) <= 0;
}

/* rows [from, to): one group, at most as many as are sorted. */
static enum st group_put(doc *rows, uint64_t from, uint64_t to, const struct size_errors *errors, struct err *err)
{
    uint64_t count = to - from;
    OWNED_NEW(struct epoch, epochs, count, "epochs of rows");
    for (uint64_t i = 0; i < count; i++) read_epoch(doc_at(rows, from + i), &epochs[i]);
    for (uint64_t i = 0; i < count; i++) {
        doc *ties = doc_array();
        for (uint64_t k = 0; k < count; k++) {
            if (i == k || !epochs[i].known || !epochs[k].known) continue;
            const struct epoch *pair[2] = {&epochs[i], &epochs[k]}, *swapped[2] = {&epochs[k], &epochs[i]};
            if (tie(ahead(pair, NULL, 0) >= 0 ? pair : swapped, errors))
                doc_append(ties, doc_copy(doc_get(doc_at(rows, from + k), "policy")));
        }
        if (doc_size(ties)) doc_put(doc_at(rows, from + i), "ties", ties);
        else doc_free(ties);
    }
    return ST_OK;
}

enum st ties_put(doc *results, struct err *err)
{
    doc *rows = doc_get(results, "rows"), *factors = doc_object();
    OWNED_NEW(struct size_errors, errors, 1, "errors of stages");
    PASS(size_errors_make(NULL, false, errors, NULL, err));
    for (uint64_t i = 0, end; i < doc_size(rows); i = end) {
        for (end = i + 1; end < doc_size(rows) && results_same_group(doc_at(rows, i), doc_at(rows, end));) end++;
        PASS(group_put(rows, i, end, errors, err));
    }
    for (int i = 0; i < ALL_STAGES; i++)
        doc_put(factors, stage_word((enum stage_name)i),
                doc_real(exp(size_error_of_stage(errors, (enum stage_name)i))));
    doc_put(results, "epoch_factors", factors);
    return ST_OK;
}
