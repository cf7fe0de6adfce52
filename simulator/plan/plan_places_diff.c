#include "simulator/plan/plan_places_diff.h"

#include <string.h>

#include "simulator/plan/plan_ids.h"

static const doc *places_of(const doc *plan) { return doc_get(doc_get(plan, "memories"), "places"); }
static const char *name_of(const doc *place) { return doc_text_value(doc_get(place, "name"), ""); }

static const doc *place_named(const doc *plan, const char *name)
{
    const doc *list = places_of(plan);
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (!strcmp(name_of(doc_at(list, i)), name)) return doc_at(list, i);
    return NULL;
}

/* Lists are ascending. */
static uint64_t common(const struct npy *a, const struct npy *b)
{
    const uint32_t *x = a->data, *y = b->data;
    uint64_t i = 0, k = 0, both = 0;
    while (i < a->count && k < b->count) {
        both += x[i] == y[k];
        if (x[i] < y[k]) i++;
        else if (x[i] > y[k]) k++;
        else i++, k++;
    }
    return both;
}

static enum st rows_of(const char *const folder[2], const doc *const d[2], const char *name, const char *kind,
                       doc **out, struct err *err)
{
    enum st st = ST_OK;
    struct npy list[2];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 2; i++) {
        const doc *about = doc_get(place_named(d[i], name), kind);
        const char *file = doc_text_value(doc_get(about, "file"), NULL);
        if (file && !strchr(file, '/')) TRY(plan_ids_map(folder[i], d[i], file, about, &list[i], err));
    }
    *out = doc_object();
    doc_put(*out, "before", doc_integer((int64_t)list[0].count));
    doc_put(*out, "after", doc_integer((int64_t)list[1].count));
    doc_put(*out, "kept", doc_integer((int64_t)common(&list[0], &list[1])));
done:
    for (int i = 0; i < 2; i++) npy_release(&list[i]);
    return st;
}

enum st plan_places_diff(const char *const folder[2], const doc *const d[2], doc **out, struct err *err)
{
    static const char *const kinds[] = {"topology", "feature"};
    enum st st = ST_OK;
    doc *all = doc_array();
    for (int i = 0; i < 2; i++)
        for (uint64_t k = 0; k < doc_size(places_of(d[i])); k++) {
            const doc *place = doc_at(places_of(d[i]), k);
            if (i && place_named(d[0], name_of(place))) continue; /* it is there already */
            doc *one = doc_object();
            doc_append(all, one);
            doc_put(one, "name", doc_text(name_of(place)));
            for (int kind = 0; kind < 2; kind++) {
                doc *rows = NULL;
                TRY(rows_of(folder, d, name_of(place), kinds[kind], &rows, err));
                doc_put(one, kinds[kind], rows);
            }
        }
    *out = all;
    all = NULL;
done:
    doc_free(all);
    return st;
}
