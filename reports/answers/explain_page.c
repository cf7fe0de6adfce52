/* explain_page.c - the page of answers of hotset explain: what a row saves per byte beside the last that was taken
 * (of one vertex), or where the budget ends in each table of rows. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/shell/bars.h"

enum { MIB = 1 << 20 };

static const doc *cliques_of(const doc *root) { return doc_get(root, "pools"); }

static const char *inner_of(const doc *root)
{
    return doc_get(doc_at(cliques_of(root), 0), "tables") ? "tables" : "rows";
}

/* The row or table of that number, over all cliques; *clique: which one it is of. NULL: there are no more. */
static const doc *item_of(const doc *root, int number, const doc **clique)
{
    uint64_t left = (uint64_t)number;
    for (uint64_t c = 0; c < doc_size(cliques_of(root)); c++) {
        const doc *list = doc_get(doc_at(cliques_of(root), c), inner_of(root));
        *clique = doc_at(cliques_of(root), c);
        if (left < doc_size(list)) return doc_at(list, left);
        left -= doc_size(list);
    }
    return NULL;
}

/* "paper:3", or "3". */
static const char *vertex_name(const doc *root, char out[STYLE_NAME])
{
    char number[STYLE_TEXT];
    const char *type = document_text(root, "type");
    snprintf(out, STYLE_NAME, "%.100s%s%s", type, *type ? ":" : "",
             style_form(number, "%.0f", document_number(root, "vertex")));
    return out;
}

static bool held(const doc *row) { return doc_size(doc_get(row, "held")) > 0; }

static void row_sentence(const doc *root, FILE *to)
{
    const doc *clique, *row, *nearest = NULL, *of = NULL;
    char name[STYLE_NAME], text[STYLE_TEXT];
    int kept = 0, count = 0;
    for (; (row = item_of(root, count, &clique)); count++) {
        const double more = document_count(row, "more_bytes");
        kept += held(row);
        if (held(row) || !(more > 0) || (nearest && document_count(nearest, "more_bytes") <= more)) continue;
        nearest = row;
        of = clique;
    }
    html_element(to, "Vertex ", vertex_name(root, name), ": ");
    if (!kept) fputs("no GPU holds its rows", to);
    else fprintf(to, "GPUs hold %d of its %d rows, counted per clique", kept, count);
    if (nearest) {
        html_element(to, "; the nearest, its ", document_rows_name(name, nearest), " row in clique ");
        fprintf(to, "%s, would need ", style_form(text, "%.0f", document_number(of, "clique")));
        fprintf(to, "%s more of cache", style_bytes(text, document_count(nearest, "more_bytes")));
    }
    fputs(".", to);
}

/* The sum of a number over the tables of all cliques, or over those that have the rows of `like`. */
static double total(const doc *root, const char *key, const doc *like)
{
    const doc *clique, *x;
    char name[2][STYLE_NAME];
    double sum = 0;
    for (int i = 0; (x = item_of(root, i, &clique)); i++)
        if (!like || !strcmp(document_rows_name(name[0], x), document_rows_name(name[1], like)))
            sum += document_count(x, key);
    return sum;
}

static void explain_page_sentence(const doc *root, FILE *to)
{
    const doc *clique, *x, *best = NULL;
    const double saved = total(root, "transactions_saved", NULL), all = total(root, "transactions", NULL);
    double most = 0;
    char name[STYLE_NAME], text[3][STYLE_TEXT];
    if (*inner_of(root) == 'r') {
        row_sentence(root, to);
        return;
    }
    for (int i = 0; (x = item_of(root, i, &clique)); i++)
        if (!best || total(root, "transactions_saved", x) > most) {
            best = x;
            most = total(root, "transactions_saved", x);
        }
    fprintf(to, "GPUs hold %s of rows, which save %s", style_bytes(text[0], total(root, "held_bytes", NULL)),
            style_count(text[1], saved));
    if (all > 0) fprintf(to, " of %s", style_count(text[2], all));
    fputs(" expected transactions per epoch", to);
    if (all > 0) fprintf(to, " (%s)", style_percent(text[0], saved / all, 1));
    html_element(to, "; most by ", document_rows_name(name, best), " rows");
    fprintf(to, ", %s.", style_count(text[0], most));
}

