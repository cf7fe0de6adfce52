"""Programs to copy. python -m hotset.examples.pyg_sage --help"""
