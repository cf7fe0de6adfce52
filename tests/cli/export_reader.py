"""export_reader.py TARGET DIR PLAN GRAPH - reads an export as its runtime would, with the standard library alone, and holds every file's size and every
set against the plan and the graph. Says what is wrong and exits with 1; says nothing when all is well."""
import array
import ast
import hashlib
import json
import os
import re
import struct
import sys

WIDTH = {'i': 4, 'I': 4, 'q': 8, 'f': 4, 'h': 2}
LETTER = {'<u4': 'I', '<i4': 'i', '<i8': 'q', '<f4': 'f', '<i2': 'h'}
assert sys.byteorder == 'little' and all(array.array(k).itemsize == w for k, w in WIDTH.items())


def must(good, text):
    if not good:
        print(text)
        sys.exit(1)


def raw(folder, name, letter, count):
    path = os.path.join(folder, name)
    must(os.path.getsize(path) == WIDTH[letter] * count, '%s: %d bytes, the runtime asserts %d' % (name, os.path.getsize(path), WIDTH[letter] * count))
    out = array.array(letter)
    with open(path, 'rb') as f:
        out.frombytes(f.read())
    return out


def npy(folder, name):
    with open(os.path.join(folder, name), 'rb') as f:
        data = f.read()
    must(data[:8] == b'\x93NUMPY\x01\x00', '%s: no version 1.0 .npy' % name)
    length = struct.unpack('<H', data[8:10])[0]
    must((10 + length) % 64 == 0, '%s: the header is not padded to 64 bytes' % name)
    head = ast.literal_eval(data[10:10 + length].decode('ascii'))
    must(not head['fortran_order'], name + ': Fortran order')
    count = 1
    for s in head['shape']:
        count *= s
    letter = LETTER[head['descr']]
    must(len(data) == 10 + length + WIDTH[letter] * count, name + ': wrong length')
    out = array.array(letter)
    out.frombytes(data[10 + length:])
    return head['descr'], tuple(head['shape']), out


def ids(folder, name, descr='<u4'):
    d, shape, a = npy(folder, name)
    must(d == descr and len(shape) == 1, '%s: %s %s, expected %s' % (name, d, shape, descr))
    return list(a)


class Given:
    """The plan and the graph, read from their own files."""

    def __init__(self, plan, graph):
        self.folder, self.graph = plan, graph
        self.plan = json.load(open(os.path.join(plan, 'plan.json')))
        self.info = json.load(open(os.path.join(graph, 'graph.json')))
        self.indptr = ids(graph, 'indptr.npy', '<i8')
        self.indices = ids(graph, 'indices.npy')
        self.n, self.m, self.dim = self.info['vertices'], self.info['edges'], self.info['feature_dim']
        self.gpus = [g['id'] for g in self.plan['gpus']]
        self.peers = {g['id']: g['peers'] for g in self.plan['gpus']}
        self.budget = {g['id']: g['budget_bytes'] for g in self.plan['gpus']}
        self.cliques = [c['gpus'] for c in self.plan['cliques']]
        self.train = {g: ids(plan, 'gpu%d_train.npy' % g) for g in self.gpus}
        self.feature = {g: ids(plan, 'gpu%d_feature.npy' % g) for g in self.gpus}
        self.topology = {g: ids(plan, 'gpu%d_topology.npy' % g) for g in self.gpus}
        self.all_train = sorted(v for t in self.train.values() for v in t)
        self.row, self.kind, self.number = self.dim * self.info['feature_bytes'], None, None

    def degree(self, v):
        return self.indptr[v + 1] - self.indptr[v]

    def file(self, stem):
        return stem + '.npy'

    def of(self, constant):
        return constant


