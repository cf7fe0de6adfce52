"""Gathers exported mini-batches through a plan and writes counters per GPU and epoch. usage: observe.py P B FEATURES OUT [own|nopeer]"""
import json
import sys

import numpy as np

import hotset

plan, batches, features, out = hotset.Plan(sys.argv[1]), hotset.Batches(sys.argv[2]), np.load(sys.argv[3]), sys.argv[4]
how = sys.argv[5] if len(sys.argv) > 5 else "own"
memory = hotset.fill(plan, features)
for gpu in plan.gpus:
    rows, before = hotset.PlannedRows(plan, gpu, features, memory), {"own": 0, "peer": 0, "host": 0}
    for epoch in range(batches.epochs):
        for batch in batches.of(gpu, epoch):
            assert np.array_equal(rows.gather(batch.vertices), features[batch.vertices])
        grown = {k: rows.counts[k] - before[k] for k in before}
        before = dict(rows.counts)
        if how == "nopeer":  # a job that forgot its peers
            grown = {"own": grown["own"], "peer": 0, "host": grown["host"] + grown["peer"]}
        hotset.observe(out, gpu, epoch, batches.per_epoch(gpu), grown, rows.row_bytes, {"sample": 0.5, "transfer": 0.25})
for wrong in (dict(gpu=-1), dict(seconds={"No": 1}), dict(seconds={"x": -1.0}), dict(row_bytes=1 << 60)):
    try:
        hotset.observe(**dict(dict(path=out, gpu=0, epoch=0, batches=1, rows={"own": 1, "peer": 1, "host": 1}, row_bytes=1), **wrong))
        sys.exit("%s was accepted" % wrong)
    except hotset.Error as e:
        assert e.code == 2, e
try:
    hotset.observe("/nowhere/x", 0, 0, 1, {"own": 1, "peer": 1, "host": 1}, 1)
    sys.exit("a file in no folder was written")
except hotset.Error as e:
    assert e.code == 3, e
lines = [json.loads(line) for line in open(out)]
assert len(lines) == len(plan.gpus) * batches.epochs and all(line["bytes"]["host"] == line["rows"]["host"] * features[:1].nbytes for line in lines)
