/* nodes_sizes_print.c - the table of nodes_sizes.h, and its answer as a sentence. */
#include <math.h>

#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/nodes_sizes.h"
#include "reports/tables/tables.h"

/* "4 nodes with a network of 25 GB/s each, alpha 0.1" */
static void name_of(const doc *row, double alpha, char *out, size_t bytes)
{
    long long nodes = (long long)doc_integer_value(doc_get(row, "nodes"), 0);
    double nic = doc_number(row, "nic_gbps");
    *out = 0;
    text_append(out, bytes, "%lld node%s", nodes, nodes == 1 ? "" : "s");
    if (isfinite(nic)) text_append(out, bytes, " with a network of %g GB/s each", nic);
    if (nodes > 1) text_append(out, bytes, ", alpha %g", alpha);
}

static bool fits(const doc *point, double within)
{
    (void)within;
    return doc_bool_value(doc_get(point, "fits"), true);
}

/* What was asked, and that nothing reaches it. */
static void nearest_print(const doc *d, FILE *to)
{
    const doc *list = doc_get(d, "sizes"), *target = doc_get(d, "target");
    struct choice small = choice_nearest(list, "points", "memory_bytes", NULL);
    struct choice c = choice_nearest(list, "points", doc_is_text(target) ? "epoch_seconds" : "slower", fits);
    char name[160], bytes[UNIT_TEXT], have[UNIT_TEXT], time[UNIT_TEXT];
    terminal_print(to, "none of these meets what was asked\n");
    if (c.inner) {
        name_of(c.outer, doc_number(c.inner, "alpha"), name, sizeof name);
        terminal_print(to, "nearest: %s: an epoch takes %s, %.1f %% longer than without a network\n", name,
                       units_seconds(time, doc_number(c.inner, "epoch_seconds")), 100 * doc_number(c.inner, "slower"));
    } else if (!choice_first(list, "points", fits, NAN).inner) {
        name_of(small.outer, doc_number(small.inner, "alpha"), name, sizeof name);
        terminal_print(to, "nearest: %s: a node needs %s, but has %s\n", name,
                       units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(small.inner, "memory_bytes"), 0)),
                       units_bytes(have, (uint64_t)doc_integer_value(doc_get(d, "host_memory_bytes"), 0)));
    }
}

static void answer_print(const doc *d, FILE *to)
{
    const doc *answer = doc_get(d, "answer");
    char name[160], bytes[UNIT_TEXT], time[UNIT_TEXT], alone[UNIT_TEXT];
    double one = doc_number(d, "one_node_seconds"), epoch = doc_number(answer, "epoch_seconds");
    if (!isfinite(one) && doc_is_null(doc_get(d, "host_memory_bytes"))) {
        terminal_print(to, "there is no answer without --one-node (what an epoch takes on one node) or "
                           "--host-memory\n");
        return;
    }
    if (!doc_is_object(answer)) {
        nearest_print(d, to);
        return;
    }
    name_of(answer, doc_number(answer, "alpha"), name, sizeof name);
    units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(answer, "memory_bytes"), 0));
    if (!isfinite(epoch)) {
        terminal_print(to, "%s: a node needs %s\n", name, bytes);
        return;
    }
    units_seconds(time, epoch);
    units_seconds(alone, one);
    if (doc_integer_value(doc_get(answer, "nodes"), 0) == 1)
        terminal_print(to, "1 node: an epoch takes %s, without a network; it needs %s\n", time, bytes);
    else
        terminal_print(to,
                       "%s: an epoch takes %s, %.1f %% longer than without a network; one node takes %s; each needs %s "
                       "of memory\n",
                       name, time, 100 * doc_number(answer, "slower"), alone, bytes);
}

void nodes_sizes_print(const doc *d, FILE *to)
{
    columns_show(nodes_sizes_columns, doc_get(d, "sizes"), "points", to);
    terminal_print(to,
                   "copies ranked by %s; slower: than with a network that takes no time; good: memory, --within and "
                   "--target are kept\n\n",
                   doc_text_value(doc_get(d, "ranking"), "?"));
    answer_print(d, to);
}
