/* gids - the rows that GIDS keeps in its constant buffer in host memory, and the vertices that each GPU trains (GIDS
 * 523836c, --cpu_buffer --cpu_buffer_percent p --pin_file F).
 *
 * GIDS reads features from an SSD. In front of it are a page cache per GPU, which fills while it runs, and a constant
 * buffer in host memory: the first int(n * p) ids of a tensor of int64 that torch.load reads, the hottest first. So the
 * plan's lists become one ranking of all vertices. Rows that the plan holds come first: with the p that is stated, the
 * buffer holds exactly them. What the plan holds on GPUs is left to the page cache. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_script.h"
#include "planner/exports/torch_file.h"

static enum st check(const struct export_input *in, struct err *err)
{
    const struct graph *g = in->graph;
    PASS(export_limits("gids", g->n, g->m, UINT32_MAX, INT64_MAX, err));
    for (int t = 1; t < g->types; t++)
        if (g->type[t].features.row_bytes != g->type[0].features.row_bytes)
            return err_set(err, ST_NO,
                           "gids: rows of all types have one size there, but those of %s and %s have %" PRIu64
                           " and %" PRIu64 " bytes; give them the same number of elements",
                           g->type[0].name, g->type[t].name, g->type[0].features.row_bytes,
                           g->type[t].features.row_bytes);
    return ST_OK;
}

/* Vertices whose rows some GPU holds. */
static enum st rows_held(const struct export_input *in, uint64_t *held, struct err *err)
{
    const struct placement *p = &in->plan->placement;
    OWNED_NEW(uint8_t, seen, in->graph->n, "a look-up of rows");
    *held = 0;
    for (int g = 0; g < p->gpus; g++)
        for (uint64_t i = 0; i < p->feature[g].count; i++) {
            if (p->feature[g].id[i] >= in->graph->n) continue; /* a row of an edge */
            *held += !seen[p->feature[g].id[i]];
            seen[p->feature[g].id[i]] = 1;
        }
    return ST_OK;
}

/* The share whose product with n is rounded down to `rows`: half a row more, so that the rounding of the share does not
 * matter. */
static double share_of(uint64_t rows, uint64_t n)
{
    return rows == n ? 1 : rows ? ((double)rows + 0.5) / (double)n : 0;
}

static enum st write_script(const struct export_input *in, struct export_folder *to, double share, struct err *err)
{
    const struct graph *of = in->graph;
    const struct assignment *a = &in->plan->assignment;
    OWNED_DOC doc *own = doc_object(), *cached = doc_object();
    doc_put(own, "PERCENT", doc_real(share));
    for (int g = 0; g < a->gpus; g++) {
        char id[16];
        snprintf(id, sizeof id, "%d", a->id[g]);
        doc_put(cached, id, doc_unsigned(placement_feature_bytes(&in->plan->placement, g, of)));
    }
    doc_put_copy(own, "CACHED", cached);
    for (int t = 0; t < of->types; t++)
        export_script_of(own, "HETEROGRAPH_MAP", of, t, doc_unsigned(of->type[t].first));
    return export_script_write(in, to, "load_gids.py", "GIDS's options, the graph and the vertices of a GPU", own, err);
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    uint64_t held = 0;
    char share[40], bytes[BYTES_TEXT];
    OWNED_NEW(uint32_t, order, in->graph->n, "a ranking");
    PASS(rows_held(in, &held, err));
    snprintf(share, sizeof share, "%.12g", share_of(held, in->graph->n));
    PASS(export_ranking(in, order, err));
    PASS(torch_file_ids(to, "pin_file.pt", "torch.save'd int64: the plan's ranking, hottest first", order, in->graph->n,
                        err));
    PASS(export_train_files(in, to, err));
    PASS(export_sets_npy(in, to, err));
    PASS(write_script(in, to, share_of(held, in->graph->n), err));
    doc_put(to->settings, "cpu_buffer_percent", doc_text(share));
    doc_put(to->settings, "buffered_rows", doc_integer((int64_t)held));
    export_use(to,
               "run GIDS with --cpu_buffer --cpu_buffer_percent %s --pin_file <this folder>/pin_file.pt: the rows that "
               "the plan holds, %s of host memory; a larger share goes on down the ranking",
               share, units_bytes_exact(bytes, held * export_rows_shape(in->graph, 0).row_bytes));
    return ST_OK;
}

/* ---- what it makes of the plan ---- */

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_lack(to, &run, "topology rows in GPU memory", err,
                     "GIDS samples from the graph in host memory; it cannot hold a part on a GPU."));
    run->simulate = export_run_no_topology(run);
    if (!run->simulate) to->count--;
    PASS(export_lack(to, &run, "reads of peers over NVLink", err,
                     "a GPU reads its own page cache, the host or the SSD."));
    run->simulate = export_run_no_peers(run);
    if (!run->simulate) to->count--;
    PASS(export_lack(to, NULL, "which features GPUs hold", err,
                     "each GPU's page cache starts empty and fills while it runs. The plan's rows are those that are "
                     "kept in host memory, so that they are not read from the SSD."));
    PASS(export_lack_workload(in, to, "GIDS", false, err));
    PASS(export_lack_frontier(in, to, "GIDS", err));
    PASS(export_as_run(to, &run, err,
                       "an LRU cache of as many rows as the plan holds on that GPU stands for the page cache, which "
                       "also looks at the next mini-batches; everything else crosses PCIe, from host memory or the "
                       "SSD."));
    export_run_no_topology(run);
    export_run_no_peers(run);
    run->simulate = graph_plain(in->graph); /* caches are simulated for one type */
    run->cache = "lru";
    for (int g = 0; g < in->plan->assignment.gpus; g++)
        run->rows[g] = *in->plan->cache ? in->plan->cache_rows[g] : in->plan->placement.feature[g].count;
    export_run_reads(run);
    return ST_OK;
}

extern const struct export_target export_target_gids;
const struct export_target export_target_gids = {.name = "gids",
                                                 .summary = "GIDS's list of rows to keep in host memory, with its "
                                                            "options and a script",
                                                 .source = "jeongminpark417/GIDS 523836c",
                                                 .made.why = "its caches fill while they run",
                                                 .check = check,
                                                 .write = write,
                                                 .runs = runs};
