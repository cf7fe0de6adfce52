def load_rows(features, kind=None):
    """features: the path of an .npy of shape (VERTICES, DIM), which is mapped; or such an array. Of several types: of
    that type."""
    import numpy
    rows = numpy.load(features, mmap_mode='r') if isinstance(features, str) else features
    shape = of(VERTICES, kind), of(DIM, kind)
    if tuple(rows.shape) != shape:
        raise ValueError('the features have shape %s, expected %s' % (tuple(rows.shape), shape))
    return rows
