"""What the checks of exported plans share: their arguments, P EXPORT B JUDGED FEATURES .., and how a verdict is printed."""
import json
import sys

import numpy as np
import torch

import hotset

path, folder, batches_path, judged_path, features_path = sys.argv[1:6]
with open(judged_path, encoding="utf-8") as _judged:
    judged = {g["id"]: g for g in json.load(_judged)["rows"][0]["simulated"]["gpus"]}  # what was simulated, by GPU
plan, batches, features = hotset.Plan(path), hotset.Batches(batches_path), torch.from_numpy(np.load(features_path))


def check(name, good):
    print("ok" if good else "failed", name, flush=True)
