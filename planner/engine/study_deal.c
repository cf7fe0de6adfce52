#include "planner/engine/given_lists.h"
#include "planner/engine/study_deal.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/deal.h"
#include "planner/partition/partition_file.h"
#include "planner/partition/reads.h"
#include "planner/engine/deal_ranges.h"
#include "planner/engine/study_order.h"
#include "planner/engine/study_place.h"
#include "planner/engine/study_scout.h"
#include "planner/engine/study_together.h"
#include "traces/sampling/sampler.h"

extern const struct policy policy_hotset;

/* ---- parts from a file ---- */

enum st study_take_parts(struct study *s, const char *path, struct err *err)
{
    int parts = 0, gpus = s->o.server->gpus, cliques = server_groups(s->o.server);
    enum assignment_kind wanted = deal_kind(s->o.deal);
    if (!path) return ST_OK;
    MAKE(s->parts, s->o.graph->n, "parts of the graph");
    PASS(partition_file_read(path, s->o.graph->n, PARTS_MAX, s->parts, err));
    for (uint64_t v = 0; v < s->o.graph->n; v++) parts = s->parts[v] >= parts ? s->parts[v] + 1 : parts;
    if (parts != gpus && parts != cliques)
        return err_set(err, ST_INPUT,
                       "%s: has %d parts, but server %s has %d GPUs in %d cliques; cut the graph into %d parts", path,
                       parts, s->o.server->name, gpus, cliques, gpus);
    s->parts_per_gpu = parts == gpus && gpus != cliques;
    if (wanted != ASSIGNMENT_KINDS && wanted != (s->parts_per_gpu ? ASSIGNMENT_PER_GPU : ASSIGNMENT_HIERARCHICAL))
        return err_set(err, ST_USAGE, "--parts: %s has a part per %s, not taken by --assignment %s; leave that out",
                       path, s->parts_per_gpu ? "GPU" : "clique", s->o.deal);
    return ST_OK;
}

/* ---- what is recorded ---- */

/* Limits of what is done unasked, the same on every machine: bytes of one recording, and of cutting for reads. */
#define SCOUT_MOST ((uint64_t)1 << 30)
#define READS_MOST ((uint64_t)4 << 30)

const char *study_deal_method(const struct study_options *o)
{
    bool reads = !strcmp(o->partition, "auto") &&
                 reads_bytes(graph_connections(o->graph), o->server->gpus, 1) <= READS_MOST;
    return !reads ? o->partition : o->unequal && server_groups(o->server) == o->server->gpus ? "reads-fewest" : "reads";
}

enum st study_take_lists(struct study *s, const struct given_lists *l, struct err *err)
{
    if (!l->part) return ST_OK;
    if (s->parts || deal_kind(s->o.deal) != ASSIGNMENT_KINDS)
        return err_set(err, ST_USAGE,
                       "--from-lists: %s has train files, which say who trains what; leave out --assignment and "
                       "--parts, or the train files",
                       l->folder);
    MAKE(s->parts, s->o.graph->n, "parts of the graph");
    memcpy(s->parts, l->part, s->o.graph->n);
    s->parts_per_gpu = s->parts_kept = true;
    s->o.deal = "gpu";
    return ST_OK;
}

/* Parts per GPU are cut for reads where the deal is planned; METIS's are those of the other systems. option:
 * [POLICY_OPTIONS]; NULL: the defaults. */
