#include "simulator/typed/typed_plan.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

void typed_plan_release(struct typed_plan *p)
{
    assignment_release(&p->assignment);
    placement_release(&p->placement);
    mem_free(p->expected);
    doc_free(p->simulated);
    doc_free(p->baselines);
    doc_free(p->bound);
    doc_free(p->rounding);
    doc_free(p->price);
    doc_free(p->alpha);
    memset(p, 0, sizeof *p);
}

void typed_plan_order_peers(struct typed_plan *p)
{
    for (int g = 0; g < p->placement.gpus; g++) {
        int *peer = p->placement.peer[g];
        for (int i = 1; i < p->placement.peers[g]; i++) /* few: by insertion */
            for (int k = i; k > 0; k--) {
                uint8_t a = p->links[g][peer[k - 1]], b = p->links[g][peer[k]];
                if (a > b || (a == b && peer[k - 1] < peer[k])) break;
                int swap = peer[k];
                peer[k] = peer[k - 1];
                peer[k - 1] = swap;
            }
    }
}

uint64_t typed_plan_predicted(const struct typed_plan *p, int tables, int table)
{
    uint64_t sum = 0;
    for (int c = 0; c < p->assignment.cliques; c++)
        for (int t = 0; t < tables; t++)
            if (table < 0 || t == table) sum += (uint64_t)(p->expected[c * tables + t].transactions + 0.5);
    return sum;
}

doc *typed_table_document(const struct graph *rows, int table)
{
    const struct row_table *t = &rows->table[table];
    const struct graph *g = rows;
    doc *d = doc_object();
    doc_put(d, "kind", doc_text(row_kind_name(t->kind)));
    if (t->kind == ROWS_FEATURE) {
        doc_put(d, "type", doc_text(g->type[t->of].name));
        return d;
    }
    doc_put(d, "source", doc_text(g->type[g->relation[t->of].source].name));
    doc_put(d, "relation", doc_text(g->relation[t->of].name));
    doc_put(d, "target", doc_text(g->type[g->relation[t->of].target].name));
    return d;
}

static struct typed_reads sum_readers(const struct typed_replay *r, int table)
{
    struct typed_reads sum = {.reads = {0}};
    for (int g = 0; g < r->gpus; g++) {
        const struct typed_reads *x = &r->reads[g * r->tables + table];
        for (int s = 0; s < TYPED_SOURCES; s++) sum.reads[s] += x->reads[s];
        sum.transactions += x->transactions;
        sum.uncached += x->uncached;
        sum.rounded += x->rounded;
    }
    return sum;
}

static double hit_rate(const uint64_t reads[TYPED_SOURCES])
{
    double all = (double)reads[TYPED_OWN] + (double)reads[TYPED_PEER] + (double)reads[TYPED_HOST];
    return all > 0 ? 1 - (double)reads[TYPED_HOST] / all : NAN;
}

static void put_places(doc *d, const struct typed_reads *x)
{
    doc *places = doc_object();
    doc_put(places, "local", doc_integer((int64_t)x->reads[TYPED_OWN]));
    doc_put(places, "peer", doc_integer((int64_t)x->reads[TYPED_PEER]));
    doc_put(places, "host", doc_integer((int64_t)x->reads[TYPED_HOST]));
    doc_put(d, "reads", places);
}

static void put_reads(doc *d, const struct typed_reads *x, uint64_t transactions, uint64_t epochs)
{
    put_places(d, x);
    doc_put(d, "hit_rate", doc_real(hit_rate(x->reads)));
    doc_put(d, "transactions", doc_integer((int64_t)transactions));
    doc_put(d, "uncached_transactions", doc_integer((int64_t)units_round_half_up(x->uncached, epochs)));
}

static doc *kinds_document(const struct graph *rows, const struct typed_replay *r)
{
    doc *d = doc_object();
    for (int k = 0; k < ROWS_KINDS; k++) {
        struct typed_reads sum = {.reads = {0}};
        uint64_t transactions = 0;
        doc *one = doc_object();
        for (int t = 0; t < r->tables; t++) {
            struct typed_reads x = sum_readers(r, t);
            if (rows->table[t].kind != (enum row_kind)k) continue;
            for (int s = 0; s < TYPED_SOURCES; s++) sum.reads[s] += x.reads[s];
            sum.uncached += x.uncached;
            transactions += typed_replay_transactions(r, t);
        }
        put_reads(one, &sum, transactions, r->epochs);
        doc_put(d, row_kind_name((enum row_kind)k), one);
    }
    return d;
}

/* What one GPU read of every table: {kind, .., reads}. */
static doc *gpu_tables_document(const struct graph *rows, const struct typed_replay *r, int g)
{
    doc *all = doc_array();
    for (int t = 0; t < r->tables; t++) {
        doc *one;
        if (!graph_table_there(rows, t)) continue;
        one = typed_table_document(rows, t);
        put_places(one, &r->reads[g * r->tables + t]);
        doc_append(all, one);
    }
    return all;
}

static doc *gpus_document(const struct typed_plan *p, const struct graph *rows, const struct typed_replay *r)
{
    doc *all = doc_array();
    for (int g = 0; g < r->gpus; g++) {
        doc *one = doc_object(), *bytes = doc_array();
        uint64_t transactions = 0;
        for (int t = 0; t < r->tables; t++)
            transactions += units_round_half_up(r->reads[g * r->tables + t].transactions, r->epochs);
        for (int s = 0; s <= r->gpus; s++) doc_append(bytes, doc_integer((int64_t)r->bytes[g * (r->gpus + 1) + s]));
        doc_append(all, one);
        doc_put(one, "id", doc_integer(p->assignment.id[g]));
        doc_put(one, "transactions", doc_integer((int64_t)transactions));
        doc_put(one, "traffic_bytes", bytes);
        doc_put(one, "tables", gpu_tables_document(rows, r, g));
    }
    return all;
}

doc *typed_simulated_document(const struct typed_plan *p, const struct graph *rows, const struct typed_replay *r)
{
    doc *d = doc_object(), *tables = doc_array(), *interval = r->interval_known ? doc_array() : doc_null();
    uint64_t total = typed_replay_transactions(r, -1), predicted = typed_plan_predicted(p, r->tables, -1);
    doc_put(d, "epochs", doc_integer((int64_t)r->epochs));
    doc_put(d, "seed", doc_integer((int64_t)r->seed));
    doc_put(d, "total_transactions", doc_integer((int64_t)total));
    if (r->interval_known) {
        doc_append(interval, doc_integer((int64_t)(r->low + 0.5)));
        doc_append(interval, doc_integer((int64_t)(r->high + 0.5)));
    }
    doc_put(d, "total_interval", interval);
    doc_put(d, "prediction_error", doc_real(total ? (double)predicted / (double)total - 1 : predicted ? NAN : 0));
    doc_put(d, "kinds", kinds_document(rows, r));
    for (int t = 0; t < r->tables; t++) {
        struct typed_reads x = sum_readers(r, t);
        doc *one;
        if (!graph_table_there(rows, t)) continue;
        one = typed_table_document(rows, t);
        put_reads(one, &x, typed_replay_transactions(r, t), r->epochs);
        if (p->price && rows->table[t].cached != PRECISION_HOST)
            doc_put(one, "rounded_reads", doc_integer((int64_t)x.rounded));
        doc_append(tables, one);
    }
    doc_put(d, "tables", tables);
    doc_put(d, "gpus", gpus_document(p, rows, r));
    return d;
}
