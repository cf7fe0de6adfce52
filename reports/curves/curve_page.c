/* curve_page.c - the page of answers of hotset curve. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/figures/drawing.h"
#include "reports/formats/document.h"
#include "reports/formats/document_table.h"
#include "reports/formats/html.h"
#include "reports/formats/keys.h"
#include "reports/formats/style.h"
#include "reports/shell/page_kind.h"

enum { PARTS_MOST = 4096, POINTS_MOST = 100000 };

/* ---- reading ---- */

#define NEEDED .flags = FIELD_NEEDED
static const struct field line_fields[] = {KEY_TEXT("name", "Of the order of rows.", NEEDED),
                                           KEY("hit_rate", FIELD_REALS, "At every size of the cache.",
                                               .flags = FIELD_NEEDED | FIELD_GAPS, .high = 1, .least = 2,
                                               .most = POINTS_MOST),
                                           FIELDS_OPEN},
                          part_fields[] = {KEY_TEXT("unit", "Whose cache it is.", NEEDED),
                                           KEY_TEXT("table", "Whose rows.", NEEDED),
                                           KEY_LIST("lines", line_fields, "An order each.", NEEDED), FIELDS_OPEN},
                          page_fields[] = {KEY_LIST("parts", part_fields, "A cache each.", NEEDED, .least = 1,
                                                    .most = PARTS_MOST),
                                           FIELDS_OPEN};

static enum st curve_page_check(const doc *root, const char *path, struct err *err)
{
    return fields_read(page_fields, root, path, NULL, err);
}

/* ---- the page ---- */

/* Whether a part is drawn: what all caches hold together, and the first where there is no such part. */
static bool drawn(const doc *parts, uint64_t i)
{
    return !i || !strcmp(document_text(doc_at(parts, i), "unit"), "all");
}

/* Hit rate over cache size: the first lines of a part. what: ends the figure's name. */
static enum st part_draw(struct figures *figures, const doc *part, const struct figure_subject *subject,
                         const char *what, struct err *err)
{
    enum { LINES = 7, MARK_EVERY = 10 };
    static const unsigned colours[LINES] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x8E3A80, 0x000000, 0x3D7EA6, 0xA32638};
    static const int dashes[LINES] = {0, 1, 3, 2, 4, 0, 1}, marks[LINES] = {7, 5, 9, 11, 13, 6, 4};
    OWNED_BY(drawing_release) struct drawing d = {.ends = true, .tall = 314};
    const doc *lines = doc_get(part, "lines");
    char text[2][STYLE_TEXT];
    drawing_panel(&d, NULL, &(struct drawing_axis){"cache (share of all rows)", QUANTITY_RATE, 0, 0, 0},
                  &(struct drawing_axis){"hit rate (share of reads)", QUANTITY_RATE, 0, 0, 0});
    for (int i = 0; i < LINES && i < (int)doc_size(lines); i++) {
        const doc *line = doc_at(lines, (uint64_t)i), *rate = doc_get(line, "hit_rate");
        const uint64_t points = doc_size(rate);
        const char *name = document_text(line, "name");
        drawing_series(&d, &(struct drawing_series){name, NULL, colours[i], DRAWING_LINE, .dash = dashes[i],
                                                    .mark = marks[i], .every = MARK_EVERY});
        for (uint64_t k = 0; k < points; k++) {
            const double x = (double)k / (double)(points - 1), y = doc_real_value(doc_at(rate, k), NAN);
            struct drawing_point *p = drawing_point(&d, x, y, NULL);
            if (k % MARK_EVERY) continue;
            p->says = drawing_say(&d, "%.100s with %s of all rows: %s", name, style_percent(text[0], x, 0),
                                  style_percent(text[1], y, 1));
        }
    }
    drawing_caption(&d,
                    "Reads of %s rows, all %s together; all rows take %s. Rankings are filled beforehand, dynamic "
                    "caches "
                    "start empty.",
                    document_text(part, "table"), "caches", style_bytes(text[0], document_number(part, "bytes")));
    return drawing_write(&d, figures, subject, what, "Hit rate over cache size", err);
}

static enum st figures_write(struct figures *figures, const doc *root, const struct figure_subject *subject,
                             struct err *err)
{
    const doc *parts = doc_get(root, "parts");
    char what[32] = "curve";
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        if (!drawn(parts, i)) continue;
        if (i) snprintf(what, sizeof what, "curve-%llu", (unsigned long long)i);
        PASS(part_draw(figures, doc_at(parts, i), subject, what, err));
    }
    return ST_OK;
}

/* Orders that know the reads before they happen: what could be had, not what can be built. */
static bool knows_reads(const doc *line)
{
    return !strcmp(document_text(line, "name"), "optimum") || !strcmp(document_text(line, "name"), "belady");
}

