/* executed_page.c - the page of executed plans; see reports/shell/page_kind.h. */
#include "reports/shell/page_kind.h"

#include <math.h>
#include <string.h>
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/html.h"
#include "reports/tables/tables.h"
#include "reports/formats/document_table.h"

/* ---- reading ---- */

enum { GPUS_MOST = 256, POINTS_MOST = 1001 };

static enum st check_points(const doc *points, const char *path, struct err *err)
{
    double before = -1;
    if (!doc_is_array(points) || doc_size(points) > POINTS_MOST)
        return err_set(err, ST_INPUT,
                       "%s: \"points\" of \"sweep\" is not a list of at most %d points; write the document again with "
                       "hotset execute --sweep",
                       path, POINTS_MOST);
    for (uint64_t i = 0; i < doc_size(points); i++) {
        double alpha = document_count(doc_at(points, i), "alpha");
        if (!(alpha > before && alpha <= 1))
            return err_set(err, ST_INPUT,
                           "%s: point %d of \"sweep\" has no alpha in 0..1 above the one before; write the document "
                           "again with hotset execute --sweep",
                           path, (int)i + 1);
        before = alpha;
    }
    return ST_OK;
}

static enum st executed_page_check(const doc *root, const char *path, struct err *err)
{
    const doc *sweep = doc_get(root, "sweep"), *gpus = doc_get(root, "gpus");
    doc *totals;
    PASS(doc_need_object(root, "totals", path, &totals, err));
    if (doc_size(gpus) > GPUS_MOST)
        return err_set(err, ST_LIMIT, "%s: has %llu GPUs, and at most %d can be drawn; execute fewer with --gpu", path,
                       (unsigned long long)doc_size(gpus), GPUS_MOST);
    return doc_is_object(sweep) ? check_points(doc_get(sweep, "points"), path, err) : ST_OK;
}

/* ---- figures ---- */

/* How a number of transactions is known. */
enum { KINDS = 4, COUNTED = 2 };
static const char *const kinds[KINDS] = {"predicted", "simulated", "counted", "measured"};

/* ---- transactions and time against alpha (Legion, figure 13) ---- */

static const struct drawing_axis alpha_axis = {"alpha (share of the budget for topology)", QUANTITY_COUNT, AXIS_EXACT,
                                               0, 1};

/* A line over the sweep; dashed where it must cover another. */
static void sweep_add(struct drawing *d, const doc *points, const char *of, const char *key, const char *name,
                      unsigned colour, bool dashed, enum quantity quantity)
{
    bool any = false;
    char text[STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(points); i++) any |= !isnan(document_count(doc_get(doc_at(points, i), of), key));
    if (!any) return;
    drawing_series(d,
                   &(struct drawing_series){.name = name, .colour = colour, .dash = dashed, .width = 2, .size = 0.45});
    for (uint64_t i = 0; i < doc_size(points); i++) {
        const double alpha = document_count(doc_at(points, i), "alpha"),
                     v = document_count(doc_get(doc_at(points, i), of), key);
        drawing_point(d, alpha, v, "alpha %.3g, %s: %s", alpha, name, style_quantity(text, quantity, v));
    }
}

static enum st alpha_draw(struct figures *figures, const doc *root, const struct figure_subject *subject,
                          struct err *err)
{
    static const unsigned colours[KINDS] = {0x0B4F8A, 0x9A6B00, 0x1B7A4B, 0xA32638};
    const doc *points = doc_get(doc_get(root, "sweep"), "points"), *best = doc_get(doc_get(root, "sweep"), "best"),
              *near = doc_get(best, "within_one_step");
    const double least = document_number(best, "predicted");
    const char *by = document_text(best, "judged_by");
    OWNED_BY(drawing_release) struct drawing d = {0};
    if (doc_size(points) < 2) return ST_OK;
    drawing_panel(&d, NULL, &alpha_axis,
                  &(struct drawing_axis){"PCIe transactions per epoch", QUANTITY_COUNT, 0, 0, 0});
    if (least >= 0 && least <= 1) drawing_mark(&d, AXIS_X, least, 0, colours[0], NULL);
    for (int k = 0; k < KINDS; k++)
        sweep_add(&d, points, kinds[k], "total_transactions", kinds[k], colours[k], k == COUNTED, QUANTITY_COUNT);
    drawing_panel(&d, NULL, &alpha_axis, &(struct drawing_axis){"time per epoch, all GPUs", QUANTITY_SECONDS, 0, 0, 0});
    sweep_add(&d, points, "seconds", "gather_host", "gather host", 0x6A4FB0, false, QUANTITY_SECONDS);
    sweep_add(&d, points, "seconds", "total", "all stages", 0x5B6570, false, QUANTITY_SECONDS);
    drawing_caption(&d,
                    "Each point is a plan with the same budget and that share of it for topology, executed on the same "
                    "held-out mini-batches. At the left the whole budget goes to features, at the right to topology. "
                    "The dashed line is the alpha with the least predicted transactions. Legion's figure 13: the alpha "
                    "with the least %s should be within one step of the alpha with the least predicted transactions; "
                    "here it is%s.",
                    !strcmp(by, "measured")  ? "measured transactions"
                    : !strcmp(by, "seconds") ? "time"
                                             : "counted transactions",
                    doc_is_null(near)             ? " not known"
                    : doc_bool_value(near, false) ? ""
                                                  : " not");
    return drawing_write(&d, figures, subject, "alpha", "Transactions and time by alpha", err);
}

