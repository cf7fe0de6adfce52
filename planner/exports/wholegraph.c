/* wholegraph - hot and cold embedding tables for WholeGraph and cugraph-pyg (26.10), with a script that makes them.
 *
 * The hot table of a clique holds the rows that its GPUs hold, GPU by GPU; the partition book says how many each GPU
 * has, so the plan's placement is kept exactly. The cold table is the features on the host. Peers of a clique read each
 * other, which a communicator per clique expresses also where the NVLinks do not join all GPUs.
 *
 * WholeGraph's own cache is set-associative: 32 lines for each `coverage` consecutive rows of a table. Rows in the
 * order of hotness would compete for the lines of few sets. So the k-th hottest row is put at (k % sets) * coverage + k
 * / sets of a table of sets * coverage rows: every set then has at most 32 hot rows, and the cache holds them all. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "planner/exports/export_loader.h"

enum { LINES = 32, COVERAGE_MOST = 16384 };

static enum st check(const struct export_input *in, struct err *err)
{
    return export_limits("wholegraph", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static const char about[] = "Loads a plan into WholeGraph: planned rows in GPU memory, the others on the host.\n"
                            "\n"
                            "Needs torch, numpy, pylibwholegraph and cugraph-pyg 26.10; written against their sources, "
                            "not run on a GPU.\n"
                            "In every process, after pylibwholegraph.torch.initialize.init:\n"
                            "    rows = PlannedRows('features.npy', device)      # [VERTICES, DIM]; device: the "
                            "server's number of the GPU\n"
                            "    x = rows[ids]                                   # as features[ids]\n"
                            "    store = feature_store(rows)                     # data[0] of cugraph-pyg's loaders\n";

static const char functions[] =
    "def communicator(clique):\n"
    "    \"\"\"The processes of a clique; every process calls it, also with one clique.\"\"\"\n"
    "    import pylibwholegraph.torch as wgth\n"
    "    everyone = wgth.get_global_communicator()\n"
    "    return everyone if len(CLIQUES) == 1 else wgth.split_communicator(everyone, clique)\n"
    "\n"
    "\n"
    "def fill(table, source):\n"
    "    \"\"\"Each process writes its part of a table.\"\"\"\n"
    "    part, first = table.get_local_tensor()\n"
    "    part.copy_(source[first:first + len(part)])\n"
    "\n"
    "\n"
    "class PlannedRows:\n"
    "    \"\"\"Rows by vertex: those of the plan from the memories of the clique's GPUs, others from the host.\n"
    "    Peers' memories are read without their help, so processes need not make equally many mini-batches.\"\"\"\n"
    "\n"
    "    def __init__(self, features, device):\n"
    "        import numpy\n"
    "        import torch\n"
    "        import pylibwholegraph.torch as wgth\n"
    "        self.clique = clique_of(device)\n"
    "        rows = load_rows(features)\n"
    "        book = BOOKS[self.clique]\n"
    "        self.hot_rows, self.shape = sum(book), (VERTICES, DIM)\n"
    "        order = numpy.load(os.path.join(FOLDER, 'clique%d_order.npy' % self.clique))[:self.hot_rows]\n"
    "        kind = torch.from_numpy(rows[:1]).dtype\n"
    "        self.hot = wgth.create_embedding(communicator(self.clique), 'continuous', 'cuda', kind, [self.hot_rows, "
    "DIM],\n"
    "                                         embedding_entry_partition=numpy.asarray(book, numpy.uintp))\n"
    "        fill(self.hot.get_embedding_tensor(), torch.from_numpy(rows[order]))\n"
    "        self.cold = wgth.create_embedding(wgth.get_global_communicator(), 'continuous', 'cpu', kind,\n"
    "                                          [VERTICES, DIM])\n"
    "        fill(self.cold.get_embedding_tensor(), torch.from_numpy(numpy.asarray(rows)))\n"
    "        wgth.get_global_communicator().barrier()\n"
    "        self.position = ids('clique%d_position.npy' % self.clique).cuda()\n"
    "        self.counts = {'gpu': 0, 'host': 0}\n"
    "\n"
    "    def __getitem__(self, vertices):\n"
    "        import torch\n"
    "        vertices = vertices.to(self.position.device)\n"
    "        at = self.position[vertices]\n"
    "        here = at < self.hot_rows\n"
    "        hot = self.hot.gather(at[here])\n"
    "        out = torch.empty((len(vertices), hot.shape[1]), dtype=hot.dtype, device=hot.device)\n"
    "        out[here] = hot\n"
    "        out[~here] = self.cold.gather(vertices[~here])\n"
    "        self.counts['gpu'] += len(hot)\n"
    "        self.counts['host'] += len(vertices) - len(hot)\n"
    "        return out\n"
    "\n"
    "\n"
    "def feature_store(rows, name='x', group=None):\n"
    "    \"\"\"A FeatureStore of cugraph-pyg, as data[0] of its loaders, that reads rows (a PlannedRows) in "
    "place.\"\"\"\n"
    "    from cugraph_pyg.data import FeatureStore\n"
    "    from cugraph_pyg.tensor import DistTensor\n"
    "\n"
    "    class InPlace(DistTensor):  # 26.10 keeps a DistTensor by reference, and asks for rows by [ids]\n"
    "        shape = rows.shape\n"
    "\n"
    "        def __init__(self):\n"
    "            pass\n"
    "\n"
    "        def __getitem__(self, vertices):\n"
    "            return rows[vertices]\n"
    "\n"
    "    store = FeatureStore(backend='vmm')\n"
    "    store[group, name, None] = InPlace()\n"
    "    return store\n"
    "\n"
    "\n"
    "def striped_cache(clique):\n"
    "    \"\"\"(rows, place, ratio): for WholeGraph's own cache in front of a host table of that many rows. Vertex v "
    "lies at\n"
    "    place[v]; pass ratio to create_builtin_cache_policy, gather the first sum(BOOKS[clique]) of "
    "clique<i>_order.npy\n"
    "    once, then call set_adjust_cache(False): the cache holds exactly the plan's rows.\"\"\"\n"
    "    coverage = COVERAGE[clique]\n"
    "    return -(-VERTICES // coverage) * coverage, ids('clique%d_striped.npy' % clique), 32.0 / coverage\n";

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

static enum st write_loader(const struct export_input *in, struct export_folder *to, const struct row_list *lists,
                            struct err *err)
{
    const struct assignment *a = &in->plan->assignment;
    char constants[GPUS_MAX * 40 + 200] = "BOOKS = [", coverage[GPUS_MAX * 8] = "";
    for (int c = 0; c < a->cliques; c++) {
        const char *between = "[";
        text_append(constants, sizeof constants, "%s", c ? ", " : "");
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            text_append(constants, sizeof constants, "%s%" PRIu64, between, lists[g].count);
            between = ", ";
        }
        text_append(constants, sizeof constants, "]");
        text_append(coverage, sizeof coverage, "%s%" PRIu64, c ? ", " : "",
                    coverage_of(in->graph->n, rows_of(a, lists, c)));
    }
    text_append(constants, sizeof constants, "]  # rows of the hot table on each GPU of a clique\n");
    text_append(constants, sizeof constants, "COVERAGE = [%s]  # of WholeGraph's own cache, for striped_cache\n",
                coverage);
    const struct export_loader own = {.name = "load_wholegraph.py",
                                      .what = "makes the tables of a GPU's clique",
                                      .about = about,
                                      .cliques = true,
                                      .constants = constants,
                                      .functions = functions};
    return export_loader_write(in, to, &own, err);
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

static enum st write_clique(const struct export_input *in, struct export_folder *to, int c,
                            const struct row_list *lists, uint32_t *order, uint32_t *other, struct err *err)
{
    enum st st;
    const struct assignment *a = &in->plan->assignment;
    uint64_t n = in->graph->n, hot;
    char name[64];
    for (int g = 0; g < a->gpus; g++)
        if (a->clique_of[g] == c && !lists[g].count && rows_of(a, lists, c))
            FAIL(ST_NO,
                 "GPU %d would hold no feature row, and a partition book has no empty part; give every GPU of the "
                 "clique a budget for some",
                 a->id[g]);
    hot = export_clique_order(a, lists, c, n, order, other);
    snprintf(name, sizeof name, "clique%d_order.npy", c);
    TRY(export_ids_npy(to, name, "int64: the vertex of each row: GPU by GPU, then the host's", order, n, 8, err));
    snprintf(name, sizeof name, "clique%d_position.npy", c);
    TRY(export_ids_npy(to, name, "int64: the row of each vertex; beyond the book: on the host", other, n, 8, err));
    stripe(a, lists, c, n, hot, order, other);
    snprintf(name, sizeof name, "clique%d_striped.npy", c);
    TRY(export_ids_npy(to, name, "int64: the row of each vertex in a table for WholeGraph's cache", other, n, 8, err));
done:
    return st;
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    struct export_runs once = {0};
    uint32_t *order = NULL, *other = NULL;
    bool taken;
    NEW(order, in->graph->n, "an order of rows");
    NEW(other, in->graph->n, "an order of rows");
    TRY(export_runs_begin(&once, in->plan, err));
    TRY(export_run_once_per_clique(&once, once.run, in->graph->n, &taken, err));
    for (int c = 0; c < in->plan->assignment.cliques; c++)
        TRY(write_clique(in, to, c, once.run->placement.feature, order, other, err));
    TRY(export_train_files(in, to, err));
    TRY(export_sets_npy(in, to, err));
    TRY(write_loader(in, to, once.run->placement.feature, err));
    export_use(to, "in Python, from load_wholegraph import PlannedRows, train_ids: in the process of each GPU, with "
                   "the "
                   "features as one .npy");
done:
    export_runs_release(&once);
    mem_free(order);
    mem_free(other);
    return st;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    enum st st;
    struct export_run *run = NULL;
    TRY(export_clique_lacks(in, to,
                            "cugraph-pyg holds the whole graph in the memory of all GPUs together; it cannot hold a "
                            "part. The "
                            "number below is for a graph that is read from the host.",
                            "a table in GPU memory needs peer access among all GPUs of its communicator.",
                            "a table has each row once: the copy that is placed first in its GPU's list is kept, and "
                            "the "
                            "memory "
                            "of the others stays unused.",
                            err));
    TRY(export_lack_workload(in, to, "cugraph-pyg", false, err));
    TRY(export_lack_frontier(in, to, "cugraph-pyg", err));
    TRY(export_as_run(to, &run, err,
                      "the plan's feature rows, each once per clique, on the GPUs that the plan puts them on, with the "
                      "topology read from the host."));
    TRY(export_clique_as_run(in, to, run, err));
    export_run_reads(run);
done:
    return st;
}

extern const struct export_target export_target_wholegraph;
const struct export_target export_target_wholegraph = {.name = "wholegraph",
                                                       .summary = "hot and cold tables with partition books per "
                                                                  "clique for WholeGraph and cugraph-pyg",
                                                       .source = "rapidsai/wholegraph, cugraph-gnn 26.10",
                                                       .cliques = true,
                                                       .check = check,
                                                       .write = write,
                                                       .runs = runs};
