/* result_rows.c - reading result documents into rows; see result_rows.h. */
#include "reports/plots/result_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/doc_seal.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/mem.h"
#include "reports/formats/document.h"

/* Where a value was found, for sentences. */
struct place {
    const char *file;
    uint64_t number;
    const char *inside; /* "simulated: ", or "" */
};

static enum st number_read(const doc *object, const char *key, double low, double high, const struct place *at,
                           double *out, struct err *err)
{
    const doc *value = doc_get(object, key);
    *out = NAN;
    if (doc_is_null(value)) return ST_OK;
    if (!doc_is_number(value))
        return err_set(err, ST_INPUT,
                       "%s: row %llu: %s%s is not a number; expected a number or null; write the file again with "
                       "hotset compare or simulate",
                       at->file, (unsigned long long)at->number, at->inside, key);
    *out = doc_real_value(value, NAN);
    if (!(*out >= low && *out <= high))
        return err_set(err, ST_INPUT,
                       "%s: row %llu: %s%s is %g; expected a number from %g to %g; write the file again with hotset "
                       "compare or simulate",
                       at->file, (unsigned long long)at->number, at->inside, key, *out, low, high);
    return ST_OK;
}

static enum st text_read(const doc *object, const char *key, const struct place *at, const char **out, struct err *err)
{
    const doc *value = doc_get(object, key);
    *out = NULL;
    if (doc_is_object(value)) value = doc_get(value, "name"); /* plan/1 nests server and graph */
    if (doc_is_null(value)) return ST_OK;
    if (!doc_is_text(value))
        return err_set(err, ST_INPUT, "%s: row %llu: %s is not a text; expected a text or null", at->file,
                       (unsigned long long)at->number, key);
    *out = doc_text_value(value, NULL);
    return ST_OK;
}

/* A nested array of at most `most` members, or a nested object (most 0). */
static enum st nested_read(const doc *object, const char *key, uint64_t most, const struct place *at, const doc **out,
                           struct err *err)
{
    const doc *value = doc_get(object, key);
    *out = NULL;
    if (doc_is_null(value)) return ST_OK;
    if (most ? !doc_is_array(value) : !doc_is_object(value))
        return err_set(err, ST_INPUT, "%s: row %llu: %s%s is not %s; expected %s or null", at->file,
                       (unsigned long long)at->number, at->inside, key, most ? "an array" : "an object",
                       most ? "an array" : "an object");
    if (most && doc_size(value) > most)
        return err_set(err, ST_LIMIT, "%s: row %llu: %s%s has %llu members, and at most %llu can be drawn", at->file,
                       (unsigned long long)at->number, at->inside, key, (unsigned long long)doc_size(value),
                       (unsigned long long)most);
    *out = value;
    return ST_OK;
}

static const double RATE_HIGH = 1.0, COUNT_HIGH = 1e18;

static enum st rates_read(const doc *object, const struct place *at, struct result_rates *out, struct err *err)
{
    PASS(number_read(object, "feature_hit_rate", 0, RATE_HIGH, at, &out->feature_hit, err));
    PASS(number_read(object, "topology_hit_rate", 0, RATE_HIGH, at, &out->topology_hit, err));
    PASS(number_read(object, "topology_transactions", 0, COUNT_HIGH, at, &out->topology, err));
    PASS(number_read(object, "feature_transactions", 0, COUNT_HIGH, at, &out->feature, err));
    return number_read(object, "total_transactions", 0, COUNT_HIGH, at, &out->total, err);
}

static enum st interval_read(const doc *simulated, const struct place *at, struct result_row *r, struct err *err)
{
    const doc *pair;
    r->low = r->high = NAN;
    PASS(nested_read(simulated, "total_interval", 2, at, &pair, err));
    if (!pair) return ST_OK;
    if (doc_size(pair) != 2 || !doc_is_number(doc_at(pair, 0)) || !doc_is_number(doc_at(pair, 1)))
        return err_set(err, ST_INPUT,
                       "%s: row %llu: simulated: total_interval is not [low, high]; expected two numbers or null",
                       at->file, (unsigned long long)at->number);
    r->low = fmax(0, doc_real_value(doc_at(pair, 0), NAN));
    r->high = doc_real_value(doc_at(pair, 1), NAN);
    if (!(r->low <= r->high))
        return err_set(err, ST_INPUT,
                       "%s: row %llu: simulated: total_interval ends (%g) before it begins (%g); expected [low, high]",
                       at->file, (unsigned long long)at->number, r->high, r->low);
    return ST_OK;
}

