"""made.py - for examples: a graph where no data is at hand, whose neighbours tell a vertex's class better than its own features do; and how to judge a model."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

import hotset

Array = np.ndarray[Any, Any]


def two_classes(vertices: int = 8000, features: int = 10, seed: int = 1) -> Tuple[hotset.Graph, Array]:
    """(a graph with labels and training, validation and test vertices; float32 features [vertices, features]). Three in five vertices are of class 0."""
    rng, arcs = np.random.default_rng(seed), 16 * vertices
    y = (rng.random(vertices) < 0.4).astype(np.int64)
    source, target = (rng.random(arcs) ** 2 * vertices).astype(np.int64), rng.integers(0, vertices, arcs)  # some are in many lists
    kept = (y[source] == y[target]) | (rng.random(arcs) < 0.3)
    train, valid, test = np.split(rng.permutation(vertices), [vertices // 2, vertices * 3 // 4])
    x = rng.normal(size=(vertices, features)).astype(np.float32)
    x[:, 0] += y
    return hotset.graph((source[kept], target[kept]), name="two-classes", train=train, valid=valid, test=test, labels=y, feature_dim=features, quiet=True), x


def roc_auc(score: Array, positive: Array) -> float:
    """Area under the ROC curve, 0 to 1: how often a positive has a higher score [n] than another. positive: bool [n], both kinds there; equal scores in any order."""
    rank = np.empty(len(score))
    rank[np.argsort(score)] = np.arange(1, len(score) + 1)
    ones = int(positive.sum())
    return float((rank[positive].sum() - ones * (ones + 1) / 2) / (ones * (len(score) - ones)))
