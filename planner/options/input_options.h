/* input_options.h - rows of options that commands share, each declared once: what is read, the budget, who holds what,
 * epochs, memories, what is written. A command gives what differs for it: value ("S,.." where it takes several), usual
 * (the default as text, or NULL) and unsaid (" [default: ..]" where no word of the option is the default, or "").
 */
#ifndef PLANNER_OPTIONS_INPUT_OPTIONS_H
#define PLANNER_OPTIONS_INPUT_OPTIONS_H

#include "base/param.h"

#define OPTION_GRAPH(type, at, unsaid)                                                                                 \
    OPTION_PATH("graph", 'g', type, at, "G", NULL, PATH_READ, "Graph directory" unsaid ".")
#define PLAN_GRAPH " [default: the path that the plan states]"

#define OPTION_SERVER(type, at, value, usual, unsaid)                                                                  \
    OPTION_PATH("server", 's', type, at, value, usual, PATH_READ_OR_NAME,                                              \
                "Server file, or the name of a shipped profile" unsaid ".")
#define PLAN_SERVER " [default: the one that the plan names]"

#define OPTION_TRACE(type, at, value, unsaid)                                                                          \
    OPTION_PATH("trace", 't', type, at, value, NULL, PATH_READ, "Recorded trace" unsaid ".")

#define OPTION_POLICY(type, at, value, usual, unsaid)                                                                  \
    OPTION_TEXT("policy", 'p', type, at, value, usual,                                                                 \
                "Policy that places the rows, with options as name:key=value; 'hotset list policies'" unsaid ".")
#define POLICY_LISTS "; mine=lists:DIR takes lists, as of --from-lists"

#define OPTION_HOTNESS(type, at)                                                                                       \
    OPTION_TEXT("hotness", 0, type, at, "NAME", NULL,                                                                  \
                "Rank rows by this metric instead of the policy's own, where it can take one; 'hotset list hotness'. " \
                "Policy hotset takes calibrated, presample or vip.")

#define OPTION_BUDGET(type, at, value, usual, unsaid)                                                                  \
    OPTION_TEXT("budget", 'b', type, at, value, usual,                                                                 \
                "Cache per GPU: 2GiB, 5% (of topology and feature bytes) or 5%V (feature rows of 5 % of the "          \
                "vertices)" unsaid ".")
#define MEMORY_BUDGET " [default: GPU memory minus the reservation]"

#define OPTION_CLIQUE_BUDGET(type, at, value)                                                                          \
    OPTION_TEXT("clique-budget", 0, type, at, value, NULL,                                                             \
                "Cache per clique, divided evenly among its GPUs, instead of --budget.")

#define OPTION_WHAT_IF(type, at)                                                                                       \
    OPTION_FLAG("what-if", type, at,                                                                                   \
                "Tell at the end which inputs would change the answer when they move by what predictions are known "   \
                "to "                                                                                                  \
                "be off, and where it flips.")

#define OPTION_EXPLAIN_BUDGET(type, at)                                                                                \
    OPTION_FLAG("explain-budget", type, at, "Print every term of the reserved GPU memory with its formula.")

#define OPTION_MOVE_BUDGET(type, at, usual, unsaid)                                                                    \
    OPTION_TEXT("move-budget", 0, type, at, "SIZE", usual,                                                             \
                "Most bytes that the GPUs of a clique load together, those of most worth first" unsaid ".")

#define OPTION_FROM_LISTS(type, at, unsaid)                                                                            \
    OPTION_PATH("from-lists", 0, type, at, "DIR", NULL, PATH_READ,                                                     \
                "Take a placement that was made elsewhere: gpu<i>_feature.npy, gpu<i>_topology.npy and "               \
                "gpu<i>_train.npy, of several types gpu<i>_feature_<type>.npy and so on, as 'hotset export --to npy' " \
                "names them (what is missing is empty, without train files --assignment decides)" unsaid ".")
#define LISTS_BUDGET " [default: none; with lists the default budget is what they take]"

