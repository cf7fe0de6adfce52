#include "planner/claims/seeds.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Index of the median of v[0..count), and of the smallest and the largest; ties to the lower index. */
static void order_of(const double *v, int count, int *least, int *median, int *most)
{
    int order[SEEDS_MOST];
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && v[order[at - 1]] > v[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    *least = order[0];
    *median = order[(count - 1) / 2];
    *most = order[count - 1];
}

/* ---- points ---- */

static void merge_point(const struct figure_data *const *data, int count, int panel, struct figure_data_series *s,
                        int k)
{
    double v[SEEDS_MOST];
    int least, median, most;
    for (int i = 0; i < count; i++) {
        v[i] = i ? figure_data_at(data[i], panel, s->name, s->x[k]) : s->y[k];
        if (!isnan(v[i])) continue;
        s->y[k] = NAN;
        return;
    }
    order_of(v, count, &least, &median, &most);
    s->y[k] = v[median];
    s->low[k] = v[least];
    s->high[k] = v[most];
}

void seeds_merge_data(const struct figure_data *const *data, int count, struct figure_data *out)
{
    *out = *data[0];
    for (int p = 0; count > 1 && p < out->count; p++)
        for (int i = 0; i < out->panel[p].count; i++) {
            struct figure_data_series *s = &out->panel[p].series[i];
            if (s->stated) continue;
            s->ranged = true;
            for (int k = 0; k < s->count; k++) {
                s->low[k] = s->high[k] = NAN;
                merge_point(data, count, p, s, k);
            }
        }
    for (int i = 1; i < count; i++) out->full |= data[i]->full;
}

/* ---- words ---- */

/* The length of the number at the beginning of `at`; 0: none. first: of the text, before which there is no sign. */
static size_t number_length(const char *at, const char *first)
{
    size_t n = 0;
    bool sign = (*at == '-' || *at == '+') && isdigit((unsigned char)at[1]) &&
                (at == first || !isalnum((unsigned char)at[-1]));
    if (!sign && !isdigit((unsigned char)*at)) return 0;
    n = sign;
    while (isdigit((unsigned char)at[n])) n++;
    if (at[n] == '.' && isdigit((unsigned char)at[n + 1]))
        for (n++; isdigit((unsigned char)at[n]);) n++;
    return n;
}

/* Adds the numbers that stand at at[i], lengths n[i]: one number when all are alike, else median and range. */
static void add_numbers(const char *const *at, const size_t *n, int count, char *out, size_t bytes)
{
    double v[SEEDS_MOST];
    int least, median, most;
    for (int i = 0; i < count; i++) v[i] = strtod(at[i], NULL);
    order_of(v, count, &least, &median, &most);
    text_append(out, bytes, "%.*s", (int)n[median], at[median]);
    if (v[least] < v[most])
        text_append(out, bytes, " (%.*s to %.*s)", (int)n[least], at[least], (int)n[most], at[most]);
}

/* The texts as one, where they differ in numbers alone; false: they differ in words. */
static bool merge_texts(const char *const *text, int count, char *out, size_t bytes)
{
    const char *at[SEEDS_MOST] = {NULL};
    size_t n[SEEDS_MOST];
    *out = '\0';
    for (int i = 0; i < count; i++) at[i] = text[i];
    while (*at[0]) {
        int numbers = 0;
        char now = *at[0];
        for (int i = 0; i < count; i++) numbers += (n[i] = number_length(at[i], text[i])) > 0;
        if (numbers == count) add_numbers(at, n, count, out, bytes);
        else text_append(out, bytes, "%c", now);
        for (int i = 0; i < count; i++) {
            if (numbers != count && (numbers || *at[i] != now)) return false;
            at[i] += numbers ? n[i] : 1;
        }
    }
    for (int i = 0; i < count; i++)
        if (*at[i]) return false;
    return true;
}

static void merge_words(const char *const *text, int count, char *out, size_t bytes)
{
    if (merge_texts(text, count, out, bytes)) return;
    *out = '\0';
    for (int i = 0; i < count; i++) {
        bool told = false;
        for (int k = 0; k < i; k++) told |= !strcmp(text[i], text[k]);
        if (!told) text_append(out, bytes, "%s%s", i ? "; with another seed: " : "", text[i]);
    }
}

void seeds_merge_findings(const struct finding *const *each, int count, struct finding *out)
{
    const char *ours[SEEDS_MOST] = {NULL}, *reason[SEEDS_MOST] = {NULL};
    int holds = 0, same = 0;
    for (int i = 0; i < count; i++) {
        if (each[i]->verdict == VERDICT_NOT_MEASURED) {
            *out = *each[i];
            out->seeds = count;
            return;
        }
        holds += each[i]->verdict == VERDICT_HOLDS;
    }
    memset(out, 0, sizeof *out);
    out->verdict = 2 * holds > count ? VERDICT_HOLDS : VERDICT_FAILS;
    out->holds = holds;
    out->seeds = count;
    for (int i = 0; i < count; i++) {
        ours[i] = each[i]->ours;
        if (each[i]->verdict == out->verdict) reason[same++] = each[i]->reason;
    }
    merge_words(ours, count, out->ours, sizeof out->ours);
    merge_words(reason, same, out->reason, sizeof out->reason);
}
