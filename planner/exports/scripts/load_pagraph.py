"""Prepares the plan's partitions for PaGraph (zhiqi-0/PaGraph) and fills its cache."""
import os
import shutil

FOLDER = os.path.dirname(os.path.abspath(__file__))
PARTITIONS = 2
HOPS = 2


def pack(dataset):
    """Writes DATASET/<K>naive, which PaGraph's trainers read. Labels are those of this folder, or of the data set where the graph had none."""
    import numpy
    import scipy.sparse
    to = os.path.join(dataset, '%dnaive' % PARTITIONS)
    os.makedirs(to, exist_ok=True)
    ours = os.path.join(FOLDER, 'labels.npy')
    labels = numpy.load(ours if os.path.exists(ours) else os.path.join(dataset, 'labels.npy'))
    for k in range(PARTITIONS):
        offsets, ids = (numpy.load(os.path.join(FOLDER, 'subadj_%d_%s.npy' % (k, a))) for a in ('indptr', 'indices'))
        n = len(offsets) - 1
        adj = scipy.sparse.csc_matrix((numpy.ones(len(ids), numpy.uint8), ids, offsets), shape=(n, n)).tocsr()
        scipy.sparse.save_npz(os.path.join(to, 'subadj_%d.npz' % k), adj)
        for name in ('sub_trainid_%d.npy' % k, 'sub_train2fullid_%d.npy' % k):
            shutil.copy(os.path.join(FOLDER, name), to)
        full = numpy.load(os.path.join(FOLDER, 'sub_train2fullid_%d.npy' % k))
        train = numpy.load(os.path.join(FOLDER, 'sub_trainid_%d.npy' % k))
        numpy.save(os.path.join(to, 'sub_label_%d.npy' % k), labels[full[train]])


def fill_cache(server, k, names):
    """In place of GraphCacheServer.auto_cache: partition k's GPU holds the plan's rows. names: the fields, for example ['features']."""
    import numpy
    import torch
    rows = torch.from_numpy(numpy.load(os.path.join(FOLDER, 'sub_cacheid_%d.npy' % k))).cuda(server.gpuid)
    server.cache_fix_data(rows, server.get_feat_from_server(rows, names), is_full=len(rows) == server.node_num)
