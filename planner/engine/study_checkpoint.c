#include "planner/engine/study_checkpoint.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/assign.h"
#include "simulator/plan/plan_give.h"

enum { NAME_BYTES = 128 };

static void name_of(const struct study_checkpoint *k, const char *what, int number, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.63s%s%d", k->part, what, number);
}

/* Keeps an array, and appends its name to `names`. */
static enum st put_block(const struct study_checkpoint *k, const char *what, int number, const void *data,
                         uint64_t bytes, doc *names, struct err *err)
{
    char name[NAME_BYTES];
    struct checkpoint_array a = {0};
    name_of(k, what, number, name);
    doc_append(names, doc_text(name));
    enum st st = checkpoint_make(k->checkpoint, name, bytes, &a, err);
    checkpoint_unmap(&a);
    return st == ST_OK ? checkpoint_write(k->checkpoint, name, 0, data, bytes, err) : st;
}

static enum st get_block(const struct study_checkpoint *k, const char *what, int number, void *data, uint64_t bytes,
                         struct err *err)
{
    char name[NAME_BYTES];
    struct checkpoint_array a = {0};
    name_of(k, what, number, name);
    enum st st = checkpoint_map(k->checkpoint, name, bytes, &a, err);
    if (st == ST_OK && bytes) memcpy(data, a.data, bytes);
    checkpoint_unmap(&a);
    return st;
}

static doc *note_of(const struct study_checkpoint *k, const char *what)
{
    char name[NAME_BYTES];
    if (!k->checkpoint) return NULL;
    name_of(k, what, 0, name);
    return checkpoint_finished(k->checkpoint, name);
}

static enum st finish(const struct study_checkpoint *k, const char *what, doc *note, doc *names, struct err *err)
{
    char name[NAME_BYTES];
    name_of(k, what, 0, name);
    return checkpoint_finish(k->checkpoint, name, note, names, err);
}

/* The same for ids of rows or vertices: each is below `end`, so that they can be places of an array. */
static enum st get_ids(const struct study_checkpoint *k, const char *what, int number, uint32_t *ids, uint64_t count,
                       uint64_t end, struct err *err)
{
    PASS(get_block(k, what, number, ids, count * sizeof *ids, err));
    for (uint64_t i = 0; i < count; i++)
        if (ids[i] >= end)
            return err_set(err, ST_INPUT, "%s/%s%s%d: id %u is not below %llu; start over with --no-resume",
                           k->checkpoint->folder, k->part, what, number, ids[i], (unsigned long long)end);
    return ST_OK;
}

/* ---- who trains what ---- */

enum st study_checkpoint_save_assignment(const struct study_checkpoint *k, const struct assignment *a,
                                         const uint8_t *parts, uint64_t n, const struct partition_report *r,
                                         struct err *err)
{
    doc *note = NULL, *counts;
    if (!k->checkpoint) return ST_OK;
    OWNED_DOC doc *names = doc_array();
    for (int g = 0; g < a->gpus; g++)
        PASS(put_block(k, "train", g, a->train[g], a->train_count[g] * sizeof(uint32_t), names, err));
    if (parts) PASS(put_block(k, "parts", 0, parts, n, names, err));
    note = doc_object();
    counts = doc_array();
    for (int g = 0; g < a->gpus; g++) doc_append(counts, doc_integer((int64_t)a->train_count[g]));
    DOC_PUT(note, IS("kind", a->kind), IS("partition", a->partition), IS("method", r->method), IS("cut", r->cut),
            IS("moved", r->moved), IS("train", counts));
    return finish(k, "assignment", note, TAKE(names), err);
}

static enum st take_trains(const struct study_checkpoint *k, const doc *counts, uint64_t n, struct assignment *a,
                           struct err *err)
{
    for (int g = 0; g < a->gpus; g++) {
        uint64_t count = (uint64_t)doc_integer_value(doc_at(counts, (uint64_t)g), 0);
        MAKE(a->train[g], count, "training vertices");
        a->train_count[g] = count;
        PASS(get_ids(k, "train", g, a->train[g], count, n, err));
    }
    return ST_OK;
}

enum st study_checkpoint_load_assignment(const struct study_checkpoint *k, const struct server *server,
                                         struct assignment *a, uint8_t *parts, uint64_t n, struct partition_report *r,
                                         bool *there, struct err *err)
{
    OWNED_BY(assignment_release) struct assignment made = {0};
    OWNED_DOC doc *note = note_of(k, "assignment");
    *there = note != NULL;
    if (!note) return ST_OK;
    enum assignment_kind kind = (enum assignment_kind)doc_integer_value(doc_get(note, "kind"), 0);
    PASS(assign_groups(server, kind, &made, err));
    snprintf(made.partition, sizeof made.partition, "%.15s", doc_text_value(doc_get(note, "partition"), ""));
    PASS(take_trains(k, doc_get(note, "train"), n, &made, err));
    if (parts) PASS(get_block(k, "parts", 0, parts, n, err));
    if (*doc_text_value(doc_get(note, "method"), "")) {
        memset(r, 0, sizeof *r);
        snprintf(r->method, sizeof r->method, "%.15s", doc_text_value(doc_get(note, "method"), ""));
        r->cut = (uint64_t)doc_integer_value(doc_get(note, "cut"), 0);
        r->moved = (uint64_t)doc_integer_value(doc_get(note, "moved"), 0);
    }
    *a = made;
    memset(&made, 0, sizeof made);
    return ST_OK;
}