/* ---- transactions per epoch by how they are known ---- */

enum { TOPOLOGY, FEATURES, NOT_SEPARATED, PARTS };

/* A part of a bar: of topology and features, of features alone, or of a total whose parts are not known. */
static void part_add(struct drawing *d, const doc *kind, int at, int part, const char *name)
{
    const double topology = document_count(kind, "topology_transactions"),
                 features = document_count(kind, "feature_transactions"),
                 total = document_count(kind, "total_transactions"),
                 value[PARTS] = {isnan(features) ? NAN : topology, features, isnan(features) ? total : NAN},
                 from = part == FEATURES && topology >= 0 ? topology : 0, top = isnan(total) ? features : total;
    const bool last = part == FEATURES ? !isnan(features) : part == NOT_SEPARATED && isnan(features);
    char text[STYLE_TEXT];
    if (isnan(value[part]) && !last) return;
    struct drawing_point *p = drawing_point(d, at, from + value[part], "%s, %s: %s", kinds[at], name,
                                            style_count(text, value[part]));
    p->from = from;
    if (last) p->text = drawing_say(d, "%s", isnan(top) ? "not known" : style_count(text, top));
}

static enum st transactions_draw(struct figures *figures, const doc *root, const struct figure_subject *subject,
                                 struct err *err)
{
    static const struct drawing_series parts[PARTS] =
        {{.name = "topology", .colour = 0x1B7A4B, .shape = DRAWING_BARS},
         {.name = "features", .colour = 0xE0A100, .shape = DRAWING_BARS, .flags = SERIES_STACKED},
         {.name = "not separated", .colour = 0x8C8C8C, .shape = DRAWING_BARS, .flags = SERIES_STACKED}};
    OWNED_BY(drawing_release) struct drawing d = {0};
    drawing_panel(&d, NULL, &(struct drawing_axis){.flags = AXIS_NAMES},
                  &(struct drawing_axis){"PCIe transactions per epoch", QUANTITY_COUNT, 0, 0, 0});
    for (int k = 0; k < KINDS; k++) drawing_tick(&d, AXIS_X, k, kinds[k]);
    for (int part = 0; part < PARTS; part++) {
        drawing_series(&d, &parts[part]);
        for (int k = 0; k < KINDS; k++)
            part_add(&d, doc_get(doc_get(root, "totals"), kinds[k]), k, part, parts[part].name);
    }
    drawing_caption(&d, "Predicted by the plan; simulated on held-out epochs; counted while the mini-batches were "
                        "executed; "
                        "measured where the machine allows it. Counted must equal simulated where both are of the same "
                        "mini-batches. A bar of features alone: topology could not be measured.");
    return drawing_write(&d, figures, subject, "transactions", "Transactions per epoch", err);
}

/* ---- the time of a mini-batch by stage ---- */

static enum st stages_draw(struct figures *figures, const doc *root, const struct figure_subject *subject,
                           struct err *err)
{
    enum { GROUPS = 16, STAGES = 5 };
    static const struct {
        const char *key, *name;
        unsigned colour;
    } stages[STAGES] = {{"sample", "sample", 0xE0A100},
                        {"lookup", "look up", 0x8C8C8C},
                        {"gather_own", "gather own", 0x1B7A4B},
                        {"gather_peer", "gather peer", 0x6A4FB0},
                        {"gather_host", "gather host", 0x0B4F8A}};
    OWNED_BY(drawing_release) struct drawing d = {0};
    const doc *gpus = doc_get(root, "gpus");
    const int n = doc_size(gpus) < GROUPS ? (int)doc_size(gpus) : GROUPS;
    char text[STYLE_TEXT];
    drawing_panel(&d, NULL, &(struct drawing_axis){.title = "GPU", .flags = AXIS_NAMES},
                  &(struct drawing_axis){"median time per mini-batch", QUANTITY_SECONDS, 0, 0, 0});
    for (int g = 0; g < n; g++)
        drawing_tick(&d, AXIS_X, g, style_form(text, "%.0f", document_count(doc_at(gpus, (uint64_t)g), "id")));
    for (int k = 0; k < STAGES; k++) {
        drawing_bars(&d, stages[k].name, stages[k].colour, 0);
        for (int g = 0; g < n; g++) {
            const doc *gpu = doc_at(gpus, (uint64_t)g);
            const double v = document_count(doc_get(doc_get(gpu, "stages"), stages[k].key), "median_seconds");
            drawing_point(&d, g, v, "GPU %.0f, %s: %s", document_count(gpu, "id"), stages[k].name,
                          style_seconds(text, v));
        }
    }
    drawing_caption(&d,
                    "Executed by %s. Gathers read feature rows from the GPU's own cache, from peers and from the host. "
                    "Only reads from the host cross PCIe, on a machine that has one.",
                    doc_text_value(doc_get(doc_get(root, "machine"), "device"), "?"));
    if (!strcmp(document_text(doc_get(root, "machine"), "kind"), "cpu"))
        drawing_caption(&d, " All GPUs of the plan were played by these shared threads: where their times differ, it "
                            "is noise of the machine and no property of a GPU.");
    if ((uint64_t)n < doc_size(gpus))
        drawing_caption(&d, " The first %d of %d GPUs are drawn.", n, (int)doc_size(gpus));
    return drawing_write(&d, figures, subject, "stages", "Time of a mini-batch by stage", err);
}

