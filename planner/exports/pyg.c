/* pyg - the rows of each GPU, and a script that gives PyTorch Geometric's loaders a feature store that reads them where
 * the plan puts them and a graph store over the graph directory (torch_geometric 2.8.1, data/feature_store.py,
 * data/graph_store.py, loader/neighbor_loader.py).
 *
 * hotset's Python package does the same from the plan itself, with memories of several processes, neighbour lists in
 * GPU memory and feature rows of edges. This folder needs no package; where that one is, its op gathers (planned.py).
 */
#include "planner/exports/export_clique.h"
#include "planner/exports/export_planned.h"
#include "planner/exports/export_script.h"

extern const struct export_target export_target_pyg;

static enum st pyg_check(const struct export_input *in, struct err *err)
{
    return export_limits("pyg", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

static enum st pyg_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    PASS(export_planned_lists(in, to, err));
    PASS(export_train_files(in, to, err));
    PASS(export_sets_npy(in, to, err));
    PASS(export_script_write(in, to, "load_pyg.py", "makes the stores and the loader of a GPU", NULL, err));
    export_use(to, EXPORT_CALL,
               "in Python, as the head of load_pyg.py shows: Features, Graph and make_loader, with the graph directory "
               "and the "
               "features as one .npy%s; in a job of one process per GPU, in all of them; Python's hotset.pyg does "
               "the same from the plan itself",
               export_each_type(in->graph));
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    return export_planned_runs(in, to, "PyTorch Geometric", &export_target_pyg, err);
}

const struct export_target export_target_pyg = {.name = "pyg",
                                                .summary = "rows of each GPU for PyTorch Geometric, with a script that "
                                                           "makes its stores and loaders",
                                                .features_from = "load_pyg.py takes them in Python: "
                                                                 "Features('FILE.npy', device)",
                                                .source = "pyg-team/pytorch_geometric 2.8.1",
                                                .install = "pip install torch numpy torch_geometric (2.8), and pyg-lib "
                                                           "or torch-sparse, by which PyG's loaders sample (its "
                                                           "installation page names the wheels of pyg_lib for "
                                                           "your torch); and " EXPORT_WHEEL,
                                                .order = true,
                                                .whole_rows = true,
                                                .holds = EXPORT_HOLDS_ALL,
                                                .made = {.keeps = "no topology rows, because the CPU samples; any GPU "
                                                                  "in reach serves features",
                                                         .by_cpu = true},
                                                .check = pyg_check,
                                                .write = pyg_write,
                                                .runs = runs};
