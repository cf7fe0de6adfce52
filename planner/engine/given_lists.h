/* given_lists.h - a placement that was made elsewhere: lists of rows and of training vertices, one .npy file each.
 *
 * A folder holds lists as a plan directory does, and as 'hotset export --to npy' writes them (simulator/plan/plan.h):
 * for each GPU id i of the server gpu<i>_feature.npy and gpu<i>_topology.npy (the rows that it caches, in fill order)
 * and gpu<i>_train.npy (the training vertices that it trains); of a graph with several types gpu<i>_feature_<type>.npy,
 * gpu<i>_topology_<relation>.npy, gpu<i>_edge_feature_<relation>.npy and gpu<i>_train_<type>.npy. They are
 * one-dimensional arrays of integers. A missing file is an empty list. Without any train file training vertices are
 * dealt as --assignment says. What is read obeys: ids are rows of their table, each at most once per GPU; train files
 * hold each training vertex of the graph once.
 */
#ifndef PLANNER_ENGINE_GIVEN_LISTS_H
#define PLANNER_ENGINE_GIVEN_LISTS_H

#include "base/doc.h"
#include "planner/policies/policy.h"

struct given_lists {
    const char *folder;         /* borrowed */
    struct placement placement; /* lists; no peers */
    uint8_t *part;              /* [n] position of the GPU that trains the vertex; owned; NULL: no train files */
};

/* Reads the folder. Release *out with given_lists_release. ST_INPUT, with file, element and id, for what breaks the
 * rules above and for a folder without any list; ST_LIMIT without memory. */
enum st given_lists_read(const char *folder, const struct graph *g, const struct server *s, struct given_lists *out,
                         struct err *err) MUST_USE;
/* Reads one such file, whose ids are below n, and appends them, each plus `first`, to *out. *there: whether the file
 * exists. bits: of what was read before, so that an id that is there is refused; ids are added. Errors as above. */
enum st given_list_read(const char *path, uint64_t n, uint64_t first, uint64_t *bits, struct row_list *out, bool *there,
                        struct err *err) MUST_USE;
/* Frees the lists; zeroed is allowed. */
void given_lists_release(struct given_lists *l);

/* Bytes of the fullest GPU's rows. */
uint64_t given_lists_most(const struct given_lists *l, const struct graph *g);
/* Adds the files that are there to a document of inputs (options/resume.h). */
void given_lists_inputs(const char *folder, const struct graph *g, const struct server *s, doc *inputs);

/* The policy that places such lists (policy_input.lists): every GPU reads all GPUs in reach. */
extern const struct policy given_lists_policy;

#endif
