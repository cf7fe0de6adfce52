#define _GNU_SOURCE /* strcasestr */
/* hotset list - what there is: policies, hotness metrics, formats, backends, servers, data sets, caches, claims,
 * exports, forms of documents. */
#include <math.h>
#include <string.h>

#include "base/fields_schema.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/cluster.h"
#include "hwprofiles/model/drive.h"
#include "hwprofiles/model/server_fields.h"
#include "planner/commands/commands.h"
#include "planner/claims/paper_figure.h"
#include "planner/running/observed.h"
#include "reports/shell/page_kind.h"
#include "planner/decisions/size_money.h"
#include "planner/exports/export.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/references.h"
#include "planner/validation/validation_case.h"
#include "reports/plots/result_fields.h"
#include "reports/sizing/sizing.h"
#include "simulator/caches/cache.h"
#include "simulator/lib/plan_json.h"
#include "simulator/movement/calibration.h"
#include "traces/formats/graph_format.h"
#include "traces/graph/graph_fields.h"
#include "traces/recording/trace_fields.h"
#include "traces/synth/synth.h"
#include "traces/synth/synth_types.h"

#define LIST_COLUMNS 7 /* beside the name, at most */

static void item(doc *list, const char *name, const char *summary, const char *third, const char *third_key)
{
    doc *d = DOC(IS("name", name), IS("summary", summary));
    if (third_key) doc_put(d, third_key, doc_text(third));
    doc_append(list, d);
}

static void list_policies(doc *to)
{
    for (const struct policy *const *p = policies_registered; *p; p++) {
        item(to, (*p)->name, (*p)->summary, (*p)->source, "source");
        doc *options = doc_array();
        for (const struct policy_option *o = (*p)->options; o->name; o++)
            item(options, o->name, o->summary, NULL, NULL);
        doc_put(doc_at(to, doc_size(to) - 1), "options", options);
    }
}

/* Papers behind policies, each with the policies that cite it. */
static void list_bibtex(doc *to)
{
    for (const struct reference *r = references; r->source; r++) {
        doc *d = doc_object(), *names = doc_array();
        DOC_PUT(d, IS("name", r->source), IS("bibtex", r->bibtex));
        for (const struct policy *const *p = policies_registered; *p; p++)
            if (reference_of(r, *p)) doc_append(names, doc_text((*p)->name));
        doc_put(d, "policies", names);
        doc_append(to, d);
    }
}

static void list_hotness(doc *to)
{
    for (const struct hotness *h = hotness_all; h->name; h++) item(to, h->name, h->summary, NULL, NULL);
}

static void list_formats(doc *to)
{
    for (const struct graph_format *const *f = graph_formats_registered; *f; f++)
        item(to, (*f)->name, (*f)->summary, "graph", "kind");
    for (const struct server_format *const *f = server_formats_registered; *f; f++)
        item(to, (*f)->name, (*f)->summary, "server", "kind");
}

static void list_backends(doc *to)
{
    for (const struct kernels *const *k = kernels_all(); *k; k++) {
        const char *missing = (*k)->missing ? (*k)->missing() : NULL;
        item(to, (*k)->name, (*k)->summary, missing ? missing : "ready", "state");
    }
}

/* GPUs, the least memory of one, and the price on demand, where they are stated. */
static void put_machine(const struct size_prices *p, const struct server *s, doc *d)
{
    uint64_t least = UINT64_MAX;
    const struct size_price price = size_price_of(p, s);
    for (int i = 0; i < s->gpus; i++) least = s->gpu[i].memory_bytes < least ? s->gpu[i].memory_bytes : least;
    DOC_PUT(d, IS("gpus", s->gpus), IS("gpu_memory_bytes", least), IS("price_per_hour", price.per_hour),
            IS("currency", price.currency));
}

static void list_servers(doc *to)
{
    struct err ignored = {0};
    struct size_prices prices = {0};
    if (size_prices_open(NULL, TERM_ON_DEMAND, NAN, &prices, &ignored) != ST_OK) text_note_loss();
    for (const char *const *n = server_names(); *n; n++) {
        struct server *s = mem_array(1, sizeof *s, "a server", &ignored);
        bool good = s && server_load(*n, s, &ignored) == ST_OK;
        item(to, *n, good ? s->description : ignored.text, NULL, NULL);
        if (good) put_machine(&prices, s, doc_at(to, doc_size(to) - 1));
        if (s) server_release(s);
        mem_free(s);
    }
    size_prices_release(&prices);
}

