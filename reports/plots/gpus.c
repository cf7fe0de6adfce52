/* gpus.c - who serves reads: of each GPU, of each type and relation, and of each pair of GPUs. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/plots/plots.h"

enum { PLACES = 3 };
static const char *const place_keys[PLACES] = {"local", "peer", "host"};

/* Shares by place of an object's counts; false where none was counted. */
static bool shares_read(const doc *of, double out[PLACES])
{
    double sum = 0;
    for (int i = 0; i < PLACES; i++) {
        out[i] = fmax(0, document_count(of, place_keys[i])); /* fmax passes over NaN */
        sum += out[i];
    }
    for (int i = 0; i < PLACES; i++) out[i] = sum > 0 ? out[i] / sum : NAN;
    return sum > 0;
}

/* Adds a part of stacked bars per object; axis: along which they reach. why: what stands where an object has no reads.
 */
static void shares_add(struct drawing *d, const doc *list, int count, const char *key, int axis,
                       const char *const *names, const char *(*why)(const void *of, int number), const void *of)
{
    for (int part = 0; part < PLACES; part++) {
        drawing_bars(d, names[part], style_tiers[part], part ? SERIES_STACKED : 0);
        for (int i = 0; i < count; i++) {
            double share[PLACES], from = 0;
            const bool any = shares_read(doc_get(doc_at(list, (uint64_t)i), key), share);
            for (int k = 0; k < part; k++) from += share[k];
            const double end = from + share[part];
            struct drawing_point *p = drawing_point(d, axis == AXIS_X ? end : i, axis == AXIS_X ? i : end, NULL);
            p->from = any ? from : 0;
            if (!any && !part && *why(of, i)) p->text = drawing_say(d, "%s", why(of, i));
        }
    }
}

/* ---- each GPU: a small panel per policy ---- */

static const char *no_reads_of_gpu(const void *of, int number)
{
    enum { NAMED_MOST = 12 };
    const struct result_row *r = of;
    const double id = document_number(doc_at(r->gpus, (uint64_t)number), "id");
    if (doc_size(r->gpus) > NAMED_MOST) return "";
    for (uint64_t i = 0; i < doc_size(r->samplers); i++)
        if (id == doc_real_value(doc_at(r->samplers, i), NAN)) return "sampler";
    return "no reads";
}

static int gpus_drawn(const struct result_row *r, const char *key)
{
    double share[PLACES];
    int n = 0;
    for (uint64_t i = 0; r && i < doc_size(r->gpus); i++) n += shares_read(doc_get(doc_at(r->gpus, i), key), share);
    return n;
}

/* Panels side by side: as many as keep their bars apart, in lines of equal length. */
static int across_of(int panels, int gpus)
{
    const int most = gpus <= 8 ? 6 : gpus <= 24 ? 4 : 2, lines = (panels + most - 1) / most;
    return (panels + lines - 1) / lines;
}

static enum st kind_draw(struct figures *figures, const struct grid *grid, const char *what, const char *key,
                         const char *title, const char *unit, struct err *err)
{
    enum { PANELS = 30 };
    static const char *const names[] = {"own memory", "peer over NVLink", "host over PCIe"};
    OWNED_BY(drawing_release) struct drawing d = {.tall = 94};
    int shown[GRID_POLICIES_MAX], n = 0;
    bool samplers = false;
    char text[GRID_BUDGET_TEXT];
    for (int p = 0; p < grid->policy_count; p++)
        if (gpus_drawn(grid_row(grid, p, grid->middle), key)) shown[n++] = p;
    const int fit = n < PANELS ? n : PANELS;
    if (fit) d.across = across_of(fit, gpus_drawn(grid_row(grid, shown[0], grid->middle), key));
    for (int i = 0; i < fit; i++) {
        const struct result_row *r = grid_row(grid, shown[i], grid->middle);
        samplers |= r->samplers != NULL;
        snprintf(text, sizeof text, "share of %s", unit);
        drawing_panel(&d, grid->label[shown[i]], &(struct drawing_axis){.title = "GPU", .flags = AXIS_NAMES},
                      &(struct drawing_axis){fit > d.across ? "share" : text, QUANTITY_RATE, AXIS_EXACT, 0, 1});
        for (uint64_t g = 0; g < doc_size(r->gpus); g++) {
            const double id = document_number(doc_at(r->gpus, g), "id");
            snprintf(text, sizeof text, isnan(id) ? "?" : "%.6g", id);
            drawing_tick(&d, AXIS_X, (double)g, text);
        }
        shares_add(&d, r->gpus, (int)doc_size(r->gpus), key, AXIS_Y, names, no_reads_of_gpu, r);
    }
    drawing_caption(&d,
                    "Budget %s. Each bar is one GPU and adds up to all of its %s over the simulated epochs. Only the "
                    "part from the host crosses PCIe. Where bars differ, some GPUs are served better than others.",
                    grid_budget_text(grid, grid->middle, text), unit);
    if (fit > 1) drawing_caption(&d, " Policies are sorted by transactions, the fewest first.");
    if (samplers)
        drawing_caption(&d, " A sampler is a GPU that draws mini-batches for the others and trains nothing; it has no "
                            "bar.");
    if (n > fit) drawing_caption(&d, " The first %d of %d policies are drawn.", fit, n);
    return drawing_write(&d, figures, &grid->subject, what, title, err);
}

