"""inference_pyg.py G P: the layers of a plan of inference on one GPU, again with PyTorch Geometric on the CPU: the sets that layers
compute (k_hop_subgraph) and the rows that chunks read (NeighborLoader with all neighbours, or k_hop_subgraph where it cannot run)."""
import json
import sys

import torch
from torch_geometric.utils import k_hop_subgraph

sys.dont_write_bytecode = True
from recount import npy

G, P = sys.argv[1:3]
plan, indptr, indices = json.load(open(P + "/plan.json")), npy(G + "/indptr.npy"), npy(G + "/indices.npy")
n = len(indptr) - 1
degree = torch.tensor(indptr[1:]) - torch.tensor(indptr[:-1])
edges = torch.stack([torch.tensor(indices, dtype=torch.long), torch.repeat_interleave(torch.arange(n), degree)])
wanted = torch.tensor(npy(P + "/evaluated.npy") if plan["evaluated"]["vertices"] < n else range(n), dtype=torch.long)
order, limit, layers = torch.tensor(npy(P + "/order.npy"), dtype=torch.long), plan["chunk"]["limit"], plan["layers"]
how = "NeighborLoader"
for layer in layers:
    targets = k_hop_subgraph(wanted, len(layers) - layer["layer"], edges, num_nodes=n)[0]
    marked = torch.zeros(n, dtype=torch.bool)
    marked[targets] = True
    todo = order[marked[order]]
    try:
        from torch_geometric.data import Data
        from torch_geometric.loader import NeighborLoader
        loader = NeighborLoader(Data(edge_index=edges, num_nodes=n), num_neighbors=[-1], input_nodes=todo, batch_size=limit, shuffle=False)
        rows = [batch.num_nodes for batch in loader]
    except ImportError as why:
        how = "k_hop_subgraph (%s)" % why
        rows = [len(k_hop_subgraph(chunk, 1, edges, num_nodes=n)[0]) for chunk in todo.split(limit)]
    found = {"vertices": len(todo), "chunks": len(rows), "rows": sum(rows), "largest_chunk_rows": max(rows)}
    print("layer", layer["layer"], found, "as planned" if all(layer[k] == v for k, v in found.items()) else "BUT PLANNED %s" % {k: layer[k] for k in found})
print("by", how)
