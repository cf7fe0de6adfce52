#include "planner/commands/diff_document.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_names[DIFF_KINDS] = {"feature", "topology", "train"};

const struct diff_figure diff_figures[] = {{"topology_transactions", "topology transactions", false},
                                           {"feature_transactions", "feature transactions", false},
                                           {"total_transactions", "all transactions", false},
                                           {"topology_hit_rate", "topology hit rate (of visits)", true},
                                           {"feature_hit_rate", "feature hit rate (of rows)", true},
                                           {0}};

const char *diff_clique_text(const doc *clique, char *text, size_t size)
{
    const doc *gpus = doc_get(clique, "gpus");
    int id[DIFF_GPUS_MAX], count = 0;
    *text = '\0';
    for (; count < DIFF_GPUS_MAX && (uint64_t)count < doc_size(gpus); count++)
        id[count] = (int)doc_integer_value(doc_at(gpus, (uint64_t)count), -1);
    text_append_ids(text, size, id, count);
    return text;
}

static void put_amount(doc *d, const char *key, const struct diff_amount *a, bool bytes_known)
{
    doc *one = doc_object();
    doc_put(one, "rows", doc_integer((int64_t)a->rows));
    doc_put(one, "bytes", bytes_known ? doc_integer((int64_t)a->bytes) : doc_null());
    doc_put(d, key, one);
}

static doc *gpu_document(const struct diff *d, int kind, int g)
{
    const struct diff_gpu *x = &d->gpu[kind][g];
    bool known = d->bytes_known[kind];
    doc *one = doc_object(), *to = doc_array();
    put_amount(one, "before", &x->before, known);
    put_amount(one, "after", &x->after, known);
    put_amount(one, "kept", &x->kept, known);
    put_amount(one, "added", &x->added, known);
    put_amount(one, "removed", &x->removed, known);
    put_amount(one, "moved_in", &x->moved_in, known);
    put_amount(one, "moved_out", &x->moved_out, known);
    for (int h = 0; h < d->gpus; h++) {
        if (!d->moved[kind][g][h].rows) continue;
        doc *move = doc_object();
        doc_put(move, "gpu", doc_integer(d->id[h]));
        doc_put(move, "rows", doc_integer((int64_t)d->moved[kind][g][h].rows));
        doc_put(move, "bytes", known ? doc_integer((int64_t)d->moved[kind][g][h].bytes) : doc_null());
        doc_append(to, move);
    }
    doc_put(one, "moved_to", to);
    return one;
}

/* alpha of the clique of these GPUs; NaN when the plan has no such clique. */
static double alpha_of(const struct diff_side *s, const char *gpus)
{
    char text[600];
    const doc *cliques = doc_get(s->d, "cliques");
    for (uint64_t i = 0; i < doc_size(cliques); i++)
        if (!strcmp(diff_clique_text(doc_at(cliques, i), text, sizeof text), gpus))
            return doc_real_value(doc_get(doc_at(cliques, i), "alpha"), NAN);
    return NAN;
}

/* Every clique of either plan, once. */
static doc *cliques_document(const struct diff_side *s)
{
    doc *all = doc_array();
    char text[600];
    for (int i = 0; i < 2; i++) {
        const doc *cliques = doc_get(s[i].d, "cliques");
        for (uint64_t c = 0; c < doc_size(cliques); c++) {
            bool again = false;
            char other[600];
            diff_clique_text(doc_at(cliques, c), text, sizeof text);
            for (uint64_t k = 0; k < doc_size(all); k++)
                again |= !strcmp(diff_clique_text(doc_at(all, k), other, sizeof other), text);
            if (again) continue;
            doc *one = doc_object();
            doc_put(one, "gpus", doc_copy(doc_get(doc_at(cliques, c), "gpus")));
            doc_put(one, "alpha_before", doc_real(alpha_of(&s[0], text)));
            doc_put(one, "alpha_after", doc_real(alpha_of(&s[1], text)));
            doc_append(all, one);
        }
    }
    return all;
}

static doc *figures_document(const struct diff_side *s, const char *of)
{
    doc *d = doc_object();
    for (const struct diff_figure *f = diff_figures; f->key; f++) {
        const doc *a = doc_get(doc_get(s[0].d, of), f->key), *b = doc_get(doc_get(s[1].d, of), f->key);
        doc *one = doc_object();
        doc_put(one, "before", a ? doc_copy(a) : doc_null());
        doc_put(one, "after", b ? doc_copy(b) : doc_null());
        double before = doc_real_value(a, NAN), after = doc_real_value(b, NAN);
        doc_put(one, f->rate ? "difference" : "change",
                doc_real(f->rate      ? after - before
                         : before > 0 ? after / before - 1
                                      : NAN));
        doc_put(d, f->key, one);
    }
    return d;
}

doc *diff_document(const struct diff *d, const struct diff_side *s)
{
    doc *all = doc_object(), *gpus = doc_array();
    doc_put(all, "schema", doc_text("diff/1"));
    for (int i = 0; i < 2; i++) {
        doc *one = doc_object();
        doc_put(one, "path", doc_text(s[i].path));
        doc_put(one, "policy", doc_text(hotset_text(s[i].plan, HOTSET_TEXT_POLICY)));
        doc_put(all, i ? "after" : "before", one);
    }
    for (int g = 0; g < d->gpus; g++) {
        doc *one = doc_object();
        doc_put(one, "id", doc_integer(d->id[g]));
        for (int kind = 0; kind < DIFF_KINDS; kind++) doc_put(one, kind_names[kind], gpu_document(d, kind, g));
        doc_append(gpus, one);
    }
    doc_put(all, "gpus", gpus);
    doc_put(all, "cliques", cliques_document(s));
    doc_put(all, "predicted", figures_document(s, "predicted"));
    doc_put(all, "simulated", figures_document(s, "simulated"));
    return all;
}
