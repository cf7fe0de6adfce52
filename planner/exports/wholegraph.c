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
                            "    store = feature_store(rows)                     # data[0] of cugraph-pyg's loaders\n"
                            "Of a graph with several types: tables for each, PlannedRows('paper.npy', device, "
                            "'paper'); feature_store({'paper': rows, ..}).\n";

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
    "    def __init__(self, features, device, kind=None):\n"
    "        import numpy\n"
    "        import torch\n"
    "        import pylibwholegraph.torch as wgth\n"
    "        self.clique = clique_of(device)\n"
    "        rows = load_rows(features, kind)\n"
    "        book, shape = of(BOOKS, kind)[self.clique], [of(VERTICES, kind), of(DIM, kind)]\n"
    "        self.hot_rows, self.shape = sum(book), tuple(shape)\n"
    "        order = ids('clique%d_order.npy' % self.clique, kind)[:self.hot_rows].numpy()\n"
    "        self.type = torch.from_numpy(rows[:1]).dtype\n"
    "        held = {'f16': torch.float16, 'bf16': torch.bfloat16}.get(of(ELEMENT, kind), self.type)\n"
    "        self.hot = wgth.create_embedding(communicator(self.clique), 'continuous', 'cuda', held, [self.hot_rows, "
    "shape[1]],\n"
    "                                         embedding_entry_partition=numpy.asarray(book, numpy.uintp)) if "
    "self.hot_rows else None\n"
    "        if self.hot_rows:\n"
    "            fill(self.hot.get_embedding_tensor(), torch.from_numpy(rows[order]).to(held))\n"
    "        self.cold = wgth.create_embedding(wgth.get_global_communicator(), 'continuous', 'cpu', self.type, shape)\n"
    "        fill(self.cold.get_embedding_tensor(), torch.from_numpy(numpy.asarray(rows)))\n"
    "        wgth.get_global_communicator().barrier()\n"
    "        self.position = ids('clique%d_position.npy' % self.clique, kind).cuda()\n"
    "        self.counts = {'gpu': 0, 'host': 0}\n"
    "\n"
    "    def __getitem__(self, vertices):\n"
    "        import torch\n"
    "        vertices = vertices.to(self.position.device)\n"
    "        at = self.position[vertices]\n"
    "        here = at < self.hot_rows\n"
    "        cold = self.cold.gather(vertices[~here])\n"
    "        out = torch.empty((len(vertices), self.shape[1]), dtype=self.type, device=cold.device)\n"
    "        if self.hot_rows:\n"
    "            out[here] = self.hot.gather(at[here]).to(self.type)\n"
    "        out[~here] = cold\n"
    "        self.counts['host'] += len(cold)\n"
    "        self.counts['gpu'] += len(vertices) - len(cold)\n"
    "        return out\n"
    "\n"
    "\n"
    "def feature_store(rows, name='x', group=None, location='cpu'):\n"
    "    \"\"\"A FeatureStore of cugraph-pyg, as data[0] of its loaders, that reads rows in place: a PlannedRows, or "
    "of several\n"
    "    types {type: PlannedRows}. location: where it keeps attributes that you add, with the backend that is safe "
    "there.\"\"\"\n"
    "    from cugraph_pyg.data import FeatureStore\n"
    "    from cugraph_pyg.tensor import DistTensor\n"
    "\n"
    "    class InPlace(DistTensor):  # 26.10 keeps a DistTensor by reference, and asks for rows by [ids]\n"
    "        def __init__(self, rows):\n"
    "            self.rows = rows\n"
    "\n"
    "        @property\n"
    "        def shape(self):\n"
    "            return self.rows.shape\n"
    "\n"
    "        def __getitem__(self, vertices):\n"
    "            return self.rows[vertices]\n"
    "\n"
    "    store = FeatureStore(location=location, backend=BACKEND[location])\n"
    "    for kind, planned in (rows if isinstance(rows, dict) else {group: rows}).items():\n"
    "        store[kind, name, None] = InPlace(planned)\n"
    "    return store\n"
    "\n"
    "\n"
    "def striped_cache(clique, kind=None):\n"
    "    \"\"\"(rows, place, ratio): for WholeGraph's own cache in front of a host table of that many rows. Vertex v "
    "lies at\n"
    "    place[v]; pass ratio to create_builtin_cache_policy, gather the first sum(BOOKS[clique]) of "
    "clique<i>_order.npy\n"
    "    once, then call set_adjust_cache(False): the cache holds exactly the plan's rows.\"\"\"\n"
    "    coverage = of(COVERAGE, kind)[clique]\n"
    "    return -(-of(VERTICES, kind) // coverage) * coverage, ids('clique%d_striped.npy' % clique, kind), 32.0 / "
    "coverage\n";

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

