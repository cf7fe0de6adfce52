"""graphsage.py with PyTorch Geometric's SAGEConv: the same plan and batches, with PyG's layers on the bipartite blocks.

    pip install torch torch_geometric
    python pyg.py P G
"""
import torch
import torch.nn.functional as F
from torch_geometric.nn import SAGEConv

from graphsage import prepare, train


class Model(torch.nn.Module):
    def __init__(self, inputs, hidden, outputs):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(inputs, hidden), SAGEConv(hidden, outputs)])


def run(model, x, layers):
    for i, (own, rows, neighbours) in enumerate(layers):
        x = model.layers[i]((x, x[own]), torch.stack([neighbours, rows]))  # edges from drawn vertices to targets
        x = F.relu(x) if i + 1 < len(layers) else x
    return x


if __name__ == "__main__":
    a, plan, graph, features, labels = prepare()
    train(plan, graph, Model(plan.feature_dim, 32, 4), run, a.epochs, a.batch, features, labels)
