/* drawn_sheet.h - a sampler to be judged, and sheets that also count draws per vertex, for samplers whose draws do not
 * follow from visits. */
#ifndef TESTS_ORACLE_DRAWN_SHEET_H
#define TESTS_ORACLE_DRAWN_SHEET_H

#include "tests/oracle/instance.h"

static struct err err;

static struct sampler *sampler_for(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads)
{
    struct sampler *s = NULL;
    OK(sampler_new(g, w, line_bytes, threads, &s, &err));
    return s;
}

static void sheet_for(struct tally_sheet *t, const struct graph *g, const struct workload *w)
{
    sheet_new(t, g->n, w->hops);
    t->c.draws = calloc(g->n, sizeof(uint32_t));
}
static void sheet_drop(struct tally_sheet *t)
{
    free(t->c.draws);
    sheet_free(t);
}
static void sheet_wipe(struct tally_sheet *t)
{
    memset(t->c.draws, 0, t->n * sizeof(uint32_t));
    sheet_clear(t);
}

#endif