/* ---- plans ---- */

/* Of several types: what every table is expected to cost. */
static uint64_t expected_bytes(const struct plan *p)
{
    return (uint64_t)p->assignment.cliques * (uint64_t)p->tables * sizeof *p->expected;
}

enum st study_checkpoint_save_plan(const struct study_checkpoint *k, const struct plan *p, struct err *err)
{
    enum st st = ST_OK;
    OWNED struct plan *flat = NULL;
    doc *note = NULL, *names = doc_array();
    if (!k->checkpoint) goto done;
    NEW(flat, 1, "a plan");
    plan_flat(p, flat);
    TRY(put_block(k, "plan", 0, flat, sizeof *flat, names, err));
    for (int g = 0; g < p->placement.gpus; g++) {
        TRY(put_block(k, "topology", g, p->placement.topology[g].id, p->placement.topology[g].count * sizeof(uint32_t),
                      names, err));
        TRY(put_block(k, "feature", g, p->placement.feature[g].id, p->placement.feature[g].count * sizeof(uint32_t),
                      names, err));
    }
    if (p->expected) TRY(put_block(k, "expected", 0, p->expected, expected_bytes(p), names, err));
    for (int c = 0; c < p->assignment.cliques; c++)
        TRY(put_block(k, "sweep", c, p->clique[c].sweep, (uint64_t)p->clique[c].sweep_count * sizeof(struct plan_sweep),
                      names, err));
    note = doc_object();
    DOC_PUT(note, IS("bytes", sizeof *flat), IS("notes", p->notes ? doc_copy(p->notes) : doc_null()),
            IS("server", p->server ? doc_copy(p->server) : doc_null()), IS("expected", doc_bool(p->expected != NULL)));
    st = finish(k, "plan", note, TAKE(names), err);
done:
    doc_free(names);
    return st;
}

static enum st take_rows(const struct study_checkpoint *k, const char *what, int gpu, uint64_t rows, struct row_list *l,
                         struct err *err)
{
    uint64_t count = l->count;
    l->count = l->capacity = 0;
    MAKE(l->id, count, "the rows of a plan");
    l->count = l->capacity = count;
    return get_ids(k, what, gpu, l->id, count, rows, err);
}

static enum st take_lists(const struct study_checkpoint *k, const doc *note, const struct graph *graph, struct plan *p,
                          struct err *err)
{
    for (int g = 0; g < p->placement.gpus; g++) {
        PASS(take_rows(k, "topology", g, graph_topology_rows(graph), &p->placement.topology[g], err));
        PASS(take_rows(k, "feature", g, graph_feature_rows(graph), &p->placement.feature[g], err));
    }
    if (doc_bool_value(doc_get(note, "expected"), false)) {
        MAKE(p->expected, expected_bytes(p) / sizeof *p->expected, "predictions");
        PASS(get_block(k, "expected", 0, p->expected, expected_bytes(p), err));
    }
    for (int c = 0; c < p->assignment.cliques; c++) {
        uint64_t points = (uint64_t)p->clique[c].sweep_count;
        if (!points) continue;
        MAKE(p->clique[c].sweep, points, "the sweep");
        PASS(get_block(k, "sweep", c, p->clique[c].sweep, points * sizeof(struct plan_sweep), err));
    }
    return ST_OK;
}

bool study_checkpoint_has_plan(const struct study_checkpoint *k)
{
    doc *note = note_of(k, "plan");
    bool has = note != NULL;
    doc_free(note);
    return has;
}

enum st study_checkpoint_load_plan(const struct study_checkpoint *k, const struct graph *graph,
                                   const struct assignment *of, struct plan *p, bool *there, struct err *err)
{
    enum st st = ST_OK;
    struct plan *made = NULL;
    OWNED_DOC doc *note = note_of(k, "plan");
    *there = note && doc_integer_value(doc_get(note, "bytes"), 0) == (int64_t)sizeof *made;
    if (!*there) goto done;
    NEW(made, 1, "a plan");
    TRY(get_block(k, "plan", 0, made, sizeof *made, err));
    plan_flat(made, made); /* a file's pointers are nobody's */
    TRY(take_lists(k, note, graph, made, err));
    TRY(assignment_copy(of, &made->assignment, err));
    if (doc_is_object(doc_get(note, "notes"))) made->notes = doc_copy(doc_get(note, "notes"));
    if (doc_is_object(doc_get(note, "server"))) made->server = doc_copy(doc_get(note, "server"));
    *p = *made;
    memset(made, 0, sizeof *made);
done:
    if (made) plan_release(made);
    mem_free(made);
    return st;
}
