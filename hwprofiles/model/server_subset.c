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
            return err_set(err, ST_INPUT, "%s:%s: expected 1 to %d GPUs after the colon, or ids such as 0+1", s->name,
                           spec, s->gpus);
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
