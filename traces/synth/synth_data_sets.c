/* synth_data_sets.c - published graphs with one type, as the generator knows them; each with its source.
 *
 * Vertices and arcs are those that the source prints, arcs of both directions where it is undirected. Rows and training
 * vertices likewise: where a data set comes without (Friendster and the web graphs have neither features nor labels),
 * they are those of the paper that trained it. Kind, skew, mixing and span are ours: what comes nearest to published
 * hit rates and, of papers100m, to rows per seed (traces/BENCH.md). MAG's papers have different numbers of references.
 */
#include <string.h>

#include "base/text.h"
#include "traces/synth/synth.h"

#define OGB "Hu et al., Open Graph Benchmark (NeurIPS 2020), and the data set's page"
#define GRAPHBOLT "GraphBolt's BuiltinDataset, DGL's and PyG's examples"
#define BASELINES "the baselines of OGB-LSC and DGL's examples"
#define AS_PUBLISHED false, NULL /* arcs; of `citation` every paper has about as many references */
#define LEGION "Legion (ATC'23), table 2: generated rows, 10 % of the vertices train"
#define IGB(size, vertices, arcs, labelled)                                                                            \
    {                                                                                                                  \
        "igb-" size, &synth_citation, vertices, arcs, 1024, "f32", 0.6 * (labelled), 2.5, 0.005, 0, 0, 2000, 0,        \
            "Khatua et al., IGB (KDD 2023): papers and citations alone; 60 % of the labelled papers train",            \
            AS_PUBLISHED                                                                                               \
    }

const struct synth_data_set synth_data_sets[] =
    {{"products", &synth_community, 2.4e6, 120e6, 100, "f32", 0.0803 * 2.4e6, 2.05, 0.10, 0, 0, 5000, 0,
      OGB " (196,615 of 2,449,029 train); counts as in Legion's table 2", AS_PUBLISHED},
     {"papers100m", &synth_citation, 111e6, 1.6e9, 128, "f32", 1207179, 2.5, 0.005, 0, 0, 2000, 0.06,
      OGB " (1,207,179 of 111,059,956 train)", true, GRAPHBOLT},
     {"friendster", &synth_community, 65e6, 1.8e9, 256, "f32", 0.1 * 65e6, 2.05, 0.40, 0, 0, 10000, 0, LEGION,
      AS_PUBLISHED},
     {"uk-union", &synth_web, 133e6, 5.5e9, 256, "f32", 0.1 * 133e6, 1.8, 0.02, 0, 0, 2000, 1, LEGION, AS_PUBLISHED},
     {"uk-2014", &synth_web, 0.79e9, 47.2e9, 128, "f32", 0.1 * 0.79e9, 1.8, 0.02, 0, 0, 2000, 1, LEGION, AS_PUBLISHED},
     {"clueweb", &synth_web, 1e9, 42.5e9, 128, "f32", 0.1 * 1e9, 1.8, 0.02, 0, 0, 2000, 1, LEGION, AS_PUBLISHED},
     {"mag240m", &synth_citation, 121.75e6, 1.30e9, 768, "f16", 1112392, 2.5, 0.005, 0, 0, 2000, 0.06,
      "Hu et al., OGB-LSC (2021): papers and citations alone, 768 half-precision elements, 1,112,392 papers train "
      "(HyScale-GNN prints 756)",
      true, BASELINES},
     {"reddit", &synth_community, 233e3, 114.6e6, 602, "f32", 153431, 2.2, 0.20, 0, 0, 5000, 0,
      "Hamilton et al., GraphSAGE (NeurIPS 2017), as DGL and PyG ship it (153,431 of 232,965 train)", AS_PUBLISHED},
     {"livejournal", &synth_rmat, 4.04e6, 69.5e6, 600, "f32", 0.1 * 4.04e6, 0, 0, 0.55, 0.20, 0, 0,
      "PaGraph (SoCC'20), table 3; it does not state its training set, 10 % of the vertices is an assumption",
      AS_PUBLISHED},
     {"enwiki", &synth_rmat, 12.15e6, 756e6, 400, "f32", 0.1 * 12.15e6, 0, 0, 0.57, 0.19, 0, 0,
      "PaGraph (SoCC'20), table 3; it does not state its training set, 10 % of the vertices is an assumption",
      AS_PUBLISHED},
     IGB("tiny", 100000, 447416, 100000),
     IGB("small", 1e6, 12070502, 1e6),
     IGB("medium", 10e6, 120077694, 10e6),
     IGB("large", 100e6, 1223571364, 100e6),
     IGB("full", 269346174, 3996442004, 157675969),
     {.name = NULL}};

const struct synth_data_set *synth_data_set_find(const char *name)
{
    for (const struct synth_data_set *d = synth_data_sets; d->name; d++)
        if (!strcmp(d->name, name)) return d;
    return NULL;
}

const char *synth_data_set_near(const char *name)
{
    enum { SETS_MAX = 64 };
    const char *names[SETS_MAX + 1] = {0};
    for (int i = 0; synth_data_sets[i].name && i < SETS_MAX; i++) names[i] = synth_data_sets[i].name;
    return text_nearest(name, names);
}