static struct recording_key key_of(const struct study_options *o, const struct policy *policy, const double *option,
                                   enum assignment_kind kind, uint64_t epochs)
{
    struct recording_key k = {.kind = kind, .epochs = epochs, .method = o->partition};
    bool per_gpu = assignment_parts_per_gpu(kind) ||
                   (kind == ASSIGNMENT_HIERARCHICAL && server_groups(o->server) == o->server->gpus);
    k.each = thin_cell_each(o, policy);
    bool search = kind == ASSIGNMENT_BFS && !workload_edges(&o->workload);
    k.order = search ? ORDER_BFS : o->workload.order; /* BGL's deal comes with its order */
    k.order_blocks = search ? 0 : o->workload.order_blocks;
    if (policy->plans_deal && per_gpu) k.method = partition_planned(study_deal_method(o));
    if (policy->parts_of_bytes && kind == ASSIGNMENT_PER_GPU)
        k.method = partition_by_bytes(graph_connections(o->graph), k.method);
    for (int i = 0; option && i < POLICY_OPTIONS; i++)
        if (policy->options[i].method && option[i] > 0) k.method = policy->options[i].method;
    k.needs_part = policy->assignment == ASSIGNMENT_PER_GPU;
    return k;
}

/* A deal that may be chosen. below: it is tried only where the epoch of those before it, with work spread evenly, would
 * take less than this share of what it takes; 0: it is tried always. */
struct candidate {
    enum assignment_kind kind;
    const char *method; /* that cuts the parts; NULL: as key_of says */
    double below;
};
/* Parts for equal draws are tried from a fiftieth on (one step of every GPU is soon recorded), other deals than parts
 * per GPU from a 25th: of 96 plans, those were the better ones only where GPUs of their own parts waited that long. */
static const double UNEVEN = 0.98, UNEVEN_STEP = 0.995, WAITING = 0.96;

/* Whether PaGraph's deal may leave fewer transactions than parts cut for reads: where a mini-batch could reach the
 * whole graph, GPUs read about the same rows under every deal, and what a shared neighbour saves is more than lists of
 * single training vertices tell (reads.h). Not where its search of every training vertex takes longer than the rest. */
static bool self_reliant_may_win(const struct study_options *o)
{
    enum { SEARCHES_MOST = 1 << 30 };
    const struct graph *g = graph_connections(o->graph);
    struct workload w = workload_joined(o->graph, &o->workload);
    uint64_t each = g->train_count / (uint64_t)o->server->gpus + 1;
    bool chosen = !strcmp(o->partition, "auto") && !strcmp(study_deal_method(o), "reads-fewest");
    if (!chosen || o->server->gpus < 2 || g->train_count > SEARCHES_MOST / (g->m + 1)) return false;
    w.batch = w.batch < each ? w.batch : each;
    return sampler_largest(g, &w) >= g->n;
}

/* Whether a GPU has one mini-batch in an epoch at most: its few training vertices are then the same in every step. */
static bool one_step(const struct study_options *o)
{
    return o->graph->train_count <= o->workload.batch * (uint64_t)o->server->gpus;
}

/* Deals without a search for equal draws. Where parts per GPU are cut for reads and the epoch decides, they come first,
 * and a part per clique, cut for edges, is not tried: it left epochs 5 to 79 % longer. */
static int deals_of(const struct study_options *o, struct candidate *out)
{
    enum assignment_kind kind[DEALS_MOST];
    bool cliques = server_groups(o->server) > 1;
    int count = deal_candidates(o->server, kind);
    for (int i = 0; i < count; i++) out[i] = (struct candidate){.kind = kind[i]};
    if (o->all_deals || count < 2 || !study_epochs_count(o) || !strcmp(study_deal_method(o), o->partition))
        return count;
    out[0] = (struct candidate){.kind = ASSIGNMENT_PER_GPU};
    out[1] = (struct candidate){.kind = cliques ? ASSIGNMENT_NESTED : ASSIGNMENT_HIERARCHICAL, .below = WAITING};
    out[2] = (struct candidate){.kind = ASSIGNMENT_HIERARCHICAL};
    return cliques && o->clique_deal ? 3 : 2;
}

/* Deals that differ on this server, and PaGraph's where it may win. Where epochs count, parts per GPU are also cut so
 * that GPUs draw equally many neighbours, for computing takes time by them; and with one mini-batch per GPU, in which
 * neighbours of a part meet seldom, training vertices are also dealt at random. out: [DEALS_MOST]; returns how many. */
