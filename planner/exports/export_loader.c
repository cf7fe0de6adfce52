#include "planner/exports/export_loader.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"
#include "traces/sampling/workload.h"

static const char read_ids[] = "\n"
                               "\n"
                               "def of(constant, kind):\n"
                               "    \"\"\"What a constant of this script says of a type (kind); the constant where the "
                               "graph has one type (kind: None).\"\"\"\n"
                               "    return constant if kind is None else constant[kind]\n"
                               "\n"
                               "\n"
                               "def ids(name, kind=None):\n"
                               "    \"\"\"An .npy of ids beside this file, as a tensor; ids are those of their "
                               "type.\"\"\"\n"
                               "    import numpy\n"
                               "    import torch\n"
                               "    name = name if kind is None else name.replace('.npy', '_%d.npy' % TYPES[kind])\n"
                               "    return torch.from_numpy(numpy.load(os.path.join(FOLDER, name)))\n"
                               "\n"
                               "\n"
                               "def train_ids(device, kind=None):\n"
                               "    \"\"\"The training vertices that the plan gives to a GPU.\"\"\"\n"
                               "    return ids('gpu%d_train.npy' % device, kind)\n"
                               "\n"
                               "\n"
                               "def epoch_ids(device, epoch, kind=None):\n"
                               "    \"\"\"The same in the plan's order for an epoch: mini-batch b is [b * BATCH:(b + "
                               "1) * BATCH]. Loaders must not shuffle\n"
                               "    them.\"\"\"\n"
                               "    import numpy\n"
                               "    import torch\n"
                               "    draw = numpy.random.default_rng([SEED, device, epoch])\n"
                               "    if ORDER == 'shuffle':\n"
                               "        return torch.from_numpy(draw.permutation(train_ids(device, kind).numpy()))\n"
                               "    circle = ids('gpu%d_order.npy' % device, kind).numpy()\n"
                               "    circle = numpy.roll(circle, -int(draw.integers(max(len(circle), 1))))\n"
                               "    if ORDER == 'blocks' and len(circle):\n"
                               "        size = max(BATCH // BLOCKS, 1)\n"
                               "        circle = numpy.concatenate([circle[b * size:(b + 1) * size] for b in "
                               "draw.permutation(-(-len(circle) // size))])\n"
                               "        circle = numpy.concatenate([draw.permutation(circle[b:b + BATCH]) for b in "
                               "range(0, len(circle), BATCH)])\n"
                               "    return torch.from_numpy(circle)\n"
                               "\n"
                               "\n";

static const char per_clique[] = "def clique_of(device):\n"
                                 "    \"\"\"The number of the clique that a device belongs to.\"\"\"\n"
                                 "    for number, devices in enumerate(CLIQUES):\n"
                                 "        if device in devices:\n"
                                 "            return number\n"
                                 "    raise ValueError('GPU %d is not in the plan, which has %s' % (device, CLIQUES))\n"
                                 "\n"
                                 "\n";

static const char load_rows[] = "def load_rows(features, kind=None):\n"
                                "    \"\"\"features: the path of an .npy of shape (VERTICES, DIM), which is mapped; or "
                                "such an array. Of several types: of\n"
                                "    that type.\"\"\"\n"
                                "    import numpy\n"
                                "    rows = numpy.load(features, mmap_mode='r') if isinstance(features, str) else "
                                "features\n"
                                "    shape = of(VERTICES, kind), of(DIM, kind)\n"
                                "    if tuple(rows.shape) != shape:\n"
                                "        raise ValueError('the features have shape %s, expected %s' % "
                                "(tuple(rows.shape), shape))\n"
                                "    return rows\n"
                                "\n"
                                "\n";

