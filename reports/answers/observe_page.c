/* observe_page.c - the page of answers of hotset observe: what a job read beside what its plan reads in simulation. */
#include "base/premises.h"
#include "reports/formats/keys.h"
#include "reports/shell/bars.h"
#include "reports/tables/tables.h"

#define NEEDED .flags = FIELD_NEEDED
static const char *const schema_words[] = {"observation/1", NULL};
static const struct field count_fields[] = {KEY_NUMBER("observed", NULL, "By the job."),
                                            KEY_NUMBER("simulated", NULL, "Of the plan."),
                                            KEY_SIGNED("difference", NULL, "observed - simulated."),
                                            KEY_NUMBER("noise", NULL, "How far they may be apart by chance."),
                                            KEY_FLAG("differs", "By more than that."),
                                            FIELDS_OPEN},
                          rows_fields[] = {KEY_OBJECT("own", count_fields, "From the GPU's own memory."),
                                           KEY_OBJECT("peer", count_fields, "From other GPUs."),
                                           KEY_OBJECT("host", count_fields, "Over PCIe."), FIELDS_OPEN},
                          bytes_fields[] = {KEY_BYTES("own", "From the GPU's own memory."),
                                            KEY_BYTES("peer", "From other GPUs."), KEY_BYTES("host", "Over PCIe."),
                                            FIELDS_OPEN},
                          stage_fields[] = {KEY_TEXT("stage", "Its name."),
                                            KEY_SECONDS("observed", "By the job, per epoch."),
                                            KEY_SECONDS("model", "By the model."), FIELDS_OPEN},
                          gpu_fields[] = {KEY_COUNT("id", "Of the GPU."),
                                          KEY_TEXT("table", "Whose rows, where the graph has several types."),
                                          KEY_COUNT("epochs", "That were counted."),
                                          KEY_COUNT("batches", "That were counted."),
                                          KEY_OBJECT("rows_per_batch", rows_fields, "Feature rows."),
                                          KEY_OBJECT("bytes", bytes_fields, "In all."),
                                          KEY_LIST("seconds_per_epoch", stage_fields, "Of stages that the job timed."),
                                          FIELDS_OPEN},
                          noise_fields[] = {KEY_COUNT("simulated_epochs", "That it is taken from."),
                                            KEY_COUNT("comparisons", "How many counts are compared."),
                                            KEY_NUMBER("student_t", NULL, "The factor, corrected for so many."),
                                            FIELDS_OPEN},
                          hit_fields[] = {KEY_SHARE("observed", "By the job."),
                                          KEY_SHARE("simulated", "Of the plan."),
                                          KEY_SHARE("predicted", "When it was made."),
                                          KEY_SIGNED("difference", NULL, "observed - simulated."),
                                          KEY_NUMBER("noise", NULL, "How far they may be apart by chance."),
                                          KEY_FLAG("differs", "By more than that."),
                                          FIELDS_OPEN},
                          observation_fields[] = {FIELD_SCHEMA(schema_words),
                                                  KEY_TEXT("policy", "Of the plan."),
                                                  KEY_TEXT("server", "Its name."),
                                                  KEY_OBJECT("noise", noise_fields, "How it is told from differences."),
                                                  KEY_OBJECT("feature_hit_rate", hit_fields, "Of all GPUs."),
                                                  KEY_FLAG("all_gpus", "Whether every GPU of the plan was counted."),
                                                  KEY_COUNT("differ", "How many counts differ."),
                                                  KEY_LIST("gpus", gpu_fields, "Counts of each.", NEEDED),
                                                  KEY_OBJECT("timeline", NULL, "What was drawn."),
                                                  PREMISES_KEY,
                                                  FIELDS_OPEN};

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
                                                 .exact = "observation/1",
                                                 .fields = observation_fields,
                                                 .needs = "gpus",
                                                 .figure = figure,
                                                 .sentence = observe_page_sentence,
                                                 .table = observe_page_table,
                                                 .of = subject};