static void list_drives(doc *to)
{
    struct err ignored = {0};
    for (const char *const *n = drive_names(); *n; n++) {
        const char *text = drive_text(*n);
        doc *d = NULL;
        bool good = doc_parse(text, strlen(text), *n, &d, &ignored) == ST_OK;
        item(to, *n, good ? doc_text_value(doc_get(d, "description"), "") : ignored.text, NULL, NULL);
        doc_free(d);
    }
}

static void list_caches(doc *to)
{
    for (const struct cache *const *c = caches_registered; *c; c++)
        item(to, (*c)->name, (*c)->summary, (*c)->source, "source");
}

static void list_claims(doc *to)
{
    struct paper_figures *all = NULL;
    struct err memory = {0};
    if (paper_figures_open(&all, &memory) != ST_OK) text_note_loss();
    for (int i = 0; all && i < all->count; i++) {
        const struct paper_figure *figure = &all->figure[i];
        char source[120];
        snprintf(source, sizeof source, "%s, %s", figure->paper, figure->place);
        item(to, figure->name, figure->title, source, "source");
    }
    paper_figures_free(all);
}

static void list_exports(doc *to)
{
    for (const struct export_target *const *t = exports_registered; *t; t++)
        item(to, (*t)->name, (*t)->summary, (*t)->source, "source");
}

static void list_datasets(doc *to)
{
    for (const struct synth_data_set *d = synth_data_sets; d->name; d++) {
        char text[320], vertices[UNIT_TEXT], edges[UNIT_TEXT], train[UNIT_TEXT];
        snprintf(text, sizeof text, "%s vertices, %s arcs, rows of %llu x %s, %s train; stand-in: %s, %s%s",
                 units_count(vertices, (uint64_t)d->vertices), units_count(edges, (uint64_t)d->edges),
                 (unsigned long long)d->dim, d->element, units_count(train, (uint64_t)(d->train + 0.5)), d->kind->name,
                 d->kind->both ? "undirected"
                 : d->reversed ? "reverse arcs added, as in "
                               : "arcs as published",
                 d->reversed ? d->reversed : "");
        item(to, d->name, text, d->source, "source");
    }
    for (const struct synth_set *s = synth_types_sets; s->name; s++) {
        char text[320], vertices[UNIT_TEXT], edges[UNIT_TEXT];
        double n = 0, m = 0;
        int types = 0;
        for (; types < SYNTH_SET_TYPES && s->type[types].name; types++) n += s->type[types].count;
        for (int r = 0; r < SYNTH_SET_RELATIONS && s->relation[r].name; r++) m += s->relation[r].edges;
        snprintf(text, sizeof text,
                 "%s vertices of %d types, %s edges before reverse ones; stand-in: community, reverse edges added, as "
                 "in %s",
                 units_count(vertices, (uint64_t)n), types, units_count(edges, (uint64_t)m), s->reversed);
        item(to, s->name, text, s->source, "source");
    }
}

/* Documents with a table of their keys. */
static const struct schema {
    const char *name, *summary;
    const struct field *fields;
} schemas[] = {{"server/1", "A server: its GPUs, links and rates.", server_fields},
               {"cluster/1", "Several equal servers and the network between them.", cluster_fields},
               {"drive/1", "An SSD: how much it holds, and how fast it reads.", drive_fields},
               {"prices/1", "What servers cost per hour.", size_price_fields},
               {"validation-case/1", "Measured numbers, and the model that predicts them.", validation_case_fields},
               {"calibration/1", "Measured epochs, which correct the time model.", calibration_fields},
               {"graph/1", "graph.json of one type of vertices and edges.", graph_fields_1},
               {"graph/2", "graph.json of several types.", graph_fields_2},
               {"trace/1", "trace.json of a graph with one type of vertices.", trace_fields_1},
               {"trace/2", "trace.json of a graph with several types.", trace_fields_2},
               {"plan/1", "plan.json of a graph with one type of vertices.", plan_fields_1},
               {"plan/2", "plan.json of a graph with several types.", plan_fields_2},
               {"size/1", "What hotset size answers.", sizing_fields},
               {"results/1", "What hotset compare and simulate write: a row per plan.", results_fields},
               {"batches/1", "batches.json of simulate --export-batches, of a graph with one type.", batches_fields},
               {"observed/1", "A line of counters that a job appends by hotset_observe.", observed_fields}};

