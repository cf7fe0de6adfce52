#include "planner/study/features.h"

#include <stdio.h>

/* What to do about a shape that is not the graph's. */
static void remedy(const struct npy *a, const struct graph *g, char *out, size_t size)
{
    unsigned long long n = g->n, dim = g->feature_dim;
    bool elements = a->count == (unsigned __int128)g->n * g->feature_dim;
    if (a->dims == 2 && a->shape[0] == g->feature_dim && a->shape[1] == g->n)
        snprintf(out, size, "save its transpose: np.save(FILE, np.ascontiguousarray(a.T))");
    else if (elements) snprintf(out, size, "save it as np.save(FILE, a.reshape(%llu, %llu))", n, dim);
    else if (a->dims == 2 && a->shape[0] == g->n)
        snprintf(out, size, "import the graph again with --feature-dim %llu, or name other features",
                 (unsigned long long)a->shape[1]);
    else snprintf(out, size, "name features that have a row per vertex");
}

enum st features_map(const char *path, const struct graph *g, struct npy *out, struct err *err)
{
    enum st st;
    struct npy a = {0};
    const uint64_t shape[2] = {g->n, g->feature_dim};
    char found[200], expected[200], what_to_do[200];
    TRY(npy_map(path, &a, err));
    if (a.dims != 2 || a.shape[0] != g->n || a.shape[1] != g->feature_dim) {
        remedy(&a, g, what_to_do, sizeof what_to_do);
        FAIL(ST_INPUT, "%s: has shape %s, but features of this graph have shape %s; %s", path,
             npy_shape_text(found, a.dims, a.shape), npy_shape_text(expected, 2, shape), what_to_do);
    }
    *out = a;
    a = (struct npy){0};
done:
    npy_release(&a);
    return st;
}
