/* pcm.c - bytes and lines of a capture. pcm_read.c reads it. */
#include "hwprofiles/counters/pcm.h"

#include <math.h>

#include "base/text.h"
#include "base/units.h"

bool pcm_bytes(const struct pcm *p, uint64_t *bytes)
{
    if (!p->iio) {
        *bytes = p->sum * PCM_LINE_BYTES;
        return true;
    }
    if (!(p->interval_s > 0)) return false;
    uint64_t milliseconds = (uint64_t)llround(1000 * p->interval_s);
    *bytes = units_round_half_up((unsigned __int128)p->sum * milliseconds, 1000);
    return true;
}

/* Reads of 64 bytes over the whole capture. */
static enum st lines_of(const struct pcm *p, uint64_t *lines, struct err *err)
{
    uint64_t bytes;
    if (!pcm_bytes(p, &bytes))
        return err_set(err, ST_INPUT,
                       "the capture of pcm-iio has rates (bytes per second) but no time stamps, so bytes cannot be "
                       "summed; state the tool's delay with --interval");
    *lines = (bytes + PCM_LINE_BYTES - 1) / PCM_LINE_BYTES;
    return ST_OK;
}

enum st pcm_net_lines(const struct pcm *busy, const struct pcm *idle, uint64_t *lines, struct err *err)
{
    uint64_t all = 0, still = 0;
    PASS(lines_of(busy, &all, err));
    if (idle) {
        if (idle->iio != busy->iio)
            return err_set(err, ST_INPUT,
                           "the idle capture is from %s, but the busy one is from %s; record both with the same tool",
                           idle->iio ? "pcm-iio" : "pcm-pcie", busy->iio ? "pcm-iio" : "pcm-pcie");
        if (idle->sockets != busy->sockets)
            return err_set(err, ST_INPUT,
                           "the idle capture has %d sockets, but the busy one %d; record both on one server",
                           idle->sockets, busy->sockets);
        PASS(lines_of(idle, &still, err));
        still = units_round_half_up((unsigned __int128)still * busy->iterations, idle->iterations);
        if (still > all)
            return err_set(err, ST_INPUT,
                           "over the same time, the idle capture has %llu reads and the busy one %llu; are the two "
                           "swapped?",
                           (unsigned long long)still, (unsigned long long)all);
    }
    *lines = all - still;
    return ST_OK;
}

void pcm_doubts(const struct pcm *p, char *out, size_t size)
{
    enum { SMALL = 1 << 20 }; /* bytes: an idle server reads a little between two counters */
    char lines[UNIT_TEXT], bytes[UNIT_TEXT], other[UNIT_TEXT];
    double read = (double)p->sum * PCM_LINE_BYTES;
    *out = '\0';
    if (p->wrapped)
        text_append(out, size,
                    "line %llu has a counter of 2^64 less a few, a difference below zero: the counters of that "
                    "interval "
                    "do not fit together, so its Total may be wrong, too; measure again",
                    (unsigned long long)p->wrapped);
    if (p->iio || isnan(p->stated_bytes) || fabs(p->stated_bytes - read) < SMALL) return;
    if (p->stated_bytes <= 2 * read && read <= 2 * p->stated_bytes) return;
    text_append(out, size,
                "%sPCIRdCur has %s reads of 64 bytes (%s), but \"PCIe Rd (B)\" states %s in the same rows: one of them "
                "does "
                "not count what devices read; compare with pcm-iio before you plan from it",
                *out ? "; " : "", units_count(lines, p->sum), units_bytes(bytes, p->sum * PCM_LINE_BYTES),
                units_bytes(other, (uint64_t)p->stated_bytes));
}

doc *pcm_document(const struct pcm *p)
{
    doc *d = doc_object(), *sockets = doc_array();
    uint64_t bytes;
    for (int s = 0; s < p->sockets; s++) doc_append(sockets, doc_integer((int64_t)p->per_socket[s]));
    DOC_PUT(d, IS("tool", p->iio ? "pcm-iio" : "pcm-pcie"), IS("sockets", p->sockets), IS("iterations", p->iterations),
            IS("interval_s", p->interval_s > 0 ? doc_real(p->interval_s) : doc_null()),
            IS(p->iio ? "ib_read_sum" : "transactions", p->sum),
            IS(p->iio ? "per_socket_rate" : "per_socket", sockets));
    doc_put(d, "bytes_read", pcm_bytes(p, &bytes) ? doc_integer((int64_t)bytes) : doc_null());
    return d;
}