static const char planned[] = "def rounded(rows, element):\n"
                              "    \"\"\"What GPUs hold of these rows (hotset plan --cache-type).\"\"\"\n"
                              "    import torch\n"
                              "    if element in ('f16', 'bf16'):\n"
                              "        return rows.to(torch.float16 if element == 'f16' else torch.bfloat16)\n"
                              "    if element == 'f8':\n"
                              "        return rows.clamp(-448, 448).to(torch.float8_e4m3fn).to(torch.bfloat16)\n"
                              "    if element == 'i8':\n"
                              "        scale = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30) / 127\n"
                              "        return torch.cat([(rows / scale).round().to(torch.int8), "
                              "scale.float().view(torch.int8)], 1)\n"
                              "    return rows\n"
                              "\n"
                              "\n"
                              "class PlannedRows:\n"
                              "    \"\"\"Rows of a type for one GPU: from the memories of GPUs where the plan puts "
                              "them, else from the host.\n"
                              "\n"
                              "    features: as for load_rows, or a tensor. memory: {GPU: its rows}, as filled_memory "
                              "gives them; PlannedRows of one\n"
                              "    process share them. counts: rows served so far by own memory, peers, host.\n"
                              "    \"\"\"\n"
                              "\n"
                              "    def __init__(self, features, device, kind=None, memory=None):\n"
                              "        import numpy\n"
                              "        import torch\n"
                              "        self.host = features if torch.is_tensor(features) else "
                              "torch.from_numpy(numpy.asarray(load_rows(features, kind)))\n"
                              "        self.element, self.counts = of(ELEMENT, kind), {'own': 0, 'peer': 0, 'host': "
                              "0}\n"
                              "        self.memory = filled_memory(self.host, kind) if memory is None else memory\n"
                              "        self.sources = [device, *PEERS[device]]  # nearest first\n"
                              "        self.source = torch.full((len(self.host),), -1, dtype=torch.int16)\n"
                              "        self.slot = torch.zeros(len(self.host), dtype=torch.int64)\n"
                              "        for k in reversed(range(len(self.sources))):\n"
                              "            held = ids('gpu%d_feature.npy' % self.sources[k], kind)\n"
                              "            self.source[held], self.slot[held] = k, torch.arange(len(held))\n"
                              "\n"
                              "    def __getitem__(self, vertices):\n"
                              "        import torch\n"
                              "        vertices = vertices.long().to(self.source.device)\n"
                              "        source = self.source.index_select(0, vertices)\n"
                              "        out = self.host.new_empty((len(vertices), self.host.shape[1]))\n"
                              "        for k in source.unique().tolist():\n"
                              "            here = (source == k).nonzero().squeeze(1)\n"
                              "            wanted = vertices.index_select(0, here)\n"
                              "            if k < 0:\n"
                              "                rows = self.host.index_select(0, wanted)\n"
                              "            else:\n"
                              "                memory = self.memory[self.sources[k]]\n"
                              "                rows = memory.index_select(0, self.slot.index_select(0, "
                              "wanted).to(memory.device)).to(out.device)\n"
                              "                if self.element == 'i8':\n"
                              "                    rows = rows[:, :-4] * rows[:, "
                              "-4:].contiguous().view(torch.float32)\n"
                              "            out.index_copy_(0, here, rows.to(out.dtype))\n"
                              "            self.counts['host' if k < 0 else 'peer' if k else 'own'] += len(here)\n"
                              "        return out\n"
                              "\n"
                              "\n"
                              "def filled_memory(host, kind=None, place=lambda gpu: 'cpu'):\n"
                              "    \"\"\"{GPU: the rows that the plan puts into its memory}. place(gpu): 'cuda:0' or "
                              "another device of torch.\"\"\"\n"
                              "    return {g: rounded(host.index_select(0, ids('gpu%d_feature.npy' % g, kind)), "
                              "of(ELEMENT, kind)).to(place(g))\n"
                              "            for g in PEERS}\n"
                              "\n"
                              "\n";

/* ---- what the plan states, as Python's constants ---- */

/* "[10, 5]", or of several types {('author', 'writes', 'paper'): [10, 5], ..}. */
static void append_fanouts(const struct export_input *in, char *text, size_t size)
{
    const struct workload *w = &in->plan->workload;
    const struct graph *g = in->graph;
    int relations = graph_relation_count(g);
    for (int r = 0; r < relations; r++) {
        text_append(text, size, "%s", r ? ", " : graph_plain(g) ? "" : "{");
        if (!graph_plain(g)) {
            const char *const name[] = {g->type[g->relation[r].source].name, g->relation[r].name,
                                        g->type[g->relation[r].target].name};
            for (int i = 0; i < 3; i++) {
                text_append(text, size, i ? ", " : "(");
                export_python_text(name[i], text, size);
            }
            text_append(text, size, "): ");
        }
        for (int h = 0; h < w->hops; h++) text_append(text, size, "%s%u", h ? ", " : "[", workload_fanout(w, r, h));
        text_append(text, size, "]");
    }
    text_append(text, size, graph_plain(g) ? "\n" : "}\n");
}

/* Numbers of types and sizes of their rows. */
static enum st append_shapes(const struct graph *g, char *text, size_t size, struct err *err)
{
    static const char *const name[] = {"TYPES", "VERTICES", "DIM", "ELEMENT"};
    for (int i = 0; i < 4; i++) {
        struct export_values v;
        PASS(export_values_begin(g, 32, &v, err));
        for (int t = 0; t < graph_type_count(g); t++) {
            const struct export_rows r = export_rows_shape(g, t);
            enum precision held = graph_feature_table(g, t).cached;
            if (i == 3 && !r.row_bytes) continue;
            export_values_key(&v, t);
            if (i == 3) text_append(v.text, v.size, "'%s'", precision_name(held));
            else text_append(v.text, v.size, "%" PRIu64, i == 0 ? (uint64_t)t : i == 1 ? r.n : r.dim);
        }
        export_values_end(&v);
        text_append(text, size, "%s = %s\n", name[i], i || !graph_plain(g) ? v.text : "None");
        export_values_release(&v);
    }
    return ST_OK;
}

