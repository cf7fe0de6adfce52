/* observe.c - what a job read, beside what its plan says. */
#include <stdio.h>
#include <string.h>

#include "reports/formats/document.h"
#include "reports/formats/style.h"
#include "reports/tables/tables.h"

const struct column observe_seconds[] = {COLUMN("GPU", "^id", CELL_COUNT),
                                         COLUMN("stage", "stage", CELL_TEXT),
                                         COLUMN("seconds per epoch", "observed", CELL_SECONDS, .page = "seen",
                                                .unit = "per epoch"),
                                         COLUMN("by the model", "model", CELL_SECONDS, .unit = "per epoch"),
                                         {0}};

const char *observe_gpu(const doc *gpu, char *out)
{
    char table[STYLE_NAME], id[STYLE_TEXT];
    snprintf(out, STYLE_NAME, "GPU %s %.100s", style_form(id, "%.0f", document_number(gpu, "id")),
             style_cut(table, document_text(gpu, "table"), 40));
    return out;
}

static const char *gpu(const struct column_row *r, char out[COLUMN_TEXT]) { return observe_gpu(r->of, out); }

static const char *observe_place(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return !strcmp(r->key, "own") ? "own memory" : !strcmp(r->key, "peer") ? "peers" : "the host";
}

const struct column observe_counts[] =
    {COLUMN("rows of", "^table", CELL_TEXT, .flags = COLUMN_TERMINAL | COLUMN_IF_ANY),
     COLUMN("GPU", "^id", CELL_COUNT, .flags = COLUMN_TERMINAL),
     COLUMN("epochs", "^epochs", CELL_COUNT, .flags = COLUMN_TERMINAL),
     COLUMN("rows from", "@", CELL_TEXT, .flags = COLUMN_TERMINAL),
     COLUMN("GPU", NULL, CELL_TEXT, .text = gpu, .flags = COLUMN_PAGE),
     COLUMN("rows from", NULL, CELL_TEXT, .text = observe_place, .flags = COLUMN_PAGE),
     COLUMN("observed", "observed", CELL_FORM, .form = "%.1f", .page = "seen", .unit = "per mini-batch"),
     COLUMN("simulated", "simulated", CELL_FORM, .form = "%.1f"),
     COLUMN("difference", "difference/simulated", CELL_PERCENT, .form = "%+.2f %%", .flags = COLUMN_TERMINAL),
     COLUMN("noise", "noise/simulated", CELL_PERCENT, .form = "±%.2f %%", .flags = COLUMN_TERMINAL),
     COLUMN("difference", "difference", CELL_FORM, .form = "%.1f", .flags = COLUMN_PAGE),
     COLUMN("noise", "noise", CELL_FORM, .form = "%.1f", .unit = "at most", .flags = COLUMN_PAGE),
     COLUMN("verdict", "differs", CELL_TEXT, .yes = "differs", .no = "noise", .flags = COLUMN_ALERT),
     {0}};
