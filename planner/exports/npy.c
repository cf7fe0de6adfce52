/* npy - the plan as look-up tables that any runtime can read: for each GPU and kind of row who serves vertex v and in
 * which slot of that GPU's cache, beside the lists themselves. Nothing is lost. */
#include <string.h>

#include "base/mem.h"
#include "planner/exports/export.h"

static enum st npy_check(const struct export_input *in, struct err *err)
{
    return export_limits("npy", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

/* slot[v] in the list of the GPU that serves reader g. where: as placement_locate. */
static void find_slots(const struct placement *p, const struct row_list *lists, const uint8_t *where, uint32_t *slot)
{
    for (int s = 0; s < p->gpus; s++)
        for (uint64_t i = 0; i < lists[s].count; i++)
            if (where[lists[s].id[i]] == 1 + s) slot[lists[s].id[i]] = (uint32_t)i;
}

static enum st write_table(const struct export_input *in, struct export_folder *to, int g, bool topology,
                           uint8_t *where, uint32_t *slot, struct err *err)
{
    const struct placement *p = &in->plan->placement;
    const struct row_list *lists = topology ? p->topology : p->feature;
    const char *kind = topology ? "topology" : "feature";
    uint64_t n = in->graph->n;
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    char name[64];
    placement_locate(p, g, lists, n, where);
    memset(slot, 0, n * sizeof *slot);
    find_slots(p, lists, where, slot);
    snprintf(name, sizeof name, "gpu%d_%s_from.npy", in->plan->assignment.id[g], kind);
    PASS(export_file_npy(to, name,
                         topology ? "id of the GPU that serves row v's topology, -1: host"
                                  : "id of the GPU that serves row v's feature, -1: host",
                         "i2", 1, &n, &f, err));
    for (uint64_t v = 0; v < n;) {
        int16_t block[4096];
        uint64_t k = 0;
        for (; k < 4096 && v < n; v++) block[k++] = (int16_t)(where[v] ? in->plan->assignment.id[where[v] - 1] : -1);
        PASS(export_file_put(&f, block, 2 * k, err));
    }
    PASS(export_file_end(&f, err));
    snprintf(name, sizeof name, "gpu%d_%s_slot.npy", in->plan->assignment.id[g], kind);
    return export_ids_npy(to, name, "place in that GPU's list (0 where it is the host)", slot, n, 4, err);
}

static enum st write_lists(const struct export_input *in, struct export_folder *to, int g, struct err *err)
{
    const struct plan *p = in->plan;
    const struct {
        const char *part, *what;
        const uint32_t *ids;
        uint64_t count;
    } part[] = {{"train", "training vertices", p->assignment.train[g], p->assignment.train_count[g]},
                {"topology", "topology rows held, in fill order", p->placement.topology[g].id,
                 p->placement.topology[g].count},
                {"feature", "feature rows held, in fill order", p->placement.feature[g].id,
                 p->placement.feature[g].count}};
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "gpu%d_%s.npy", p->assignment.id[g], part[i].part);
        PASS(export_ids_npy(to, name, part[i].what, part[i].ids, part[i].count, 4, err));
    }
    if (p->assignment.circle[g]) {
        char name[64];
        snprintf(name, sizeof name, "gpu%d_order.npy", p->assignment.id[g]);
        PASS(export_ids_npy(to, name, "training vertices in the plan's order", p->assignment.circle[g],
                            p->assignment.train_count[g], 4, err));
    }
    return ST_OK;
}

/* The memories below the GPUs: lists of ids, as the plan has them. */
static enum st write_places(const struct plan_places *places, const struct graph *g, struct export_folder *to,
                            struct err *err)
{
    for (int k = 0; k < places->places; k++)
        for (int kind = 0; kind < LIST_KINDS && place_role(&places->place[k]) != ROLE_LAST; kind++) {
            char name[64], what[128];
            plan_places_file(&places->place[k], g, kind, name);
            snprintf(what, sizeof what, "%s rows that %s, ascending", kind == LIST_TOPOLOGY ? "topology" : "feature",
                     place_kind_table[places->place[k].kind].list);
            PASS(export_ids_npy(to, name, what, places->list[kind][k].id, places->list[kind][k].count, 4, err));
        }
    return ST_OK;
}

static enum st npy_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    if (!graph_plain(in->graph)) {
        if (in->plan->places) PASS(write_places(in->plan->places, in->graph, to, err));
        PASS(export_npy_tables(in, to, err));
        return ST_OK;
    }
    OWNED_NEW(uint8_t, where, in->graph->n, "a look-up of rows");
    OWNED_NEW(uint32_t, slot, in->graph->n, "slots of rows");
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        PASS(write_lists(in, to, g, err));
        PASS(write_table(in, to, g, true, where, slot, err));
        PASS(write_table(in, to, g, false, where, slot, err));
    }
    if (in->plan->places) PASS(write_places(in->plan->places, in->graph, to, err));
    PASS(export_sets_npy(in, to, err));
    export_use(to, "GPU i reads row v from GPU gpu<i>_feature_from.npy[v] at slot gpu<i>_feature_slot.npy[v], or from "
                   "the host where it says -1; topology likewise");
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    (void)in;
    enum st st = export_as_run(to, &run, err, "a runtime that follows the tables executes the plan exactly.");
    return st;
}

extern const struct export_target export_target_npy;
const struct export_target export_target_npy = {.name = "npy",
                                                .summary = "lookup tables as NumPy arrays: the GPU that serves each "
                                                           "row, and its slot there",
                                                .source = "NumPy format 1.0",
                                                .labor = true,
                                                .order = true,
                                                .together = true,
                                                .holds = EXPORT_HOLDS_ALL,
                                                .places = true,
                                                .edges = true,
                                                .made.why = "it loses nothing of a plan",
                                                .check = npy_check,
                                                .write = npy_write,
                                                .runs = runs};