/* *out: schema number i, of the list above, then of pages that have a table of keys. false: there are no more. */
static bool schema_at(size_t i, struct schema *out)
{
    const size_t count = sizeof schemas / sizeof *schemas;
    if (i < count) *out = schemas[i];
    for (const struct page_kind *const *k = page_kinds_registered; i >= count; k++) {
        if (!*k) return false;
        if (!(*k)->fields || i-- > count) continue;
        *out = (struct schema){(*k)->exact, (*k)->what, (*k)->fields};
    }
    return true;
}

static void list_schemas(doc *to)
{
    struct schema s;
    for (size_t i = 0; schema_at(i, &s); i++) {
        char file[64];
        snprintf(file, sizeof file, "%s.json", s.name);
        *strchr(file, '/') = '-';
        item(to, s.name, s.summary, file, "file");
    }
}

/* The document of that name: its JSON Schema, and for people the table of its keys. false: there is none. */
static bool schema_named(const char *name, struct schema *out)
{
    for (size_t i = 0; schema_at(i, out); i++)
        if (!strcmp(out->name, name)) return true;
    return false;
}

struct listing {
    const char *name;
    void (*fill)(doc *to);
};
static const struct listing listings[] = {{"policies", list_policies}, {"hotness", list_hotness},
                                          {"formats", list_formats},   {"backends", list_backends},
                                          {"servers", list_servers},   {"drives", list_drives},
                                          {"datasets", list_datasets}, {"caches", list_caches},
                                          {"claims", list_claims},     {"exports", list_exports},
                                          {"bibtex", list_bibtex},     {"schemas", list_schemas}};

/* The next line of a text: at most `room` characters, cut at a blank where there is one. Returns its length; *text
 * moves behind it. */
static int next_line(const char **text, int room)
{
    int length = (int)strlen(*text), cut = room;
    if (length <= room) {
        *text += length;
        return length;
    }
    while (cut > 0 && (*text)[cut] != ' ') cut--;
    if (!cut) cut = room;
    *text += cut + ((*text)[cut] == ' ');
    return cut;
}

/* Characters that a member takes in the widest item. */
static int widest(const doc *list, const char *key)
{
    int most = 0;
    for (uint64_t i = 0; i < doc_size(list); i++) {
        int length = (int)strlen(doc_text_value(doc_get(doc_at(list, i), key), ""));
        most = length > most ? length : most;
    }
    return most;
}

/* What stands beside a name: the member, its header, and the room that its column has. */
struct column {
    const char *key, *header;
    int room;
};

/* Columns of the list; the summary takes what is left of a line, at least half of it beside a long last column. */
static int columns_of(const doc *list, struct column out[])
{
    enum { WIDTH = 100, BETWEEN = 2 };
    static const struct column all[] = {{"summary", "what it is", 0}, {"has", "GPUs", 0},  {"price", "per hour", 0},
                                        {"source", "source", 0},      {"kind", "kind", 0}, {"state", "state", 0},
                                        {"file", "file", 0}};
    int count = 0, left = WIDTH - widest(list, "name");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!widest(list, all[i].key)) continue;
        out[count] = all[i];
        out[count].room = widest(list, all[i].key);
        if (out[count].room < (int)strlen(all[i].header)) out[count].room = (int)strlen(all[i].header);
        left -= BETWEEN + out[count++].room;
    }
    for (int i = count - 1; i >= 0 && left < 0; i--) {
        int least = 40, cut = out[i].room - least < -left ? out[i].room - least : -left;
        if (cut <= 0) continue;
        out[i].room -= cut;
        left += cut;
    }
    return count;
}

/* One item; what is too long goes on below. */
static void add_item(struct table *t, const doc *d, const struct column *c, int columns)
{
    const char *rest[LIST_COLUMNS];
    bool more = true;
    for (int i = 0; i < columns; i++) rest[i] = doc_text_value(doc_get(d, c[i].key), "");
    for (bool first = true; first || more; first = false) {
        table_add(t, "%s", first ? doc_text_value(doc_get(d, "name"), "") : "");
        more = false;
        for (int i = 0; i < columns; i++) {
            const char *line = rest[i];
            int length = next_line(&rest[i], c[i].room);
            table_add(t, "%.*s", length, line);
            more |= *rest[i] != 0;
        }
    }
}

