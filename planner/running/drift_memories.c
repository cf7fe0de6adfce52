#include "planner/running/drift_memories.h"

#include <math.h>

#include "simulator/storage/places_replay.h"

/* Seconds of the lines per epoch that come from other nodes. */
static double network_seconds(const struct memories_request *below, const struct memories_read *served)
{
    if (below->nodes < 2) return 0;
    const struct place_sums away = memories_read_kind(&served, 1, PLACE_KIND_NODE);
    return (double)(away.feature_lines + away.topology_lines) * (double)below->server->line_bytes /
           (1e9 * place_machine_network_gbps(below));
}

enum st drift_memories_count(const struct replay_request *q, const struct plan *p, const struct memories_request *below,
                             struct memories_read **served, double *seconds, struct err *err)
{
    PASS(places_simulate(q, p, NULL, NULL, served, err));
    *seconds = refresh_later((*served)->ssd_seconds, network_seconds(below, *served));
    return ST_OK;
}

/* ---- the document ---- */

static const char *const read_members[] = {"seconds", "blocks", "bytes"};
static const char *const dram_members[] = {"rows_loaded", "rows_dropped", "bytes_loaded"};
enum { READS = sizeof read_members / sizeof *read_members, DRAMS = sizeof dram_members / sizeof *dram_members };

doc *drift_memories_window(const struct memories_read *m, const struct refresh_amount *dram)
{
    const uint64_t amount[DRAMS] = {dram->loaded, dram->dropped, dram->bytes};
    OWNED_DOC doc *served = memories_read_document(m);
    doc *d = doc_object(), *into = doc_object();
    for (int i = 0; i < DRAMS; i++) doc_put(into, dram_members[i], doc_integer((int64_t)amount[i]));
    DOC_PUT(d, IS("places", doc_copy(doc_get(served, "places"))), IS("seconds", doc_copy(doc_get(served, "seconds"))),
            IS("ssd", doc_copy(doc_get(served, "ssd"))), IS("dram", into));
    return d;
}

static const doc *memories_at(const doc *windows, uint64_t i) { return doc_get(doc_at(windows, i), "memories"); }

doc *drift_memories_mean(const doc *windows)
{
    const uint64_t count = doc_size(windows);
    const bool ssd = doc_is_object(doc_get(memories_at(windows, 0), "ssd"));
    double seconds = 0, reads[READS] = {0};
    int64_t dram[DRAMS] = {0};
    for (uint64_t i = 0; i < count; i++) {
        const doc *m = memories_at(windows, i);
        seconds += doc_real_value(doc_get(m, "seconds"), NAN) / (double)count;
        for (int k = 0; ssd && k < READS; k++)
            reads[k] += doc_real_value(doc_get(doc_get(m, "ssd"), read_members[k]), NAN) / (double)count;
        for (int k = 0; k < DRAMS; k++) dram[k] += doc_integer_value(doc_get(doc_get(m, "dram"), dram_members[k]), 0);
    }
    doc *d = doc_object(), *from = ssd ? doc_object() : doc_null(), *into = doc_object();
    for (int k = 0; ssd && k < READS; k++) doc_put(from, read_members[k], doc_real(reads[k]));
    for (int k = 0; k < DRAMS; k++) doc_put(into, dram_members[k], doc_integer(dram[k]));
    DOC_PUT(d, IS("seconds", seconds), IS("ssd", from), IS("dram", into));
    return d;
}
