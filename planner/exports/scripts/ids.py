def of(constant, kind):
    """What a constant of this script says of a type (kind); the constant where the graph has one type (kind: None)."""
    return constant if kind is None else constant[kind]


def ids(name, kind=None):
    """An .npy of ids beside this file, as a tensor; ids are those of their type."""
    import numpy
    import torch
    name = name if kind is None else name.replace('.npy', '_%d.npy' % TYPES[kind])
    return torch.from_numpy(numpy.load(os.path.join(FOLDER, name)))


def train_ids(device, kind=None):
    """The training vertices that the plan gives to a GPU."""
    return ids('gpu%d_train.npy' % device, kind)


def epoch_ids(device, epoch, kind=None):
    """The same in the plan's order for an epoch: mini-batch b is [b * BATCH:(b + 1) * BATCH]. Loaders must not shuffle
    them."""
    import numpy
    import torch
    draw = numpy.random.default_rng([SEED, device, epoch])
    if ORDER == 'shuffle':
        return torch.from_numpy(draw.permutation(train_ids(device, kind).numpy()))
    circle = ids('gpu%d_order.npy' % device, kind).numpy()
    circle = numpy.roll(circle, -int(draw.integers(max(len(circle), 1))))
    if ORDER == 'blocks' and len(circle):
        size = max(BATCH // BLOCKS, 1)
        circle = numpy.concatenate([circle[b * size:(b + 1) * size] for b in draw.permutation(-(-len(circle) // size))])
        circle = numpy.concatenate([draw.permutation(circle[b:b + BATCH]) for b in range(0, len(circle), BATCH)])
    return torch.from_numpy(circle)
