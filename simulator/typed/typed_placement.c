#include "simulator/typed/typed_placement.h"

#include <string.h>

#include "base/mem.h"

void typed_placement_release(struct typed_placement *p)
{
    for (int g = 0; g < GPUS_MAX; g++) {
        mem_free(p->list[g].id);
        mem_free(p->exact[g]);
    }
    memset(p, 0, sizeof *p);
}

enum st typed_placement_set_exact(struct typed_placement *p, int g, uint64_t items, uint64_t item, struct err *err)
{
    enum st st = ST_OK;
    if (!p->exact[g]) NEW(p->exact[g], items / 64 + 1, "marks of rows that are held as on the host");
    p->exact[g][item / 64] |= (uint64_t)1 << (item % 64);
done:
    return st;
}

bool typed_placement_mixed(const struct typed_placement *p)
{
    for (int g = 0; g < p->gpus; g++)
        if (p->exact[g]) return true;
    return false;
}

uint64_t typed_copy_bytes(const struct typed_placement *p, int g, const struct graph *rows, int table, uint64_t row)
{
    return typed_placement_exact(p, g, rows->table[table].first + row) ? rows->table[table].row_bytes
                                                                       : graph_row_bytes(rows, table, row);
}

void typed_placement_locate(const struct typed_placement *p, int g, uint64_t items, uint8_t *where)
{
    memset(where, 0, items);
    for (int i = p->peers[g] - 1; i >= -1; i--) { /* nearer sources overwrite */
        int from = i < 0 ? g : p->peer[g][i];
        for (uint64_t k = 0; k < p->list[from].count; k++) where[p->list[from].id[k]] = (uint8_t)(1 + from);
    }
}

void typed_placement_locate_exact(const struct typed_placement *p, uint8_t *where)
{
    for (int g = 0; g < p->gpus; g++)
        for (uint64_t k = 0; p->exact[g] && k < p->list[g].count; k++) {
            uint32_t item = p->list[g].id[k];
            if (where[item] == 1 + g && typed_placement_exact(p, g, item)) where[item] |= TYPED_EXACT;
        }
}

uint64_t typed_placement_held(const struct typed_placement *p, int g, const struct graph *rows, uint64_t *bytes,
                              uint64_t *count)
{
    uint64_t sum = 0;
    memset(bytes, 0, (size_t)rows->tables * sizeof *bytes);
    memset(count, 0, (size_t)rows->tables * sizeof *count);
    for (uint64_t i = 0; i < p->list[g].count; i++) {
        int t = graph_table_of(rows, p->list[g].id[i]);
        uint64_t each = typed_copy_bytes(p, g, rows, t, p->list[g].id[i] - rows->table[t].first);
        bytes[t] += each;
        count[t]++;
        sum += each;
    }
    return sum;
}

static enum st check_list(const struct typed_placement *p, const struct graph *rows, int g, uint64_t budget,
                          uint64_t *seen, struct err *err)
{
    char label[GRAPH_LABEL_BYTES];
    uint64_t sum = 0;
    enum st st = ST_OK;
    memset(seen, 0, (graph_items(rows) / 64 + 1) * sizeof *seen);
    for (uint64_t i = 0; i < p->list[g].count; i++) {
        uint64_t item = p->list[g].id[i], each;
        if (item >= graph_items(rows))
            FAIL(ST_INPUT, "the list of GPU %d: entry %llu is row %llu, but there are %llu rows", g,
                 (unsigned long long)i, (unsigned long long)item, (unsigned long long)graph_items(rows));
        int t = graph_table_of(rows, item);
        each = typed_copy_bytes(p, g, rows, t, item - rows->table[t].first);
        if (!each)
            FAIL(ST_INPUT, "the list of GPU %d: entry %llu is a feature row of %s, which has no features", g,
                 (unsigned long long)i, graph_table_label(rows, t, label));
        if (seen[item / 64] >> (item % 64) & 1)
            FAIL(ST_INPUT, "the list of GPU %d: row %llu of %s (%s) is there twice", g,
                 (unsigned long long)(item - rows->table[t].first), graph_table_label(rows, t, label),
                 row_kind_name(rows->table[t].kind));
        if (typed_placement_exact(p, g, item) && rows->table[t].cached == PRECISION_HOST)
            FAIL(ST_INPUT, "the list of GPU %d: row %llu of %s is noted as held exactly, but no row of it is rounded",
                 g, (unsigned long long)(item - rows->table[t].first), graph_table_label(rows, t, label));
        seen[item / 64] |= (uint64_t)1 << (item % 64);
        sum += each;
    }
    for (uint64_t k = 0; p->exact[g] && k <= graph_items(rows) / 64; k++)
        if (p->exact[g][k] & ~seen[k])
            FAIL(ST_INPUT, "GPU %d: a row near %llu is noted as held exactly, but not held", g,
                 (unsigned long long)(64 * k));
    if (sum > budget)
        FAIL(ST_INPUT, "GPU %d holds %llu bytes, its budget is %llu", g, (unsigned long long)sum,
             (unsigned long long)budget);
done:
    return st;
}

enum st typed_placement_check(const struct typed_placement *p, const struct graph *rows, const uint64_t *budget,
                              struct err *err)
{
    enum st st = ST_OK;
    uint64_t *seen = NULL;
    NEW(seen, graph_items(rows) / 64 + 1, "a check of the placement");
    for (int g = 0; g < p->gpus; g++) {
        bool peer[GPUS_MAX] = {false};
        TRY(check_list(p, rows, g, budget[g], seen, err));
        for (int i = 0; i < p->peers[g]; i++) {
            int other = p->peer[g][i];
            if (other < 0 || other >= p->gpus || other == g || peer[other])
                FAIL(ST_INPUT, "GPU %d: its peer number %d is no other GPU, or named twice", g, i);
            peer[other] = true;
        }
    }
done:
    mem_free(seen);
    return st;
}
