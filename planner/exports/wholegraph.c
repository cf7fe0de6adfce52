/* wholegraph - hot and cold embedding tables for WholeGraph and cugraph-pyg (26.10), with a script that makes them.
 *
 * The hot table of a clique holds the rows that its GPUs hold, GPU by GPU; the partition book says how many each GPU
 * has, so the plan's placement is kept exactly. The cold table is the features on the host. Peers of a clique read each
 * other, which a communicator per clique expresses also where the NVLinks do not join all GPUs.
 *
 * WholeGraph's own cache is set-associative: 32 lines for each `coverage` consecutive rows of a table. Rows in the
 * order of hotness would compete for the lines of few sets. So the k-th hottest row is put at (k % sets) * coverage + k
 * / sets of a table of sets * coverage rows: every set then has at most 32 hot rows, and the cache holds them all.
 *
 * Which memory type is safe: continuous and chunked memory is mapped into every process of its communicator, so in GPU
 * memory all its GPUs must reach each other; distributed memory maps the own part only, and others are asked for it by
 * NCCL, in gathers that all processes make together (docs.nvidia.com/cugraph/26.10, WholeMemory implementation
 * details). cugraph-pyg's backends are vmm, continuous, and nccl, distributed (26.10, cugraph_pyg/tensor/utils.py); on
 * one server it takes vmm for all processes unless told (data/feature_store.py), also where NVLinks do not join all
 * GPUs. Host memory of one server is mapped by all processes always. Mapped is faster: a gather is one kernel, without
 * the two exchanges of ids and rows and without waiting for other processes. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_script.h"

enum { LINES = 32, COVERAGE_MOST = 16384 };

static enum st wholegraph_check(const struct export_input *in, struct err *err)
{
    return export_limits("wholegraph", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static uint64_t rows_of(const struct assignment *a, const struct row_list *lists, int clique)
{
    uint64_t rows = 0;
    for (int g = 0; g < a->gpus; g++) rows += a->clique_of[g] == clique ? lists[g].count : 0;
    return rows;
}

/* Rows of a set: as many as give each of the hot rows a line. */
static uint64_t coverage_of(uint64_t n, uint64_t hot)
{
    uint64_t c = hot ? LINES * n / hot : COVERAGE_MOST;
    return c > COVERAGE_MOST ? COVERAGE_MOST : c;
}

/* values: constants of the script. */
static void add_book(doc *values, const struct assignment *a, const struct export_rows *of, const struct row_list *list,
                     int clique)
{
    doc *book = doc_array();
    for (int g = 0; g < a->gpus; g++)
        if (a->clique_of[g] == clique) doc_append(book, doc_unsigned(list[g].count));
    doc_append(export_script_list(values, "BOOKS", of->graph, of->type), book);
    doc_append(export_script_list(values, "COVERAGE", of->graph, of->type),
               doc_unsigned(coverage_of(of->n, rows_of(a, list, clique))));
}

/* striped: [n] the row of each vertex in the striped table, its hotness being its slot; GPUs take turns. */
static void stripe(const struct assignment *a, const struct row_list *lists, int clique, uint64_t n, uint64_t hot,
                   const uint32_t *order, uint32_t *striped)
{
    uint64_t coverage = coverage_of(n, hot), sets = (n + coverage - 1) / coverage, k = 0;
    for (uint64_t slot = 0; k < hot; slot++)
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == clique && slot < lists[g].count) {
                striped[lists[g].id[slot]] = (uint32_t)(k % sets * coverage + k / sets);
                k++;
            }
    for (; k < n; k++) striped[order[k]] = (uint32_t)(k % sets * coverage + k / sets);
}

/* A partition book has no empty part: a GPU of a clique with rows takes the coldest of the GPU with most. */
static enum st fill_empty(const struct export_input *in, int clique, const struct export_rows *rows,
                          struct row_list *list, struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    char of[GRAPH_OF_TYPE];
    for (int g = 0; g < a->gpus; g++) {
        int most = g;
        if (a->clique_of[g] != clique || list[g].count || !rows_of(a, list, clique)) continue;
        for (int i = 0; i < a->gpus; i++)
            if (a->clique_of[i] == clique && list[i].count > list[most].count) most = i;
        if (list[most].count < 2)
            return err_set(err, ST_NO,
                           "GPU %d would hold no feature row%s, and a partition book has no empty part; give every "
                           "GPU of the clique a budget for some",
                           a->id[g], graph_of_type(in->graph, rows->type, of));
        list[g].id[list[g].count++] = list[most].id[--list[most].count];
    }
    return ST_OK;
}

