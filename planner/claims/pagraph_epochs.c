#include "planner/claims/pagraph_epochs.h"

#include <math.h>
#include <string.h>

#include "planner/policies/ranked_features.h"

const char *const pagraph_system_name[PAGRAPH_SYSTEMS] = {"PaGraph", "DGL+Cache", "DGL"};

/* Neither is a policy of hotset's list: they are PaGraph's own baselines. */
static enum st place_dgl(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                         struct err *err)
{
    (void)verdict;
    plan->placement.access = ACCESS_CPU;
    plan->placement.copies_features = true;
    return place_ranked_features(in, 0, false, plan, err);
}

static const struct policy dgl = {.name = "dgl",
                                  .summary = "the same features by out-degree on every GPU; the CPU samples",
                                  .source = "PaGraph (SoCC'20)",
                                  .hotness = "degree-out",
                                  .assignment = ASSIGNMENT_GLOBAL,
                                  .place = place_dgl};

double pagraph_epoch_seconds(const double *stage, double iterations)
{
    double rest = stage[STAGE_LOAD] + stage[STAGE_TRANSFER] + stage[STAGE_PROPAGATE];
    return iterations * (isnan(stage[STAGE_SAMPLE]) || isnan(rest) ? NAN : fmax(stage[STAGE_SAMPLE], rest));
}

static void read_epoch(const doc *cell, struct pagraph_epoch *out)
{
    const doc *time = doc_get(doc_get(cell, "simulated"), "epoch_time");
    for (int i = 0; i < EPOCH_STAGES; i++)
        out->stage[i] = doc_real_value(doc_get(doc_get(time, "stages"), stage_word((enum stage_name)i)), NAN);
    out->seconds = pagraph_epoch_seconds(out->stage, doc_real_value(doc_get(time, "iterations"), NAN));
}

enum st pagraph_epochs(struct repro *repro, const char *set, const char *server, const char *model, const char *cached,
                       struct pagraph_epoch *out, struct err *err)
{
    enum st st;
    doc *rows = NULL;
    struct study_cell cell[PAGRAPH_SYSTEMS] = {{.policy = NULL}, {.policy = &dgl}, {.policy = &dgl}};
    struct repro_setup u = {REPRO_PAGRAPH,
                            .set = set,
                            .servers = server,
                            .reserve = "0",
                            .model = model,
                            .hidden = strcmp(model, "gcn") ? 16 : 32,
                            .classes = strcmp(set, "reddit") ? 60 : 41,
                            .presample_epochs = 1,
                            .full_size = true};
    TRY(policy_find("pagraph", &cell[SYSTEM_PAGRAPH].policy, err));
    for (int i = 0; i < PAGRAPH_SYSTEMS; i++)
        TRY(budget_parse(i == SYSTEM_DGL ? "0" : cached, false, "budget", &cell[i].budget, err));
    TRY(repro_cells(repro, &u, cell, PAGRAPH_SYSTEMS, &rows, err));
    for (int i = 0; i < PAGRAPH_SYSTEMS; i++) read_epoch(doc_at(rows, (uint64_t)i), &out[i]);
done:
    doc_free(rows);
    return st;
}
