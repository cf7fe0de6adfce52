/* claims_tables.c - verdicts; see claims_tables.h. */
#include "reports/claims/claims_tables.h"

#include <stdbool.h>
#include <string.h>
#include "reports/formats/document.h"
#include "reports/formats/html.h"

static void verdict_cell(FILE *to, const doc *claim)
{
    const char *verdict = document_text(claim, "verdict");
    const doc *seeds = doc_get(claim, "seeds");
    long long holds = doc_integer_value(doc_get(seeds, "holds"), 0), of = doc_integer_value(doc_get(seeds, "of"), 0);
    fprintf(to, "<td class=\"left %s\">",
            !strncmp(verdict, "holds", 5)      ? "best"
            : !strcmp(verdict, "not measured") ? "soft"
                                               : "off");
    html_text(to, verdict);
    if (of > 1) fprintf(to, "<br><small>%lld of %lld seeds</small>", holds, of);
    fputs("</td>", to);
}

static void ours_cell(FILE *to, const doc *claim)
{
    const char *ours = document_text(claim, "ours"), *reason = document_text(claim, "reason"),
               *again = document_text(claim, "again");
    fputs("<td class=\"long\">", to);
    html_text(to, ours);
    if (*ours && *reason) fputs(". ", to);
    if (*reason) html_element(to, "<span class=\"soft\">", reason, "</span>");
    if (*again) html_element(to, "<br><b>Why, by experiment.</b> <small class=\"code\">", again, "</small>");
    fputs("</td>", to);
}

static void summary_rows(FILE *to, const doc *exhibit)
{
    const doc *claims = doc_get(exhibit, "claims");
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        html_element(to, "<tr><td class=\"left\"><a href=\"#", document_text(exhibit, "name"), "\">");
        html_element(to, "", document_text(exhibit, "name"), "</a></td>");
        html_element(to, "<td class=\"long\">", document_text(doc_at(claims, i), "statement"), "</td>");
        verdict_cell(to, doc_at(claims, i));
        ours_cell(to, doc_at(claims, i));
        fputs("</tr>\n", to);
    }
}

static bool told_before(const doc *list, uint64_t i)
{
    for (uint64_t k = 0; k < i; k++)
        if (!strcmp(document_text(doc_at(list, k), "paper"), document_text(doc_at(list, i), "paper"))) return true;
    return false;
}

void claims_summary_write(FILE *to, const doc *exhibits)
{
    static const struct html_column columns[] = {{"figure", NULL, true},
                                                 {"the paper says", NULL, true},
                                                 {"verdict", NULL, true},
                                                 {"our numbers", NULL, true},
                                                 {0}};
    for (uint64_t i = 0; i < doc_size(exhibits); i++) {
        const char *paper = document_text(doc_at(exhibits, i), "paper");
        if (told_before(exhibits, i)) continue;
        html_table_begin(to, paper, columns);
        for (uint64_t k = i; k < doc_size(exhibits); k++)
            if (!strcmp(document_text(doc_at(exhibits, k), "paper"), paper)) summary_rows(to, doc_at(exhibits, k));
        html_table_end(to);
    }
}

void claims_checks_write(FILE *to, const doc *exhibit)
{
    static const struct html_column columns[] = {{"the paper says", NULL, true},
                                                 {"what was checked", NULL, true},
                                                 {"our numbers", NULL, true},
                                                 {"verdict", NULL, true},
                                                 {0}};
    const doc *claims = doc_get(exhibit, "claims");
    html_table_begin(to, NULL, columns);
    for (uint64_t i = 0; i < doc_size(claims); i++) {
        const doc *claim = doc_at(claims, i);
        html_element(to, "<tr><td class=\"long\">", document_text(claim, "statement"), "");
        if (*document_text(claim, "quote"))
            html_element(to, "<br><small>\xE2\x80\x9C", document_text(claim, "quote"), "\xE2\x80\x9D</small>");
        fputs("</td>", to);
        html_element(to, "<td class=\"long\">", document_text(claim, "test"), "");
        if (*document_text(claim, "why")) html_element(to, "<br><small>", document_text(claim, "why"), "</small>");
        fputs("</td>", to);
        ours_cell(to, claim);
        verdict_cell(to, claim);
        fputs("</tr>\n", to);
    }
    html_table_end(to);
}
