/* refresh_page.c - the page of answers of hotset refresh: what moves, and what that does to hits and transactions. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const char *const sides[] = {"before", "after"};

static void refresh_page_sentence(const doc *root, FILE *to)
{
    char text[3][STYLE_TEXT];
    double epochs = document_count(root, "pays_after_epochs");
    if (document_count(root, "rows_to_load") == 0) {
        fputs("Nothing is worth loading: the plan stays.", to);
        return;
    }
    fprintf(to, "Loading %s rows (%s) saves %s transactions per epoch",
            style_count(text[0], document_count(root, "rows_to_load")),
            style_bytes(text[1], document_count(root, "bytes_to_load")),
            style_count(text[2], document_number(root, "transactions_saved")));
    if (epochs >= 0) fprintf(to, " and pays after %.3g epochs", epochs);
    else if (isnan(document_count(root, "bytes_per_second")))
        fputs("; when it pays is not known, for the server states no PCIe rate", to);
    else fputs(" and does not pay by the prediction", to);
    fputs(".", to);
}

/* What the plan's reads do before and after: a share of all, by name. */
static const struct {
    const char *name, *key;
} shares[] = {{"feature rows from own GPU", "feature_reads_served.local"},
              {"feature rows from peers", "feature_reads_served.peer"},
              {"feature rows from the host", "feature_reads_served.host"},
              {"topology hits", "simulated.topology_hit_rate"},
              {"feature hits, predicted", "predicted.feature_hit_rate"},
              {"topology hits, predicted", "predicted.topology_hit_rate"}};

static void share_bar(const doc *root, int number, struct bar *out)
{
    if (number >= 2 * (int)(sizeof shares / sizeof *shares)) return;
    style_cut(out->name, shares[number / 2].name, 60);
    out->value = doc_real_value(doc_path(doc_get(root, sides[number % 2]), shares[number / 2].key), NAN);
}

static void load_bar(const doc *root, int number, struct bar *out)
{
    char id[STYLE_TEXT];
    const doc *gpu = doc_at(doc_get(root, "gpus"), (uint64_t)number);
    int node = doc_get(gpu, "node")
                   ? snprintf(out->name, sizeof out->name, "node %d, ", (int)document_number(gpu, "node"))
                   : 0;
    if (gpu)
        snprintf(out->name + node, sizeof out->name - (size_t)node, "GPU %s",
                 style_form(id, "%.0f", document_number(gpu, "id")));
    out->value = document_count(doc_get(gpu, "feature"), "bytes_to_load") +
                 document_count(doc_get(gpu, "topology"), "bytes_to_load");
}

static void judged_table(const doc *root, FILE *to)
{
    static const struct {
        const char *name, *key;
    } lines[] = {{"predicted", "predicted.total_transactions"},
                 {"simulated", "simulated.total_transactions"},
                 {"of features, simulated", "simulated.feature_transactions"},
                 {"of topology, simulated", "simulated.topology_transactions"}};
    static const struct html_column columns[] = {{"transactions per epoch", NULL, true},
                                                 {"before", NULL, false},
                                                 {"after", NULL, false},
                                                 {"change", NULL, false},
                                                 {0}};
    char text[STYLE_TEXT];
    html_table_begin(to, "What the plan reads from the host", columns);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double v[2];
        html_element(to, "<tr><th scope=\"row\">", lines[i].name, "</th>");
        for (int k = 0; k < 2; k++) {
            v[k] = doc_real_value(doc_path(doc_get(root, sides[k]), lines[i].key), NAN);
            html_cell(to, style_count(text, v[k]));
        }
        html_cell(to, style_percent(text, v[0] > 0 ? v[1] / v[0] - 1 : NAN, 1));
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static void refresh_page_table(const doc *root, FILE *to)
{
    const bool nodes = doc_get(root, "nodes") != NULL; /* else all but the first column */
    static const struct column uplinks[] = {COLUMN("node", "node", CELL_COUNT),
                                            COLUMN("PCIe switch", "switch", CELL_COUNT),
                                            COLUMN("of GPUs", "gpus", CELL_LIST),
                                            COLUMN("to load", "bytes_to_load", CELL_BYTES),
                                            COLUMN("time", "seconds_to_load", CELL_SECONDS),
                                            COLUMN("an epoch before", "bytes_before", CELL_BYTES),
                                            COLUMN("after", "bytes_after", CELL_BYTES),
                                            {0}},
                               nvlinks[] = {COLUMN("node", "node", CELL_COUNT),
                                            COLUMN("from GPU", "from", CELL_COUNT),
                                            COLUMN("to GPU", "to", CELL_COUNT),
                                            COLUMN("to load", "bytes_to_load", CELL_BYTES),
                                            COLUMN("time", "seconds_to_load", CELL_SECONDS),
                                            COLUMN("an epoch before", "bytes_before", CELL_BYTES),
                                            COLUMN("after", "bytes_after", CELL_BYTES),
                                            {0}},
                               network[] = {COLUMN("node", "node", CELL_COUNT),
                                            COLUMN("to load", "bytes_to_load", CELL_BYTES),
                                            COLUMN("time", "seconds_to_load", CELL_SECONDS),
                                            COLUMN("an epoch before", "bytes_before", CELL_BYTES),
                                            COLUMN("after", "bytes_after", CELL_BYTES),
                                            {0}};
    judged_table(root, to);
    document_table(to, "Rows that each GPU keeps, loads and drops", doc_get(root, "gpus"), NULL, refresh_gpus);
    document_table(to, "What crosses each PCIe uplink", doc_get(root, "uplinks"), NULL, uplinks + !nodes);
    if (doc_size(doc_get(root, "nvlinks")))
        document_table(to, "What crosses each NVLink", doc_get(root, "nvlinks"), NULL, nvlinks + !nodes);
    if (!nodes) return;
    document_table(to, "What each node receives over the network", doc_get(root, "network"), NULL, network);
    document_table(to, "Rows that come into the DRAM of each node", doc_get(root, "parts"), NULL, refresh_dram);
}

static void subject(const doc *root, char name[STYLE_NAME]) { style_cut(name, document_text(root, "server"), 60); }

static const struct bars figure[] = {{.what = "served",
                                      .title = "Where reads are served",
                                      .column = "share of reads",
                                      .caption = "Simulated on held-out epochs of what the job reads now, before and "
                                                 "after the refresh, unless a prediction.",
                                      .quantity = QUANTITY_RATE,
                                      .series = {"before", "after"},
                                      .bar = share_bar},
                                     {.what = "load",
                                      .title = "Bytes that each GPU loads",
                                      .column = "bytes to load, once",
                                      .caption = "Rows that a GPU holds already stay in their slots and are not "
                                                 "loaded.",
                                      .quantity = QUANTITY_BYTES,
                                      .bar = load_bar},
                                     {0}};

extern const struct page_kind page_kind_refresh_page;
const struct page_kind page_kind_refresh_page = {.schema = "refresh/",
                                                 .what = "answers of hotset refresh",
                                                 .name = "refresh",
                                                 .title = "What a refresh moves, and what it saves",
                                                 .needs = "gpus",
                                                 .figure = figure,
                                                 .sentence = refresh_page_sentence,
                                                 .table = refresh_page_table,
                                                 .of = subject};