static int candidates_of(const struct study_options *o, struct candidate *out)
{
    int count = deals_of(o, out);
    bool singles = server_groups(o->server) == o->server->gpus;
    if (study_epochs_count(o) && o->server->gpus > 1 && strcmp(study_deal_method(o), o->partition)) {
        enum assignment_kind parts = singles ? ASSIGNMENT_HIERARCHICAL : ASSIGNMENT_PER_GPU;
        double below = one_step(o) ? UNEVEN_STEP : UNEVEN;
        out[count++] = (struct candidate){parts, "reads-draws", below};
        if (one_step(o)) out[count++] = (struct candidate){ASSIGNMENT_GLOBAL, .below = below};
    }
    if (self_reliant_may_win(o)) out[count++] = (struct candidate){.kind = ASSIGNMENT_SELF_RELIANT};
    return count;
}

static bool scouts_fit(const struct study_options *o)
{
    return 4 * o->graph->n * (2 + (uint64_t)o->workload.hops) * (uint64_t)o->server->gpus <= SCOUT_MOST;
}

/* Whether the deal is the study's to choose, and there is more than one. */
static bool chooses(const struct study_options *o, bool parts, const struct policy *policy)
{
    struct candidate candidate[DEALS_MOST];
    return policy->any_deal && policy->plans_deal && !o->given && !parts && deal_kind(o->deal) == ASSIGNMENT_KINDS &&
           candidates_of(o, candidate) > 1;
}

/* The kind that is fixed beforehand; ASSIGNMENT_KINDS where it is to be planned. parts: the study that has parts given,
 * or NULL. */
static enum assignment_kind kind_by(const struct study_options *o, const struct study *parts,
                                    const struct policy *policy)
{
    enum assignment_kind wanted = deal_kind(o->deal);
    if (!policy->any_deal) return policy->assignment;
    if (o->given) return policy->plans_deal ? o->given->assignment.kind : policy->assignment;
    if (wanted != ASSIGNMENT_KINDS) return wanted;
    if (!policy->plans_deal && policy->assignment != ASSIGNMENT_HIERARCHICAL) return policy->assignment;
    if (parts) return parts->parts_per_gpu ? ASSIGNMENT_PER_GPU : ASSIGNMENT_HIERARCHICAL;
    if (!policy->plans_deal) return policy->assignment;
    if (!chooses(o, parts, policy)) return ASSIGNMENT_HIERARCHICAL;
    if (scouts_fit(o)) return ASSIGNMENT_KINDS;
    return server_groups(o->server) == o->server->gpus ? ASSIGNMENT_HIERARCHICAL : ASSIGNMENT_PER_GPU;
}
static enum assignment_kind fixed_kind(const struct study *s, const struct policy *policy)
{
    return kind_by(&s->o, s->parts ? s : NULL, policy);
}

/* ---- the candidates ---- */

/* Feature rows that the busiest GPU gathers per epoch, and over the mean of those that train. */
struct busiest {
    uint64_t rows;
    double over_mean;
};

/* per_gpu: the rows of each GPU are added, where it is not NULL. */
static struct busiest gathers(const struct study_recording *r, doc *per_gpu)
{
    const struct trace *t = r->trace;
    uint64_t most = 0, all = 0, trainers = 0;
    for (int g = 0; g < t->assignment.gpus; g++) {
        uint64_t sum = 0;
        for (uint64_t v = 0; v < t->n; v++) sum += count_at(t->feature[g], v);
        if (per_gpu) doc_append(per_gpu, doc_integer((int64_t)(sum / t->epochs)));
        if (sum > most) most = sum;
        all += sum;
        trainers += t->assignment.train_count[g] > 0;
    }
    trace_drop_pages(t);
    return (struct busiest){most / t->epochs, all ? (double)most * (double)trainers / (double)all : 1};
}

