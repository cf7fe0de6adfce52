#include "planner/commands/choice.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum st choice_split(const char *text, const char *option, struct choice_list *out, struct err *err)
{
    if (strlen(text) >= CHOICE_BYTES ||
        (out->count = text_split(strcpy(out->text, text), ',', out->part, CHOICES_MAX)) < 0)
        return err_set(err, ST_USAGE, "%s: more than %d entries", option, CHOICES_MAX);
    return ST_OK;
}

int choice_ascending(double *v, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int at = 0;
        double x = v[i];
        while (at < kept && v[at] < x) at++;
        if (at < kept && !(v[at] > x)) continue;
        memmove(v + at + 1, v + at, (size_t)(kept - at) * sizeof *v);
        v[at] = x;
        kept++;
    }
    return kept;
}

struct choice choice_first(const doc *list, const char *inner, choice_good *good, double within)
{
    for (uint64_t o = 0; o < doc_size(list); o++) {
        const doc *each = doc_get(doc_at(list, o), inner);
        for (uint64_t i = 0; i < doc_size(each); i++)
            if (good(doc_at(each, i), within)) return (struct choice){doc_at(list, o), doc_at(each, i)};
    }
    return (struct choice){NULL, NULL};
}

struct choice choice_nearest(const doc *list, const char *inner, const char *key, choice_good *good)
{
    struct choice best = {NULL, NULL};
    double least = INFINITY;
    for (uint64_t o = 0; o < doc_size(list); o++) {
        const doc *each = doc_get(doc_at(list, o), inner);
        for (uint64_t i = 0; i < doc_size(each); i++) {
            const doc *x = doc_at(each, i);
            double value = doc_number(x, key);
            if (!(value < least) || (good && !good(x, NAN))) continue;
            best = (struct choice){doc_at(list, o), x};
            least = value;
        }
    }
    return best;
}