static enum st append_stated(const struct export_input *in, const struct export_loader *own, char *text, size_t size,
                             struct err *err)
{
    const struct workload *w = &in->plan->workload;
    const struct assignment *a = &in->plan->assignment;
    static const char *const orders[] = {"shuffle", "bfs", "blocks"};
    char of[1200];
    if (own->cliques) {
        export_cliques_text(a, of, sizeof of);
        text_append(text, size, "CLIQUES = %s\n", of);
    }
    for (int g = 0; own->planned && g < a->gpus; g++) {
        text_append(text, size, "%s%d: [", g ? ", " : "PEERS = {", a->id[g]);
        for (int i = 0; i < in->plan->placement.peers[g]; i++)
            text_append(text, size, "%s%d", i ? ", " : "", a->id[in->plan->placement.peer[g][i]]);
        text_append(text, size, g + 1 < a->gpus ? "]" : "]}\n");
    }
    PASS(append_shapes(in->graph, text, size, err));
    text_append(text, size, "FANOUT = ");
    append_fanouts(in, text, size);
    text_append(text, size, "BATCH = %" PRIu64 "\nSEED = %" PRIu64 "\nORDER = '%s'\n", w->batch, w->seed,
                orders[w->order]);
    if (w->order == ORDER_BLOCKS) text_append(text, size, "BLOCKS = %" PRIu64 "\n", w->order_blocks);
    return ST_OK;
}

/* Bytes for all that. */
static size_t stated_bytes(const struct graph *g)
{
    size_t types = (size_t)graph_type_count(g), relations = (size_t)graph_relation_count(g);
    return 4000 + (size_t)GPUS_MAX * GPUS_MAX * 4 + types * 4 * (4 * GRAPH_NAME_BYTES + 40) +
           relations * (12 * GRAPH_NAME_BYTES + 12 * HOPS_MAX + 40);
}

enum st export_loader_write(const struct export_input *in, struct export_folder *to, const struct export_loader *own,
                            struct err *err)
{
    size_t size = strlen(own->about) + strlen(own->constants) + strlen(own->functions) + sizeof read_ids +
                  sizeof per_clique + sizeof load_rows + sizeof planned + stated_bytes(in->graph);
    OWNED_NEW(char, text, size, "the text of a script");
    text_append(text, size, "\"\"\"%s\"\"\"\nimport os\n\n", own->about);
    text_append(text, size, "FOLDER = os.path.dirname(os.path.abspath(__file__))\n");
    PASS(append_stated(in, own, text, size, err));
    text_append(text, size, "%s%s%s%s%s%s", own->constants, read_ids, own->cliques ? per_clique : "",
                own->cliques || own->planned ? load_rows : "", own->planned ? planned : "", own->functions);
    return export_text(to, own->name, own->what, text, err);
}

enum st export_planned_lists(const struct export_input *in, struct export_folder *to, struct err *err)
{
    OWNED_BY(export_rows_release) struct export_rows rows = {0};
    const struct assignment *a = &in->plan->assignment;
    for (int t = 0; t < graph_type_count(in->graph); t++) {
        if (!export_rows_shape(in->graph, t).row_bytes) continue;
        export_rows_release(&rows);
        PASS(export_rows_of(in->graph, &in->plan->placement, t, &rows, err));
        for (int g = 0; g < a->gpus; g++) {
            char stem[32], name[EXPORT_NAME];
            snprintf(stem, sizeof stem, "gpu%d_feature", a->id[g]);
            PASS(export_ids_npy(to, export_rows_file(&rows, stem, name),
                                "int64: feature rows of the GPU, in slot order", rows.list[g].id, rows.list[g].count, 8,
                                err));
        }
    }
    return ST_OK;
}

enum st export_planned_runs(const struct export_input *in, struct export_runs *to, const char *runtime, bool all_hops,
                            struct err *err)
{
    struct export_run *run = NULL;
    const struct workload *w = &in->plan->workload;
    bool taken;
    PASS(export_lack(to, &run, "topology rows in GPU memory", err,
                     "%s reads neighbour lists from the host; plan with --for, which spends the memory on features.",
                     runtime));
    run->simulate = export_run_no_topology(run);
    if (!run->simulate) to->count--;
    if (all_hops && w->frontier != FRONTIER_ALL && w->sampler != SAMPLER_WALK) {
        PASS(export_lack(to, &run, w->frontier == FRONTIER_NEW ? "a frontier of new vertices" : "a frontier by layers",
                         err,
                         "%s draws neighbours of all vertices of a mini-batch in every hop; plan with --frontier all.",
                         runtime));
        run->simulate = run->draws.all_frontier = to->draws.all_frontier = true;
    }
    PASS(export_lack_workload(in, to, runtime, false, err));
    if (!all_hops) PASS(export_lack_frontier(in, to, runtime, err));
    PASS(export_as_run(to, &run, err,
                       "the plan's feature rows where it puts them, with neighbour lists read from the host."));
    export_run_no_topology(run);
    PASS(export_run_no_edges(to, run, in->graph, &taken, err));
    export_run_reads(run);
    return ST_OK;
}