static double per_mib(const doc *row, const char *key) { return document_count(row, key) * MIB; }

/* The item that two bars are of, with their name; NULL: there are no more, or they are of the other figure. */
static const doc *named(const doc *root, int number, char inner, struct bar *out)
{
    char number_text[STYLE_TEXT];
    const doc *clique = NULL, *x = *inner_of(root) == inner ? item_of(root, number / 2, &clique) : NULL;
    char name[STYLE_NAME];
    if (x)
        snprintf(out->name, sizeof out->name, "clique %s, %.150s",
                 style_form(number_text, "%.0f", document_number(clique, "clique")), document_rows_name(name, x));
    return x;
}

static void row_bar(const doc *root, int number, struct bar *out)
{
    const doc *x = named(root, number, 'r', out), *last = doc_get(x, "last_row_taken");
    out->value = number % 2 ? per_mib(last, "saved_per_byte") : per_mib(x, "saved_per_byte");
    if (number % 2 && x && !last) strcpy(out->says, "not known");
}

static void table_bar(const doc *root, int number, struct bar *out)
{
    const doc *x = named(root, number, 't', out);
    out->value = per_mib(x, number % 2 ? "saved_per_byte_best_left" : "saved_per_byte_least_held");
    if (isnan(out->value)) strcpy(out->says, number % 2 ? "none is left" : "none is held");
}

static void saved_bar(const doc *root, int number, struct bar *out)
{
    const doc *x = named(root, number, 't', out);
    const double saved = document_count(x, "transactions_saved");
    out->value = !x ? NAN : number % 2 ? fmax(0, document_count(x, "transactions") - saved) : saved;
    if (x && isnan(out->value)) strcpy(out->says, "not known");
}

static void tables_write(const doc *root, FILE *to)
{
    static const struct column columns[] =
        {COLUMN("rows", "", CELL_ROWS),
         COLUMN("clique", "^clique", CELL_COUNT),
         COLUMN("GPUs", "^gpus", CELL_LIST),
         COLUMN("held", "held_rows", CELL_COUNT),
         COLUMN("of", "rows", CELL_COUNT),
         COLUMN("bytes", "held_bytes", CELL_BYTES),
         COLUMN("bytes", "bytes/rows", CELL_NUMBER, .unit = "per row"),
         COLUMN("reads", "reads", CELL_COUNT, .unit = "per epoch"),
         COLUMN("saved", "transactions_saved", CELL_COUNT, .unit = "transactions per epoch"),
         COLUMN("share", "transactions_saved/transactions", CELL_PERCENT, .unit = "of all expected"),
         COLUMN("densest", "saved_per_byte_densest", CELL_NUMBER, .unit = "saved per byte"),
         COLUMN("least held", "saved_per_byte_least_held", CELL_NUMBER),
         COLUMN("best left", "saved_per_byte_best_left", CELL_NUMBER),
         {0}};
    document_table(to, "What the rows of each type and relation take and save", cliques_of(root), "tables", columns);
}

static double reads_of(const struct column_row *r)
{
    const double visits = document_count(r->row, "visits_per_epoch");
    return isnan(visits) ? document_count(r->row, "mini_batches_per_epoch") : visits;
}

/* For each row that no GPU of a clique holds: what was taken last, and what would have included it. */
static void why_write(const doc *root, FILE *to)
{
    const doc *clique, *row;
    char name[STYLE_NAME], text[STYLE_TEXT];
    bool any = false;
    for (int i = 0; (row = item_of(root, i, &clique)); i++) {
        const doc *last = doc_get(row, "last_row_taken");
        if (held(row) || !last || doc_is_null(last)) continue;
        if (!any) fputs("<ul>\n", to);
        any = true;
        html_element(to, "<li>The ", document_rows_name(name, row), " row");
        fprintf(to, " is not cached in clique %s%s: the last row taken was ",
                style_form(text, "%.0f", document_number(clique, "clique")),
                document_number(row, "transactions_saved_per_epoch") > 0 ? "" : ", and not expected to be read");
        html_element(to, "the ", document_rows_name(name, last), "");
        const bool edge = isnan(document_number(last, "vertex"));
        fprintf(to, " row of %s %s", edge ? "edge" : "vertex",
                style_form(text, "%.0f", document_number(last, edge ? "row" : "vertex")));
        fprintf(to, " (%s saved per byte); ", style_form(text, "%.3g", document_number(last, "saved_per_byte")));
        fprintf(to, "%s more of cache would have reached this one.</li>\n",
                style_bytes(text, document_count(row, "more_bytes")));
    }
    if (any) fputs("</ul>\n", to);
}