/* The budgets whose deal is chosen, each by a cell that has it. */
struct choosing {
    const struct study_cell **cell; /* [count] */
    struct deal_choice *choice;     /* [count] */
    struct study_score *least;      /* [count] of the deals so far */
    int count;
    struct candidate tried; /* from the recording of the scouts */
    int number;             /* of that candidate */
    struct scouts *scouts;
    struct busiest busiest;
};

/* Whether a budget tries a candidate after those whose best is `least`. Where seconds are unknown, equal draws are
 * worth nothing that is known. */
static bool tries(const struct candidate *c, struct study_score least)
{
    if (c->below <= 0) return true;
    return isnan(least.seconds) ? c->below <= WAITING : least.even < c->below * least.seconds;
}

/* Plans cell i by policy hotset from one recorded epoch of the kind. */
static enum st try_one(const struct study *s, void *of, int i, int threads, struct err *err)
{
    struct choosing *choosing = of;
    struct study_score left;
    if (!tries(&choosing->tried, choosing->least[i])) return ST_OK; /* as if it were the only budget */
    OWNED_DOC doc *row = doc_object();
    DOC_PUT(row, IS("deal", deal_word(choosing->tried.kind)), IS("partition", choosing->scouts->r->partition.method));
    PASS(scouts_place(s, choosing->scouts, choosing->cell[i], threads, row, &left, err));
    left.busiest_rows = choosing->busiest.rows;
    DOC_PUT(row, IS("busiest_gathers", choosing->busiest.over_mean), IS("busiest_rows", choosing->busiest.rows));
    doc_append(choosing->choice[i].tried, row);
    row = NULL;
    struct deal_choice *choice = &choosing->choice[i];
    choice->score[choosing->number].seconds = left.seconds;
    choice->score[choosing->number].transactions = left.transactions == UINT64_MAX ? NAN : (double)left.transactions;
    if (!study_score_less(left, choosing->least[i])) return ST_OK;
    choosing->least[i] = left;
    choice->kind = choosing->tried.kind;
    choice->method = choosing->tried.method;
    choice->best = choosing->number;
    return ST_OK;
}

static enum st try_deal(struct study *s, struct choosing *choosing, struct err *err)
{
    struct recording_key key = key_of(&s->o, &policy_hotset, NULL, choosing->tried.kind, 1);
    if (choosing->tried.method) key.method = choosing->tried.method;
    OWNED_NEW(struct scouts, scouts, 1, "scouts");
    choosing->scouts = scouts;
    enum st st = scouts_begin(s, &key, scouts, err);
    if (st == ST_OK) {
        choosing->busiest = gathers(scouts->r, NULL);
        study_stage_begin(s, "planning");
        st = study_together(s, choosing->count, false, try_one, choosing, err);
        study_stage_end(s);
    }
    scouts_end(s, scouts);
    return st;
}

static const struct deal_choice *known(const struct study *s, const struct study_cell *cell)
{
    const struct study *like = s->o.like;
    for (int i = 0; i < s->choices; i++)
        if (!memcmp(s->choice[i].budget, cell->budget_bytes, sizeof cell->budget_bytes)) return &s->choice[i];
    return like && s->o.like_deal && like->choices ? &like->choice[0] : NULL;
}

