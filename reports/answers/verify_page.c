/* verify_page.c - the page of answers of hotset verify: what of a plan was checked (verification/1), or that all of it
 * is good (verification/2, graphs with several types). A plan that is damaged has no document. */
#include <string.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *check_of(const doc *root, int number) { return doc_at(doc_get(root, "checks"), (uint64_t)number); }

static void verify_page_sentence(const doc *root, FILE *to)
{
    char text[STYLE_TEXT];
    int checks = 0, left = 0;
    html_element(to, "", document_text(root, "plan"), ": ");
    if (!doc_get(root, "checks")) {
        html_text(to, document_text(root, "result"));
        fprintf(to, ", with %s rows on GPUs.", style_count(text, document_count(root, "rows")));
        return;
    }
    for (; check_of(root, checks); checks++)
        left += !strcmp(document_text(check_of(root, checks), "result"), "not checked");
    fprintf(to, "%d of %d checks hold", checks - left, checks);
    for (int i = 0, told = 0; i < checks; i++) {
        const char *result = document_text(check_of(root, i), "result");
        if (strcmp(result, "not checked") != 0) continue;
        html_element(to, told++ ? ", " : "; not checked: ", document_text(check_of(root, i), "check"), "");
    }
    fputs(".", to);
}

static void verify_page_table(const doc *root, FILE *to)
{
    document_table(to, "What was checked", doc_get(root, "checks"), NULL, verify_checks);
}

static void subject(const doc *root, char name[STYLE_NAME])
{
    char plan[STYLE_NAME];
    snprintf(name, STYLE_NAME, "plan %.100s", style_cut(plan, document_text(root, "plan"), 80));
}

extern const struct page_kind page_kind_verify_page;
const struct page_kind page_kind_verify_page = {.schema = "verification/",
                                                .what = "answers of hotset verify",
                                                .name = "verify",
                                                .title = "Whether a plan is what it says",
                                                .sentence = verify_page_sentence,
                                                .table = verify_page_table,
                                                .of = subject};
