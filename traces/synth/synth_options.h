/* synth_options.h - rows of options that commands share which make graphs. unsaid: " [default: ..]" where no word of
 * the option is the default, or "".
 */
#ifndef TRACES_SYNTH_SYNTH_OPTIONS_H
#define TRACES_SYNTH_SYNTH_OPTIONS_H

#include "base/param.h"

#define OPTION_VERTICES(type, at, usual, unsaid)                                                                       \
    OPTION_INTEGER("vertices", 0, type, at, "N", usual, 1, UINT32_MAX - 1, "Vertices" unsaid ".")
#define OPTION_EDGES(type, at, usual, low, unsaid)                                                                     \
    OPTION_INTEGER("edges", 0, type, at, "M", usual, low, (int64_t)1 << 40,                                            \
                   "Stored arcs, both directions counted. Duplicates are dropped, so the number is approximate" unsaid \
                   ".")
#define OPTION_REVERSE_EDGES(type, at, unsaid)                                                                         \
    OPTION_WORD("reverse-edges", 0, type, at, "yes|no", NULL, "yes|no",                                                \
                "Add the reverse of every arc, as ToUndirected of PyG and add_reverse_edges of DGL do; an arc that "   \
                "is there already is stored once" unsaid ".")
#define OPTION_TRAIN_SHARE(type, at, usual, unsaid)                                                                    \
    OPTION_REAL("train-share", 0, type, at, "SHARE", usual, 0, 0,                                                      \
                "Share of the vertices used for training, chosen at random by --seed" unsaid ".")
#define OPTION_FEATURE_DIM(type, at, usual, unsaid)                                                                    \
    OPTION_INTEGER("feature-dim", 0, type, at, "D", usual, 1, 1 << 20, "Elements of a feature row" unsaid ".")
#define OPTION_FEATURE_TYPE(type, at, usual, unsaid)                                                                   \
    OPTION_WORD("feature-type", 0, type, at, "TYPE", usual, "f32|f16|i8",                                              \
                "Element type of feature rows: 4, 2 or 1 bytes" unsaid ".")

#endif
