/* front.c - the page in front of several pages; see page_kind.h. */
#include "reports/shell/page_kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "reports/formats/html.h"
#include "reports/formats/html_joined.h"

enum { NAME_BYTES = 64 };

/* What the front page says of one page. */
struct told {
    char folder[NAME_BYTES];
    struct page_told page;
};

/* A name of its own for every folder: "size", or "validation-2" where a page shows one document. */
static void folder_name(const struct front_entry *entries, int index, char out[NAME_BYTES])
{
    int same = 0, before = 0;
    for (int i = 0; entries[i].kind && i <= index; i++) before += entries[i].kind == entries[index].kind;
    for (int i = 0; entries[i].kind; i++) same += entries[i].kind == entries[index].kind;
    if (same > 1) snprintf(out, NAME_BYTES, "%.48s-%d", entries[index].kind->name, before);
    else snprintf(out, NAME_BYTES, "%.48s", entries[index].kind->name);
}

/* Where a sentence ends: behind a full stop that blanks or the end follow. */
static bool sentence_ends(const char *at)
{
    return *at == '.' && (at[1] == '\0' || at[1] == ' ' || at[1] == '<' || at[1] == '\n');
}

/* The first sentence of a lead: its texts without the tags; texts are escaped already. */
static void sentence_write(FILE *to, const char *html)
{
    bool inside = false, any = false;
    for (const char *at = html; at && *at; at++) {
        if (*at == '<') inside = true;
        if (inside && any && (!strncmp(at, "</p>", 4) || !strncmp(at, "</li>", 5))) break;
        if (!inside && (any || (*at != '\n' && *at != ' '))) {
            fputc(*at == '\n' ? ' ' : *at, to);
            any = true;
            if (sentence_ends(at)) break;
        }
        if (*at == '>') inside = false;
    }
}

/* The first figure of a page, without what its points say. */
static enum st picture_write(FILE *to, const char *folder, const struct told *told, int number, struct err *err)
{
    char page[PATH_BYTES], path[PATH_BYTES];
    if (!*told->page.picture) return ST_OK;
    PASS(path_join(page, folder, told->folder, err));
    PASS(path_join(path, page, told->page.picture, err));
    html_element(to, "<figure>\n<p class=\"name\">", told->page.title,
                 "</p>\n<div class=\"scroll\"><div class=\"picture\">");
    PASS(html_svg(to, path, number, told->page.title, err));
    fputs("</div></div>\n</figure>\n", to);
    return ST_OK;
}

static enum st index_write(const char *folder, const char *title, const struct front_entry *entries,
                           const struct told *told, int count, struct err *err)
{
    static const char file[] = "index.html";
    OWNED_BY(html_joined_release) struct html_joined text = {0};
    FILE *to = html_joined_open(&text);
    if (!to) return err_set(err, ST_LIMIT, "memory is out for the text of a page; close other programs");
    html_begin(to, title);
    html_element(to, "<header>\n<h1>", title, "</h1>\n</header>\n<ul class=\"lead front\">\n");
    for (int i = 0; i < count; i++) {
        fprintf(to, "<li><a href=\"%s/index.html\">", told[i].folder);
        html_element(to, "", told[i].folder, "</a>: ");
        sentence_write(to, told[i].page.answer);
        html_element(to, " <small class=\"soft\">", entries[i].kind->what, "");
        for (int k = 0; k < entries[i].count && k < 8; k++)
            html_element(to, k ? ", " : ": ", path_base(entries[i].inputs[k]), "");
        if (entries[i].count > 8) fprintf(to, " and %d more", entries[i].count - 8);
        fputs("</small>\n", to);
        PASS(picture_write(to, folder, &told[i], i + 1, err));
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
    html_end(to);
    return html_joined_save(&text, folder, file, err);
}

static enum st entry_draw(const struct page_request *request, const struct output *out, const struct front_entry *entry,
                          struct told *told, struct err *err)
{
    char path[PATH_BYTES];
    struct page_request own = *request;
    PASS(path_join(path, out->temporary, told->folder, err));
    own.inputs = entry->inputs;
    own.count = entry->count;
    own.out_dir = path;
    own.title = NULL;
    own.up = "../index.html";
    own.told = &told->page;
    return page_kind_report(entry->kind, &own, err);
}

enum st front_report(const struct page_request *request, const struct front_entry *entries, int count, struct err *err)
{
    enum st st;
    struct told *told = NULL;
    ON_HEAP(struct output, out);
    NEW(told, count, "pages");
    TRY(output_directory(out, request->out_dir, err));
    for (int i = 0; i < count; i++) {
        folder_name(entries, i, told[i].folder);
        TRY(entry_draw(request, out, &entries[i], &told[i], err));
    }
    TRY(index_write(out->temporary, page_title(request, "Results of hotset"), entries, told, count, err));
    TRY(output_commit(out, err));
done:
    for (int i = 0; told && i < count; i++) free(told[i].page.answer);
    mem_free(told);
    output_abort(out);
    return st;
}
