#include "traces/formats/foreign.h"

#include <stdio.h>
#include <string.h>

#include "traces/builder/graph_text.h"

/* What makes edges.npy or a text of it, without the file's name: "%s" is where that stands. */
#define PYTHON(code) "python3 -c \"" code "\" && hotset graph import edges.npy -o G"
#define TABLE                                                                                                          \
    "n.save('edges.npy', n.stack([t[0].to_numpy(), t[1].to_numpy()], 1))" /* of two columns: source and target */
#define NETWORKX(read)                                                                                                 \
    "python3 -c \"import networkx as x; x.write_graphml(" read ", 'g.graphml')\" && hotset graph import g.graphml -o " \
    "G"
#define PICKLE(magic, bytes)                                                                                           \
    {                                                                                                                  \
        "a file of Python's pickle", magic, bytes, 0, false,                                                           \
            PYTHON("import pickle, numpy as n; g = pickle.load(open('%s', 'rb')); n.save('edges.npy', n.array("        \
                   "g.edges))") ", if it is a NetworkX graph which you trust (loading runs what is in it) and whose "  \
                                "nodes are numbers"                                                                    \
    }
#define UNPACK(command) command " %s | hotset graph import - -o G"

static const struct foreign {
    const char *what; /* "a Parquet file" */
    const char *magic;
    size_t bytes, at; /* of magic, and where it stands; bytes 0: a text whose first word it is */
    bool archive;     /* a zip file whose first names hold the magic */
    const char *way;
} rows[] = {
    {"a Parquet file", "PAR1", 4, 0, false,
     PYTHON("import pyarrow.parquet as q, numpy as n; t = q.read_table('%s'); " TABLE)},
    {"an Arrow file", "ARROW1\0", 7, 0, false,
     PYTHON("import pyarrow.feather as f, numpy as n; t = f.read_table('%s'); " TABLE)},
    {"a Feather file", "FEA1", 4, 0, false,
     PYTHON("import pyarrow.feather as f, numpy as n; t = f.read_table('%s'); " TABLE)},
    {"an ORC file", "ORC", 3, 0, false, PYTHON("import pyarrow.orc as o, numpy as n; t = o.read_table('%s'); " TABLE)},
    {"an HDF5 file", "\x89HDF\r\n\x1a\n", 8, 0, false,
     PYTHON("import h5py, numpy as n; f = h5py.File('%s'); f.visit(print); n.save('edges.npy', f['edge_index'][:])")},
    {"a MATLAB file (HDF5)", "MATLAB 7.3", 10, 0, false,
     PYTHON("import h5py, numpy as n; f = h5py.File('%s'); f.visit(print); n.save('edges.npy', f['edge_index'][:])")},
    {"a MATLAB file", "MATLAB 5.0", 10, 0, false,
     "python3 -c \"import scipy.io as s, scipy.sparse as p; m = s.loadmat('%s'); print(*m); p.save_npz('edges.npz', "
     "m['A'])\" && hotset graph import edges.npz -o G"},
    {"a file of DGL's save_graphs", "\x3f\xa1\xb4\x46\xf0\x4f\x2e\xdd", 8, 0, false,
     PYTHON("import dgl, numpy as n; g = dgl.load_graphs('%s')[0][0]; n.save('edges.npy', n.stack([x.numpy() for x in "
            "g.edges()]))")},
    {"a file of torch.save (PyTorch, PyG)", "/data.pkl", 9, 0, true,
     PYTHON("import torch, numpy as n; d = torch.load('%s', weights_only=False); d = d[0] if isinstance(d, tuple) else "
            "d; n.save('edges.npy', d['edge_index'])")},
    {"a spreadsheet", "[Content_Types].xml", 19, 0, true,
     PYTHON("import pandas as q, numpy as n; n.save('edges.npy', q.read_excel('%s').iloc[:, :2].to_numpy())")},
    PICKLE("\x80\x02", 2),
    PICKLE("\x80\x03", 2),
    PICKLE("\x80\x04\x95", 3),
    PICKLE("\x80\x05\x95", 3),
    {"an SQLite database", "SQLite format 3", 16, 0, false,
     "sqlite3 -csv -header %s 'SELECT source, target FROM edges' | hotset graph import - -o G"},
    {"compressed by bzip2", "BZh", 3, 0, false, UNPACK("bzip2 -dc")},
    {"compressed by LZ4", "\x04\x22\x4d\x18", 4, 0, false, UNPACK("lz4 -dc")},
    {"a tar archive", "ustar", 5, 257, false, "tar -xf %s && hotset graph import FILE -o G"},
    {"RDF (N-Triples)", "<http", 0, 0, false,
     "awk '$3 ~ /^</ { gsub(/[<>]/, \"\"); print $1, $3 }' %s | hotset graph import - -o G"},
    {"RDF (N-Triples)", "<urn:", 0, 0, false,
     "awk '$3 ~ /^</ { gsub(/[<>]/, \"\"); print $1, $3 }' %s | hotset graph import - -o G"},
    {"RDF (Turtle)", "@prefix", 0, 0, false,
     "rapper -q -i turtle %s | awk '$3 ~ /^</ { gsub(/[<>]/, \"\"); print $1, $3 }' | hotset graph import - -o G"},
    {"a GML file", "graph [", 0, 0, false, NETWORKX("x.read_gml('%s')")},
    {"a GML file", "Creator \"", 0, 0, false, NETWORKX("x.read_gml('%s')")},
    {"a Graphviz file", "graph ", 0, 0, false, NETWORKX("x.nx_agraph.read_dot('%s')")},
    {"a Graphviz file", "digraph ", 0, 0, false, NETWORKX("x.nx_agraph.read_dot('%s')")},
    {"a Pajek file", "*Vertices", 0, 0, false, NETWORKX("x.read_pajek('%s')")},
    {"an XML document", "<?xml", 0, 0, false, "GraphML or GEXF, with the program that wrote %s"},
    {"a JSON document", "{", 0, 0, false,
     "python3 -c \"import json, networkx as x; x.write_graphml(x.node_link_graph(json.load(open('%s'))), 'g.graphml')\""
     " && hotset graph import g.graphml -o G, if it is NetworkX's node-link form"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Whether the head of a zip file names a member that ends so: torch's first is "NAME/data.pkl". */
static bool names_member(const struct format_probe *p, const struct foreign *f)
{
    if (p->head_bytes < 30 || memcmp(p->head, "PK\3\4", 4)) return false;
    const size_t length = (size_t)(p->head[26] | p->head[27] << 8);
    return length >= f->bytes && 30 + length <= p->head_bytes &&
           !memcmp(p->head + 30 + length - f->bytes, f->magic, f->bytes);
}

static bool is(const struct format_probe *p, const struct foreign *f)
{
    if (f->archive) return names_member(p, f);
    if (f->bytes) return p->head_bytes >= f->at + f->bytes && !memcmp(p->head + f->at, f->magic, f->bytes);
    size_t at = 0;
    while (at < p->head_bytes && strchr(" \t\r\n", p->head[at])) at++;
    return text_looks_like(p->head, p->head_bytes) && p->head_bytes - at >= strlen(f->magic) &&
           !memcmp(p->head + at, f->magic, strlen(f->magic));
}

enum st foreign_refuse(const struct format_probe *p, bool archives, struct err *err)
{
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].archive != archives || !is(p, &rows[i])) continue;
        char way[sizeof err->text];
        const char *sign = strstr(rows[i].way, "%s");
        snprintf(way, sizeof way, "%.*s%s%s", (int)(sign - rows[i].way), rows[i].way, p->path, sign + 2);
        return err_set(err, ST_INPUT, "%s: is %s, which is not read; make of it what is: %s", p->path, rows[i].what,
                       way);
    }
    return ST_OK;
}
