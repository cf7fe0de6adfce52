/* method_notes.c - where the numbers come from; see method_notes.h. */
#include "reports/comparison/method_notes.h"

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

static void member_cell(FILE *to, const doc *workload, const char *key)
{
    const doc *value = workload ? doc_get(workload, key) : NULL;
    fputs("<td class=\"left\">", to);
    if (doc_is_array(value))
        for (uint64_t i = 0; i < doc_size(value) && i < LIST_MOST; i++) {
            if (i) fputs(", ", to);
            value_write(to, doc_at(value, i));
        }
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

static const char *const method = "<h3>Method</h3>\n<dl>\n"
                                  "<dt>Simulated</dt><dd>Each plan is replayed on held-out epochs: mini-batches drawn "
                                  "with a seed that planning never saw. Counts are exact for those epochs and given "
                                  "per epoch. An interval, where stated, says how far another set of epochs may "
                                  "differ.</dd>\n"
                                  "<dt>Predicted</dt><dd>What the planner expected from its own pre-sampling, before "
                                  "any replay. Prediction error is predicted total over simulated total, minus "
                                  "one.</dd>\n"
                                  "<dt>Transaction</dt><dd>One PCIe read of a cache line of host memory (64 bytes on "
                                  "today&#39;s servers). A read of bytes that no GPU within reach holds costs the "
                                  "lines that those bytes touch: a feature row all lines it lies on, a topology visit "
                                  "the lines of its offset pair and those of the neighbour ids it draws. Reads served "
                                  "by the reader itself or by a peer over NVLink cost none.</dd>\n"
                                  "<dt>Hit rate</dt><dd>Served by own or peer memory. Features: share of the feature "
                                  "rows gathered, a vertex counted once per mini-batch. Topology: share of the visits "
                                  "while sampling.</dd>\n"
                                  "<dt>Budget</dt><dd>GPU memory for cached rows. As given and in bytes it is per GPU; "
                                  "as a share of the graph it is what a clique (GPUs joined by NVLink) holds together, "
                                  "over the bytes of topology and features.</dd>\n"
                                  "<dt>Traffic</dt><dd>Useful bytes: feature rows, 16 bytes per visit and 4 per drawn "
                                  "neighbour, before rounding up to lines.</dd>\n</dl>\n";

static void replaced_write(FILE *to, const struct result_rows *rows)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < rows->count; i++) n += rows->list[i].replaced;
    if (n)
        fprintf(to,
                "<p>%llu %s the same graph, server, policy and budget as a later row; the later one is shown, and "
                "results.csv has all.</p>\n",
                (unsigned long long)n, n == 1 ? "row has" : "rows have");
}

void method_notes_write(FILE *to, const struct result_rows *rows)
{
    fputs("<section class=\"about\" id=\"about\">\n<h2>How the numbers were made</h2>\n", to);
    workload_write(to, rows);
    fputs(method, to);
    fputs("<h3>Files</h3>\n<p><a href=\"data/results.csv\">data/results.csv</a> has every row of every document. Each "
          "figure has its numbers in <code>data</code>, and in <code>plots</code> its SVG, PNG and gnuplot script; to "
          "draw one again, run <code>gnuplot plots/NAME.gp</code> in this folder.</p>\n",
          to);
    replaced_write(to, rows);
    fputs("</section>\n", to);
}
