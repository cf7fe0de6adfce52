/* observe_page.c - the page of answers of hotset observe: what a job read beside what its plan reads in simulation. */
#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

static const doc *gpu_of(const doc *root, int number) { return doc_at(doc_get(root, "gpus"), (uint64_t)number); }

static void subject(const doc *root, char name[STYLE_NAME])
{
    char policy[STYLE_NAME], server[STYLE_NAME];
    snprintf(name, STYLE_NAME, "%.80s on %.80s", style_cut(policy, document_text(root, "policy"), 40),
             style_cut(server, document_text(root, "server"), 40));
}

static void observe_page_sentence(const doc *root, FILE *to)
{
    const doc *hit = doc_get(root, "feature_hit_rate");
    double differ = document_count(root, "differ"), of = document_count(doc_get(root, "noise"), "comparisons");
    char text[2][STYLE_TEXT];
    style_form(text[1], "%.0f", of);
    if (differ == 0)
        fprintf(to, "The job reads what its plan says: none of %s counts differs by more than noise", text[1]);
    else
        fprintf(to, "%s of %s counts differ from the plan by more than noise", style_form(text[0], "%.0f", differ),
                text[1]);
    fprintf(to, "; GPUs hold %s of the feature rows that it read, and %s in simulation.",
            style_percent(text[0], document_number(hit, "observed"), 1),
            style_percent(text[1], document_number(hit, "simulated"), 1));
}

static void bar(const doc *root, int number, struct bar *out)
{
    const doc *gpu = gpu_of(root, number / 2);
    if (gpu) observe_gpu(gpu, out->name);
    out->value = document_count(doc_get(doc_get(gpu, "rows_per_batch"), "host"), number % 2 ? "observed" : "simulated");
}

static void observe_page_table(const doc *root, FILE *to)
{
    document_table(to, "Feature rows per mini-batch, seen and simulated", doc_get(root, "gpus"), "rows_per_batch",
                   observe_counts);
    document_table(to, "Time of stages", doc_get(root, "gpus"), "seconds_per_epoch", observe_seconds);
}

static const struct bars figure[] = {{.what = "host",
                                      .title = "Rows that come from the host",
                                      .column = "feature rows per mini-batch",
                                      .caption = "What the plan reads in simulation, and what the job read. The table "
                                                 "says which differences are more than noise.",
                                      .quantity = QUANTITY_COUNT,
                                      .series = {"simulated", "seen"},
                                      .bar = bar},
                                     {0}};

extern const struct page_kind page_kind_observe_page;
const struct page_kind page_kind_observe_page = {.schema = "observation/",
                                                 .what = "answers of hotset observe",
                                                 .name = "observe",
                                                 .title = "What the job read, and what its plan says",
                                                 .needs = "gpus",
                                                 .figure = figure,
                                                 .sentence = observe_page_sentence,
                                                 .table = observe_page_table,
                                                 .of = subject};
