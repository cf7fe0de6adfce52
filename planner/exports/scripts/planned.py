def rounded(rows, element):
    """What GPUs hold of these rows (hotset plan --cache-type)."""
    import torch
    if element in ('f16', 'bf16'):
        return rows.to(torch.float16 if element == 'f16' else torch.bfloat16)
    if element == 'f8':
        return rows.clamp(-448, 448).to(torch.float8_e4m3fn).to(torch.bfloat16)
    if element == 'i8':
        scale = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30) / 127
        return torch.cat([(rows / scale).round().to(torch.int8), scale.float().view(torch.int8)], 1)
    return rows


class PlannedRows:
    """Rows of a type for one GPU: from the memories of GPUs where the plan puts them, else from the host.

    features: as for load_rows, or a tensor. memory: {GPU: its rows}, as filled_memory gives them; PlannedRows of one
    process share them. Rows are handed over where the memory of `device` lies, and those that it or peers hold go
    nowhere else. counts: rows served so far by own memory, peers, host.
    """

    def __init__(self, features, device, kind=None, memory=None):
        import torch
        self.host = features if torch.is_tensor(features) else tensor_of(load_rows(features, kind))
        self.element, self.counts = of(ELEMENT, kind), {'own': 0, 'peer': 0, 'host': 0}
        self.memory = filled_memory(self.host, kind) if memory is None else memory
        self.sources = [device, *PEERS[device]]  # nearest first
        source = torch.full((len(self.host),), -1, dtype=torch.int16)
        slot = torch.zeros(len(self.host), dtype=torch.int64)
        for k in reversed(range(len(self.sources))):
            held = ids('gpu%d_feature.npy' % self.sources[k], kind)
            source[held], slot[held] = k, torch.arange(len(held))
        self.place = self.memory[device].device
        self.source, self.slot = source.to(self.place), slot.to(self.place)

    def __getitem__(self, vertices):
        import torch
        vertices = vertices.long().to(self.place)
        source = self.source.index_select(0, vertices)
        out = torch.empty((len(vertices), self.host.shape[1]), dtype=self.host.dtype, device=self.place)
        for k in source.unique().tolist():
            here = (source == k).nonzero().squeeze(1)
            wanted = vertices.index_select(0, here)
            if k < 0:
                rows = self.host.index_select(0, wanted.to(self.host.device)).to(self.place)
            else:
                memory = self.memory[self.sources[k]]
                rows = memory.index_select(0, self.slot.index_select(0, wanted).to(memory.device)).to(self.place)
                if self.element == 'i8':
                    rows = rows[:, :-4] * rows[:, -4:].contiguous().view(torch.float32)
            out.index_copy_(0, here, rows.to(out.dtype))
            self.counts['host' if k < 0 else 'peer' if k else 'own'] += len(here)
        return out


def filled_memory(host, kind=None, place=lambda gpu: 'cpu'):
    """{GPU: the rows that the plan puts into its memory}. place(gpu): 'cuda:0' or another device of torch."""
    return {g: rounded(host.index_select(0, ids('gpu%d_feature.npy' % g, kind)), of(ELEMENT, kind)).to(place(g))
            for g in PEERS}


class StoredRows:
    """The same by hotset's op: libhotset_cuda gathers a mini-batch by one launch, from this GPU, its peers and the host, whose rows are pinned."""

    def __init__(self, rows):
        self.rows, self.host = rows, rows.host

    def __getitem__(self, vertices):
        return self.rows.gather(vertices if vertices.element_size() in (4, 8) else vertices.long())

    @property
    def counts(self):
        return self.rows.counts  # waits for the GPU


MEET = []  # the group in which processes agree, where their own is not gloo
STORED, SAID = {}, []  # {(type, its rows): (what was given, {GPU: StoredRows})}, kept as long as the process lives; lines that were said


def rows_of(features, device, kind=None, memory=None):
    """StoredRows of a type for one GPU where hotset's package, its libhotset_cuda and the GPU are there, else PlannedRows; a line on standard error says which,
    and why. memory: that of PlannedRows, which are then taken. With torch.distributed every process calls it, each with its own GPU. A path is read into
    the memory of each process; processes of one machine may share a tensor (share_memory_).
    """
    found, why = (None, 'memory= is given') if memory is not None else stored_rows(features, device, kind)
    line = 'hotset: rows are gathered by ' + ('libhotset_cuda, one launch per mini-batch' if found else 'torch, place by place, because %s' % why)
    if line not in SAID:
        import sys
        print(line, file=sys.stderr)
        SAID.append(line)
    return found or PlannedRows(features, device, kind, memory)


def stored_rows(features, device, kind=None):
    """(StoredRows, None), or (None, why they cannot be)."""
    why, key = op_lacks(kind), ()
    try:
        key = (kind, *which(features))
    except Exception as e:
        why = why or str(e)
    why = everywhere(why)
    if why:
        return None, why
    from hotset.torch_rows import exported_rows
    if everywhere('' if device in STORED.get(key, (0, {}))[1] else 'new'):  # all make them, or none
        host, held, why = None, None, ''
        try:
            host = host_of(features, kind)
            held = {g: ids('gpu%d_feature.npy' % g, kind).numpy() for g in PEERS}
        except Exception as e:
            why = str(e) or type(e).__name__
        why = everywhere(why)
        if why:
            return None, why
        try:
            found = exported_rows(PEERS, held, host, device)
        except Exception as e:
            return None, str(e) or type(e).__name__
        STORED.setdefault(key, (features, {}))[1].update({g: StoredRows(r) for g, r in found.items()})
    return STORED[key][1][device], None


def which(features):
    """What tells rows from others as long as STORED keeps them."""
    if isinstance(features, str):
        about = os.stat(features)
        return os.path.abspath(features), about.st_ino, about.st_mtime_ns, about.st_size
    if hasattr(features, 'data_ptr'):
        return features.data_ptr(), features.dtype, tuple(features.shape), features.stride()
    return (id(features),)


def host_of(features, kind):
    """All rows as a tensor: the given ones, where torch may have them."""
    import numpy
    import torch
    if torch.is_tensor(features):
        return features
    rows = load_rows(features, kind)
    return torch.from_numpy(numpy.array(rows) if isinstance(rows, numpy.memmap) or not rows.flags.writeable else rows)


def op_lacks(kind=None):
    """Why hotset's op cannot gather here; '': it can."""
    if of(ELEMENT, kind):
        return 'GPUs hold rows as %s' % of(ELEMENT, kind)
    try:
        from hotset.torch_rows import exported_rows
    except Exception as e:
        return 'the Python package hotset is not there (%s)' % e
    return ''


def everywhere(why):
    """What the processes of torch.distributed have in common: why one of them cannot, all know."""
    import torch.distributed as dist
    if not (dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1):
        return why
    said = [None] * dist.get_world_size()
    if not MEET and dist.get_backend() != 'gloo':
        MEET.append(dist.new_group(backend='gloo'))
    dist.all_gather_object(said, why, group=MEET[0] if MEET else None)
    return next((one for one in said if one), '')
