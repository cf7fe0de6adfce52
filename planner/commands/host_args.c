#include "planner/commands/host_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

uint64_t host_args_needed(const struct graph *g)
{
    return 8 * (g->n + 1) + (4 + g->weight_bytes) * g->m + g->n * g->row_bytes;
}

enum st host_args_memory(const char *text, const struct graph *g, const struct server *s, const char *name,
                         double most_percent, uint64_t *out, struct err *err)
{
    enum st st = ST_OK;
    size_t length = text ? strlen(text) : 0;
    if (length && text[length - 1] == '%') {
        char *end;
        double share = strtod(text, &end);
        if (end != text + length - 1 || !(share > 0) || !(share <= most_percent))
            FAIL(ST_USAGE, "--host-memory %s: a share is above 0 %% and at most %g %% of topology and features", text,
                 most_percent);
        *out = (uint64_t)(share / 100 * (double)host_args_needed(g));
        return ST_OK;
    }
    if (text) {
        TRY(units_size(text, "--host-memory", out, err));
        TRY(units_bare(text, *out, "--host-memory", UNITS_PAGE, "one page", false, err));
        return ST_OK;
    }
    if (!s || !s->host_memory_bytes)
        FAIL(ST_USAGE, "--host-memory: the memory of server %s is not known; give it, as in --host-memory 64GiB", name);
    *out = s->host_memory_bytes / 10 * 9;
done:
    return st;
}

enum st host_args_drives(const char *text, const struct graph *g, const struct server *s, struct drives *out,
                         struct err *err)
{
    enum st st = ST_OK;
    char has[UNIT_TEXT], wants[UNIT_TEXT];
    const char *own = s ? doc_text_value(doc_get(s->document, "ssd"), NULL) : NULL;
    if (text) TRY(drives_parse(text, "--ssd", out, err));
    else if (own) TRY(drives_parse(own, "the server's \"ssd\"", out, err));
    uint64_t bytes = out->bytes * (uint64_t)out->count, needed = host_args_needed(g) - 8 * (g->n + 1);
    if (bytes && needed > bytes)
        FAIL(ST_NO, "the SSDs hold %s, but topology and features take %s; take more drives (--ssd)",
             units_bytes(has, bytes), units_bytes(wants, needed));
done:
    return st;
}
