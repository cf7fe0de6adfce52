/* figure_subject.c - names of figures; see figure_subject.h. */
#include "reports/figures/figure_subject.h"

#include <stdio.h>
#include <string.h>

struct figure_subject figure_subject_make(const char *graph, const char *server, const char *second)
{
    struct figure_subject subject = {.graph = graph, .server = server};
    char first[STYLE_TEXT], last[STYLE_TEXT];
    snprintf(subject.slug, sizeof subject.slug, "%s-%s", style_slug(first, graph), style_slug(last, second));
    return subject;
}

void figure_subject_number(struct figure_subject *subject, int number)
{
    char slug[sizeof subject->slug];
    snprintf(slug, sizeof slug, "%d-%.90s", number, subject->slug);
    memcpy(subject->slug, slug, sizeof slug);
}
