/* tiers_page.c - the page of answers of hotset tiers. */
#include <math.h>

#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *way_of(const doc *root, int number) { return doc_at(doc_get(root, "ways"), (uint64_t)number); }

static double seconds(const doc *way) { return document_count(way, "simulated_seconds"); }

static void tiers_page_sentence(const doc *root, FILE *to)
{
    const doc *first = way_of(root, 0), *second = way_of(root, 1);
    char text[2][STYLE_TEXT];
    html_element(to, "Planned as ", document_text(first, "way"), "");
    fprintf(to, ", all reads of an epoch take %s per GPU", style_seconds(text[0], seconds(first)));
    if (seconds(second) > 0) {
        html_element(to, "; planned ", document_text(second, "way"), "");
        fprintf(to, ", they take %.2f times as long", seconds(second) / seconds(first));
    }
    if (document_number(root, "above_bound") >= 0)
        fprintf(to, ". It is at most %s above the best there is, by expected reads",
                style_percent(text[1], document_number(root, "above_bound"), 2));
    fputs(".", to);
}

static void tiers_page_table(const doc *root, FILE *to)
{
    document_table(to, "The ways to plan", doc_get(root, "ways"), NULL, memories_tier_ways);
    document_columns(to, "What each memory holds and serves, planned the first way",
                     &(struct column_table){.columns = memories_tier_places,
                                            .rows = doc_get(way_of(root, 0), "places"),
                                            .beside = doc_get(root, "places")});
}

static const struct bars figure[] = {{.what = "bars",
                                      .title = "Seconds of all reads",
                                      .column = "seconds per epoch and GPU",
                                      .caption = "Fewer is better. The sum over all reads of a held-out epoch, as if "
                                                 "none overlapped. Tier by tier: GPUs are filled first, then DRAM, "
                                                 "each for its own readers. Homes only: nothing is copied.",
                                      .quantity = QUANTITY_SECONDS,
                                      .rows = "ways",
                                      .name = "way",
                                      .value = "simulated_seconds"},
                                     {0}};

extern const struct page_kind page_kind_tiers_page;
const struct page_kind page_kind_tiers_page = {.schema = "tiers/",
                                               .what = "answers of hotset tiers",
                                               .name = "tiers",
                                               .file = "tiers.json",
                                               .title = "All memories as one problem",
                                               .needs = "ways",
                                               .figure = figure,
                                               .sentence = tiers_page_sentence,
                                               .table = tiers_page_table};
