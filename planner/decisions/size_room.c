#include "planner/decisions/size_room.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_vary.h"

static uint64_t over(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/* Bytes of feature rows that a server's host memory has room for beside all topology. */
static uint64_t room_for_rows(const struct size_curve *c) { return over(c->host_memory, c->topology + c->loader); }

/* The fewest servers that hold all rows together; 0: no number does. */
static int fewest_servers(const struct size_curve *c)
{
    uint64_t room = room_for_rows(c);
    if (!room) return 0;
    uint64_t n = (c->features + room - 1) / room;
    return n > 64 ? 0 : n < 1 ? 1 : (int)n;
}

int size_numbers(const struct size_question *q, const struct size_curve *c, int *out)
{
    int count = 0, fewest = c->host_memory ? fewest_servers(c) : 1;
    for (int i = 0; i < q->nodes.count; i++) { /* a list may name a number more than once */
        int at = 0;
        while (at < count && out[at] != q->nodes.value[i]) at++;
        out[at] = (int)q->nodes.value[i];
        count += at == count;
    }
    if (count) return count;
    /* several of what holds the graph alone are an answer to a target alone: without one the most would always win */
    bool more = fewest > 1 || (q->targets && c->nic_gbps > 0);
    for (int n = 1; n <= 4 && (n == 1 || more); n *= 2) {
        if (fewest > n / 2 && fewest < n) out[count++] = fewest;
        out[count++] = n;
    }
    if (fewest > 4) out[count++] = fewest;
    return count;
}

/* ---- where rows lie ---- */

/* What host memory holds beside rows that may lie on SSDs. */
static uint64_t beside_ssds(const struct size_curve *c)
{
    return c->loader + (c->topology_in_dram ? c->topology : c->offsets);
}

static bool ssds_hold(const struct size_curve *c)
{
    uint64_t room = c->of.beside.drives.bytes * (uint64_t)c->of.beside.drives.count; /* of a drive whose size is not
                                                                    stated: as much as it takes, as for plan */
    return c->of.beside.drives.count && beside_ssds(c) < c->host_memory && (!room || c->stored <= room);
}

/* Bytes that each of so many servers has in host memory where rows are split among them. */
static uint64_t needs_of(const struct size_curve *c, int servers)
{
    return c->topology + c->loader + (c->features + (uint64_t)servers - 1) / (uint64_t)servers;
}

/* False: nowhere. */
static bool below_of(const struct size_curve *c, int servers, enum size_below *below)
{
    *below = BELOW_HOST;
    if (!c->host_memory || needs_of(c, 1) <= c->host_memory) return true;
    *below = servers > 1 && needs_of(c, servers) <= c->host_memory ? BELOW_SPLIT : BELOW_SSD;
    return *below == BELOW_SPLIT || ssds_hold(c);
}

bool size_room_needs_ssds(const struct size_question *q, const struct size_curve *c)
{
    int servers[SIZE_NUMBERS_MAX], count = size_numbers(q, c, servers);
    enum size_below below;
    for (int i = 0; i < count; i++)
        if (below_of(c, servers[i], &below) && below == BELOW_SSD) return true;
    return false;
}

/* ---- what is missing ---- */

/* What would make it fit, computed. */
static void remedies(const struct size_curve *c, struct size_option *o)
{
    enum { DRIVE_BYTES = 2000000000 }; /* KB of a gen4 drive */
    char text[UNIT_TEXT], more[UNIT_TEXT];
    uint64_t room = room_for_rows(c), drive = (uint64_t)DRIVE_BYTES * 1000;
    int servers = fewest_servers(c), said = 0;
    for (uint64_t element = c->element_bytes / 2; element; element /= 2)
        if (c->features / c->element_bytes * element <= room) {
            text_append(o->remedy, sizeof o->remedy, "rows of %s (--feature-type)", size_element_name(element));
            said++;
            break;
        }
    if (servers > 1) text_append(o->remedy, sizeof o->remedy, "%s%d servers (--nodes)", said++ ? ", or " : "", servers);
    if (!*c->ssd_lacks && beside_ssds(c) < c->host_memory)
        text_append(o->remedy, sizeof o->remedy, "%sSSDs of %s, as --ssd %llux%s", said++ ? ", or " : "",
                    units_bytes(text, c->stored), (unsigned long long)((c->stored + drive - 1) / drive), "gen4");
    text_append(o->remedy, sizeof o->remedy, "%s%s of host memory", said ? ", or " : "",
                units_bytes(more, needs_of(c, 1)));
}

static void remedies_of_gpus(const struct size_curve *c, struct size_option *o)
{
    char more[UNIT_TEXT];
    if (c->smaller)
        text_append(o->remedy, sizeof o->remedy, "mini-batches of %lld (--batch), or ", (long long)c->smaller);
    text_append(o->remedy, sizeof o->remedy,
                "GPUs with %s more, or a smaller --fanout or --hidden; or --reserve, if yours is measured",
                units_bytes(more, (uint64_t)ceil((double)c->missing / c->of.share)));
}

static void lacks_gpus(const struct size_question *q, const struct size_curve *c, struct size_option *o)
{
    char needs[UNIT_TEXT], lack[UNIT_TEXT];
    snprintf(o->lacks, sizeof o->lacks, "GPU memory: training needs %s, %s are missing",
             units_bytes(needs, c->reservation.total + q->second_job), units_bytes(lack, c->missing));
    remedies_of_gpus(c, o);
}

/* With SSDs the host holds what they do not: offsets, or, for a sampler that reads it whole, all topology. */
static void lacks_room(const struct size_curve *c, struct size_option *o)
{
    char have[UNIT_TEXT], needs[UNIT_TEXT], lack[UNIT_TEXT];
    const bool host = beside_ssds(c) >= c->host_memory, drives = c->of.beside.drives.count && !host;
    uint64_t most = drives ? c->of.beside.drives.bytes * (uint64_t)c->of.beside.drives.count : c->host_memory,
             wanted = drives                      ? c->stored
                      : c->of.beside.drives.count ? beside_ssds(c) + 1
                                                  : needs_of(c, o->servers);
    snprintf(o->lacks, sizeof o->lacks, "%s: %s are missing, %s needed, %s there",
             drives                       ? "SSDs"
             : !c->of.beside.drives.count ? "host memory"
             : c->topology_in_dram        ? "host memory, which holds all topology for this sampler beside SSDs"
                                          : "host memory, which holds the topology's offsets beside SSDs",
             units_bytes(lack, wanted - most), units_bytes(needs, wanted), units_bytes(have, most));
    remedies(c, o);
}

void size_room(const struct size_question *q, const struct size_curve *c, struct size_option *o)
{
    o->host_needs = needs_of(c, 1);
    if (c->missing) {
        lacks_gpus(q, c, o);
        return;
    }
    o->fits = below_of(c, o->servers, &o->below);
    if (!o->fits) {
        o->below = BELOW_HOST;
        lacks_room(c, o);
        return;
    }
    if (o->below == BELOW_SPLIT) o->host_needs = needs_of(c, o->servers);
    if (o->below == BELOW_SSD) {
        double rate = 1e9 * c->of.beside.drives.write_gbps * c->of.beside.drives.count;
        o->host_needs = c->host_memory;
        if (*c->ssd_lacks) {
            o->fits = false;
            o->below = BELOW_HOST;
            snprintf(o->lacks, sizeof o->lacks, "%s", c->ssd_lacks);
            remedies(c, o);
            return;
        }
        o->fill = rate > 0 ? (double)c->stored / rate : NAN;
    }
    if (c->host_memory) o->host_left = over(c->host_memory, o->host_needs);
}
