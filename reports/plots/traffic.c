/* traffic.c - who read how many bytes from whom, as a heat map. */
#include <math.h>
#include <stdio.h>
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/plots/plots.h"

enum {
    WIDTH = 900,
    CELL_WIDE = 120,
    CELL_TALL = 34,
    TEXT_MOST = 10,
    HEAD = 96,
    FOOT = 56,
    LEFT = 78,
    RIGHT = 30,
    DRAWN_MOST = 80
};

struct matrix {
    const struct result_row *row;
    uint64_t readers, sources; /* sources: the GPUs, then the host */
    double most;
};

/* Bytes that reader i took from source j; NaN when the cell is not there. */
static double cell_bytes(const struct matrix *m, uint64_t i, uint64_t j)
{
    double bytes = doc_real_value(doc_at(doc_at(m->row->traffic, i), j), NAN);
    return bytes >= 0 && bytes < 1e300 ? bytes : NAN;
}

/* Accepts a full matrix of readers x (readers + 1), of a size that can be read on paper. */
static bool matrix_read(const struct result_row *r, struct matrix *m)
{
    *m = (struct matrix){.row = r, .readers = r ? doc_size(r->traffic) : 0};
    if (!m->readers || m->readers > DRAWN_MOST) return false;
    m->sources = m->readers + 1;
    for (uint64_t i = 0; i < m->readers; i++) {
        if (!doc_is_array(doc_at(r->traffic, i)) || doc_size(doc_at(r->traffic, i)) != m->sources) return false;
        for (uint64_t j = 0; j < m->sources; j++) {
            if (isnan(cell_bytes(m, i, j))) return false;
            m->most = fmax(m->most, cell_bytes(m, i, j));
        }
    }
    return true;
}

static const char *gpu_name(const struct matrix *m, uint64_t i, char out[STYLE_TEXT])
{
    double id = i < m->readers && doc_size(m->row->gpus) == m->readers ? document_number(doc_at(m->row->gpus, i), "id")
                                                                       : (double)i;
    if (i == m->readers) snprintf(out, STYLE_TEXT, "host");
    else snprintf(out, STYLE_TEXT, "GPU %.6g", isnan(id) ? (double)i : id);
    return out;
}

static void records_write(struct figures *figures, const struct matrix *m)
{
    static const char *const names[] =
        {"reader", "source", "reader [row]", "source [column]", "useful bytes [all simulated epochs]", NULL};
    csv_header(&figures->csv, names);
    for (uint64_t i = 0; i < m->readers; i++)
        for (uint64_t j = 0; j < m->sources; j++) {
            char name[STYLE_TEXT];
            csv_text(&figures->csv, gpu_name(m, i, name));
            csv_text(&figures->csv, gpu_name(m, j, name));
            csv_number(&figures->csv, (double)i);
            csv_number(&figures->csv, (double)j);
            csv_number(&figures->csv, cell_bytes(m, i, j));
            csv_end(&figures->csv);
        }
}

static void names_write(struct figures *figures, const struct matrix *m, char axis, uint64_t n)
{
    char name[STYLE_TEXT];
    uint64_t every = 1 + (n - 1) / (m->readers > TEXT_MOST ? 20 : 100);
    fprintf(figures->script, "set %ctics scale 0 (", axis);
    for (uint64_t i = 0; i < n; i++) {
        const char *text = gpu_name(m, i, name);
        bool shown = i == m->readers || (i % every == 0 && (axis == 'y' || i + every / 2 < m->readers));
        fprintf(figures->script, "%s'%s' %llu", i ? ", " : "",
                !shown                                     ? ""
                : m->readers > TEXT_MOST && i < m->readers ? text + 4
                                                           : text,
                (unsigned long long)i);
    }
    fputs(")\n", figures->script);
}