static enum st simulated_read(const doc *object, struct place at, struct result_row *r, struct err *err)
{
    const doc *s;
    PASS(nested_read(object, "simulated", 0, &at, &s, err));
    at.inside = "simulated: ";
    PASS(rates_read(s, &at, &r->simulated, err));
    PASS(interval_read(s, &at, r, err));
    PASS(number_read(s, "prediction_error", -COUNT_HIGH, COUNT_HIGH, &at, &r->error, err));
    PASS(number_read(s, "epochs", 0, COUNT_HIGH, &at, &r->epochs, err));
    PASS(number_read(s, "max_per_switch", 0, COUNT_HIGH, &at, &r->max_switch, err));
    PASS(number_read(s, "max_per_socket", 0, COUNT_HIGH, &at, &r->max_socket, err));
    r->epoch_seconds = doc_number(doc_get(s, "epoch_time"), "seconds");
    PASS(nested_read(s, "gpus", REPORT_GPUS_MAX, &at, &r->gpus, err));
    PASS(nested_read(s, "traffic_bytes", REPORT_GPUS_MAX, &at, &r->traffic, err));
    r->seed = doc_is_integer(doc_get(s, "seed")) ? doc_get(s, "seed") : NULL;
    return ST_OK;
}

static enum st status_read(const doc *object, const struct place *at, struct result_row *r, struct err *err)
{
    const char *text;
    PASS(text_read(object, "status", at, &text, err));
    PASS(text_read(object, "reason", at, &r->reason, err));
    r->status = ROW_OK;
    if (!text || !strcmp(text, "ok")) return ST_OK;
    if (!strcmp(text, "oom")) r->status = ROW_OOM;
    else if (!strcmp(text, "unsupported")) r->status = ROW_UNSUPPORTED;
    else
        return err_set(err, ST_INPUT, "%s: row %llu: status is \"%.60s\"; expected ok, oom or unsupported", at->file,
                       (unsigned long long)at->number, text);
    return ST_OK;
}

/* A foreign word is no reason to refuse a row: then nothing is said. */
static const char *budget_per(const doc *object)
{
    const char *per = doc_text_value(doc_get(object, "budget_per"), "");
    return !strcmp(per, "gpu") ? " per GPU" : !strcmp(per, "clique") ? " per clique" : "";
}

static enum st row_read(const doc *object, const struct place *at, struct result_row *r, struct err *err)
{
    const doc *predicted;
    struct place inner = {at->file, at->number, "predicted: "};
    PASS(text_read(object, "policy", at, &r->policy, err));
    PASS(text_read(object, "server", at, &r->server, err));
    PASS(text_read(object, "graph", at, &r->graph, err));
    PASS(text_read(object, "reach", at, &r->reach, err));
    PASS(text_read(object, "budget", at, &r->budget, err));
    r->per = budget_per(object);
    PASS(number_read(object, "budget_bytes", 0, COUNT_HIGH, at, &r->budget_bytes, err));
    PASS(number_read(object, "budget_share", 0, COUNT_HIGH, at, &r->share, err));
    PASS(number_read(object, "uncached_transactions", 0, COUNT_HIGH, at, &r->uncached, err));
    PASS(nested_read(object, "cliques", REPORT_CLIQUES_MAX, at, &r->cliques, err));
    PASS(nested_read(object, "sampler_gpus", REPORT_GPUS_MAX, at, &r->samplers, err));
    PASS(nested_read(object, "tables", REPORT_TABLES_MAX, at, &r->tables, err));
    PASS(nested_read(object, "cache_types", REPORT_TABLES_MAX, at, &r->rounded, err));
    PASS(status_read(object, at, r, err));
    PASS(nested_read(object, "predicted", 0, at, &predicted, err));
    PASS(rates_read(predicted, &inner, &r->predicted, err));
    PASS(simulated_read(object, *at, r, err));
    if (!r->policy || !*r->policy) r->policy = "unnamed policy";
    if (!r->server || !*r->server) r->server = "unnamed server";
    if (!r->graph || !*r->graph) r->graph = "unnamed graph";
    return ST_OK;
}

/* A plan says bytes; the share follows from its graph. */
static void plan_budget(const doc *plan, struct result_row *r)
{
    const doc *graph = doc_get(plan, "graph");
    double bytes = 4 * document_number(graph, "edges") + 8 * document_number(graph, "vertices") +
                   document_number(graph, "vertices") * document_number(graph, "feature_dim") *
                       document_number(graph, "feature_bytes");
    double held = document_number(doc_at(r->cliques, 0), "budget_bytes");
    if (isnan(r->budget_bytes)) r->budget_bytes = document_number(doc_at(doc_get(plan, "gpus"), 0), "budget_bytes");
    if (isnan(r->share) && bytes > 0 && held >= 0) r->share = held / bytes;
    if (r->budget_bytes < 0) r->budget_bytes = NAN;
}

