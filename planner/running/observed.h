/* observed.h - counters of a running job, as hotset_observe of libhotset appends them: a line of JSON per GPU and
 * epoch; of several types a line for each type, and for each relation with edge features, named in its member "table"
 * ("paper", "author-writes->paper").
 *
 * Lines are added up per GPU; lines of several processes and runs may be mixed. Every number is held against its range.
 */
#ifndef PLANNER_RUNNING_OBSERVED_H
#define PLANNER_RUNNING_OBSERVED_H

#include "base/fields.h"
#include "simulator/plan/plan.h"

enum served_by { PLACE_OWN, PLACE_PEER, PLACE_HOST, PLACES };
const char *place_word(enum served_by p); /* "own", "peer", "host" */

enum { OBSERVED_STAGES = 16, OBSERVED_NAME = 32 };
struct observed_gpu {
    uint64_t epochs, batches; /* lines, and mini-batches of all of them */
    uint64_t rows[PLACES], bytes[PLACES];
    double seconds[OBSERVED_STAGES]; /* by the stages of struct observed */
};
struct observed {
    int gpus, parts;
    struct observed_gpu *gpu; /* [parts][gpus] by position in the plan; owned */
    char stage[OBSERVED_STAGES][OBSERVED_NAME];
    int stages;
};
void observed_release(struct observed *o); /* a zeroed struct is allowed */

extern const struct field observed_fields[]; /* of a line: observed/1 */

/* Feature rows are counted by part: those of a plain graph, or of each type and of each relation with edge features.
 * The table of rows (traces/graph/rows.h) of a part. */
static inline int observed_parts(const struct graph *g) { return graph_tables(g) - graph_relation_count(g); }
static inline int observed_table(const struct graph *g, int part) { return graph_relation_count(g) + part; }

/* Adds the lines of a file. graph: the plan's. out: zeroed before the first one; to be released, also after an error.
 * ST_INPUT for a line that is no such object, a GPU that the plan does not have, rows that the graph does not have,
 * bytes that are not those of the rows, or more than 16 stages; it names the line. */
enum st observed_read(const char *path, const struct plan *p, const struct graph *graph, struct observed *out,
                      struct err *err) MUST_USE;

#endif