enum st plot_gpus(struct figures *figures, const struct grid *grid, struct err *err)
{
    PASS(
        kind_draw(figures, grid, "gpus-features", "feature_rows", "Where feature rows come from", "feature rows", err));
    return kind_draw(figures, grid, "gpus-topology", "topology_visits", "Where topology visits are served",
                     "topology visits", err);
}

/* ---- each type and relation ---- */

static const char *no_reads(const void *of, int number)
{
    (void)of;
    (void)number;
    return "no reads";
}

static int kind_of(const doc *table)
{
    const char *kind = document_text(table, "kind");
    return !strcmp(kind, "topology") ? 0 : !strcmp(kind, "feature") ? 1 : 2;
}

static void types_panel(struct drawing *d, const doc *tables, int count, const char *heading,
                        const struct drawing_axis *drawing_axis)
{
    char name[STYLE_NAME];
    drawing_panel(d, heading, drawing_axis, &(struct drawing_axis){.flags = AXIS_NAMES});
    for (int i = 0; i < count; i++)
        drawing_tick(d, AXIS_Y, i, style_cut(name, document_text(doc_at(tables, (uint64_t)i), "label"), 42));
}

enum st plot_types(struct figures *figures, const struct grid *grid, struct err *err)
{
    enum { DRAWN_MOST = 60, KINDS = 3 };
    static const unsigned colours[KINDS] = {0x00805F, 0xB07A00, 0x7A4E9E};
    static const char *const kinds[KINDS] = {"topology", "features", "edge features"}, *const places[] = {"own memory",
                                                                                                          "peer",
                                                                                                          "host"};
    OWNED_BY(drawing_release) struct drawing d = {0};
    const doc *tables = NULL;
    int policy = 0;
    bool reads = false;
    double share[PLACES];
    char title[200], name[STYLE_NAME], text[GRID_BUDGET_TEXT];
    for (; policy < grid->policy_count && !doc_size(tables); policy++)
        if (grid_row(grid, policy, grid->middle)) tables = grid_row(grid, policy, grid->middle)->tables;
    if (!doc_size(tables)) return ST_OK;
    policy--;
    const int count = doc_size(tables) < DRAWN_MOST ? (int)doc_size(tables) : DRAWN_MOST;
    types_panel(&d, tables, count, "Bytes held, all GPUs together", &(struct drawing_axis){.quantity = QUANTITY_BYTES});
    for (int k = 0; k < KINDS; k++) {
        drawing_bars(&d, kinds[k], colours[k], SERIES_STACKED);
        for (int i = 0; i < count; i++) {
            const doc *table = doc_at(tables, (uint64_t)i);
            const double bytes = fmax(0, document_count(table, "held_bytes"));
            reads |= shares_read(doc_get(table, "reads"), share);
            if (kind_of(table) != k) continue;
            drawing_point(&d, bytes, i, NULL)->text = drawing_say(&d, "%s", bytes > 0 ? style_bytes(text, bytes) : "0");
        }
    }
    if (reads) {
        types_panel(&d, tables, count, "Who serves the reads",
                    &(struct drawing_axis){NULL, QUANTITY_RATE, AXIS_EXACT, 0, 1});
        shares_add(&d, tables, count, "reads", AXIS_X, places, no_reads, NULL);
    }
    drawing_caption(&d,
                    "Policy %s at budget %s. %s the bytes that all GPUs hold of each relation's topology and each "
                    "type's features; copies on several GPUs count each.%s",
                    grid_policy(grid, policy, 60, name), grid_budget_text(grid, grid->middle, text),
                    reads ? "Left:" : "Drawn are",
                    reads ? " Right: who served its reads in the simulated epochs; only the part from the host crosses "
                            "PCIe."
                          : "");
    if (count < (int)doc_size(tables))
        drawing_caption(&d, " The first %d of %d are drawn.", count, (int)doc_size(tables));
    snprintf(title, sizeof title, "Rows by type and relation: %s at %s", grid_policy(grid, policy, 30, name),
             grid->budgets[grid->middle].label);
    return drawing_write(&d, figures, &grid->subject, "types", title, err);
}

/* ---- each pair: who read how many bytes from whom ---- */