#define OPTION_CACHE_TYPE(type, at)                                                                                    \
    OPTION_TEXT("cache-type", 0, type, at, "TYPE", NULL,                                                               \
                "Element type of feature rows on GPUs: f16, bf16, f8 (E4M3) or i8 (a scale per row), so that more "    \
                "rows fit; the host keeps its own, and what a hit returns is rounded. Of several types also by name: " \
                "paper=f16,author=i8. To round the host's rows as well, import the graph with --feature-type; "        \
                "'hotset advise' tells what that saves [default: as on the host].")

#define OPTION_ROUNDED_FEATURES(type, at)                                                                              \
    OPTION_PATH("features", 0, type, at, "F.npy", NULL, PATH_READ,                                                     \
                "Feature rows (float32 or float16): measure the relative error of the rows that --cache-type rounds, " \
                "by band of gathers. Of several types: paper=F.npy,author=G.npy.")

#define OPTION_PRESAMPLE_EPOCHS(type, at, usual, low, unsaid)                                                          \
    OPTION_INTEGER("presample-epochs", 0, type, at, "K", usual, low, 10000,                                            \
                   "Epochs to record when no trace is given" unsaid ".")
#define PLAN_EPOCHS " [default: as many as the plan did]"

#define OPTION_HELD_OUT_EPOCHS(type, at, usual, low, unsaid)                                                           \
    OPTION_INTEGER("epochs", 0, type, at, "K", usual, low, 10000, "Epochs to draw and count" unsaid ".")
#define MANY_EPOCHS " [default: enough for 200 mini-batches (1 to 8)]"

#define OPTION_SIMULATE_EPOCHS(type, at)                                                                               \
    OPTION_INTEGER("simulate-epochs", 0, type, at, "K", "-1", -1, 10000,                                               \
                   "Held-out epochs to simulate; 0: none [default: 1 to 8, for 200 mini-batches; for 100 where a "     \
                   "command is quick and there are more than a million arcs].")

#define OPTION_SIMULATE_SEED(type, at)                                                                                 \
    OPTION_INTEGER("simulate-seed", 0, type, at, "N", "-1", -1, INT64_MAX,                                             \
                   "Seed of the held-out epochs [default: derived from the seed of planning].")

#define OPTION_REQUESTS(type, at)                                                                                      \
    OPTION_PATH("requests", 0, type, at, "FILE", NULL, PATH_READ,                                                      \
                "Take the requests of an oracleGeneral file instead of a plan's; those of equal times form a "         \
                "mini-batch.")
#define OPTION_CACHE_SHARE(type, at, usual, unsaid)                                                                    \
    OPTION_WORD("cache-share", 0, type, at, "WHO", usual, "gpu|clique",                                                \
                "One cache per GPU, or one per clique with the rows of all its GPUs" unsaid ".")
#define OPTION_ADMISSION(type, at, usual, unsaid)                                                                      \
    OPTION_WORD("admission", 0, type, at, "WHEN", usual, "batch|request",                                              \
                "When missed rows enter a cache. batch: at the end of their mini-batch; request: before the next "     \
                "request" unsaid ".")

#define OPTION_CASE(type, at)                                                                                          \
    OPTION_PATH("case", 0, type, at, "FILE,..", NULL, PATH_READ,                                                       \
                "Measurements of your own ('hotset lab validate --show gather-host' is a pattern): they correct the "  \
                "predictions of their kind, and narrow the interval. Model 'given' has whole epochs.")
#define OPTION_ONLY(type, at) OPTION_TEXT("only", 0, type, at, "NAME,..", NULL, "Only these of what --list shows.")

/* What a command writes: also a document, always a folder. */
#define OPTION_DOCUMENT(type, at, value)                                                                               \
    OPTION_OUTPUT(type, at, value, NULL, "Also write the result as a document (JSON).")
#define OPTION_FOLDER(type, at, value, usual)                                                                          \
    OPTION_OUTPUT(type, at, value, usual, "Folder to write; what the same command wrote there is replaced.")

#endif
