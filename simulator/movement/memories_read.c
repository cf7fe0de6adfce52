#include "simulator/movement/memories_read.h"

#include <math.h>
#include <string.h>

static void add_place(struct place_sums *sum, const struct place_sums *one)
{
    sum->feature_rows += one->feature_rows;
    sum->feature_lines += one->feature_lines;
    sum->topology_visits += one->topology_visits;
    sum->topology_lines += one->topology_lines;
    if (one->other_socket_lines >= 0)
        sum->other_socket_lines = one->other_socket_lines + (sum->other_socket_lines > 0 ? sum->other_socket_lines : 0);
    sum->seconds += one->seconds;
}

struct place_sums memories_read_kind(const struct memories_read *const *of, int nodes, enum place_kind kind)
{
    struct place_sums sum = {.kind = kind, .other_socket_lines = -1};
    for (int n = 0; n < nodes; n++)
        for (int k = 0; k < of[n]->places; k++) {
            if (of[n]->place[k].kind != kind) continue;
            add_place(&sum, &of[n]->place[k]);
            snprintf(sum.name, sizeof sum.name, "%s", place_kind_table[kind].many);
        }
    return sum;
}

void memories_read_sum(const struct memories_read *const *of, int nodes, struct memories_read *out)
{
    bool drives = true, timed = true;
    memset(out, 0, sizeof *out);
    out->nodes = nodes;
    for (int kind = 0; kind < PLACE_KINDS; kind++) {
        out->place[out->places] = memories_read_kind(of, nodes, (enum place_kind)kind);
        if (*out->place[out->places].name) out->places++;
    }
    for (int n = 0; n < nodes; n++) {
        const struct memories_read *m = of[n];
        out->seconds += m->seconds;
        out->blocks += m->blocks;
        out->bytes += m->bytes;
        out->ssd_seconds = fmax(out->ssd_seconds, m->ssd_seconds);
        out->limit = m->limit;
        if (!n || m->epoch > out->epoch) out->epoch = m->epoch, out->epoch_without = m->epoch_without;
        drives &= m->limit != NULL;
        timed &= !isnan(m->epoch);
    }
    for (int k = 0; k < out->places; k++) out->place[k].seconds /= nodes;
    out->seconds /= nodes;
    if (!drives) out->limit = NULL;
    if (!timed) out->epoch = NAN;
}

static doc *place_document(const struct place_sums *p)
{
    doc *d = DOC(IS("name", p->name), IS("kind", place_kind_table[p->kind].name), IS("feature_rows", p->feature_rows),
                 IS("feature_lines", p->feature_lines), IS("topology_visits", p->topology_visits),
                 IS("topology_lines", p->topology_lines));
    if (p->other_socket_lines >= 0) doc_put(d, "other_socket_lines", doc_integer(p->other_socket_lines));
    doc_put(d, "seconds", doc_real(p->seconds));
    return d;
}

doc *memories_read_document(const struct memories_read *m)
{
    if (!m) return doc_null();
    doc *d = doc_object(), *places = doc_array(), *ssd = m->limit ? doc_object() : doc_null(),
        *epoch = isfinite(m->epoch) ? doc_object() : doc_null();
    for (int k = 0; k < m->places; k++) doc_append(places, place_document(&m->place[k]));
    if (m->limit) {
        DOC_PUT(ssd, IS("blocks", m->blocks), IS("bytes", m->bytes));
        if (!m->nodes) doc_put(ssd, "seconds", doc_real(m->ssd_seconds));
        doc_put(ssd, "limit", doc_text(m->limit));
        if (m->nodes) doc_put(ssd, "seconds", doc_real(m->ssd_seconds)); /* in this order ever since */
    }
    if (isfinite(m->epoch)) {
        doc_put(epoch, "seconds", doc_real(m->epoch));
        doc_put(epoch, "without_ssd_seconds", doc_real(m->epoch_without));
    }
    DOC_PUT(d, IS("places", places), IS("seconds", m->seconds), IS("ssd", ssd), IS("epoch", epoch));
    return d;
}