enum { READERS_MOST = 80, TEXT_MOST = 10 };

/* Bytes that reader i took from source j per epoch, as all numbers of a page; of all epochs where the row does not say
 * how many there were. NaN when the cell is not there. */
static double cell_bytes(const struct result_row *r, uint64_t i, uint64_t j)
{
    double bytes = doc_real_value(doc_at(doc_at(r->traffic, i), j), NAN) / (r->epochs > 0 ? r->epochs : 1);
    return bytes >= 0 && bytes < 1e300 ? bytes : NAN;
}

/* Accepts a full matrix of readers x (readers + 1), of a size that can be read on paper; *most: of its cells. */
static bool matrix_read(const struct result_row *r, double *most)
{
    const uint64_t n = r ? doc_size(r->traffic) : 0;
    *most = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!doc_is_array(doc_at(r->traffic, i)) || doc_size(doc_at(r->traffic, i)) != n + 1) return false;
        for (uint64_t j = 0; j <= n; j++) {
            if (isnan(cell_bytes(r, i, j))) return false;
            *most = fmax(*most, cell_bytes(r, i, j));
        }
    }
    return n && n <= READERS_MOST;
}

static const char *gpu_name(const struct result_row *r, uint64_t i, char out[STYLE_TEXT])
{
    const uint64_t n = doc_size(r->traffic);
    const double id = i < n && doc_size(r->gpus) == n ? document_number(doc_at(r->gpus, i), "id") : (double)i;
    if (i == n) snprintf(out, STYLE_TEXT, "host");
    else snprintf(out, STYLE_TEXT, n > TEXT_MOST ? "%.6g" : "GPU %.6g", isnan(id) ? (double)i : id);
    return out;
}

enum st plot_traffic(struct figures *figures, const struct grid *grid, struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {0};
    char title[200], name[STYLE_NAME], text[2][STYLE_TEXT], bytes[STYLE_TEXT], budget[GRID_BUDGET_TEXT];
    double most = 0;
    int policy = grid->best < 0 ? 0 : grid->best;
    if (!grid->policy_count || !matrix_read(grid_row(grid, policy, grid->middle), &most)) {
        for (policy = 0; policy < grid->policy_count; policy++)
            if (matrix_read(grid_row(grid, policy, grid->middle), &most)) break;
        if (policy >= grid->policy_count) return ST_OK;
    }
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    const uint64_t n = doc_size(r->traffic);
    drawing_panel(&d, NULL,
                  &(struct drawing_axis){.title = "source: the memory that held the bytes", .flags = AXIS_NAMES},
                  &(struct drawing_axis){.title = "reader", .flags = AXIS_NAMES});
    drawing_mark(&d, AXIS_X, (double)n - 0.5, 0, 0xD55E00, NULL);
    drawing_series(&d, &(struct drawing_series){.name = "bytes", .colour = 0x8CC0E3, .shape = DRAWING_CELLS});
    for (uint64_t j = 0; j <= n; j++) drawing_tick(&d, AXIS_X, (double)j, gpu_name(r, j, text[0]));
    for (uint64_t i = 0; i < n; i++) {
        drawing_tick(&d, AXIS_Y, (double)i, gpu_name(r, i, text[0]));
        for (uint64_t j = 0; j <= n; j++) {
            const double v = cell_bytes(r, i, j);
            struct drawing_point *p = drawing_point(&d, (double)j, v, NULL);
            p->from = (double)i;
            if (n > TEXT_MOST) continue;
            p->text = drawing_say(&d, "%s", v > 0 ? style_bytes(bytes, v) : "0");
            p->says = drawing_say(&d, "%s from %s: %s", gpu_name(r, i, text[0]), gpu_name(r, j, text[1]),
                                  style_bytes(bytes, v));
        }
    }
    drawing_caption(&d,
                    "Policy %s%s at budget %s. Each row is a GPU that reads, each column the memory that serves it. "
                    "The diagonal is the GPU's own memory, other GPUs are peers over NVLink, and the last column, "
                    "right of the line, is the host over PCIe. Cells show useful bytes %s. The stronger the "
                    "colour, the more, on a square-root scale; the most is %s.",
                    grid_policy(grid, policy, 60, name),
                    grid_is_plan(grid)     ? ""
                    : policy == grid->best ? ", the best,"
                                           : ", the first one that states its traffic,",
                    grid_budget_text(grid, grid->middle, budget),
                    r->epochs > 0 ? "of an epoch" : "over all simulated epochs", style_bytes(bytes, most));
    snprintf(title, sizeof title, "Bytes read by %s at %s", grid_policy(grid, policy, 30, name),
             grid->budgets[grid->middle].label);
    return drawing_write(&d, figures, &grid->subject, "traffic", title, err);
}
