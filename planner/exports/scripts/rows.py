def load_rows(features, kind=None):
    """features: the path of an .npy of shape (VERTICES, DIM), which is mapped; or such an array. Of several types: of
    that type."""
    import numpy
    rows = numpy.load(features, mmap_mode='r') if isinstance(features, str) else features
    shape = of(VERTICES, kind), of(DIM, kind)
    if tuple(rows.shape) != shape:
        raise ValueError('the features have shape %s, expected %s' % (tuple(rows.shape), shape))
    return rows


def tensor_of(rows):
    """An array as a tensor over the same memory, which may be that of a file: nothing here writes into it."""
    import warnings
    import numpy
    import torch
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)  # that it is not writable
        return torch.from_numpy(numpy.asarray(rows))