/* Chooses for all budgets at once, candidate by candidate. */
static enum st choose_all(struct study *s, struct choosing *choosing, struct err *err)
{
    struct candidate candidate[DEALS_MOST];
    int candidates = candidates_of(&s->o, candidate);
    PASS(deal_choices_grow(s, choosing->count, err));
    choosing->choice = s->choice + s->choices;
    for (int i = 0; i < choosing->count; i++) {
        struct deal_choice *choice = &choosing->choice[i];
        *choice = (struct deal_choice){.kind = candidate[0].kind, .tried = doc_array(), .scores = candidates};
        memcpy(choice->budget, choosing->cell[i]->budget_bytes, sizeof choice->budget);
        for (int k = 0; k < candidates; k++)
            choice->score[k] = (struct study_deal_score){candidate[k].kind, candidate[k].method, NAN, NAN};
        choosing->least[i] = (struct study_score){NAN, NAN, UINT64_MAX, UINT64_MAX};
    }
    s->choices += choosing->count;
    if (s->o.told) s->o.told->total += candidates > 1 ? candidates * choosing->count : 0;
    study_course_step(s, STEP_DEAL);
    for (int k = 0; k < candidates && candidates > 1; k++) {
        bool any = false;
        for (int i = 0; i < choosing->count; i++) any |= tries(&candidate[k], choosing->least[i]);
        if (!any) {
            if (s->o.told) s->o.told->total -= choosing->count;
            continue;
        }
        choosing->tried = candidate[k];
        choosing->number = k;
        study_course_piece(s, STEP_DEAL);
        PASS(try_deal(s, choosing, err));
    }
    return ST_OK;
}

/* Deals that are tried share their lists of reads, which go then, unless other studies may borrow them. */
static enum st choose_sharing(struct study *s, struct choosing *choosing, struct err *err)
{
    s->keeps_lists = true;
    enum st st = choose_all(s, choosing, err);
    s->keeps_lists = false;
    if (s->o.memo == &s->memo) partition_memo_drop_lists(&s->memo);
    return st;
}

enum st study_deal_ahead(struct study *s, const struct study_cell *cells, int count, struct err *err)
{
    OWNED const struct study_cell **cell = NULL;
    MAKE(cell, count, "budgets");
    OWNED const struct study_cell **scout = NULL;
    MAKE(scout, count, "budgets");
    OWNED_NEW(struct study_score, least, count, "budgets");
    struct choosing choosing = {.cell = cell, .least = least};
    for (int i = 0; i < count; i++) {
        bool there = fixed_kind(s, cells[i].policy) != ASSIGNMENT_KINDS || known(s, &cells[i]);
        for (int k = 0; k < choosing.count && !there; k++)
            there = !memcmp(choosing.cell[k]->budget_bytes, cells[i].budget_bytes, sizeof cells[i].budget_bytes);
        if (!there) choosing.cell[choosing.count++] = &cells[i];
    }
    if (!s->o.quick) return choosing.count ? choose_sharing(s, &choosing, err) : ST_OK;
    for (int left = choosing.count;;) {
        PASS(deal_ranges_next(s, cell, &left, scout, &choosing.count, err));
        if (!choosing.count) return ST_OK;
        choosing.cell = scout;
        PASS(choose_sharing(s, &choosing, err));
    }
}

/* 1 when the recording that the cell would take is not among seen[count], and then it is added. */
static int add_key(const struct study_options *o, const struct study_cell *cell, enum assignment_kind kind,
                   struct recording_key *seen, int count)
{
    struct recording_key key = key_of(o, cell->policy, cell->options_given ? cell->option : NULL, kind,
                                      o->presample_epochs);
    key.samplers = policy_samplers(cell->policy, o->server, cell->options_given ? cell->option : NULL);
    for (int k = 0; k < count; k++)
        if (recording_key_equal(&seen[k], &key)) return 0;
    seen[count] = key;
    return 1;
}

void study_deal(const struct study *s, const struct study_cell *cell, struct recording_key *key)
{
    enum assignment_kind kind = fixed_kind(s, cell->policy);
    const struct deal_choice *chosen = kind == ASSIGNMENT_KINDS ? known(s, cell) : NULL;
    if (chosen) kind = chosen->kind;
    *key = key_of(&s->o, cell->policy, cell->option, kind, s->o.presample_epochs);
    if (chosen && chosen->method) key->method = chosen->method;
    if (kind == ASSIGNMENT_GLOBAL) key->samplers = policy_samplers(cell->policy, s->o.server, cell->option);
}