static void rows_write(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("row", "", CELL_ROWS),
                                            COLUMN("clique", "^clique", CELL_COUNT),
                                            COLUMN("GPUs", "^gpus", CELL_LIST),
                                            COLUMN("bytes", "bytes", CELL_COUNT),
                                            COLUMN("reads", NULL, CELL_NUMBER, .unit = "per epoch", .number = reads_of),
                                            COLUMN("saved", "transactions_saved_per_epoch", CELL_COUNT,
                                                   .unit = "transactions per epoch"),
                                            COLUMN("saved", "saved_per_byte", CELL_NUMBER, .unit = "per byte"),
                                            COLUMN("rank", "rank", CELL_COUNT),
                                            COLUMN("of", "of", CELL_COUNT, .unit = "rows"),
                                            COLUMN("held", "held", CELL_SLOTS),
                                            COLUMN("missing", "more_bytes", CELL_BYTES, .unit = "bytes of cache"),
                                            {0}};
    document_table(to, "Its rows in every clique", cliques_of(root), "rows", columns);
}

/* GPUs that read a row from `source`: "0, 2"; from peers "1 from 3, 2 from 3". */
static void readers_of(const doc *readers, const char *row, const char *source, char *out, size_t bytes)
{
    *out = 0;
    for (uint64_t i = 0; i < doc_size(readers); i++) {
        const doc *reader = doc_at(readers, i), *x = doc_get(reader, row);
        char gpu[STYLE_TEXT], from[STYLE_TEXT];
        if (strcmp(document_text(x, "source"), source)) continue;
        style_form(gpu, "%.0f", document_number(reader, "gpu"));
        text_append(out, bytes, "%s%s", *out ? ", " : "", gpu);
        if (!strcmp(source, "peer"))
            text_append(out, bytes, " from %s", style_form(from, "%.0f", document_number(x, "gpu")));
    }
}

/* Every other member of a reader is a row of the vertex, by its name. */
static void readers_write(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("row", "row", CELL_TEXT),
                                            COLUMN("GPUs read their own memory", "own", CELL_TEXT),
                                            COLUMN("a peer", "peer", CELL_TEXT),
                                            COLUMN("the host", "host", CELL_TEXT),
                                            {0}};
    static const char *const sources[] = {"own", "peer", "host"};
    const doc *readers = doc_get(root, "readers"), *first = doc_at(readers, 0);
    doc *list = doc_array();
    char text[STYLE_NAME];
    for (const char *row = doc_next_key(first, NULL); row; row = doc_next_key(first, row)) {
        if (!strcmp(row, "gpu")) continue;
        doc *one = doc_object();
        doc_put(one, "row", doc_text(row));
        for (int k = 0; k < 3; k++) {
            readers_of(readers, row, sources[k], text, sizeof text);
            doc_put(one, sources[k], doc_text(*text ? text : "-"));
        }
        doc_append(list, one);
    }
    if (doc_size(list)) document_table(to, "Where each GPU reads them", list, NULL, columns);
    doc_free(list);
}

/* Where GPUs read rows that no GPU serves: memories names rows by their kind. */
static void below_write(const doc *root, FILE *to)
{
    static const struct column columns[] = {COLUMN("row", "row", CELL_TEXT),
                                            COLUMN("held by", "held_by", CELL_TEXT),
                                            COLUMN("GPUs", "gpus", CELL_LIST),
                                            COLUMN("read it from", "place", CELL_TEXT),
                                            {0}};
    const doc *below = doc_get(root, "memories");
    doc *list = doc_array();
    for (const char *row = doc_next_key(below, NULL); row; row = doc_next_key(below, row)) {
        const doc *of = doc_get(below, row), *held = doc_get(of, "held_by"), *read = doc_get(of, "read_from");
        char names[STYLE_NAME] = "";
        for (uint64_t i = 0; i < doc_size(held); i++)
            text_append(names, sizeof names, "%s%s", i ? ", " : "", doc_text_value(doc_at(held, i), ""));
        for (uint64_t i = 0; i < doc_size(read); i++) {
            doc *one = doc_copy(doc_at(read, i));
            DOC_PUT(one, IS("row", row), IS("held_by", names));
            doc_append(list, one);
        }
    }
    if (doc_size(list)) document_table(to, "Below the GPUs", list, NULL, columns);
    doc_free(list);
}

