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
#include "planner/exports/export_folder.h"

/* A one-dimensional tensor of int64 as a file for torch.load.
 *
 * The form is the one that torch.save wrote before version 1.6 and that every torch.load reads, also with weights_only:
 * five pickles (a number that marks such files, a protocol number, sizes of types, the tensor, the list of its
 * storages), then each storage as its number of elements and its bytes. It has no checksums, so it can be streamed. */

/* Pickles while they are written (protocol 2; the letters are those of Python's pickletools). */
struct pickle {
    unsigned char bytes[512];
    size_t used;
};

static void put(struct pickle *p, const void *data, size_t bytes)
{
    memcpy(p->bytes + p->used, data, bytes);
    p->used += bytes;
}

static void op(struct pickle *p, char letter) { put(p, &letter, 1); }
static void gids_begin(struct pickle *p) { put(p, "\x80\x02", 2); }

static void text(struct pickle *p, const char *s)
{
    uint32_t length = (uint32_t)strlen(s);
    op(p, 'X');
    put(p, &length, 4);
    put(p, s, length);
}

/* A number below 2^63. */
static void number(struct pickle *p, uint64_t n)
{
    put(p, "\x8a\x08", 2);
    put(p, &n, 8);
}

static void global(struct pickle *p, const char *module_and_name)
{
    op(p, 'c');
    put(p, module_and_name, strlen(module_and_name));
}

static void size_of(struct pickle *p, const char *type, uint64_t bytes)
{
    text(p, type);
    number(p, bytes);
}

/* What marks the file, and how its writer stores numbers. */
static void put_head(struct pickle *p)
{
    gids_begin(p);
    put(p, "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 13);
    gids_begin(p);
    number(p, 1001);
    op(p, '.');
    gids_begin(p);
    put(p, "}(", 2);
    text(p, "protocol_version");
    number(p, 1001);
    text(p, "little_endian");
    op(p, '\x88');
    text(p, "type_sizes");
    put(p, "}(", 2);
    size_of(p, "short", 2);
    size_of(p, "int", 4);
    size_of(p, "long", 8);
    put(p, "uu.", 3);
}

/* _rebuild_tensor_v2(storage, offset 0, size (count), stride (1), no gradient, no hooks), then the storage's name. */
static void put_tensor(struct pickle *p, uint64_t count)
{
    gids_begin(p);
    global(p, "torch._utils\n_rebuild_tensor_v2\n");
    put(p, "((", 2);
    text(p, "storage");
    global(p, "torch\nLongStorage\n");
    text(p, "0");
    text(p, "cpu");
    number(p, count);
    put(p, "NtQ", 3);
    number(p, 0);
    number(p, count);
    op(p, '\x85');
    number(p, 1);
    put(p, "\x85\x89", 2);
    global(p, "collections\nOrderedDict\n");
    put(p, ")RtR.", 5);
    gids_begin(p);
    op(p, ']');
    text(p, "0");
    put(p, "a.", 2);
}

/* Writes ids[count] as such a file. what: a few words for people. ST_LIMIT without disk. */
static enum st torch_file_ids(struct export_folder *to, const char *name, const char *what, const uint32_t *ids,
                              uint64_t count, struct err *err)
{
    struct pickle p = {.used = 0};
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    put_head(&p);
    put_tensor(&p, count);
    put(&p, &count, 8);
    PASS(export_file_raw(to, name, what, p.used + 8 * count, 1, &f, err));
    PASS(export_file_put(&f, p.bytes, p.used, err));
    PASS(export_file_ids(&f, ids, count, 8, err));
    return export_file_end(&f, err);
}

static enum st gids_check(const struct export_input *in, struct err *err)
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

static enum st gids_write(const struct export_input *in, struct export_folder *to, struct err *err)
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
    DOC_PUT(to->settings, IS("cpu_buffer_percent", share), IS("buffered_rows", held));
    export_use(to, EXPORT_PASS,
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
                                                 .build = "GIDS 523836c, with DGL, torch and numpy; the package gids "
                                                          "of PyPI is something else",
                                                 .made.why = "its caches fill while they run",
                                                 .check = gids_check,
                                                 .write = gids_write,
                                                 .runs = runs};