/* The line of those that know the reads, or of the others, whose knee serves most; NULL: none has a knee. */
static const doc *best_line(const doc *root, bool knows)
{
    const doc *lines = doc_get(doc_at(doc_get(root, "parts"), 0), "lines"), *best = NULL;
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        const doc *line = doc_at(lines, i), *knee = doc_get(line, "knee");
        const char *rate = "hit_rate";
        if (knows_reads(line) == knows && doc_is_object(knee) &&
            !(document_number(knee, rate) <= document_number(doc_get(best, "knee"), rate)))
            best = line;
    }
    return best;
}

/* "NAME turns at 6.6 MiB per cache, which serve 84.0 % of the reads" */
static void turn_write(FILE *to, const doc *line, const char *open)
{
    const doc *knee = doc_get(line, "knee");
    char text[2][STYLE_TEXT];
    html_element(to, open, document_text(line, "name"), "");
    fprintf(to, " turns at %s per cache, which serve %s of the reads",
            style_bytes(text[0], document_number(knee, "bytes")),
            style_percent(text[1], document_number(knee, "hit_rate"), 1));
}

/* What the plan's own lists serve, at the last size that they fill. */
static void plan_write(const doc *root, FILE *to)
{
    const doc *part = doc_at(doc_get(root, "parts"), 0), *lines = doc_get(part, "lines");
    const bool cliques = !strcmp(document_text(root, "share"), "clique");
    char text[2][STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(lines); i++) {
        const doc *rate = doc_get(doc_at(lines, i), "hit_rate");
        uint64_t last = doc_size(rate);
        if (strcmp(document_text(doc_at(lines, i), "name"), "plan") != 0) continue;
        while (last && isnan(doc_real_value(doc_at(rate, last - 1), NAN))) last--;
        if (last < 2) return;
        fprintf(to, " The plan's own lists fill %s of all rows per %s and serve %s.",
                style_percent(text[0], (double)(last - 1) / (double)(doc_size(rate) - 1), 0),
                cliques ? "clique, whose GPUs read each other," : "GPU",
                style_percent(text[1], doc_real_value(doc_at(rate, last - 1), NAN), 1));
    }
}

/* The best knee of what can be built, and beside it that of what knows the reads. */
static void answer_write(const doc *root, FILE *to)
{
    const doc *built = best_line(root, false), *known = best_line(root, true);
    if (!built && !known) {
        plan_write(root, to);
        return;
    }
    turn_write(to, built ? built : known, "");
    fputs("; beyond that, more memory buys less.", to);
    plan_write(root, to);
    if (built && known) turn_write(to, known, " ");
    if (built && known) fputs("; it knows them beforehand.", to);
}

/* "512 KiB to 2 MiB": the bytes at which the knees of a line are, over single caches of a table, for they are many and
 * much alike. */
static const char *single_knees(const struct column_row *r, char out[COLUMN_TEXT])
{
    const doc *parts = r->list;
    double least = NAN, most = NAN;
    char text[2][STYLE_TEXT];
    for (uint64_t i = 0; i < doc_size(parts); i++) {
        const doc *part = doc_at(parts, i), *lines = doc_get(part, "lines");
        if (drawn(parts, i) || strcmp(document_text(part, "table"), document_text(r->of, "table")) != 0) continue;
        for (uint64_t l = 0; l < doc_size(lines); l++) {
            if (strcmp(document_text(doc_at(lines, l), "name"), document_text(r->row, "name")) != 0) continue;
            const double bytes = document_number(doc_get(doc_at(lines, l), "knee"), "bytes");
            least = fmin(least, bytes);
            most = fmax(most, bytes);
        }
    }
    snprintf(out, COLUMN_TEXT, "%s to %s", style_bytes(text[0], least), style_bytes(text[1], most));
    return isnan(least) ? "-" : out;
}

static bool kneeless(const struct column_row *r)
{
    return !drawn(r->list, r->group) || !doc_is_object(doc_get(r->row, "knee"));
}

static void knees_table(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("order or rule", "name", CELL_TEXT),
                                            COLUMN("rows", "^table", CELL_TEXT),
                                            COLUMN("knee at", "knee.bytes", CELL_BYTES, .unit = "bytes per cache"),
                                            COLUMN("of all rows", "knee.share", CELL_FORM, .form = "%.0f %%",
                                                   .times = 100),
                                            COLUMN("hit rate there", "knee.hit_rate", CELL_PERCENT, .unit = "of reads"),
                                            COLUMN("single caches", NULL, CELL_FORM, .text = single_knees,
                                                   .unit = "knees from, to"),
                                            {0}};
    document_columns(to, "Where each line turns",
                     &(struct column_table){.columns = columns,
                                            .rows = doc_get(root, "parts"),
                                            .inner = "lines",
                                            .skip = kneeless});
}

extern const struct page_kind page_kind_curve_page;
const struct page_kind page_kind_curve_page = {.schema = "curve/",
                                               .what = "answers of hotset curve",
                                               .name = "curve",
                                               .title = "How much cache is enough",
                                               .exact = "curve/1",
                                               .needs = "parts",
                                               .check = curve_page_check,
                                               .draw = figures_write,
                                               .sentence = answer_write,
                                               .table = knees_table};