static enum st row_add(struct result_rows *rows, const doc *object, const struct place *at, struct err *err)
{
    enum st st = ST_OK;
    if (!doc_is_object(object))
        FAIL(ST_INPUT, "%s: row %llu is not an object; expected the rows that hotset compare or simulate writes",
             at->file, (unsigned long long)at->number);
    if (rows->count == rows->capacity) {
        uint64_t capacity = rows->capacity ? 2 * rows->capacity : 64;
        GROW(rows->list, capacity, "rows");
        rows->capacity = capacity;
    }
    rows->list[rows->count] = (struct result_row){.source = rows->source_count - 1,
                                                  .number = at->number,
                                                  .object = object};
    TRY(row_read(object, at, &rows->list[rows->count], err));
    rows->count++;
done:
    return st;
}

static enum st results_add(struct result_rows *rows, const doc *root, const char *file, struct err *err)
{
    doc *list;
    PASS(doc_need_array(root, "rows", file, &list, err));
    if (rows->count + doc_size(list) > REPORT_ROWS_MAX)
        return err_set(err, ST_LIMIT,
                       "%s: %llu rows, and at most %d can be drawn; give fewer files, or compare fewer policies and "
                       "budgets at a time",
                       file, (unsigned long long)doc_size(list), REPORT_ROWS_MAX);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        struct place at = {file, i + 1, ""};
        PASS(row_add(rows, doc_at(list, i), &at, err));
    }
    return ST_OK;
}

static enum st source_add(struct result_rows *rows, const char *input, struct err *err)
{
    char path[PATH_BYTES], trimmed[PATH_BYTES];
    const char *schema;
    struct result_source *s = &rows->sources[rows->source_count];
    if (file_is_directory(input)) PASS(folder_document(path, input, "plan.json", err));
    else snprintf(path, sizeof path, "%s", input);
    PASS(doc_load_sealed(path, NULL, &s->root, NULL, err));
    rows->source_count++;
    snprintf(s->name, sizeof s->name, "%.200s", path_base(path_trim(input, trimmed)));
    schema = doc_text_value(doc_get(s->root, "schema"), "");
    s->workload = doc_is_object(doc_get(s->root, "workload")) ? doc_get(s->root, "workload") : NULL;
    if (!strcmp(schema, "results/1")) PASS(results_add(rows, s->root, path, err));
    else if (!strcmp(schema, "plan/1")) {
        struct place at = {path, 1, ""};
        PASS(row_add(rows, s->root, &at, err));
        plan_budget(s->root, &rows->list[rows->count - 1]);
    } else if (!strcmp(schema, "plan/2")) {
        struct place at = {path, 1, ""};
        s->row = plan_row(s->root);
        PASS(row_add(rows, s->row, &at, err));
    } else PASS(document_refuse(schema, path, err));
    return ST_OK;
}

enum st result_rows_load(const char *const *inputs, int count, struct result_rows *out, struct err *err)
{
    MAKE(out->sources, count, "result documents");
    for (int i = 0; i < count; i++) PASS(source_add(out, inputs[i], err));
    if (!out->count)
        return err_set(err, ST_INPUT,
                       "%s: rows is empty, and so %s; give a file that hotset compare wrote with at least one policy "
                       "and budget",
                       inputs[0], count > 1 ? "are those of all other inputs" : "there is nothing to draw");
    return ST_OK;
}

void result_rows_release(struct result_rows *r)
{
    for (int i = 0; i < r->source_count; i++) {
        doc_free(r->sources[i].root);
        doc_free(r->sources[i].row);
    }
    mem_free(r->sources);
    mem_free(r->list);
    *r = (struct result_rows){0};
}

static double first_of(double simulated, double predicted) { return isnan(simulated) ? predicted : simulated; }
double row_total(const struct result_row *r) { return first_of(r->simulated.total, r->predicted.total); }
double row_feature_hit(const struct result_row *r)
{
    return first_of(r->simulated.feature_hit, r->predicted.feature_hit);
}
double row_topology_hit(const struct result_row *r)
{
    return first_of(r->simulated.topology_hit, r->predicted.topology_hit);
}

double row_error(const struct result_row *r)
{
    if (!isnan(r->error)) return r->error;
    return r->simulated.total > 0 ? r->predicted.total / r->simulated.total - 1 : NAN;
}

const char *row_status_text(const struct result_row *r)
{
    static const char *const names[] = {"ok", "oom", "unsupported"};
    return names[r->status];
}
