#include "planner/typed/typed_explain.h"

#include <string.h>

#include "planner/policies/density.h"

static double density_of(double saved, uint64_t bytes) { return bytes ? saved / (double)bytes : 0; }

/* Bytes of the form in which the clique holds the row; of a row that it does not hold, those of the rounded one. */
static uint64_t bytes_of(const struct typed_explain_input *in, int clique, int table, uint64_t row)
{
    const struct placement *p = &in->plan->placement;
    for (int g = 0; g < p->gpus; g++)
        if (in->plan->assignment.clique_of[g] == clique &&
            placement_exact(p, in->rows, g, in->rows->table[table].first + row))
            return in->rows->table[table].row_bytes;
    return graph_row_bytes(in->rows, table, row);
}

void typed_explain_table(const struct typed_explain_input *in, int clique, int table, struct typed_explained_table *out)
{
    const struct row_table *x = &in->rows->table[table];
    const struct typed_estimates *e = &in->estimates[clique];
    const uint8_t *held = in->held + (uint64_t)clique * graph_items(in->rows);
    memset(out, 0, sizeof *out);
    out->least_held = -1;
    for (uint64_t i = 0; i < x->count; i++) {
        uint64_t item = x->first + i, bytes = bytes_of(in, clique, table, i);
        double saved = (double)e->saved[item], density = density_of(saved, bytes);
        out->bytes += bytes;
        out->reads += (double)e->reads[item];
        out->saved += saved;
        out->densest = density > out->densest ? density : out->densest;
        if (!held[item]) {
            out->best_left = density > out->best_left ? density : out->best_left;
            continue;
        }
        out->held++;
        out->held_bytes += bytes;
        out->held_exact += bytes > graph_row_bytes(in->rows, table, i);
        out->saved_held += saved;
        if (out->least_held < 0 || density < out->least_held) out->least_held = density;
    }
    if (out->least_held < 0) out->least_held = 0;
}

static void find_copies(const struct typed_explain_input *in, int clique, int table, uint64_t row,
                        struct typed_explained_row *out)
{
    const struct row_table *x = &in->rows->table[table];
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        const struct placement *p = &in->plan->placement;
        uint64_t places[2] = {0, 0}; /* in the file of rounded rows, and in that of exact ones */
        if (in->plan->assignment.clique_of[g] != clique) continue;
        for (uint64_t i = 0; i < placement_count(p, g); i++) {
            uint64_t item = placement_item(p, in->rows, g, i);
            if (item < x->first || item - x->first >= x->count) continue;
            bool exact = placement_exact(p, in->rows, g, item);
            if (item == x->first + row) {
                out->gpu[out->copies] = g;
                out->exact[out->copies] = exact;
                out->place[out->copies++] = places[exact];
            }
            places[exact]++;
        }
    }
}

/* Room that the clique's GPUs have left. */
static uint64_t room_of(const struct typed_explain_input *in, int clique)
{
    uint64_t room = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
    for (int g = 0; g < in->plan->assignment.gpus; g++)
        if (in->plan->assignment.clique_of[g] == clique)
            room += in->plan->budget[g] - placement_held(&in->plan->placement, g, in->rows, bytes, count);
    return room;
}

void typed_explain_row(const struct typed_explain_input *in, int clique, int table, uint64_t row,
                       struct typed_explained_row *out)
{
    const struct graph *rows = in->rows;
    const struct typed_estimates *e = &in->estimates[clique];
    const uint8_t *held = in->held + (uint64_t)clique * graph_items(rows);
    uint64_t self = rows->table[table].first + row, before = 0;
    memset(out, 0, sizeof *out);
    out->bytes = bytes_of(in, clique, table, row);
    out->reads = (double)e->reads[self];
    out->saved = (double)e->saved[self];
    out->rank = 1;
    uint64_t key = density_key(out->saved, out->bytes);
    for (int t = 0; t < rows->tables; t++) {
        const struct row_table *x = &rows->table[t];
        if (!graph_table_there(rows, t)) continue;
        out->of += x->count;
        for (uint64_t i = 0; i < x->count; i++) {
            uint64_t item = x->first + i, bytes = bytes_of(in, clique, t, i),
                     other = density_key((double)e->saved[item], bytes);
            if (other < key || (other == key && item >= self)) continue;
            out->rank++;
            before += held[item] ? 0 : bytes;
        }
    }
    find_copies(in, clique, table, row, out);
    uint64_t wanted = before + out->bytes, room = room_of(in, clique);
    if (!out->copies) out->more_bytes = wanted > room ? wanted - room : 1;
}