static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    PASS(alpha_draw(figures, root, subject, err));
    PASS(transactions_draw(figures, root, subject, err));
    return stages_draw(figures, root, subject, err);
}

/* ---- the page ---- */

static void notes_list(const doc *root, FILE *to)
{
    const doc *notes = doc_get(root, "notes"), *measured = doc_get(doc_at(doc_get(root, "gpus"), 0), "measured");
    const char *how[] = {doc_text_value(doc_get(measured, "feature_how"), NULL),
                         doc_text_value(doc_get(measured, "total_how"), NULL)};
    fputs("<h3>Notes</h3>\n<ul>\n", to);
    for (int i = 0; i < 2; i++) {
        if (!how[i] || (i && !strcmp(how[0] ? how[0] : "", how[1]))) continue;
        fprintf(to, "<li>%s: ", i ? "Measured total" : "Measured features");
        html_text(to, !strcmp(how[i], "timed") ? "from the time that rows of the host took, at the rate of timed reads "
                                                 "of such rows"
                      : !strcmp(how[i], "counters") ? "by the driver's counter of bytes received over PCIe"
                                                    : how[i]);
        fputs(".</li>\n", to);
    }
    for (uint64_t i = 0; i < doc_size(notes); i++)
        html_element(to, "<li>", doc_text_value(doc_at(notes, i), ""), "</li>\n");
    fputs("</ul>\n", to);
}

static double total_of(const doc *root, const char *kind)
{
    return document_count(doc_get(doc_get(root, "totals"), kind), "total_transactions");
}

/* What was found, in a sentence: what the execution counted, and how far the prediction was off. */
static void answer_write(const doc *root, FILE *to)
{
    double counted = total_of(root, "counted"), measured = total_of(root, "measured"),
           predicted = total_of(root, "predicted"), known = isnan(measured) ? counted : measured;
    char text[STYLE_TEXT];
    if (isnan(known)) return;
    fputs(isnan(measured) ? "Counted while it ran: " : "Measured while it ran: ", to);
    fprintf(to, "%s PCIe transactions per epoch", style_count(text, known));
    if (predicted > 0) fprintf(to, ", %+.1f %% against the prediction", 100 * (known / predicted - 1));
    if (isnan(measured)) fputs(". This machine could not measure them", to);
    fputs(".", to);
}

static void heading_write(const doc *root, const struct figure_subject *subject, FILE *to)
{
    char text[STYLE_NAME];
    html_element(to, "", style_cut(text, doc_text_value(doc_get(root, "policy"), "?"), 60), "");
    html_element(to, " <small>", subject->graph, "");
    html_element(to, " on ", subject->server, "");
    html_element(to, ", executed by ",
                 style_cut(text, doc_text_value(doc_get(doc_get(root, "machine"), "device"), "?"), 100), "</small>");
}

static void tables_write(const doc *root, FILE *to)
{
    fputs("<h3>Transactions per epoch</h3>\n", to);
    document_columns(to, NULL,
                     &(struct column_table){.columns = execute_totals,
                                            .rows = doc_get(root, "totals"),
                                            .skip = execute_errors});
    fputs("<h3>Each GPU</h3>\n", to);
    document_table(to, NULL, doc_get(root, "gpus"), NULL, execute_times);
    notes_list(root, to);
}

extern const struct page_kind page_kind_executed_page;
const struct page_kind page_kind_executed_page = {.schema = "executed/",
                                                  .what = "results of hotset execute",
                                                  .name = "executed",
                                                  .title = "Executed cache plans",
                                                  .exact = "executed/1",
                                                  .needs = "gpus",
                                                  .slug = "policy",
                                                  .check = executed_page_check,
                                                  .draw = figures_write,
                                                  .heading = heading_write,
                                                  .sentence = answer_write,
                                                  .table = tables_write};
