def clique_of(device):
    """The number of the clique that a device belongs to."""
    for number, devices in enumerate(CLIQUES):
        if device in devices:
            return number
    raise ValueError('GPU %d is not in the plan, which has %s' % (device, CLIQUES))