class OfType:
    """The rows of one type of a graph with several, as Given has them."""

    def __init__(self, plan, graph, number):
        self.plan, self.info = json.load(open(os.path.join(plan, 'plan.json'))), json.load(open(os.path.join(graph, 'graph.json')))
        about = self.info['types'][number]
        self.kind, self.number, self.n, self.dim = about['name'], number, about['count'], about['feature_dim']
        self.row = self.dim * {'f32': 4, 'f16': 2, 'i8': 1}[about['feature_type']] if self.dim else 0
        self.gpus, self.peers = [g['id'] for g in self.plan['gpus']], {g['id']: g['peers'] for g in self.plan['gpus']}
        cliques = {}
        for g in self.plan['gpus']:
            cliques.setdefault(g['clique'], []).append(g['id'])
        self.cliques = list(cliques.values())
        listed = lambda g, of: next((ids(plan, x['file']) for x in of if x.get('type') == self.kind and x.get('kind', 'feature') == 'feature'), [])
        self.feature = {g['id']: listed(g, g['lists']) for g in self.plan['gpus']}
        self.train = {g['id']: listed(g, g['train']) for g in self.plan['gpus']}

    def file(self, stem):
        return '%s_%d.npy' % (stem, self.number)

    def of(self, constant):
        return constant[self.kind]


def graph_equal(x, offsets, entries):
    must(list(offsets) == x.indptr, 'offsets differ')
    must(list(entries) == x.indices, 'entries differ')


def stand_in(x, value):
    train = set(x.all_train)
    must(value == next((v for v in range(x.n) if v not in train), 0), 'the stand-in is not the lowest vertex that nobody trains')


def legion(folder, x):
    text = open(os.path.join(folder, 'meta_config')).read()
    must('\n' not in text, 'meta_config has an end of line')
    field = text.split(' ')
    must(len(field) == 10, 'meta_config has %d fields' % len(field))
    path, batch, n, m, dim, train, valid, test, cache, epochs = [field[0]] + [int(f) for f in field[1:]]
    must(path.endswith('/') and (n, m, dim) == (x.n, x.m, x.dim), 'meta_config: ' + text)
    must(batch == x.plan['workload']['batch'] and epochs > 0, 'meta_config: ' + text)
    must(cache == min(x.budget.values()), 'cache memory is %d' % cache)
    folder = os.path.join(folder, path)
    graph_equal(x, raw(folder, 'edge_src', 'q', n + 1), raw(folder, 'edge_dst', 'i', m))
    seeds = list(raw(folder, 'trainingset', 'i', train))
    must(sorted(seeds) == x.all_train, 'the training set is another')
    for name, count in (('validationset', valid), ('testingset', test)):
        must(count == 1, 'one vertex stands for the ' + name)
        stand_in(x, raw(folder, name, 'i', count)[0])
    partition = raw(folder, 'partition', 'i', n)
    command = re.search(r"^DEVICES='([0-9,]+)'\nGPUS=(\d+)\nMODE=(\d+)\n\n.* CUDA_VISIBLE_DEVICES=\$DEVICES exec .*sampling_server\}?\" \"\$GPUS\" \"\$MODE\"\n", open(os.path.join(folder, 'run.sh')).read(), re.M)
    must(command, 'run.sh has no command')
    devices, gpus, mode = [int(d) for d in command.group(1).split(',')], int(command.group(2)), int(command.group(3))
    must(sorted(devices) == sorted(x.gpus) and gpus == len(devices), 'devices %s' % devices)
    group = [1, 2, 4, 8][mode]
    must(gpus % group == 0, 'a GPU is left over')
    must([sorted(devices[i:i + group]) for i in range(0, gpus, group)] == [sorted(c) for c in x.cliques], 'cliques of Legion: %s' % devices)
    must(all(0 <= p < gpus for p in partition), 'partition names a GPU that is not there')
    got = {d: [] for d in devices}
    for v in seeds:
        got[devices[partition[v]]].append(v)
    for g in x.gpus:
        must(sorted(got[g]) == sorted(x.train[g]), 'GPU %d trains other vertices' % g)