static enum st write_clique(const struct export_input *in, struct export_folder *to, int c,
                            const struct export_rows *rows, uint32_t *order, uint32_t *other, void *own,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    uint64_t n = rows->n, hot;
    struct row_list list[GPUS_MAX];
    char stem[48], name[EXPORT_NAME];
    memcpy(list, rows->list, sizeof list);
    PASS(fill_empty(in, c, rows, list, err));
    add_book(own, a, rows, list, c);
    hot = export_clique_order(a, list, c, n, order, other);
    snprintf(stem, sizeof stem, "clique%d_order", c);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name),
                        "int64: the vertex of each row: GPU by GPU, then the host's", order, n, 8, err));
    snprintf(stem, sizeof stem, "clique%d_position", c);
    PASS(export_ids_npy(to, export_rows_file(rows, stem, name),
                        "int64: the row of each vertex; beyond the book: on the host", other, n, 8, err));
    stripe(a, list, c, n, hot, order, other);
    snprintf(stem, sizeof stem, "clique%d_striped", c);
    return export_ids_npy(to, export_rows_file(rows, stem, name),
                          "int64: the row of each vertex in a table for WholeGraph's cache", other, n, 8, err);
}

/* The least number of NVLinks between two GPUs of a clique; 0: some pair has PCIe only; -1: no clique has two. */
static int least_links(const struct plan *p)
{
    int least = -1;
    const struct assignment *a = &p->assignment;
    for (int i = 0; i < a->gpus; i++)
        for (int j = 0; j < a->gpus; j++)
            if (i != j && a->clique_of[i] == a->clique_of[j] && (least < 0 || p->links[i][j] < least))
                least = p->links[i][j];
    return least;
}

/* Which memory type is safe and fast on this server. */
static void say_placement(const struct export_input *in, struct export_folder *to)
{
    char cliques[1200], over[64] = "PCIe, slower than NVLink but without the host";
    int least = least_links(in->plan);
    export_cliques_text(&in->plan->assignment, cliques, sizeof cliques);
    if (least > 0) snprintf(over, sizeof over, "%d NVLink%s to each peer or more", least, least == 1 ? "" : "s");
    if (least >= 0)
        export_use(to, EXPORT_NOTE,
                   "GPU memory inside a clique of %s: continuous (vmm), or chunked where the driver maps no memory of "
                   "other processes; GPUs read each other over %s",
                   cliques, over);
    if (in->plan->assignment.cliques > 1)
        export_use(to, EXPORT_NOTE,
                   "GPU memory of all processes together: distributed (nccl) only, because these cliques do not "
                   "reach each other; every process must then make equally many gathers (BACKEND in the script)");
    else
        export_use(to, EXPORT_NOTE,
                   "GPU memory of all processes together: continuous (vmm), as all GPUs reach each other");
    export_use(to, EXPORT_NOTE, "host memory: continuous (vmm), which all processes of a server map");
}

static enum st wholegraph_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED_DOC doc *own = doc_object(), *backend = doc_object();
    if (!graph_plain(in->graph)) doc_put(own, "BOOKS", doc_object()); /* also where no type has rows */
    if (!graph_plain(in->graph)) doc_put(own, "COVERAGE", doc_object());
    DOC_PUT(backend, IS("'cpu'", "vmm"), IS("'cuda'", in->plan->assignment.cliques == 1 ? "vmm" : "nccl"));
    doc_put_copy(own, "BACKEND", backend);
    PASS(export_cliques_write(in, to, write_clique, own, err));
    PASS(export_script_write(in, to, "load_wholegraph.py", "makes the tables of a GPU's clique", own, err));
    export_use(to, EXPORT_CALL,
               "in Python, from load_wholegraph import PlannedRows, epoch_ids: in the process of each GPU, with the "
               "features as one .npy%s",
               export_each_type(in->graph));
    say_placement(in, to);
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    PASS(export_clique_lacks(in, to,
                             "cugraph-pyg holds the whole graph in the memory of all GPUs together; it cannot hold a "
                             "part. The number below is for a graph that is read from the host.",
                             "a table in GPU memory needs peer access among all GPUs of its communicator.",
                             "a table has each row once: the copy that is placed first in its GPU's list is kept, and "
                             "the memory of the others stays unused.",
                             err));
    PASS(export_lack_workload(in, to, "cugraph-pyg", false, err));
    PASS(export_lack_frontier(in, to, "cugraph-pyg", err));
    PASS(export_as_run(to, &run, err,
                       "the plan's feature rows, each once per clique, on the GPUs that the plan puts them on, with "
                       "the topology read from the host."));
    PASS(export_clique_as_run(in, to, run, err));
    export_run_reads(run);
    return ST_OK;
}

extern const struct export_target export_target_wholegraph;
const struct export_target export_target_wholegraph = {.name = "wholegraph",
                                                       .summary = "hot and cold tables with partition books per clique "
                                                                  "for WholeGraph and cugraph-pyg",
                                                       .features_from = "load_wholegraph.py takes them in Python: "
                                                                        "PlannedRows('FILE.npy', device)",
                                                       .source = "rapidsai/wholegraph, cugraph-gnn 26.10",
                                                       .install = "pip install pylibwholegraph-cu12 cugraph-pyg-cu12 "
                                                                  "(26.10), torch and numpy",
                                                       .cliques = true,
                                                       .order = true,
                                                       .whole_rows = true,
                                                       .holds = 1 << PRECISION_F16 | 1 << PRECISION_BF16,
                                                       .made = {.keeps = "no topology rows; a feature row once per "
                                                                         "clique, served inside it",
                                                                .no_topology = true,
                                                                .clique = true},
                                                       .check = wholegraph_check,
                                                       .write = wholegraph_write,
                                                       .runs = runs};
