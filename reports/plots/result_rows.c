/* result_rows.c - reading result documents into rows; see result_rows.h. */
#include "reports/plots/result_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/doc_seal.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/mem.h"
#include "reports/formats/document.h"

static enum st interval_read(const char *file, struct result_row *r, struct err *err)
{
    r->low = r->ends ? fmax(0, r->interval[0]) : NAN;
    r->high = r->ends ? r->interval[1] : NAN;
    if (r->low > r->high)
        return err_set(err, ST_INPUT,
                       "%s: row %llu: simulated: total_interval ends (%g) before it begins (%g); expected [low, high]",
                       file, (unsigned long long)r->number, r->high, r->low);
    return ST_OK;
}

/* Lists that are drawn, by their paths in a row. */
static enum st lists_find(const char *file, struct result_row *r, struct err *err)
{
    const struct {
        const char *path;
        uint64_t most;
        const doc **to;
    } lists[] = {{"simulated.gpus", REPORT_GPUS_MAX, &r->gpus},
                 {"simulated.traffic_bytes", REPORT_GPUS_MAX, &r->traffic},
                 {"cliques", REPORT_CLIQUES_MAX, &r->cliques},
                 {"sampler_gpus", REPORT_GPUS_MAX, &r->samplers},
                 {"tables", REPORT_TABLES_MAX, &r->tables},
                 {"cache_types", REPORT_TABLES_MAX, &r->rounded}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const doc *list = doc_path(r->object, lists[i].path);
        *lists[i].to = doc_is_array(list) ? list : NULL;
        if (doc_size(list) > lists[i].most)
            return err_set(err, ST_LIMIT, "%s: row %llu: %s has %llu members, and at most %llu can be drawn", file,
                           (unsigned long long)r->number, lists[i].path, (unsigned long long)doc_size(list),
                           (unsigned long long)lists[i].most);
    }
    return ST_OK;
}

static const char *name_of(const char *name, const char *unnamed) { return name && *name ? name : unnamed; }

/* Ends a row that its table filled. A foreign word of `budget_per` is no reason to refuse it: then nothing is said. */
static enum st row_end(const struct result_rows *rows, const doc *object, uint64_t number, const char *file,
                       struct result_row *r, struct err *err)
{
    const char *per = doc_text_value(doc_get(object, "budget_per"), ""), *path = "simulated.seed";
    r->per = !strcmp(per, "gpu") ? " per GPU" : !strcmp(per, "clique") ? " per clique" : "";
    r->source = rows->source_count - 1;
    r->number = number;
    r->object = object;
    r->seed = doc_is_integer(doc_path(object, path)) ? doc_path(object, path) : NULL;
    r->policy = name_of(r->policy, "unnamed policy");
    r->server = name_of(r->server, "unnamed server");
    r->graph = name_of(r->graph, "unnamed graph");
    PASS(interval_read(file, r, err));
    return lists_find(file, r, err);
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

/* Room for so many more rows. */
static enum st rows_room(struct result_rows *rows, uint64_t more, const char *file, struct err *err)
{
    enum st st = ST_OK;
    if (rows->count + more > REPORT_ROWS_MAX)
        FAIL(ST_LIMIT,
             "%s: %llu rows, and at most %d can be drawn; give fewer files, or compare fewer policies and budgets at a "
             "time",
             file, (unsigned long long)more, REPORT_ROWS_MAX);
    GROW(rows->list, rows->count + more, "rows");
done:
    return st;
}

static enum st results_add(struct result_rows *rows, const doc *root, const char *file, struct err *err)
{
    const doc *list = doc_get(root, "rows");
    PASS(rows_room(rows, doc_size(list), file, err));
    struct result_list added = {.row = rows->list + rows->count};
    PASS(fields_read(results_fields, root, file, &added, err));
    for (int i = 0; i < added.count; i++)
        PASS(row_end(rows, doc_at(list, (uint64_t)i), (uint64_t)i + 1, file, &added.row[i], err));
    rows->count += (uint64_t)added.count;
    return ST_OK;
}

static enum st plan_add(struct result_rows *rows, const doc *plan, const char *file, struct err *err)
{
    PASS(rows_room(rows, 1, file, err));
    struct result_row *r = &rows->list[rows->count];
    PASS(fields_read(plan_row_fields, plan, file, r, err));
    PASS(row_end(rows, plan, 1, file, r, err));
    rows->count++;
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
        PASS(plan_add(rows, s->root, path, err));
        plan_budget(s->root, &rows->list[rows->count - 1]);
    } else if (!strcmp(schema, "plan/2")) {
        s->row = plan_row(s->root);
        PASS(plan_add(rows, s->row, path, err));
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
