/* method_notes.c - where the numbers come from; see comparison.h. */
#include "reports/formats/document_table.h"
#include "reports/comparison/comparison.h"

#include <inttypes.h>
#include <math.h>
#include "reports/formats/html.h"
#include "reports/formats/style.h"

enum { LIST_MOST = 8 };

static void value_write(FILE *to, const doc *value)
{
    char text[STYLE_TEXT];
    if (doc_is_text(value)) html_text(to, doc_text_value(value, ""));
    else if (doc_is_integer(value)) fprintf(to, "%" PRId64, doc_integer_value(value, 0));
    else if (doc_is_number(value)) fputs(style_tick(text, doc_real_value(value, NAN)), to);
    else fputs("-", to);
}

static void list_write(FILE *to, const doc *list)
{
    for (uint64_t i = 0; i < doc_size(list) && i < LIST_MOST; i++) {
        if (i) fputs(", ", to);
        value_write(to, doc_at(list, i));
    }
}

/* Lists by name: fan-outs of a graph with several relations. */
static void lists_write(FILE *to, const doc *lists)
{
    int n = 0;
    for (const char *key = doc_next_key(lists, NULL); key && n < LIST_MOST; key = doc_next_key(lists, key), n++) {
        html_element(to, n ? "<br>" : "", key, ": ");
        list_write(to, doc_get(lists, key));
    }
    if (doc_size(lists) > LIST_MOST) fputs("<br>..", to);
}

static void member_cell(FILE *to, const doc *workload, const char *key)
{
    const doc *value = workload ? doc_get(workload, key) : NULL;
    fputs("<td class=\"left\">", to);
    if (doc_is_array(value)) list_write(to, value);
    else if (doc_is_object(value)) lists_write(to, value);
    else value_write(to, value);
    fputs("</td>", to);
}

/* The distinct values of a member over a document's rows: held-out epochs or their seeds. */
static void distinct_cell(FILE *to, const struct result_rows *rows, int source, bool seeds)
{
    double seen[LIST_MOST];
    int n = 0;
    fputs("<td class=\"left\">", to);
    for (uint64_t i = 0; i < rows->count && n < LIST_MOST; i++) {
        const struct result_row *r = &rows->list[i];
        double v = seeds ? doc_real_value(r->seed, NAN) : r->epochs;
        int k = 0;
        if (r->source != source || isnan(v)) continue;
        while (k < n && seen[k] != v) k++;
        if (k < n) continue;
        seen[n++] = v;
        if (n > 1) fputs(", ", to);
        if (seeds) value_write(to, r->seed);
        else fprintf(to, "%.9g", v);
    }
    fputs(n ? "</td>" : "none</td>", to);
}

static void workload_write(FILE *to, const struct result_rows *rows)
{
    static const char *const keys[] = {"fanout", "batch", "frontier", "sampler", "seed"};
    static const struct html_column columns[] = {{.name = "document"},
                                                 {"fan-out", "per hop", true},
                                                 {"batch", "seeds per GPU", true},
                                                 {"frontier", NULL, true},
                                                 {"sampler", NULL, true},
                                                 {"planning seed", NULL, true},
                                                 {"held-out epochs", NULL, true},
                                                 {"their seed", NULL, true},
                                                 {0}};
    fputs("<h3>Workload and seeds</h3>\n", to);
    html_table_begin(to, NULL, columns);
    for (int i = 0; i < rows->source_count; i++) {
        html_element(to, "<tr><th scope=\"row\">", rows->sources[i].name, "</th>");
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) member_cell(to, rows->sources[i].workload, keys[k]);
        distinct_cell(to, rows, i, false);
        distinct_cell(to, rows, i, true);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}

static const struct {
    const char *term, *meaning;
} terms[] = {
    {"Simulated", "Each plan is replayed on held-out epochs: mini-batches drawn with a seed that planning did not use. "
                  "Counts are exact for those epochs and are given per epoch. An interval, where stated, says how far "
                  "another set of epochs may differ."},
    {"Predicted", "What the planner expects from its own pre-sampling, before any replay. The prediction error is the "
                  "predicted total divided by the simulated total, minus one."},
    {"Transaction", "One PCIe read of a cache line of host memory (64 bytes on today's servers). Bytes that no GPU "
                    "within reach holds cost the lines that they touch: a feature row costs all lines it lies on; a "
                    "topology visit costs the lines of its offset pair and of the neighbour ids it draws. Reads from "
                    "the GPU's own memory or from a peer over NVLink cost none."},
    {"Hit rate", "Share of reads that GPU memory serves, the GPU's own or a peer's. Features: of the feature rows "
                 "gathered; a vertex counts once per mini-batch. Topology: of the visits while sampling."},
    {"Budget", "GPU memory for cached rows. Bytes are per GPU. A share of the graph is what a clique (GPUs joined by "
               "NVLink) holds together, divided by the bytes of topology and features."},
    {"Traffic", "Useful bytes: feature rows, 16 bytes per visit and 4 bytes per drawn neighbour, not rounded up to "
                "lines."},
};

static void terms_write(FILE *to)
{
    fputs("<h3>Method</h3>\n<dl>\n", to);
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        html_element(to, "<dt>", terms[i].term, "</dt>");
        html_element(to, "<dd>", terms[i].meaning, "</dd>\n");
    }
    fputs("</dl>\n", to);
}

static void replaced_write(FILE *to, const struct result_rows *rows)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < rows->count; i++) n += rows->list[i].replaced;
    if (n)
        fprintf(to,
                "<p>%llu %s the same graph, server, policy and budget as a later row. The later row is shown; "
                "results.csv has all rows.</p>\n",
                (unsigned long long)n, n == 1 ? "row has" : "rows have");
}

void method_notes_write(FILE *to, const struct result_rows *rows)
{
    fputs("<section class=\"about\" id=\"about\">\n<h2>How the numbers were made</h2>\n", to);
    workload_write(to, rows);
    terms_write(to);
    for (int i = 0; i < rows->source_count; i++) document_premises(to, rows->sources[i].root);
    fputs("<h3>Files</h3>\n<p><a href=\"data/results.csv\">data/results.csv</a> has every row of every document. The "
          "numbers of each figure are in <code>data</code>; its SVG, PNG and gnuplot script are in <code>plots</code>. "
          "To draw a figure again, run <code>gnuplot plots/NAME.gp</code> in this folder.</p>\n",
          to);
    replaced_write(to, rows);
    fputs("</section>\n", to);
}