static void explain_page_table(const doc *root, FILE *to)
{
    if (*inner_of(root) == 't') tables_write(root, to);
    else {
        rows_write(root, to);
        why_write(root, to);
    }
    readers_write(root, to);
    below_write(root, to);
}

/* In which order rows were taken, and what is known of the vertex. */
static void facts_write(const doc *root, FILE *to)
{
    const char *order = document_text(root, "order");
    const bool one = !strcmp(order, "saved per byte, all kinds");
    char text[STYLE_TEXT];
    fputs("<p>", to);
    if (!isnan(document_number(root, "degree"))) {
        const double gpu = document_number(root, "trained_by");
        html_element(to, "", document_text(root, "name"), *document_text(root, "name") ? ": " : "");
        fprintf(to, "Degree %s, ", style_count(text, document_number(root, "degree")));
        if (isnan(gpu)) fputs("not a training vertex here. ", to);
        else fprintf(to, "trained by GPU %s. ", style_form(text, "%.0f", gpu));
    }
    if (*order) {
        html_element(to, "Policy ", document_text(root, "policy"), "");
        html_element(to,
                     one ? " takes rows of all kinds by what they save per byte until the budget ends, by hotness "
                         : " takes rows of each kind by hotness ",
                     document_text(root, "hotness"), ".");
    }
    if (!strcmp(order, "estimates"))
        fputs(" Its own order cannot be recomputed here: ranks are by calibrated estimates.", to);
    if (doc_bool_value(doc_get(root, "reads_beyond_cliques"), false))
        fputs(" This plan also uses NVLinks between cliques: a copy serves readers of both, so the ranks inside a "
              "clique "
              "are approximate.",
              to);
    fputs("</p>\n", to);
}

static void subject(const doc *root, char name[STYLE_NAME])
{
    char policy[STYLE_NAME], vertex[STYLE_NAME];
    style_cut(policy, document_text(root, "policy"), 60);
    if (document_number(root, "vertex") >= 0)
        snprintf(name, STYLE_NAME, "vertex %.120s, plan of %.50s", vertex_name(root, vertex), policy);
    else snprintf(name, STYLE_NAME, "plan of %.100s", policy);
}

#define AXIS "transactions saved per epoch and MiB"
static const struct bars figure[] = {{.what = "row",
                                      .title = "What its rows save per MiB of cache",
                                      .column = AXIS,
                                      .caption = "A row is cached while it saves at least as much per byte as the last "
                                                 "one that was taken.",
                                      .quantity = QUANTITY_COUNT,
                                      .series = {"this row", "last row taken"},
                                      .bar = row_bar},
                                     {.what = "saved",
                                      .title = "What the held rows save",
                                      .column = "expected transactions per epoch",
                                      .caption = "Of each type and relation, what an epoch would read from the host "
                                                 "with nothing cached: the part that held rows save, and the part "
                                                 "that is left.",
                                      .quantity = QUANTITY_COUNT,
                                      .series = {"saved", "left"},
                                      .bar = saved_bar},
                                     {.what = "tables",
                                      .title = "Where the budget ends",
                                      .column = AXIS,
                                      .caption = "Of each type and relation the least dense row that is held, and the "
                                                 "densest that is not: where rows of all types are taken in one order, "
                                                 "both are about the same wherever some are held and some are not.",
                                      .quantity = QUANTITY_COUNT,
                                      .series = {"least dense row held", "densest row left"},
                                      .bar = table_bar},
                                     {0}};

extern const struct page_kind page_kind_explain_page;
const struct page_kind page_kind_explain_page = {.schema = "explain/",
                                                 .what = "answers of hotset explain",
                                                 .name = "explain",
                                                 .title = "Why rows are cached or not",
                                                 .figure = figure,
                                                 .sentence = explain_page_sentence,
                                                 .table = explain_page_table,
                                                 .facts = facts_write,
                                                 .of = subject};