/* The constants of the script. */
struct books {
    struct export_values book, coverage;
};

static void begin_type(void *own, const struct export_rows *rows)
{
    struct books *b = own;
    export_values_key(&b->book, rows->type);
    export_values_key(&b->coverage, rows->type);
}

static void add_book(struct books *b, const struct assignment *a, uint64_t n, const struct row_list *list, int clique)
{
    const char *between = clique ? ", [" : "[[", *end = clique + 1 < a->cliques ? "" : "]";
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        text_append(b->book.text, b->book.size, "%s%" PRIu64, between, list[g].count);
        between = ", ";
    }
    text_append(b->book.text, b->book.size, "]%s", end);
    text_append(b->coverage.text, b->coverage.size, "%s%" PRIu64 "%s", clique ? ", " : "[",
                coverage_of(n, rows_of(a, list, clique)), end);
}

static enum st write_loader(const struct export_input *in, struct export_folder *to, const struct books *b,
                            struct err *err)
{
    size_t size = strlen(b->book.text) + strlen(b->coverage.text) + 400;
    OWNED_NEW(char, constants, size, "constants of a script");
    text_append(constants, size,
                "BOOKS = %s  # rows of the hot table on each GPU of a clique\nCOVERAGE = %s  # of WholeGraph's own "
                "cache, for striped_cache\n"
                "BACKEND = {'cpu': 'vmm', 'cuda': '%s'}  # of tensors that all processes share: see use[] of "
                "export.json\n",
                b->book.text, b->coverage.text, in->plan->assignment.cliques == 1 ? "vmm" : "nccl");
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
    add_book(own, a, rows->n, list, c);
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
        export_use(to,
                   "GPU memory inside a clique of %s: continuous (vmm), or chunked where the driver maps no memory of "
                   "other processes; GPUs read each other over %s",
                   cliques, over);
    if (in->plan->assignment.cliques > 1)
        export_use(to, "GPU memory of all processes together: distributed (nccl) only, because these cliques do not "
                       "reach each other; every process must then make equally many gathers (BACKEND in the script)");
    else export_use(to, "GPU memory of all processes together: continuous (vmm), as all GPUs reach each other");
    export_use(to, "host memory: continuous (vmm), which all processes of a server map");
}

static enum st write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    enum st st;
    struct books b = {0};
    TRY(export_values_begin(in->graph, GPUS_MAX * 24, &b.book, err));
    TRY(export_values_begin(in->graph, GPUS_MAX * 8, &b.coverage, err));
    TRY(export_cliques_write(in, to, write_clique, begin_type, &b, err));
    export_values_end(&b.book);
    export_values_end(&b.coverage);
    TRY(write_loader(in, to, &b, err));
    export_use(to,
               "in Python, from load_wholegraph import PlannedRows, epoch_ids: in the process of each GPU, with the "
               "features as one .npy%s",
               export_each_type(in->graph));
    say_placement(in, to);
done:
    export_values_release(&b.book);
    export_values_release(&b.coverage);
    return st;
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
                                                       .source = "rapidsai/wholegraph, cugraph-gnn 26.10",
                                                       .cliques = true,
                                                       .order = true,
                                                       .holds = 1 << PRECISION_F16 | 1 << PRECISION_BF16,
                                                       .made = {.keeps = "no topology rows; a feature row once per "
                                                                         "clique, served inside it",
                                                                .no_topology = true,
                                                                .clique = true},
                                                       .check = check,
                                                       .write = write,
                                                       .runs = runs};
