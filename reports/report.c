/* report.c - from documents to a folder; see report.h. */
#include "reports/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/mem.h"
#include "base/progress.h"
#include "reports/executed/executed.h"
#include "reports/formats/gnuplot.h"
#include "reports/comparison/comparison_page.h"
#include "reports/plots/plots.h"
#include "reports/sizing/sizing.h"

static enum st (*const plots[])(struct figures *, const struct grid *, struct err *) = {
    plot_transactions, plot_hit_rates, plot_gpus, plot_traffic, plot_alpha, plot_errors,
};
enum { PLOTS = sizeof plots / sizeof plots[0] };

enum st report_folders(const struct figures *s, struct err *err)
{
    enum st st = ST_OK;
    static const char *const names[] = {"plots", "data"};
    for (int i = 0; i < 2; i++) {
        char path[PATH_BYTES];
        TRY(path_join(path, s->folder, names[i], err));
        if (mkdir(path, 0777))
            FAIL(ST_LIMIT, "%s: the folder could not be made (%s); free disk space or give another output folder", path,
                 strerror(errno));
    }
done:
    return st;
}

static enum st results_write(const struct figures *s, const struct rows *rows, struct err *err)
{
    enum st st;
    FILE *to = NULL;
    TRY(figures_file(s, "data/results.csv", &to, err));
    csv_results(to, rows);
    TRY(figures_file_close(&to, "data/results.csv", err));
done:
    return st;
}

/* Writes every script, then runs gnuplot. */
static enum st figures_draw(struct figures *s, const struct grids *grids, struct progress *bar, struct err *err)
{
    enum st st = ST_OK;
    for (s->grid = 0; s->grid < grids->count; s->grid++)
        for (int i = 0; i < PLOTS; i++) TRY(plots[i](s, &grids->list[s->grid], err));
    TRY(figures_plot(s, 12, bar, err));
done:
    return st;
}

static enum st results_report(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                              struct err *err)
{
    enum st st;
    struct rows rows = {0};
    struct grids grids = {0};
    struct figures figures = {0};
    struct output out = {0};
    struct progress bar;
    progress_begin(&bar, "drawing", 0, !quiet);
    TRY(rows_load(inputs, count, &rows, err));
    TRY(grids_make(&rows, &grids, err));
    TRY(output_directory(&out, out_dir, "index.html", err));
    memcpy(figures.folder, out.temporary, sizeof figures.folder);
    TRY(report_folders(&figures, err));
    TRY(results_write(&figures, &rows, err));
    TRY(figures_draw(&figures, &grids, &bar, err));
    TRY(page_write(&(struct page){title && *title ? title : "Cache plans for GNN training, compared", &rows, &grids,
                                  &figures, NULL},
                   err));
    TRY(output_commit(&out, err));
done:
    progress_end(&bar);
    figures_release(&figures);
    output_abort(&out);
    grids_release(&grids);
    rows_release(&rows);
    return st;
}

/* Answers to size questions and executed plans have pages of their own. */
static int count_of(const char *const *inputs, int count, bool (*is)(const char *path))
{
    int found = 0;
    for (int i = 0; i < count; i++) found += is(inputs[i]);
    return found;
}

enum st report_write(const char *const *inputs, int count, const char *out_dir, const char *title, bool quiet,
                     struct err *err)
{
    int sizes = count_of(inputs, count, sizing_is), executed = count_of(inputs, count, executed_is);
    if (sizes == count) return sizing_report(inputs, count, out_dir, title, quiet, err);
    if (executed == count) return executed_report(inputs, count, out_dir, title, quiet, err);
    if (sizes)
        return err_set(err, ST_INPUT,
                       "%d of %d inputs are answers of hotset size, which have a page of their own; draw them in "
                       "another folder",
                       sizes, count);
    if (executed)
        return err_set(err, ST_INPUT,
                       "%d of %d inputs are of hotset execute, which have a page of their own; draw them in another "
                       "folder",
                       executed, count);
    return results_report(inputs, count, out_dir, title, quiet, err);
}
