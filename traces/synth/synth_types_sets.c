/* synth_types_sets.c - published graphs with several types, as the generator knows them.
 *
 * ogbn-mag: Hu et al., Open Graph Benchmark (NeurIPS 2020), and the data set's page: 1,939,743 nodes, 21,111,007 edges;
 * 629,571 training papers. Relations as GraphBolt and PyG's example train it: reverse edges added, citations in both
 * directions.
 * mag240m-hetero: Hu et al., OGB-LSC (2021): 244,160,499 nodes, 1,728,364,232 edges, 768 half-precision elements;
 * 1,112,392 training papers. Published are 1,297,748,926 citations, 386,022,720 and 44,592,586 edges of the others; the
 * R-GNN baselines (ogb/examples/lsc/mag240m/rgnn.py, DGL's ogb_lsc/MAG240M/preprocess.py) train five relations: the
 * symmetric citations, and the other two in both directions. Features of authors and institutions are those of the
 * published R-GNN baseline (averages, of the same shape). igbh-*: Khatua et al., IGB (KDD 2023), counts of the files as
 * data sets and MLPerf Training's GNN task state them (full: 547,306,935 nodes, 5,812,005,639 edges before reverse
 * edges); 1024 floats for every type; 60 % of the labelled papers train (full: 94,605,581, the number in MLPerf's
 * logs). MLPerf trains with the reverse relations added and citations in both directions. Skews are plausible, not
 * published: citations and topics concentrate on few vertices, references per paper do not. */
#include <string.h>

#include "traces/synth/synth_types.h"

#define IGBH(size, papers, labelled, authors, institutes, topics, cites, written, about, affiliated)                   \
    {                                                                                                                  \
        .name = "igbh-" size,                                                                                          \
        .source = "Khatua et al., IGB (KDD 2023), and MLPerf's GNN task; 60 % of the labelled papers train",           \
        .reversed = "MLPerf's GNN task",                                                                               \
        .type = {{"paper", papers, 1024, "f32", 0.6 * (labelled)},                                                     \
                 {"author", authors, 1024, "f32", 0},                                                                  \
                 {"institute", institutes, 1024, "f32", 0},                                                            \
                 {"fos", topics, 1024, "f32", 0}},                                                                     \
        .relation = {{"paper", "cites", "paper", cites, 2.2, 1.3, NULL, true},                                         \
                     {"paper", "written_by", "author", written, 1.1, 1.8, "rev_written_by", false},                    \
                     {"author", "affiliated_to", "institute", affiliated, 1.1, 2.5, "rev_affiliated_to", false},       \
                     {"paper", "topic", "fos", about, 1.1, 2.5, "rev_topic", false}},                                  \
    }

const struct synth_set synth_types_sets[] =
    {{.name = "ogbn-mag",
      .source = "Hu et al., Open Graph Benchmark (NeurIPS 2020), and the data set's page; 629,571 papers train",
      .reversed = "GraphBolt's, DGL's and PyG's examples",
      .type = {{"paper", 736389, 128, "f32", 629571},
               {"author", 1134649, 0, NULL, 0},
               {"institution", 8740, 0, NULL, 0},
               {"field_of_study", 59965, 0, NULL, 0}},
      .relation = {{"paper", "cites", "paper", 5416271, 2.2, 1.3, NULL, true},
                   {"author", "writes", "paper", 7145660, 1.8, 1.1, "rev_writes", false},
                   {"author", "affiliated_with", "institution", 1043998, 1.1, 2.5, "rev_affiliated_with", false},
                   {"paper", "has_topic", "field_of_study", 7505078, 1.1, 2.5, "rev_has_topic", false}}},
     {.name = "mag240m-hetero",
      .source = "Hu et al., OGB-LSC (2021); 1,112,392 papers train",
      .reversed = "OGB-LSC's R-GNN baselines, DGL's and GraphBolt's examples",
      .type = {{"paper", 121751666, 768, "f16", 1112392},
               {"author", 122383112, 768, "f16", 0},
               {"institution", 25721, 768, "f16", 0}},
      .relation = {{"paper", "cites", "paper", 1297748926, 2.2, 1.3, NULL, true},
                   {"author", "writes", "paper", 386022720, 1.8, 1.1, "rev_writes", false},
                   {"author", "affiliated_with", "institution", 44592586, 1.1, 2.5, "rev_affiliated_with", false}}},
     IGBH("tiny", 100000, 100000, 357041, 8738, 84220, 447416, 471443, 718445, 325410),
     IGBH("small", 1000000, 1000000, 1926066, 14751, 190449, 12070502, 4553516, 7234122, 1630476),
     IGBH("medium", 10000000, 10000000, 15544654, 23256, 415054, 120077694, 39854592, 68510495, 11049412),
     IGBH("large", 100000000, 100000000, 116959896, 26524, 649707, 1223571364, 289502107, 457577294, 34099660),
     IGBH("full", 269346174, 157675969, 277220883, 26918, 712960, 3996442004, 716761549, 1050280600, 48521486),
     {.name = NULL}};

const struct synth_set *synth_set_find(const char *name)
{
    for (const struct synth_set *s = synth_types_sets; s->name; s++)
        if (!strcmp(s->name, name)) return s;
    return NULL;
}
