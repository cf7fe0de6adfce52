"""flows.py - small inputs, and one command line or more for every command and every reader. Runs happen in an empty folder beside `in`."""
import gzip
import os
import subprocess

EDGES = "0 1\n0 2\n0 3\n1 0\n1 2\n2 0\n2 1\n2 3\n2 4\n3 0\n3 2\n4 2\n4 5\n4 6\n6 4\n6 5\n6 7\n7 0\n7 6\n"
PAIR = ('{"schema": "server/1", "name": "pair", "gpus": [{"id": 0, "memory_bytes": 4096}, {"id": 1, "memory_bytes": 4096}],'
        ' "nvlinks": [{"a": 0, "b": 1, "links": 2, "gbps": 50}]}')
MTX = "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n"
METIS = "4 4\n2 3\n1 3\n1 2 4\n3\n"


class Flow:
    def __init__(self, name, args, stable=True, long=False, says_no=False):
        self.name, self.args, self.stable, self.long = name, args.split(), stable, long
        self.says_no = says_no  # exit code 1 is an answer
        self.tree = self.out = None  # of an undisturbed run, as are code, bytes and seconds
        self.code = self.bytes = 0
        self.seconds = 0.0


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def make_inputs(hotset, root, folder, with_long):
    """Fills `folder`: text files, then what the first commands make of them."""
    write(folder + "/edges.txt", EDGES)
    write(folder + "/edges.txt.gz", gzip.compress(EDGES.encode(), mtime=0))
    write(folder + "/weighted.txt", "".join("%s %d\n" % (line, i % 5 + 1) for i, line in enumerate(EDGES.split("\n")[:-1])))
    write(folder + "/m.mtx", MTX)
    write(folder + "/m.graph", METIS)
    write(folder + "/train.txt", "0\n2\n5\n")
    write(folder + "/labels.txt", "2\n0\nnan\n1\n-1\n0\n2\n1\n")
    write(folder + "/valid.txt", "1\n3\n")
    write(folder + "/solo.json", PAIR)
    write(folder + "/host.json", PAIR[:-1] + ', "pcie": {"generation": 4, "width": 16, "gbps": 24}}')
    write(folder + "/counts.txt", "0 5\n2 3\n")
    for name, source in {"topo.txt": "tests/fuzz/corpus/server/topo", "hwloc.xml": "tests/fuzz/corpus/server/hwloc", "nccl.xml": "tests/fuzz/corpus/server/nccl",
                         "pcie.csv": "tests/fuzz/corpus/pcm/pcie", "iio.csv": "tests/fuzz/corpus/pcm/iio"}.items():
        write(folder + "/" + name, open(os.path.join(root, source), "rb").read())
    small = "--graph G --server solo.json --fanout 2,2 --batch 2 --threads 1 --quiet"
    made = ["graph import edges.txt --sample out --train-share 0.5 --feature-dim 4 -o G --quiet",
            "graph import edges.txt --sample out --train train.txt --labels labels.txt --valid valid.txt --feature-dim 4 -o GL --quiet",
            "graph import weighted.txt --weights --sample out --train-share 0.5 --feature-dim 4 -o W --quiet",
            "trace record %s --epochs 2 -o T" % small,
            "plan %s --trace T --policy hotset --budget 60B --simulate-epochs 1 -o P" % small.replace(" --fanout 2,2 --batch 2", ""),
            "plan %s --policy quiver-plus --budget 60B --simulate-epochs 1 -o P2" % small,
            "plan %s --policy bgl --budget 60B --simulate-epochs 1 -o PD" % small,
            "plan %s --policy hotset --budget 60B --host-memory 200B --ssd gen4 --simulate-epochs 1 -o PM" % small.replace("solo", "host"),
            "compare %s --policy legion,hotset,dgl-uva --budget 40B,60B --presample-epochs 2 --simulate-epochs 1 -o R.json" % small,
            "graph synth like igbh-tiny --scale 0.0002 --seed 3 -o H --quiet",
            "plan --graph H --server solo.json --budget 3KiB --fanout 2,2 --batch 2 --presample-epochs 1 --simulate-epochs 1 --threads 1 --quiet -o HP",
            "size %s --target hit-rate>=0.3 --steps 3 --reserve 1000B -o S.json" % small,
            "export P --graph G --to npy --simulate-epochs 0 --threads 1 --quiet -o lists",
            "execute P --graph G --run-epochs 1 --threads 1 --quiet -o E.json",
            "simulate P --graph G --epochs 1 --threads 1 --quiet --export-requests Q.bin"]
    if with_long:
        write(folder + "/long.txt", "".join("%d %d\n" % (i * 7919 % 50021, i * 104729 % 50021) for i in range(400000)))
        made.append("graph synth community --vertices 60000 --edges 900000 -o L --quiet")
    for line in made:
        p = subprocess.run([hotset] + line.split(), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if p.returncode not in (0, 1):
            raise SystemExit("torture: %s: exit code %d: %s" % (line, p.returncode, p.stdout.decode()))


def flows():
    i, small = "../in/", "--fanout 2,2 --batch 2 --threads 1 --quiet"
    on = "--graph ../in/G --server ../in/solo.json " + small
    sampled = on + " --presample-epochs 1 --simulate-epochs 1"
    found = [
        Flow("graph import", "graph import %sedges.txt --train %strain.txt --feature-dim 4 -o out --threads 1 --quiet" % (i, i)),
        Flow("graph import labels", "graph import %sedges.txt --train %strain.txt --labels %slabels.txt --valid %svalid.txt --test %svalid.txt "
                                    "--feature-dim 4 -o out --threads 1 --quiet" % (i, i, i, i, i)),
        Flow("graph import gz", "graph import %sedges.txt.gz --train-share 0.5 -o out --threads 1 --quiet" % i),
        Flow("graph import weights", "graph import %sweighted.txt --weights --train-share 0.5 -o out --threads 1 --quiet" % i),
        Flow("graph import mtx", "graph import %sm.mtx --train-share 0.5 -o out --threads 1 --quiet" % i),
        Flow("graph import metis", "graph import %sm.graph --train-share 0.5 -o out --threads 1 --quiet" % i),
        Flow("graph info", "graph info %sG --verify --json --quiet" % i),
        Flow("graph info labels", "graph info %sGL --quiet" % i),
        Flow("graph relabel labels", "graph relabel %sGL -o out --threads 1 --quiet" % i),
        Flow("graph synth", "graph synth rmat --vertices 64 --edges 300 -o out --threads 1 --quiet"),
        Flow("graph relabel", "graph relabel %sG -o out --threads 1 --quiet" % i),
        Flow("server import smi", "server import %stopo.txt --gpu-memory 4GiB -o out.json --quiet" % i),
        Flow("server import hwloc", "server import %shwloc.xml -o out.json --quiet" % i),
        Flow("server import nccl", "server import %snccl.xml -o out.json --quiet" % i),
        Flow("server show", "server show dgx-v100"),
        Flow("server show --svg", "server show siton --svg out.svg --quiet"),
        Flow("server diff", "server diff siton dgx-v100 --quiet", says_no=True),
        Flow("trace record", "trace record %s --epochs 2 -o out" % on),
        Flow("trace import pcm", "trace import %spcie.csv -o out --quiet" % i),
        Flow("trace import iio", "trace import %siio.csv --interval 1 -o out --quiet" % i),
        Flow("trace import counts", "trace import %scounts.txt --trace %sT --graph %sG --epochs 1 -o out --threads 1 --quiet" % (i, i, i)),
        Flow("plan", "plan %s --policy hotset --budget 60B -o out" % sampled),
        Flow("plan trace", "plan --graph ../in/G --server ../in/solo.json --threads 1 --quiet --trace ../in/T --policy legion --budget 60B --simulate-epochs 0 -o out"),
        Flow("plan dsp", "plan %s --policy dsp --budget 60B -o out" % sampled),
        Flow("plan exact", "plan %s --policy exact --budget 60B -o out" % sampled),
        Flow("compare", "compare %s --policy legion,gnnlab,dgl-uva --budget 60B -o out.json" % sampled),
        Flow("size", "size %s --target hit-rate>=0.3 --steps 2 --reserve 1000B -o out.json" % on),
        Flow("advise", "advise %s --budget 60B --presample-epochs 1 --simulate-epochs 1 -o out.json" % on),
        Flow("plan from lists", "plan %s --from-lists ../in/lists --budget 60B -o out" % sampled),
        Flow("explain", "explain %sP --graph %sG --vertex 2 --threads 1 --json --quiet" % (i, i)),
        Flow("verify", "verify %sP --graph %sG --threads 1 --quiet" % (i, i)),
        Flow("diff", "diff %sP %sP2 --graph %sG --threads 1 --json --quiet" % (i, i, i)),
        Flow("simulate", "simulate %sP --graph %sG --epochs 1 --threads 1 --movement --json --quiet" % (i, i)),
        Flow("simulate --cache", "simulate %sP --graph %sG --epochs 1 --threads 1 --cache all --cache-rows 2 --quiet -o out.json" % (i, i)),
        Flow("simulate --cache, threads", "simulate %sP --graph %sG --epochs 1 --threads 3 --cache all --cache-rows 2 --quiet -o out.json" % (i, i)),
        Flow("simulate --requests", "simulate --requests %sQ.bin --cache lru,belady --cache-rows 2 --quiet" % i),
        Flow("simulate --export-batches", "simulate %sP --graph %sG --epochs 1 --threads 1 --quiet --export-batches out" % (i, i)),
        Flow("storage", "plan --graph %sG --server dgx-v100 %s --presample-epochs 1 --budget 60B --host-memory 150B --ssd gen4 "
                        "--simulate-epochs 1 -o out" % (i, small)),
        Flow("typed info", "graph info %sH --verify --json --quiet" % i),
        Flow("typed record", "trace record --graph %sH --server %ssolo.json --fanout 2,2 --batch 2 --epochs 1 --threads 1 --quiet -o out" % (i, i)),
        Flow("typed plan", "plan --graph %sH --server %ssolo.json --budget 3KiB --fanout 2,2 --batch 2 --presample-epochs 1 --simulate-epochs 1 --threads 1 --quiet -o out" % (i, i)),
        Flow("typed simulate", "simulate %sHP --graph %sH --epochs 1 --threads 1 --json --quiet" % (i, i)),
        Flow("typed verify", "verify %sHP --graph %sH --threads 1 --quiet" % (i, i)),
        Flow("plan --for", "plan %s --budget 60B --for pyg -o out" % sampled),
        Flow("refresh", "refresh %sP --trace %sT --graph %sG --server %ssolo.json --simulate-epochs 1 --threads 1 --quiet -o out" % (i, i, i, i)),
        Flow("typed synth", "graph synth like igbh-tiny --scale 0.001 -o out --threads 1 --quiet"),
        Flow("nodes", "plan --graph %sG --server %shost.json --nodes 2 --nic-gbps 9 --host-memory 300B --budget 60B --fanout 2,2 --batch 2 --presample-epochs 1 --simulate-epochs 1 --threads 1 --quiet -o out" % (i, i)),
        Flow("graph relabel --order", "graph relabel %sG --order %slists/gpu0_feature.npy -o out --threads 1 --quiet" % (i, i)),
        Flow("execute", "lab execute %sP --graph %sG --run-epochs 1 --threads 1 --quiet -o out.json" % (i, i), stable=False),
        Flow("report", "report %sR.json -o out --quiet" % i),
        Flow("report size", "report %sS.json -o out --quiet" % i),
        Flow("list", "list policies --quiet"),
        Flow("help", "help --man"),
    ]
    found += [Flow("export " + to, "export %sP --graph %sG --to %s --simulate-epochs 0 --threads 1 --quiet -o out%s" % (
        i, i, to, " --server ../in/solo.json --hbm-gbps 300 --pcie-gbps 8" if to == "ugache" else "")) for to in ("npy", "dgl", "quiver", "legion", "gnnlab", "glt", "gids", "wholegraph", "ugache")]
    large = "--graph ../in/L --fanout 10,5 --batch 400 --seed 3 --partition stream --quiet --server dgx-v100"
    found += [
        Flow("long import", "graph import ../in/long.txt --train-share 0.1 -o out --quiet", long=True),
        Flow("long synth", "graph synth rmat --vertices 100000 --edges 1000000 -o out --quiet", long=True),
        Flow("long relabel", "graph relabel ../in/L -o out --quiet", long=True),
        Flow("long record", "trace record %s --epochs 3 -o out" % large, long=True),
        Flow("long plan", "plan %s --budget 4%% --presample-epochs 3 --simulate-epochs 1 --policy hotset -o out" % large, long=True),
        Flow("long compare", "compare %s --policy legion,dgl-uva --budget 4%% --presample-epochs 2 --simulate-epochs 1 -o out.json" % large, long=True),
    ]
    return found
