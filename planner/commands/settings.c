#include "planner/commands/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "planner/exports/export.h"
#include "planner/partition/deal.h"
#include "planner/policies/policy.h"

/* ---- options as texts ---- */

/* What the user would type for the option's value; NULL for a flag that is off. */
static doc *value_text(const struct param *p, const void *args)
{
    char room[PARAM_TEXT_ROOM];
    const char *text = param_text(p, args, room);
    return p->kind == PARAM_FLAG ? doc_bool(text != NULL) : doc_text(text);
}

/* A list of a document as users type it: 25,10, or names of relations. */
static void put_items(const doc *list, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < doc_size(list); i++) {
        const doc *v = doc_at(list, i);
        text_append(out, size, i ? "," : "");
        if (doc_is_text(v)) text_append(out, size, "%s", doc_text_value(v, ""));
        else text_append(out, size, "%lld", (long long)doc_integer_value(v, 0));
    }
}

/* Fan-outs of several relations: the list that most have stands for all that are not named, or alone where all have
 * it. NULL where that is longer than an option. */
static doc *fanouts_text(const doc *of)
{
    char text[4096] = "", most[256] = "", list[256], other[256];
    int best = 0, relations = 0;
    for (const char *key = doc_next_key(of, NULL); key; key = doc_next_key(of, key), relations++) {
        int alike = 0;
        put_items(doc_get(of, key), list, sizeof list);
        for (const char *k = doc_next_key(of, NULL); k; k = doc_next_key(of, k)) {
            put_items(doc_get(of, k), other, sizeof other);
            alike += !strcmp(list, other);
        }
        if (alike > best) snprintf(most, sizeof most, "%s", list);
        if (alike > best) best = alike;
    }
    if (best == relations) return relations ? doc_text(most) : NULL;
    for (const char *key = doc_next_key(of, NULL); key; key = doc_next_key(of, key)) {
        put_items(doc_get(of, key), list, sizeof list);
        if (strcmp(list, most)) text_append(text, sizeof text, "%s=%s;", key, list);
    }
    text_append(text, sizeof text, "*=%s", most);
    return strlen(text) < sizeof text - 1 ? doc_text(text) : NULL;
}

/* A member of a workload as the text of its option, a flag as itself; NULL for a flag that is off. */
static doc *member_text(const doc *v)
{
    char text[1024] = "";
    if (doc_is_text(v) || doc_bool_value(v, false)) return doc_copy(v);
    if (doc_is_integer(v)) snprintf(text, sizeof text, "%lld", (long long)doc_integer_value(v, 0));
    else if (doc_is_number(v)) snprintf(text, sizeof text, "%.9g", doc_real_value(v, 0));
    else if (doc_is_array(v)) put_items(v, text, sizeof text);
    else return doc_is_object(v) ? fanouts_text(v) : NULL;
    return doc_text(text);
}

/* Whether the option means this where it is not given. */
static bool is_default(const struct param *params, const char *name, const char *text)
{
    static const char *const unstated[][2] = {{"labor-iterations", "0"}, {"batch-dependency", "1"},
                                              {"walks", "10"},           {"walk-length", "3"},
                                              {"restart", "0.5"},        {"edge-share", "0.8"}};
    const struct param *p = params_called(params, name);
    if (!p) p = params_called(common_params, name);
    for (size_t i = 0; i < sizeof unstated / sizeof *unstated; i++)
        if (!strcmp(name, unstated[i][0]) && !strcmp(text, unstated[i][1])) return true;
    return p && p->fallback && !strcmp(p->fallback, text);
}

/* Adds the workload's `key` under the name of its option; the steps of a walk are its fan-outs. */
static void put_member(const doc *workload, const char *key, doc *settings)
{
    char name[64], steps[16], seeds[PATH_BYTES];
    const doc *of = doc_get(workload, key), *relation = doc_get(workload, "seed_relation");
    uint64_t path = doc_size(doc_get(workload, "metapath"));
    doc *text = NULL;
    snprintf(name, sizeof name, "%s", key);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    if (!strcmp(name, "fanout") && doc_get(workload, "walks")) {
        const char *any = doc_next_key(of, NULL);
        uint64_t length = doc_size(any ? doc_get(of, any) : of);
        snprintf(name, sizeof name, "walk-length");
        snprintf(steps, sizeof steps, "%llu", (unsigned long long)length);
        if (length != path) text = doc_text(steps); /* else as many as the metapath names */
    } else if (!strcmp(name, "seeds") && relation) {
        snprintf(seeds, sizeof seeds, "%s:%s", doc_text_value(of, ""), doc_text_value(relation, ""));
        text = doc_text(seeds);
    } else if (strcmp(name, "seed-relation")) text = member_text(of);
    if (text) doc_put(settings, name, text);
}

