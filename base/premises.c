#include "base/premises.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

static const char *const kind_words[] = {"stated", "measured", "profile", "assumed", "unknown", NULL};

#define P struct premise
const struct field premise_fields[] =
    {{.key = "name", .kind = FIELD_TEXT, FIELD_TO(P, name), .flags = FIELD_NEEDED, .help = "Of the quantity."},
     {.key = "text", .kind = FIELD_TEXT, FIELD_TO(P, what), .help = "The quantity, for people."},
     {.key = "value",
      .kind = FIELD_REAL,
      FIELD_TO(P, value),
      .flags = FIELD_NULL,
      .least = -1e60,
      .most = 1e60,
      .absent = NAN,
      .help = "Its number, where it is one."},
     {.key = "unit", .kind = FIELD_TEXT, FIELD_TO(P, unit), .help = "Of the value."},
     {.key = "kind",
      .kind = FIELD_WORD,
      FIELD_TO(P, kind),
      .words = kind_words,
      .flags = FIELD_NEEDED,
      .help = "Who says so: the user or the file that is planned for (stated), a measurement of this machine, a "
              "shipped "
              "profile, nobody (assumed); unknown: no answer rests on it."},
     {.key = "source", .kind = FIELD_TEXT, FIELD_TO(P, source), .help = "The same in full."},
     {.key = "why", .kind = FIELD_TEXT, FIELD_TO(P, why), .help = "Why it had to be assumed, and what states it."},
     {.key = "effect",
      .kind = FIELD_REAL,
      FIELD_TO(P, effect),
      .flags = FIELD_NULL,
      .most = 1e60,
      .absent = NAN,
      .help = "At most so far the answer moves, relatively, where this is moved from half to twice."},
     FIELDS_OPEN};

void premises_add(struct premises *p, const struct premise *one)
{
    if (p->count < PREMISES_MOST) p->list[p->count++] = *one;
}

/* Whether it is assumed and moves the answer, or may. */
static bool counts(const struct premise *one)
{
    return one->kind == PREMISE_ASSUMED && !(one->effect <= PREMISE_MATTERS);
}

/* Whether an entry from `from` on, before k, says the same for the same reason, as of another server. */
static bool told(const struct premises *p, int from, int k)
{
    bool same = false;
    for (int i = from; i < k; i++)
        same |= counts(&p->list[i]) && !strcmp(p->list[i].why, p->list[k].why) &&
                !strcmp(p->list[i].what, p->list[k].what);
    return same;
}

const char *premises_text(const struct premises *p, char out[PREMISES_TEXT])
{
    bool said[PREMISES_MOST] = {false};
    *out = '\0';
    for (int i = 0; i < p->count; i++) {
        if (said[i] || !counts(&p->list[i])) continue;
        text_append(out, PREMISES_TEXT, "%s%s", *out ? "; " : "", p->list[i].what);
        for (int k = i + 1; k < p->count; k++) {
            if (!counts(&p->list[k]) || strcmp(p->list[k].why, p->list[i].why)) continue;
            if (!told(p, i, k)) text_append(out, PREMISES_TEXT, ", %s", p->list[k].what);
            said[k] = true;
        }
        text_append(out, PREMISES_TEXT, " (%s)", p->list[i].why);
    }
    return out;
}

doc *premises_document(const struct premises *p)
{
    doc *list = doc_array();
    for (int i = 0; i < p->count; i++) {
        struct premise one = p->list[i];
        doc *d = doc_object();
        if (one.kind != PREMISE_ASSUMED) *one.why = '\0';
        fields_put(premise_fields, &one, NULL, d);
        doc_append(list, d);
    }
    return list;
}

enum st premises_read(const doc *list, const char *where, struct premises *out, struct err *err)
{
    struct premise one;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        PASS(fields_read(premise_fields, doc_at(list, i), where, &one, err));
        premises_add(out, &one);
    }
    return ST_OK;
}