/* "8 x 80 GiB" and "$27.45", for people. */
static void tell_machine(doc *d)
{
    char has[64], price[64] = "";
    double memory = doc_number(d, "gpu_memory_bytes"), hour = doc_number(d, "price_per_hour");
    if (isnan(memory)) return;
    snprintf(has, sizeof has, "%lld x %.0f GiB", (long long)doc_integer_value(doc_get(d, "gpus"), 0),
             memory / (1 << 30));
    if (hour > 0) snprintf(price, sizeof price, "%s%.2f", doc_text_value(doc_get(d, "currency"), ""), hour);
    DOC_PUT(d, IS("has", has), IS("price", price));
}

static void list_print(const doc *all, FILE *to)
{
    OWNED_DOC doc *list = doc_copy(all);
    for (uint64_t i = 0; i < doc_size(list); i++) tell_machine(doc_at(list, i));
    for (uint64_t i = 0; doc_get(doc_at(list, 0), "bibtex") && i < doc_size(list); i++)
        fprintf(to, "%s%s", i ? "\n" : "", doc_text_value(doc_get(doc_at(list, i), "bibtex"), ""));
    if (doc_get(doc_at(list, 0), "bibtex")) return;
    struct column column[LIST_COLUMNS];
    const char *headers[LIST_COLUMNS + 2] = {"name"};
    int columns = columns_of(list, column);
    for (int i = 0; i < columns; i++) headers[i + 1] = column[i].header;
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(list); i++) add_item(t, doc_at(list, i), column, columns);
    table_show(t, to);
}

static bool holds(const doc *d, const char *key, const char *part)
{
    return strcasestr(doc_text_value(doc_get(d, key), ""), part);
}

/* What has the word in its name or summary; of no use where that is nothing. */
static doc *named(const doc *list, const char *part)
{
    doc *kept = doc_array();
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (holds(doc_at(list, i), "name", part) || holds(doc_at(list, i), "summary", part))
            doc_append(kept, doc_copy(doc_at(list, i)));
    return kept;
}

static enum st list_run(struct call *call, struct err *err)
{
    struct schema one;
    if (call->word_count > 1 && !strcmp(call->words[0], "schemas") && schema_named(call->words[1], &one)) {
        if (call_prints(call)) fields_print(one.fields, call->out);
        return call_finish(call, fields_schema(one.fields, one.name, one.summary), err);
    }
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        if (strcmp(listings[i].name, call->words[0])) continue;
        OWNED_DOC doc *all = doc_array();
        listings[i].fill(all);
        doc *d = doc_object(), *list = call->word_count > 1 ? named(all, call->words[1]) : doc_copy(all);
        DOC_PUT(d, IS("schema", "list/1"), IS(listings[i].name, list));
        if (!doc_size(list))
            call_say(call, "nothing here has '%.40s' in its name or description; without the word all are shown",
                     call->words[1]);
        else if (call_prints(call)) list_print(list, call->out);
        return call_finish(call, d, err);
    }
    const char *names[sizeof listings / sizeof *listings + 1] = {0};
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) names[i] = listings[i].name;
    const char *near = text_nearest(call->words[0], names);
    if (near) return err_set(err, ST_USAGE, "'%.40s' cannot be listed; did you mean '%s'?", call->words[0], near);
    return err_set(err, ST_USAGE,
                   "'%.40s' cannot be listed; expected policies, hotness, formats, backends, servers, drives, "
                   "datasets, caches, claims, exports, bibtex or schemas",
                   call->words[0]);
}

extern const struct command cmd_list;
const struct command cmd_list = {
    .name = "list",
    .stage = COMMAND_MORE,
    .rank = 4,
    .summary = "list policies, hotness metrics, formats, backends, servers, drives, data sets, caches, claims, "
               "exports, bibtex entries or schemas",
    .arguments = "policies|hotness|formats|backends|servers|drives|datasets|caches|claims|exports|bibtex|schemas "
                 "[WORD]",
    .about = "With WORD only those whose name or description has it: 'hotset list servers a100'. With the name of a\n"
             "document, 'hotset list schemas server/1' explains its keys; with --json it is a JSON Schema.",
    .names = true,
    .words_low = 1,
    .words_high = 2,
    .run = list_run,
};