void settings_of_workload(const doc *workload, doc *settings)
{
    for (const char *key = doc_next_key(workload, NULL); key; key = doc_next_key(workload, key))
        put_member(workload, key, settings);
}

/* The deal of a trace, where the policy takes one and the option has a word for it; NULL elsewhere. */
static const char *traced_deal(const struct plan *p)
{
    const char *deal = doc_text_value(doc_get(doc_get(p->notes, "deal"), "chosen"), "");
    const struct policy *policy;
    struct err ignored = {0};
    return policy_find(p->policy, &policy, &ignored) == ST_OK && policy->any_deal && deal_kind(deal) != ASSIGNMENT_KINDS
               ? deal
               : NULL;
}

/* The option's value; a runtime by its own name. NULL for a flag that is off. */
static doc *setting_of(const struct param *o, const void *args)
{
    struct err ignored = {0};
    const struct export_target *runtime;
    doc *value = value_text(o, args);
    if (strcmp(o->name, "for") || export_find("--for", doc_text_value(value, ""), &runtime, &ignored) != ST_OK)
        return value;
    doc_free(value);
    return doc_text(runtime->name);
}

/* What the plan of a trace says of an option that the trace brings: as it would be given without the trace. */
static doc *brought_by(const struct plan *p, const char *name, const doc *of_workload)
{
    char epochs[32] = "";
    if (p->presample_epochs) snprintf(epochs, sizeof epochs, "%llu", (unsigned long long)p->presample_epochs);
    if (!strcmp(name, "assignment")) return traced_deal(p) ? doc_text(traced_deal(p)) : NULL;
    if (!strcmp(name, "presample-epochs")) return *epochs ? doc_text(epochs) : NULL;
    return doc_get(of_workload, name) ? doc_copy(doc_get(of_workload, name)) : NULL;
}

/* What the command line says of an option: of the workload in the one spelling of the plan's, except for what was left
 * to choose. */
static doc *given_by(const struct call *call, const struct param *o, const doc *of_workload)
{
    doc *value = call_given(call, o->name) ? setting_of(o, call->args) : NULL;
    const doc *known = doc_get(of_workload, o->name);
    if (!value || !known || !strcmp(doc_text_value(value, ""), "auto")) return value;
    doc_free(value);
    return doc_copy(known);
}

void settings_state(const struct call *call, const struct settings_brought *trace, const struct graph *graph,
                    struct plan *p)
{
    static const char no_settings[] = " graph server output like trace scratch explain-budget no-resume resume ",
                      of_traces[] = " assignment parts presample-epochs ";
    doc *d = doc_object(), *workload = doc_object(), *of_workload = doc_object();
    char word[80], seed[32];
    workload_put(graph, &p->workload, workload);
    settings_of_workload(workload, of_workload);
    for (const struct param *o = call->params; o && o->name; o++) {
        snprintf(word, sizeof word, " %s ", o->name);
        if (param_is_alias(o) || o->kind == PARAM_GROUP || strstr(no_settings, word)) continue;
        bool brought = trace && (strstr(of_traces, word) ||
                                 (o->offset >= trace->from && o->offset < trace->from + trace->bytes));
        doc *value = brought ? brought_by(p, o->name, of_workload) : given_by(call, o, of_workload);
        /* a default that is spelled out is no setting: the plan is the same */
        if (value && !is_default(call->params, o->name, doc_text_value(value, ""))) doc_put(d, o->name, value);
        else doc_free(value);
    }
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)(trace ? p->workload.seed : (uint64_t)call->common.seed));
    if ((trace || call_given(call, "seed")) && !is_default(NULL, "seed", seed)) doc_put(d, "seed", doc_text(seed));
    plan_note(p, "settings", d);
    doc_free(of_workload);
    doc_free(workload);
}

const char *settings_text(const struct plan *p, const char *name)
{
    return doc_text_value(doc_get(doc_get(p->notes, "settings"), name), NULL);
}

struct epoch_args settings_timing(const struct call *call, const struct epoch_args *given, const struct plan *p)
{
    struct epoch_args a = *given;
    const struct {
        const char *name;
        const char **text;
        int64_t *count;
    } of[] = {{"model", &a.model, NULL},
              {"precision", &a.precision, NULL},
              {"schedule", &a.schedule, NULL},
              {"prefetch", &a.prefetch, NULL},
              {"unoverlapped", &a.unoverlapped, NULL},
              {"cpu-share", &a.cpu_share, NULL},
              {"calibration", &a.calibration, NULL},
              {"hidden", NULL, &a.hidden},
              {"classes", NULL, &a.classes}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const char *text = settings_text(p, of[i].name);
        if (!text || call_given(call, of[i].name)) continue;
        if (of[i].text) *of[i].text = text;
        else *of[i].count = strtoll(text, NULL, 10);
    }
    return a;
}
