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

/* The i-th list of topology, or of features, that a place states; NULL: it has no more. */
static const doc *list_at(const doc *place, bool topology, uint64_t i)
{
    const doc *lists = doc_get(place, "lists");
    if (!lists) return i ? NULL : doc_get(place, topology ? "topology" : "feature");
    for (uint64_t k = 0; k < doc_size(lists); k++) {
        bool same = !strcmp(doc_text_value(doc_get(doc_at(lists, k), "kind"), ""), "topology") == topology;
        if (same && !i--) return doc_at(lists, k);
    }
    return NULL;
}

static const char *file_of(const doc *list) { return doc_text_value(doc_get(list, "file"), ""); }

/* The list in a file of that name: both plans call those of the same rows alike. */
static const doc *list_called(const doc *place, bool topology, const char *file)
{
    const doc *list = list_at(place, topology, 0);
    for (uint64_t i = 1; list && strcmp(file_of(list), file); i++) list = list_at(place, topology, i);
    return list;
}

/* Adds one list of both plans; about: NULL where a plan has none. */
static enum st add_list(const char *const folder[2], const doc *const d[2], const doc *const about[2], uint64_t rows[3],
                        struct err *err)
{
    enum st st = ST_OK;
    struct npy list[2];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 2; i++)
        if (*file_of(about[i]) && !strchr(file_of(about[i]), '/'))
            TRY(plan_ids_map(folder[i], d[i], file_of(about[i]), about[i], &list[i], err));
    rows[0] += list[0].count;
    rows[1] += list[1].count;
    rows[2] += common(&list[0], &list[1]);
done:
    for (int i = 0; i < 2; i++) npy_release(&list[i]);
    return st;
}

static enum st rows_of(const char *const folder[2], const doc *const d[2], const char *name, bool topology, doc **out,
                       struct err *err)
{
    const doc *place[2] = {place_named(d[0], name), place_named(d[1], name)};
    uint64_t rows[3] = {0};
    for (int side = 0; side < 2; side++)
        for (uint64_t i = 0; list_at(place[side], topology, i); i++) {
            const doc *about[2], *list = list_at(place[side], topology, i);
            if (side && list_called(place[0], topology, file_of(list))) continue; /* it is there already */
            about[side] = list;
            about[!side] = list_called(place[!side], topology, file_of(list));
            PASS(add_list(folder, d, about, rows, err));
        }
    *out = doc_object();
    DOC_PUT(*out, IS("before", rows[0]), IS("after", rows[1]), IS("kept", rows[2]));
    return ST_OK;
}

enum st plan_places_diff(const char *const folder[2], const doc *const d[2], doc **out, struct err *err)
{
    static const char *const kinds[] = {"topology", "feature"};
    OWNED_DOC doc *all = doc_array();
    for (int i = 0; i < 2; i++)
        for (uint64_t k = 0; k < doc_size(places_of(d[i])); k++) {
            const doc *place = doc_at(places_of(d[i]), k);
            if (i && place_named(d[0], name_of(place))) continue; /* it is there already */
            doc *one = doc_object();
            doc_append(all, one);
            doc_put(one, "name", doc_text(name_of(place)));
            for (int kind = 0; kind < 2; kind++) {
                doc *rows = NULL;
                PASS(rows_of(folder, d, name_of(place), !kind, &rows, err));
                doc_put(one, kinds[kind], rows);
            }
        }
    *out = TAKE(all);
    return ST_OK;
}
