#include "planner/decisions/size_batch.h"

#include "base/text.h"
#include "planner/options/options.h"

void size_say_batch(const struct size_question *q, const struct size_graph *g, const struct size_curve *curves,
                    int count)
{
    bool said = false;
    for (int i = 0; i < count && !said; i++) {
        const struct size_curve *c = &curves[i];
        const struct workload w = {.batch = (uint64_t)c->of.batch,
                                   .edge_share = text_starts(q->workload->how.seeds, "edges")};
        said = options_say_batch(q->call, c->server, c->gpus, (double)g->graph->train_count * c->factor * c->trains,
                                 &w);
    }
}