static void texts_write(struct figures *figures, const struct matrix *m)
{
    if (m->readers > TEXT_MOST) return;
    for (uint64_t i = 0; i < m->readers; i++)
        for (uint64_t j = 0; j < m->sources; j++) {
            double bytes = cell_bytes(m, i, j);
            char text[STYLE_TEXT], position[80];
            snprintf(position, sizeof position, "first %llu, first %llu", (unsigned long long)j, (unsigned long long)i);
            gnuplot_label(figures->script, bytes > 0 ? style_bytes(text, bytes) : "0", position,
                          "center front font small_font tc rgb '%s'", bytes > 0 ? "#16191D" : "#6B747C");
        }
}

/* Square roots spread the many small cells. */
static void map_draw(struct figures *figures, const struct matrix *m, const struct box *box)
{
    figure_panel(figures, box);
    figure_heat_map(figures, m->readers <= TEXT_MOST);
    fprintf(figures->script, "set xrange [-0.5:%llu.5]\nset yrange [%llu.5:-0.5]\n", (unsigned long long)m->sources - 1,
            (unsigned long long)m->readers - 1);
    figure_axis_below(figures, box, "source: the memory that held the bytes");
    figure_axis_left(figures, box, 62, "reader");
    names_write(figures, m, 'x', m->sources);
    names_write(figures, m, 'y', m->readers);
    fprintf(figures->script,
            "set arrow from first %llu.5, graph 0 to first %llu.5, graph 1 nohead front lc rgb '#D55E00' lw 2\n",
            (unsigned long long)m->readers - 1, (unsigned long long)m->readers - 1);
    texts_write(figures, m);
    fprintf(figures->script,
            "plot '%s' skip 1 using 4:3:(%s):(%s):(sqrt($5/%.17g)) with boxxyerror fs solid 1.0 noborder lc palette\n",
            figure_now(figures)->csv, m->readers > 30 ? "0.5" : "0.48", m->readers > 30 ? "0.5" : "0.48",
            m->most > 0 ? m->most : 1);
}

enum st plot_traffic(struct figures *figures, const struct grid *grid, struct err *err)
{
    struct matrix m = {0};
    char title[200], name[STYLE_NAME], budget[GRID_BUDGET_TEXT], most[STYLE_TEXT];
    double cell_wide, cell_tall;
    int height, policy = grid->best < 0 ? 0 : grid->best;
    if (!grid->policy_count || !matrix_read(grid_row(grid, policy, grid->middle), &m)) {
        for (policy = 0; policy < grid->policy_count; policy++)
            if (matrix_read(grid_row(grid, policy, grid->middle), &m)) break;
        if (policy >= grid->policy_count) return ST_OK;
    }
    cell_wide = fmin(CELL_WIDE, (double)(WIDTH - LEFT - RIGHT) / (double)m.sources);
    cell_tall = m.readers <= TEXT_MOST ? CELL_TALL : 480.0 / (double)m.readers;
    height = HEAD - 42 + FOOT + (int)(cell_tall * (double)m.readers);
    snprintf(title, sizeof title, "Bytes read by %s at %s", style_cut(name, grid->policies[policy], 20),
             grid->budgets[grid->middle].label);
    PASS(figure_begin_of(figures, &grid->subject, "traffic", title, WIDTH, height, err));
    records_write(figures, &m);
    map_draw(figures, &m, &(struct box){LEFT, LEFT + cell_wide * (double)m.sources, FOOT + 4, height - HEAD + 46});
    figure_caption(figures,
                   "Policy %s%s at budget %s. Each row is a GPU that reads, each column the memory that serves it. The "
                   "diagonal is the GPU's own memory, other GPUs are peers over NVLink, and the last column, right of "
                   "the line, is the host over PCIe. Cells show useful bytes over all simulated epochs. The stronger "
                   "the colour, the more, on a square-root scale; the most is %s.",
                   style_cut(name, grid->policies[policy], 60),
                   grid_is_plan(grid)     ? ""
                   : policy == grid->best ? ", the one with the fewest transactions,"
                                          : ", the first one that states its traffic,",
                   grid_budget_text(grid, grid->middle, budget), style_bytes(most, m.most));
    return figure_end(figures, err);
}
