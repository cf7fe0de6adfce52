#include "planner/decisions/size_kept.h"

#include "base/ranks.h"
#include "planner/decisions/size_part.h"

enum { NAME = 64 };

enum st size_kept_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                       const doc *inputs, struct checkpoint *s, struct err *err)
{
    if (ranks_count() > 1) return ST_OK; /* ranks run a curve together, and all would have to take it */
    PASS(resume_open(call, a, out, g, inputs, s, err));
    if (!s->resumed) resume_say_nothing_kept(call, s);
    return ST_OK;
}

static bool keeps(const struct size_kept *k) { return k->checkpoint && *k->checkpoint->folder; }

static const char *name_of(const struct size_kept *k, int number, char out[NAME])
{
    snprintf(out, NAME, "%.40s%d", k->name, number);
    return out;
}

enum st size_kept_take(const struct size_kept *k, const struct size_question *q, struct size_curve *curves, int count,
                       bool *done, struct err *err)
{
    char name[NAME], where[PATH_BYTES + NAME];
    for (int i = 0; i < count && keeps(k); i++) {
        OWNED_DOC doc *note = checkpoint_finished(k->checkpoint, name_of(k, i, name));
        if (!note) continue;
        snprintf(where, sizeof where, "%s/%s", k->checkpoint->folder, name);
        PASS(size_part_curve(q, doc_get(note, "row"), where, &curves[i], err));
        done[i] = true;
    }
    return ST_OK;
}

enum st size_kept_add(const struct size_kept *k, const struct call *call, int number, const struct size_curve *c,
                      struct err *err)
{
    char name[NAME];
    if (!keeps(k) || c->missing) return ST_OK; /* what lacks memory is known at once */
    doc *note = doc_object();
    doc_put(note, "row", size_part_row(c));
    PASS(checkpoint_finish(k->checkpoint, name_of(k, number, name), note, NULL, err));
    resume_say_on_interrupt(call, k->checkpoint);
    return ST_OK;
}
