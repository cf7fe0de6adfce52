#include "hwprofiles/model/server_subset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_finish.h"

const char *server_subset_split(const char *source, char *out, size_t size)
{
    const char *colon = strrchr(source, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "0123456789+") != strlen(colon + 1)) return NULL;
    if ((size_t)(colon - source) >= size || colon == source) return NULL;
    snprintf(out, size, "%.*s", (int)(colon - source), source);
    return colon + 1;
}

static int ascending(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

/* Whether another GPU can only be like those that are there. */
static bool repeats(const struct server *s)
{
    bool same = s->links_known && !server_knows_switches(s);
    for (int i = 0; i < s->gpus; i++) {
        same &= s->gpu[i].memory_bytes == s->gpu[0].memory_bytes && !strcmp(s->gpu[i].model, s->gpu[0].model);
        for (int j = 0; j < s->gpus; j++) same &= !s->links[i][j];
    }
    return same;
}

/* Positions that spec names, ascending. */
static enum st server_subset_choose(const struct server *s, const char *spec, int *keep, int *count, struct err *err)
{
    char copy[512], *part[SERVER_GPUS_MAX];
    int64_t v = 0;
    snprintf(copy, sizeof copy, "%s", spec);
    int n = text_split(copy, '+', part, SERVER_GPUS_MAX);
    *count = 0;
    if (n == 1) {
        enum st st = units_integer(spec, s->name, 1, s->gpus, &v, err);
        if (st != ST_OK)
            return err_set(err, ST_INPUT, "%s:%s: expected 1 to %d GPUs after the colon, or ids such as 0+1%s", s->name,
                           spec, s->gpus,
                           repeats(s) ? "; 'hotset server import NAME --gpus N' makes a server of more" : "");
        for (; *count < v; ++*count) keep[*count] = *count;
        return ST_OK;
    }
    for (int i = 0; i < n; i++) {
        int at = units_integer(part[i], s->name, 0, SERVER_GPU_ID_MAX, &v, err) == ST_OK ? server_position_of(s, v)
                                                                                         : -1;
        bool again = false;
        for (int j = 0; j < i; j++) again |= keep[j] == at;
        if (at < 0 || again)
            return err_set(err, ST_INPUT, "%s:%s: '%s' is not the id of another GPU of this server", s->name, spec,
                           part[i]);
        keep[(*count)++] = at;
    }
    if (n < 1) return err_set(err, ST_INPUT, "%s:%.40s: names more than %d GPUs", s->name, spec, SERVER_GPUS_MAX);
    qsort(keep, (size_t)*count, sizeof *keep, ascending);
    return ST_OK;
}

enum st server_subset(struct server *s, const char *spec, struct err *err)
{
    int keep[SERVER_GPUS_MAX], count;
    PASS(server_subset_choose(s, spec, keep, &count, err));
    for (int i = 0; i < count; i++) { /* keep[] ascends, so rows and columns move towards the front only */
        s->gpu[i] = s->gpu[keep[i]];
        for (int j = 0; j < count; j++) {
            s->links[i][j] = s->links[keep[i]][keep[j]];
            s->link_gbps[i][j] = s->link_gbps[keep[i]][keep[j]];
        }
    }
    s->gpus = count;
    text_append(s->name, sizeof s->name, ":%s", spec);
    return ST_OK;
}

enum st server_with_gpus(struct server *s, int gpus, struct err *err)
{
    const int last = s->gpus - 1;
    char spec[16];
    snprintf(spec, sizeof spec, "%d", gpus);
    *s->description = '\0';
    if (gpus <= s->gpus) return server_subset(s, spec, err);
    if (gpus > SERVER_GPUS_MAX || s->gpu[last].id + gpus - s->gpus > SERVER_GPU_ID_MAX)
        return err_set(err, ST_USAGE, "--gpus %d: a server has at most %d GPUs", gpus, SERVER_GPUS_MAX);
    if (!repeats(s))
        return err_set(err, ST_USAGE,
                       "--gpus %d: %s has %d GPUs, and more can follow only where all are alike, without NVLink and "
                       "with no PCIe switches stated; write a matrix as of nvidia-smi topo -m instead",
                       gpus, s->name, s->gpus);
    for (int i = s->gpus; i < gpus; i++) {
        s->gpu[i] = s->gpu[last];
        s->gpu[i].id = s->gpu[i - 1].id + 1;
    }
    s->gpus = gpus;
    text_append(s->name, sizeof s->name, ":%s", spec);
    return ST_OK;
}

enum st server_with_sockets(struct server *s, int sockets, struct err *err)
{
    if (sockets > s->gpus)
        return err_set(err, ST_USAGE, "--sockets %d: %s has %d GPU%s, and each socket needs one", sockets, s->name,
                       s->gpus, s->gpus == 1 ? "" : "s");
    for (int i = 0; i < s->gpus; i++) {
        s->gpu[i].socket = i * sockets / s->gpus;
        for (int j = 0; j < i; j++)
            if (s->gpu[i].pcie_switch >= 0 && s->gpu[j].pcie_switch == s->gpu[i].pcie_switch &&
                s->gpu[j].socket != s->gpu[i].socket)
                return err_set(err, ST_USAGE,
                               "--sockets %d: GPUs %d and %d of %s share a PCIe switch, so they are on one socket; "
                               "write a "
                               "matrix as of nvidia-smi topo -m instead",
                               sockets, s->gpu[j].id, s->gpu[i].id, s->name);
    }
    s->sockets = sockets;
    s->places.numas = s->places.socket_links = 0;
    for (int i = 0; i < s->places.nics; i++) s->places.nic[i].socket = -1;
    for (int i = 0; i < s->places.nvmes; i++) s->places.nvme[i].socket = -1;
    *s->description = '\0';
    return ST_OK;
}

enum st server_without_links(struct server *s, struct err *err)
{
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < s->gpus; j++) {
            s->links[i][j] = 0;
            s->link_gbps[i][j] = 0;
        }
    text_append(s->name, sizeof s->name, " without NVLink");
    return server_finish(s, s->document, err);
}
