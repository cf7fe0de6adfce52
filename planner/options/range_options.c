#include "planner/options/range_options.h"

#include <string.h>

#include "base/ranks.h"
#include "base/units.h"
#include "planner/partition/deal.h"
#include "traces/sampling/range_draws.h"

enum st range_options_check(const struct workload *w, const char *deal, const struct server *s, struct err *err)
{
    const char *why = range_draws_why_not(w);
    enum assignment_kind kind = deal ? deal_kind(deal) : ASSIGNMENT_GLOBAL;
    if (deal && !strcmp(deal, "hierarchical")) kind = ASSIGNMENT_HIERARCHICAL;
    if (why) return err_set(err, ST_USAGE, "--graph-ranges: %s; leave it out", why);
    if (kind == ASSIGNMENT_GLOBAL || (kind == ASSIGNMENT_HIERARCHICAL && server_groups(s) < 2)) return ST_OK;
    return err_set(err, ST_USAGE,
                   "--graph-ranges: --assignment %s on server %s cuts the graph into parts, which reads all of it; add "
                   "--assignment global, or --plan P for the assignment of a plan",
                   deal, s->name);
}

enum st range_options_open(const struct call *call, const char *path, struct graph *g, struct graph_ranges *ranges,
                           struct err *err)
{
    struct graph_ranges first = {0};
    PASS(graph_open_range(path, call->threads, ranks_count(), ranks_number(), g, ranges, err));
    first = *ranges;
    PASS(ranks_give(0, &first, sizeof first, err));
    if (memcmp(first.begin, ranges->begin, sizeof first.begin))
        return err_set(err, ST_INPUT, "%s: is not the graph that the first rank reads; give all ranks the same files",
                       path);
    return ST_OK;
}

enum st range_options_say(const struct call *call, const struct graph *g, const struct graph_ranges *ranges,
                          struct err *err)
{
    uint64_t all = graph_ranges_all_bytes(g), own = graph_ranges_bytes(g, ranges), resident = graph_resident_bytes(g);
    char bytes[UNIT_TEXT];
    PASS(ranks_most(&own, err));
    PASS(ranks_most(&resident, err));
    if (resident > all) resident = all; /* whole pages */
    call_say(call,
             "graph ranges: the largest is %.1f %% of the topology (%s); a rank had at most %.1f %% of it in memory at "
             "the end",
             100.0 * (double)own / (double)all, units_bytes(bytes, all), 100.0 * (double)resident / (double)all);
    return ST_OK;
}