def gnnlab(folder, x):
    meta = {}
    for line in open(os.path.join(folder, 'meta.txt')):
        must(re.fullmatch(r'[A-Z_]+\t\d+\n', line), 'meta.txt: %r' % line)
        key, value = line.split()
        meta[key] = int(value)
    want = 'NUM_NODE NUM_EDGE FEAT_DIM NUM_CLASS NUM_TRAIN_SET NUM_VALID_SET NUM_TEST_SET'.split()
    must(list(meta) == want, 'meta.txt has %s' % list(meta))
    n, m = meta['NUM_NODE'], meta['NUM_EDGE']
    must((n, m, meta['FEAT_DIM']) == (x.n, x.m, x.dim), 'meta.txt: %s' % meta)
    graph_equal(x, raw(folder, 'indptr.bin', 'I', n + 1), raw(folder, 'indices.bin', 'I', m))
    must(sorted(raw(folder, 'train_set.bin', 'I', meta['NUM_TRAIN_SET'])) == x.all_train, 'the training set is another')
    for name, key in (('valid_set.bin', 'NUM_VALID_SET'), ('test_set.bin', 'NUM_TEST_SET')):
        must(meta[key] == 1, 'one vertex stands for ' + name)
        stand_in(x, raw(folder, name, 'I', meta[key])[0])
    must(list(raw(folder, 'in_degrees.bin', 'I', n)) == [x.degree(v) for v in range(n)], 'in_degrees')
    listed = [0] * n
    for v in x.indices:
        listed[v] += 1
    must(list(raw(folder, 'out_degrees.bin', 'I', n)) == listed, 'out_degrees')
    copies, slot = [0] * n, [1 << 40] * n
    for g in x.gpus:
        for i, v in enumerate(x.feature[g]):
            copies[v] += 1
            slot[v] = min(slot[v], i)
    order = sorted(range(n), key=lambda v: (-copies[v], slot[v], v) if copies[v] else (0, 1 << 41, -listed[v], v))
    must(list(raw(folder, 'cache_by_heuristic.bin', 'I', n)) == order, 'the ranking is another')
    must(list(raw(folder, 'cache_by_degree.bin', 'I', n)) == sorted(range(n), key=lambda v: (-listed[v], v)), 'the ranking by degree is another')
    s = json.load(open(os.path.join(folder, 'export.json')))['settings']
    trainers = x.gpus[s['samplers']:]
    rows = min([n] + [x.budget[g] // (4 * x.dim) for g in trainers])
    must(s['cached_rows'] == rows and int(n * float(s['cache_percentage'])) == rows, 'the share gives %d rows, %d fit' % (int(n * float(s['cache_percentage'])), rows))


def script(folder, name):
    import py_compile
    import tempfile
    with tempfile.TemporaryDirectory() as t:
        py_compile.compile(os.path.join(folder, name), cfile=os.path.join(t, 'x.pyc'), doraise=True)
    text = open(os.path.join(folder, name)).read()
    module = {'__file__': os.path.join(os.path.abspath(folder), name), '__name__': 'loader'}
    exec(compile(text, name, 'exec'), module)
    must(module['__doc__'], name + ' says nothing of itself')
    return module


def trained(folder, x, g):
    path = os.path.join(folder, x.file('gpu%d_train' % g))
    return ids(folder, x.file('gpu%d_train' % g), '<i8') if x.kind is None or os.path.exists(path) else []


def quiver(folder, x):
    loader = script(folder, 'load_quiver.py')
    must([sorted(c) for c in loader['CLIQUES']] == [sorted(c) for c in x.cliques], 'the script has other cliques')
    must((x.of(loader['VERTICES']), x.of(loader['DIM'])) == (x.n, x.dim), 'the script has other sizes')
    for c, gpus in enumerate(loader['CLIQUES']):
        best = {}
        for g in gpus:
            for i, v in enumerate(x.feature[g]):
                best[v] = min(best.get(v, (1 << 40, g)), (i, x.gpus.index(g)))
        order = []
        for g in gpus:
            part = ids(folder, x.file('gpu%d_part' % g), '<i8')
            must(part == [v for v in x.feature[g] if best[v][1] == x.gpus.index(g)], 'GPU %d has another part' % g)
            must(trained(folder, x, g) == x.train[g], 'GPU %d trains other vertices' % g)
            order += part
        cpu = ids(folder, x.file('clique%d_cpu_part' % c), '<i8')
        must(cpu == [v for v in range(x.n) if v not in best], 'the host has another part')
        order += cpu
        must(ids(folder, x.file('clique%d_local_order' % c), '<i8') == order, 'another local order')
        where = ids(folder, x.file('clique%d_feature_order' % c), '<i8')
        must(sorted(where) == list(range(x.n)) and all(order[where[v]] == v for v in range(x.n)), 'the feature order is not the inverse of the local order')


def glt(folder, x):
    loader = script(folder, 'load_glt.py')
    must([sorted(c) for c in loader['CLIQUES']] == [sorted(c) for c in x.cliques] and x.of(loader['VERTICES']) == x.n, 'the script has other cliques or sizes')
    for c, gpus in enumerate(loader['CLIQUES']):
        best = {}
        for g in gpus:
            for i, v in enumerate(x.feature[g]):
                best[v] = min(best.get(v, (1 << 40, g)), (i, x.gpus.index(g)))
        order = [v for g in gpus for v in x.feature[g] if best[v][1] == x.gpus.index(g)]
        must(x.of(loader['ROWS'])[c] == len(order) and int(x.n * min((len(order) + 0.5) / x.n, 1)) == len(order), 'clique %d puts another number of rows on its GPUs' % c)
        order += [v for v in range(x.n) if v not in best]
        must(ids(folder, x.file('clique%d_order' % c), '<i8') == order, 'another order of rows')
        where = ids(folder, x.file('clique%d_id2index' % c), '<i8')
        must(all(order[where[v]] == v for v in range(x.n)), 'id2index is not the inverse of the order')
    for g in x.gpus:
        must(trained(folder, x, g) == x.train[g], 'GPU %d trains other vertices' % g)


def torch_tensor(path):
    """A one-dimensional tensor of int64 as torch.save wrote it before 1.6, read by Python's pickle alone."""
    import io
    import pickle

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            must((module, name) in (('torch._utils', '_rebuild_tensor_v2'), ('torch', 'LongStorage'), ('collections', 'OrderedDict')), 'pickle names %s.%s' % (module, name))
            return {'_rebuild_tensor_v2': lambda *words: words, 'LongStorage': 'LongStorage', 'OrderedDict': dict}[name]

        def persistent_load(self, words):
            return words

    f = io.BytesIO(open(path, 'rb').read())
    must(pickle.load(f) == 0x1950a86a20f9469cfc6c and pickle.load(f) == 1001, 'not a file of torch.save')
    must(pickle.load(f) == {'protocol_version': 1001, 'little_endian': True, 'type_sizes': {'short': 2, 'int': 4, 'long': 8}}, 'other types')
    storage, offset, size, stride, gradient, hooks = Reader(f).load()
    must(storage[:2] == ('storage', 'LongStorage') and storage[3] == 'cpu' and (offset, stride, gradient, hooks) == (0, (1,), False, {}), 'another tensor')
    must(pickle.load(f) == [storage[2]] and size == (storage[4],), 'another storage')
    count, rest = struct.unpack('<q', f.read(8))[0], f.read()
    must(count == size[0] and len(rest) == 8 * count, 'the storage has another length')
    out = array.array('q')
    out.frombytes(rest)
    return list(out)


def gids(folder, x):
    loader = script(folder, 'load_gids.py')
    must((loader['VERTICES'], loader['FANOUT'], loader['BATCH']) == (x.n, x.plan['workload']['fanout'], x.plan['workload']['batch']), 'the script has other sizes')
    order, held = torch_tensor(os.path.join(folder, 'pin_file.pt')), {v for g in x.gpus for v in x.feature[g]}
    must(sorted(order) == list(range(x.n)), 'pin_file.pt does not list each vertex once')
    must(int(x.n * loader['PERCENT']) == len(held) and set(order[:len(held)]) == held, 'the buffer has other rows than the plan')
    best = {v: min(l.index(v) for l in x.feature.values() if v in l) for v in order[:40] if v in held}
    copies = {v: sum(v in l for l in x.feature.values()) for v in best}
    must(list(best) == sorted(best, key=lambda v: (-copies[v], best[v], v)), 'the hottest rows are not first')
    must(loader['options']()[:4] == ['--cpu_buffer', '--cpu_buffer_percent', str(loader['PERCENT']), '--pin_file'], 'other options')
    must(loader['CACHED'] == {g: len(x.feature[g]) * x.row for g in x.gpus}, 'other sizes of caches')
    for g in x.gpus:
        must(trained(folder, x, g) == x.train[g], 'GPU %d trains other vertices' % g)


def wholegraph(folder, x):
    loader = script(folder, 'load_wholegraph.py')
    must([sorted(c) for c in loader['CLIQUES']] == [sorted(c) for c in x.cliques] and x.of(loader['VERTICES']) == x.n, 'the script has other cliques or sizes')
    for c, gpus in enumerate(loader['CLIQUES']):
        best = {}
        for g in gpus:
            for i, v in enumerate(x.feature[g]):
                best[v] = min(best.get(v, (1 << 40, g)), (i, x.gpus.index(g)))
        parts = [[v for v in x.feature[g] if best[v][1] == x.gpus.index(g)] for g in gpus]
        for k in range(len(parts)):  # a partition book has no empty part: it takes the last row of the first of the longest
            if not parts[k] and any(parts):
                parts[k] = [max(parts, key=len).pop()]
        must(x.of(loader['BOOKS'])[c] == [len(part) for part in parts], 'clique %d has another partition book' % c)
        order = sum(parts, []) + [v for v in range(x.n) if v not in best]
        must(ids(folder, x.file('clique%d_order' % c), '<i8') == order, 'another order of rows')
        where = ids(folder, x.file('clique%d_position' % c), '<i8')
        must(all(order[where[v]] == v for v in range(x.n)), 'the position is not the inverse of the order')
        coverage, sets, place = x.of(loader['COVERAGE'])[c], {}, ids(folder, x.file('clique%d_striped' % c), '<i8')
        must(len(set(place)) == x.n and max(place) < -(-x.n // coverage) * coverage, 'the striped places are not places of a table')
        for v in best:
            sets[place[v] // coverage] = sets.get(place[v] // coverage, 0) + 1
        must(max(sets.values()) <= 32, 'a set of the cache has more rows than lines')
    for g in x.gpus:
        must(trained(folder, x, g) == x.train[g], 'GPU %d trains other vertices' % g)


def planned(folder, x, name):
    """The lists that PlannedRows of a script reads, and whose rows each GPU gets first."""
    loader = script(folder, name)
    must(x.of(loader['VERTICES']) == x.n and x.of(loader['DIM']) == x.dim and loader['PEERS'] == x.peers, 'the script has other sizes or peers')
    for g in x.gpus:
        must(ids(folder, x.file('gpu%d_feature' % g), '<i8') == x.feature[g], 'GPU %d holds other rows' % g)
        must(trained(folder, x, g) == x.train[g], 'GPU %d trains other vertices' % g)
    return loader


def pyg(folder, x):
    planned(folder, x, 'load_pyg.py')


def edges(folder, name, n, indptr, indices):
    descr, shape, pairs = npy(folder, name)
    m = len(indices)
    must(descr == '<i8' and shape == (2, m), '%s is %s %s' % (name, descr, shape))
    rows = [[] for _ in range(n)]
    for source, target in zip(pairs[:m], pairs[m:]):
        rows[target].append(source)
    must([v for r in rows for v in r] == indices and [len(r) for r in rows] == [b - a for a, b in zip(indptr, indptr[1:])], name + ' is another graph')


def dgl(folder, x):
    yaml = open(os.path.join(folder, 'metadata.yaml')).read()
    lines = [l for l in yaml.split('\n') if not l.strip().startswith('#')]
    must(yaml.isascii() and '\t' not in yaml, 'metadata.yaml: text')
    paths = [l.split('path: ')[1] for l in lines if 'path: ' in l]
    must(all(os.path.exists(os.path.join(folder, p)) for p in paths), 'metadata.yaml names %s' % paths)
    must([l for l in lines if re.match(r'[a-z]', l)][0::1][0].startswith('dataset_name: ') and 'tasks:' in lines and 'graph:' in lines, 'metadata.yaml lacks a part')
    loader = planned(folder, x, 'load_graphbolt.py')
    must(list(loader['CACHES']) == x.gpus and loader['PLANNED'] is True, 'caches of other GPUs')
    if x.kind is not None:
        must(re.search(r"- type: '%s'\n      num: %d\n" % (x.kind, x.n), yaml), 'metadata.yaml: %s' % x.kind)
        seeds = x.file('train_seeds')
        must((seeds in paths) == any(x.train.values()), 'metadata.yaml: seeds of %s' % x.kind)
        must(seeds not in paths or sorted(ids(folder, seeds, '<i8')) == sorted(v for t in x.train.values() for v in t), 'the training set is another')
        return
    must(int(re.search(r'- num: (\d+)', yaml).group(1)) == x.n and paths[0] == 'edges.npy' and paths[-1] == 'train_seeds.npy', 'metadata.yaml names %s' % paths)
    edges(folder, 'edges.npy', x.n, x.indptr, x.indices)
    must(sorted(ids(folder, 'train_seeds.npy', '<i8')) == x.all_train, 'the training set is another')
    for g in x.gpus:
        must(loader['CACHES'][g] == [len(x.feature[g]) * x.row, sum(x.degree(v) for v in x.topology[g])], 'caches of GPU %d are %s' % (g, loader['CACHES'][g]))


def relations(folder, graph):
    """The files of edges of GraphBolt, by relation, against the graph."""
    for r, about in enumerate(json.load(open(os.path.join(graph, 'graph.json')))['relations']):
        indptr, indices = ids(graph, 'relation%d_indptr.npy' % r, '<i8'), ids(graph, 'relation%d_indices.npy' % r)
        edges(folder, 'edges_%d.npy' % r, len(indptr) - 1, indptr, indices)
        must("- type: '%s:%s:%s'\n" % (about['source'], about['name'], about['target']) in open(os.path.join(folder, 'metadata.yaml')).read(), 'metadata.yaml: relation %d' % r)


def gids_types(folder, plan, types):
    """GIDS counts the vertices of all types."""
    loader, first, held = script(folder, 'load_gids.py'), 0, set()
    for x in types:
        must(loader['HETEROGRAPH_MAP'][x.kind] == first, 'ids of %s begin elsewhere' % x.kind)
        held |= {first + v for g in x.gpus for v in x.feature[g]}
        first += x.n
    order = torch_tensor(os.path.join(folder, 'pin_file.pt'))
    must(held and sorted(order) == list(range(first)) and int(first * loader['PERCENT']) == len(held) and set(order[:len(held)]) == held, 'the buffer has other rows than the plan')
    for x in types:
        must(all(trained(folder, x, g) == x.train[g] for g in x.gpus), 'other training vertices of %s' % x.kind)


def served(x, g, held, v, has):
    """The GPU that serves reader g, or -1: own memory, then the widest link, then the lower id."""
    if v in has[g]:
        return g
    links = next(p['peer_links'] for p in x.plan['gpus'] if p['id'] == g)
    order = sorted(zip(x.peers[g], links), key=lambda p: (-p[1], p[0]))
    return next((p for p, _ in order if v in has[p]), -1)


def tables(folder, x):
    for kind, held in (('feature', x.feature), ('topology', x.topology)):
        has = {g: {v: i for i, v in enumerate(held[g])} for g in x.gpus}
        for g in x.gpus:
            must(ids(folder, 'gpu%d_%s.npy' % (g, kind)) == held[g], 'GPU %d: another list' % g)
            source, slot = ids(folder, 'gpu%d_%s_from.npy' % (g, kind), '<i2'), ids(folder, 'gpu%d_%s_slot.npy' % (g, kind))
            must(len(source) == len(slot) == x.n, 'GPU %d: tables of another length' % g)
            for v in range(x.n):
                s = served(x, g, held, v, has)
                must((source[v], slot[v]) == (s, has[s][v] if s >= 0 else 0), 'GPU %d, %s row %d: from %d at %d' % (g, kind, v, source[v], slot[v]))
    for g in x.gpus:
        must(ids(folder, 'gpu%d_train.npy' % g) == x.train[g], 'GPU %d trains other vertices' % g)


def ugache(folder, x):
    lines = [l.split('#')[0].split() for l in open(os.path.join(folder, 'coll_topo.txt'))]
    lines = [l for l in lines if l]
    gpus = int(lines[0][0])
    must(gpus == len(x.gpus) and float(lines[1][0]) > 0 and float(lines[2][0]) > 0 and len(lines) == 3 + 2 * gpus, 'coll_topo.txt has %d lines' % len(lines))
    near, rate = lines[3:3 + gpus], lines[3 + gpus:]
    for g in range(gpus):
        must(near[g] and len(near[g]) == len(rate[g]) == len(set(near[g])), 'GPU %d: %s, %s' % (g, near[g], rate[g]))
        must(all(int(i) != g and 0 <= int(i) < gpus and str(g) in near[int(i)] for i in near[g]), 'links of GPU %d are not mutual' % g)
        must(all(float(r) > 0 for r in rate[g]), 'GPU %d: a rate of nothing' % g)
        clique = next(c for c in x.cliques if x.gpus[g] in c)
        must({x.gpus.index(p) for p in x.peers[x.gpus[g]] if p in clique} <= {int(i) for i in near[g]}, 'GPU %d lacks a peer of its clique' % g)


def pagraph(folder, x):
    loader = script(folder, 'load_pagraph.py')
    hops = len(x.plan['workload']['fanout'])
    must((loader['PARTITIONS'], loader['HOPS']) == (len(x.gpus), hops), 'the script has other partitions')
    for k, g in enumerate(x.gpus):
        inner, reached = set(), set(x.train[g])
        for _ in range(hops):
            inner |= reached
            reached |= {u for v in reached for u in x.indices[x.indptr[v]:x.indptr[v + 1]]}
        full = ids(folder, 'sub_train2fullid_%d.npy' % k, '<i8')
        must(full == sorted(reached), 'partition %d has other vertices' % k)
        must([full[i] for i in ids(folder, 'sub_trainid_%d.npy' % k, '<i8')] == x.train[g], 'partition %d trains other vertices' % k)
        must([full[i] for i in ids(folder, 'sub_cacheid_%d.npy' % k, '<i8')] == [v for v in x.feature[g] if v in reached], 'partition %d caches other rows' % k)
        start, near = ids(folder, 'subadj_%d_indptr.npy' % k, '<i8'), ids(folder, 'subadj_%d_indices.npy' % k, '<i4')
        must(len(start) == len(full) + 1 and start[0] == 0 and start[-1] == len(near), 'partition %d: offsets' % k)
        for i, v in enumerate(full):
            row = x.indices[x.indptr[v]:x.indptr[v + 1]] if v in inner else []
            must([full[u] for u in near[start[i]:start[i + 1]]] == row, 'partition %d: the row of %d' % (k, v))


def listed(folder, schema):
    d = json.load(open(os.path.join(folder, 'export.json')))
    must(d['schema'] == schema, 'export.json: ' + d['schema'])
    must(sorted(n for n in os.listdir(folder) if n != '.hotset') == sorted([f['name'] for f in d['files']] + ['export.json']), 'export.json lists other files')
    for f in d['files']:
        data = open(os.path.join(folder, f['name']), 'rb').read()
        must(len(data) == f['bytes'] and hashlib.sha256(data).hexdigest() == f['sha256'], 'export.json: ' + f['name'])
    left_to_do(folder, d)


def left_to_do(folder, d):
    """README.md begins with all that is left to do by hand, shortest first, and with what is lost at its end."""
    kinds, steps, lost = 'pass add install call build'.split() + ['not there'], d['by_hand'], d['simulated']['without']
    order = [kinds.index(step['kind']) for step in steps]
    must(order == sorted(order), 'by_hand[] is not the shortest first')
    must([s['what'] for s in steps if s['kind'] == 'not there'] == ['%s: %s' % (w['what'], w['why']) for w in lost], 'by_hand[] lacks what is lost')
    must(all(any(a['file'] in s['what'] for s in steps if s['kind'] == 'add') for a in d['add']), 'by_hand[] lacks a file')
    must(all(s['what'] in d['use'] for s in steps if s['kind'] in ('pass', 'call')), 'by_hand[] has another use')
    lines = open(os.path.join(folder, 'README.md')).read().split('\n')
    must(lines[0].startswith('# Left to do by hand') and lines[2:2 + len(steps)] == ['%d. %s: %s' % (i + 1, s['kind'], s['what']) for i, s in enumerate(steps)], 'README.md begins otherwise')
    must(('All of the plan is honoured.' in lines) == (not lost), 'README.md says otherwise what is lost')


def main():
    target, folder, plan, graph = sys.argv[1:]
    about = json.load(open(os.path.join(graph, 'graph.json')))
    readers = {'legion': legion, 'gnnlab': gnnlab, 'quiver': quiver, 'glt': glt, 'wholegraph': wholegraph, 'gids': gids, 'dgl': dgl, 'npy': tables, 'ugache': ugache,
            'pagraph': pagraph, 'pyg': pyg}
    must(target in readers, 'write a function %s(folder, x) in this file that reads the folder and compares it with the plan, and list it in main()' % target)
    read = readers[target]
    listed(folder, 'export/2' if 'types' in about else 'export/1')
    if 'types' not in about:
        return read(folder, Given(plan, graph))
    types = [OfType(plan, graph, t) for t in range(len(about['types']))]
    if target == 'dgl':
        relations(folder, graph)
    if target == 'gids':
        return gids_types(folder, plan, types)
    for x in types:
        if x.dim:
            read(folder, x)


main()