int study_deals_planned(const struct study_options *o, const struct study_cell *cells, int count)
{
    struct candidate candidate[DEALS_MOST];
    bool any = false;
    for (int i = 0; i < count; i++) any |= kind_by(o, NULL, cells[i].policy) == ASSIGNMENT_KINDS;
    return any ? candidates_of(o, candidate) : 0;
}

int study_recordings(const struct study_options *o, const struct study_cell *cells, int count)
{
    struct recording_key seen[STUDY_RECORDINGS];
    struct candidate candidate[DEALS_MOST];
    int recordings = 0, planned = 0, ordered = 0;
    bool choice = false; /* a policy may choose another split than its rule says, which takes one more */
    for (int i = 0; i < count && recordings < STUDY_RECORDINGS; i++) {
        const struct policy *policy = cells[i].policy;
        enum assignment_kind fixed = kind_by(o, NULL, policy);
        if (fixed == ASSIGNMENT_KINDS) planned++;
        else recordings += add_key(o, &cells[i], fixed, seen, recordings);
        ordered += study_order_planned(o, policy) ? ORDERS_MOST : 0;
        choice |= policy->choose_samplers && (!cells[i].options_given || isnan(cells[i].option[0]));
    }
    int candidates = planned ? candidates_of(o, candidate) : 0;
    int most = recordings + choice + candidates + (planned < candidates ? planned : candidates) + ordered;
    return most < STUDY_RECORDINGS ? most : STUDY_RECORDINGS;
}

/* ---- what is known beforehand ---- */

static int add_once(const struct recording_key *key, struct recording_key *keys, int count)
{
    for (int k = 0; k < count; k++)
        if (recording_key_equal(&keys[k], key)) return count;
    if (count < STUDY_KEYS) keys[count++] = *key;
    return count;
}

int study_keys_ahead(const struct study *s, const struct study_cell *cells, int count, bool likely,
                     struct recording_key *keys)
{
    struct candidate candidate[DEALS_MOST];
    int found = 0, candidates = candidates_of(&s->o, candidate);
    bool planned = false;
    for (int i = 0; i < count; i++) planned |= fixed_kind(s, cells[i].policy) == ASSIGNMENT_KINDS;
    for (int k = 0; k < (planned ? candidates : 0); k++) { /* deals are tried before anything else is recorded */
        struct recording_key key = key_of(&s->o, &policy_hotset, NULL, candidate[k].kind, 1);
        if (candidate[k].below > 0 && !(likely && candidate[k].method)) continue;
        if (candidate[k].method) key.method = candidate[k].method;
        found = add_once(&key, keys, found);
    }
    for (int i = 0; i < count; i++) {
        const enum assignment_kind fixed = fixed_kind(s, cells[i].policy);
        const struct recording_key key = key_of(&s->o, cells[i].policy, cells[i].option, fixed, 1);
        if (fixed != ASSIGNMENT_KINDS) found = add_once(&key, keys, found);
    }
    return found;
}

void study_deal_state(const struct study *s, const struct study_cell *cell, struct plan *p)
{
    const struct study_recording *r = cell->recording;
    bool planned = fixed_kind(s, cell->policy) == ASSIGNMENT_KINDS;
    doc *d = doc_object(), *per_gpu = doc_array();
    double busiest = gathers(r, per_gpu).over_mean;
    DOC_PUT(d, IS("chosen", deal_word(r->trace->assignment.kind)), IS("partition", r->trace->assignment.partition),
            IS("tried", planned ? doc_copy(known(s, cell)->tried) : doc_array()));
    if (!planned && chooses(&s->o, s->parts != NULL, cell->policy)) doc_put(d, "too_large_to_try", doc_bool(true));
    DOC_PUT(d, IS("gathers_per_gpu", per_gpu), IS("busiest_gathers", busiest));
    plan_note(p, "deal", d);
}
