#include "reports/shell/answers.h"

#include "base/mem.h"
#include "reports/formats/html.h"

struct loaded {
    const struct answers *of;
    unsigned char *list; /* [count][of->bytes], owned */
    int count;
};

static void *one_of(const struct loaded *l, int i) { return l->list + (size_t)i * l->of->bytes; }

static struct figure_subject *subject_of(const struct loaded *l, int i)
{
    return (void *)((unsigned char *)one_of(l, i) + l->of->subject);
}

static enum st draw(const void *of, int section, struct figures *figures, struct err *err)
{
    const struct loaded *l = of;
    return l->of->draw(figures, one_of(l, section), err);
}

static void lead(const void *of, FILE *to)
{
    const struct loaded *l = of;
    if (l->count == 1) l->of->sentence(to, one_of(l, 0), "<p class=\"lead\">");
}

static enum st section_write(const void *of, int section, const struct figures *figures, FILE *to, struct err *err)
{
    const struct loaded *l = of;
    const void *one = one_of(l, section);
    fprintf(to, "<section class=\"subject\" id=\"s%d\">\n<h2>", section + 1);
    if (l->of->heading) l->of->heading(to, one);
    else {
        html_element(to, "", subject_of(l, section)->graph, "");
        if (*subject_of(l, section)->server)
            html_element(to, " <small>on ", subject_of(l, section)->server, "</small>");
    }
    fputs("</h2>\n", to);
    if (l->count > 1) l->of->sentence(to, one, "<p>");
    if (l->of->facts) l->of->facts(to, one);
    PASS(page_figures_write(to, figures, section, err));
    l->of->tables(to, one);
    fputs("</section>\n", to);
    return ST_OK;
}

enum st answers_report(const struct answers *of, const struct page_request *request, struct err *err)
{
    enum st st;
    struct loaded l = {.of = of, .count = request->count};
    NEW(l.list, (uint64_t)l.count * of->bytes, "documents of a page");
    for (int i = 0; i < l.count; i++) {
        TRY(of->load(request->inputs[i], one_of(&l, i), of->with, err));
        if (l.count > 1) figure_subject_number(subject_of(&l, i), i + 1);
    }
    TRY(page_write(&(struct page){.title = page_title(request, of->title),
                                  .of = &l,
                                  .sections = l.count,
                                  .draw = draw,
                                  .lead = lead,
                                  .section = section_write},
                   request, err));
done:
    for (int i = 0; l.list && i < l.count; i++) doc_free(*(doc **)(void *)((unsigned char *)one_of(&l, i) + of->root));
    mem_free(l.list);
    return st;
}
