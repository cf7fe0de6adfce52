/* method_notes.c - where the numbers come from; see page.h. */
#include <inttypes.h>
#include <math.h>
#include "reports/formats/html.h"
#include "reports/comparison/comparison_page.h"

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
static void distinct_cell(const struct page *p, int source, bool seeds)
{
    double seen[LIST_MOST];
    int n = 0;
    fputs("<td class=\"left\">", p->to);
    for (uint64_t i = 0; i < p->rows->count && n < LIST_MOST; i++) {
        const struct row *r = &p->rows->list[i];
        double v = seeds ? doc_real_value(r->seed, NAN) : r->epochs;
        int k = 0;
        if (r->source != source || isnan(v)) continue;
        while (k < n && seen[k] != v) k++;
        if (k < n) continue;
        seen[n++] = v;
        if (n > 1) fputs(", ", p->to);
        if (seeds) value_write(p->to, r->seed);
        else fprintf(p->to, "%.9g", v);
    }
    fputs(n ? "</td>" : "none</td>", p->to);
}

static void workload_write(const struct page *p)
{
    static const char *const keys[] = {"fanout", "batch", "frontier", "sampler", "seed"};
    FILE *to = p->to;
    fputs("<h3>Workload and seeds</h3>\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\">document</th><th "
          "scope=\"col\" "
          "class=\"left\">fan-out<span>per hop</span></th><th scope=\"col\" "
          "class=\"left\">batch<span>seeds per GPU</span></th><th scope=\"col\" class=\"left\">frontier</th><th "
          "scope=\"col\" "
          "class=\"left\">sampler</th><th scope=\"col\" class=\"left\">planning "
          "seed</th><th scope=\"col\" class=\"left\">held-out epochs</th><th scope=\"col\" class=\"left\">their "
          "seed</th></tr></thead>\n<tbody>\n",
          to);
    for (int i = 0; i < p->rows->source_count; i++) {
        fputs("<tr><th scope=\"row\">", to);
        html_text(to, p->rows->sources[i].name);
        fputs("</th>", to);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) member_cell(to, p->rows->sources[i].workload, keys[k]);
        distinct_cell(p, i, false);
        distinct_cell(p, i, true);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

static const char *const method = "<h3>Method</h3>\n<dl>\n"
                                  "<dt>Simulated</dt><dd>Each plan is replayed on held-out epochs: mini-batches drawn "
                                  "with a seed that planning never saw. Counts are exact for "
                                  "those epochs and given per epoch. "
                                  "An interval, where stated, says how far another set of epochs may differ.</dd>\n"
                                  "<dt>Predicted</dt><dd>What the planner expected from its own pre-sampling, before "
                                  "any replay. Prediction error is predicted total over "
                                  "simulated total, minus one.</dd>\n"
                                  "<dt>Transaction</dt><dd>One PCIe read of a cache line of host memory (64 bytes on "
                                  "today&#39;s servers). A read of bytes that no GPU within "
                                  "reach holds costs the lines that those bytes "
                                  "touch: a feature row all lines it lies on, a topology visit the lines of its offset "
                                  "pair and those of the neighbour ids it draws. Reads served "
                                  "by the reader itself or by a peer over NVLink "
                                  "cost none.</dd>\n"
                                  "<dt>Hit rate</dt><dd>Served by own or peer memory. Features: share of the feature "
                                  "rows gathered, a vertex counted once per mini-batch. "
                                  "Topology: share of the visits while sampling.</dd>\n"
                                  "<dt>Budget</dt><dd>GPU memory for cached rows. As given and in bytes it is per GPU; "
                                  "as a share of the graph it is what a clique (GPUs joined by "
                                  "NVLink) holds together, over the bytes of "
                                  "topology and features.</dd>\n"
                                  "<dt>Traffic</dt><dd>Useful bytes: feature rows, 16 bytes per visit and 4 per drawn "
                                  "neighbour, before rounding up to lines.</dd>\n</dl>\n";

static void replaced_write(const struct page *p)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < p->rows->count; i++) n += p->rows->list[i].replaced;
    if (n)
        fprintf(p->to,
                "<p>%llu %s the same graph, server, policy and budget as a later row; the later one is shown, and "
                "results.csv has all.</p>\n",
                (unsigned long long)n, n == 1 ? "row has" : "rows have");
}

void method_notes_write(const struct page *p)
{
    fputs("<section class=\"about\" id=\"about\">\n<h2>How the numbers were made</h2>\n", p->to);
    workload_write(p);
    fputs(method, p->to);
    fputs("<h3>Files</h3>\n<p><a href=\"data/results.csv\">data/results.csv</a> has every row of every document. Each "
          "figure has its numbers in "
          "<code>data</code>, and in <code>plots</code> its SVG, PNG "
          "and gnuplot script; to draw one again, run <code>gnuplot plots/NAME.gp</code> in this folder.</p>\n",
          p->to);
    replaced_write(p);
    fputs("</section>\n", p->to);
}
