#include "planner/commands/like.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/units.h"

/* ---- options as texts ---- */

static void list_text(const struct int_list *list, char *out, size_t size)
{
    for (int i = 0; i < list->count; i++) text_append(out, size, "%s%lld", i ? "," : "", (long long)list->value[i]);
}

/* What the user would type for the option's value; NULL for a flag that is off. */
static doc *value_text(const struct param *p, const void *args)
{
    const char *at = (const char *)args + p->offset;
    char text[INT_LIST_MAX * 22] = "";
    switch (p->kind) {
    case PARAM_FLAG: return doc_bool(*(const bool *)at);
    case PARAM_INTEGER: snprintf(text, sizeof text, "%lld", (long long)*(const int64_t *)at); break;
    case PARAM_REAL:
        snprintf(text, sizeof text, "%.9g", *(const double *)at);
        if (strtod(text, NULL) != *(const double *)at) snprintf(text, sizeof text, "%.17g", *(const double *)at);
        break;
    case PARAM_SIZE: snprintf(text, sizeof text, "%lluB", (unsigned long long)*(const uint64_t *)at); break;
    case PARAM_TEXT: return doc_text(*(const char *const *)at);
    case PARAM_LIST:
        if (((const struct int_list *)(const void *)at)->named)
            return doc_text(((const struct int_list *)(const void *)at)->named);
        list_text((const void *)at, text, sizeof text);
        break;
    case PARAM_GROUP:
    case PARAM_ALIAS:
    case PARAM_RENAMED: break;
    }
    return doc_text(text);
}

/* A member of a workload as the text of the option; NULL where it has no such form. */
static doc *member_text(const doc *v)
{
    char text[INT_LIST_MAX * 22] = "";
    if (doc_is_integer(v)) snprintf(text, sizeof text, "%lld", (long long)doc_integer_value(v, 0));
    else if (doc_is_number(v)) snprintf(text, sizeof text, "%.9g", doc_real_value(v, 0));
    else if (doc_is_array(v))
        for (size_t i = 0; i < doc_size(v); i++) {
            if (!doc_is_integer(doc_at(v, i))) return NULL;
            text_append(text, sizeof text, "%s%lld", i ? "," : "", (long long)doc_integer_value(doc_at(v, i), 0));
        }
    else return doc_is_text(v) ? doc_copy(v) : NULL;
    return doc_text(text);
}

/* Adds the members of a workload, under the names of options. */
static void put_workload(const doc *workload, doc *settings)
{
    for (const char *key = doc_next_key(workload, NULL); key; key = doc_next_key(workload, key)) {
        char name[64];
        doc *text = member_text(doc_get(workload, key));
        snprintf(name, sizeof name, "%s", key);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        if (text) doc_put(settings, name, text);
    }
}

void like_state(const struct call *call, bool traced, size_t from, size_t bytes, const struct graph *graph,
                struct plan *p)
{
    static const char *const others[] = {"graph",   "server",         "output",    "like",  "trace",
                                         "scratch", "explain-budget", "no-resume", "resume"},
                             *const of_trace[] = {"deal", "parts", "presample-epochs"};
    doc *d = doc_object(), *workload = doc_object();
    char text[32];
    for (const struct param *o = call->params; o && o->name; o++) {
        bool mine = !param_is_alias(o) && call_given(call, o->name);
        for (size_t i = 0; mine && i < sizeof others / sizeof *others; i++) mine = strcmp(o->name, others[i]) != 0;
        if (traced) mine &= o->offset < from || o->offset >= from + bytes;
        for (int i = 0; traced && i < 3; i++) mine &= strcmp(o->name, of_trace[i]) != 0;
        doc *value = mine ? value_text(o, call->args) : NULL;
        if (mine && !(o->fallback && !strcmp(doc_text_value(value, ""), o->fallback))) doc_put(d, o->name, value);
        else doc_free(value); /* a default that is spelled out is no setting: the plan is the same */
    }
    snprintf(text, sizeof text, "%lld", (long long)call->common.seed);
    if (call_given(call, "seed") && !traced && strcmp(text, params_called(common_params, "seed")->fallback)) {
        doc_put(d, "seed", doc_text(text));
    }
    workload_put(graph, &p->workload, workload);
    if (traced) put_workload(workload, d);
    snprintf(text, sizeof text, "%llu", (unsigned long long)p->presample_epochs);
    if (traced && p->presample_epochs) doc_put(d, "presample-epochs", doc_text(text));
    plan_state(p, "settings", d);
    doc_free(workload);
}

/* ---- a plan's settings ---- */

/* plan.json of a plan directory, of any kind. folder: the directory, or that of the first of its nodes. */
static enum st open_plan(const char *path, char folder[PATH_BYTES], doc **out, struct err *err)
{
    enum st st;
    char where[PATH_BYTES];
    bool plain, several;
    snprintf(folder, PATH_BYTES, "%s/node0", path);
    if (!file_is_directory(folder)) snprintf(folder, PATH_BYTES, "%s", path);
    TRY(folder_document(where, folder, "plan.json", err));
    TRY(doc_has_schema(where, "plan/1", &plain, err));
    TRY(plan_has_types(folder, &several, err));
    TRY(doc_load(where, several ? "plan/2" : "plan/1", out, err));
done:
    return st;
}

/* Whether the command line has the option already, or another that takes its place. */
static bool given_already(const struct call *call, const char *name)
{
    static const char *const pairs[][2] = {{"budget", "clique-budget"}, {"deal", "parts"}, {"server", "cluster"}};
    bool given = call_given(call, name);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++) given |= !strcmp(name, pairs[i][k]) && call_given(call, pairs[i][!k]);
    return given;
}

/* Takes one option, unless it was given or is none of this command. said, lacks: what was taken and what was not. */
static void take(const struct command *c, struct call *call, void *args, const char *name, const char *value,
                 char *said, char *lacks, size_t size)
{
    char word[PATH_BYTES + 80];
    int at = 0;
    struct err refused = {0};
    const struct param *p = params_called(c->params, name);
    if (given_already(call, name)) return;
    snprintf(word, sizeof word, value ? "--%s=%s" : "--%s", name, value);
    doc *kept = doc_text(word); /* options are borrowed from the word */
    doc_append(call->repeated, kept);
    char *words[] = {(char *)(uintptr_t)doc_text_value(kept, "")};
    const char **to = p && p->kind == PARAM_TEXT ? (const char **)((char *)args + p->offset) : NULL,
               *before = to ? *to : NULL;
    if ((!p && !params_called(common_params, name)) || call_take(c, call, args, 1, words, &at, &refused) != ST_OK) {
        if (to) *to = before; /* the option has another meaning here, as --deal auto */
        text_append(lacks, size, value ? " --%s %s" : " --%s", name, value);
    } else text_append(said, size, value ? " --%s %s" : " --%s", name, value);
}

static enum st take_settings(const struct command *c, struct call *call, void *args, const char *path, const doc *plan,
                             const char *folder, struct err *err)
{
    enum st st = ST_OK;
    char said[3000] = "", lacks[1000] = "", graph[PATH_BYTES];
    doc *old = NULL;
    const doc *settings = doc_get(plan, "settings");
    if (!settings) put_workload(doc_get(plan, "workload"), old = doc_object()); /* all that older plans state */
    if (old) settings = old;
    if (!call_given(call, "graph")) {
        TRY(plan_graph_path(folder, graph, err));
        take(c, call, args, "graph", graph, said, lacks, sizeof lacks);
    }
    if (!doc_get(settings, "cluster") && !call_given(call, "cluster"))
        take(c, call, args, "server", path, said, lacks, sizeof lacks);
    for (const char *key = doc_next_key(settings, NULL); key; key = doc_next_key(settings, key)) {
        const doc *value = doc_get(settings, key);
        if (doc_is_text(value)) take(c, call, args, key, doc_text_value(value, ""), said, lacks, sizeof lacks);
        else if (doc_bool_value(value, false)) take(c, call, args, key, NULL, said, lacks, sizeof lacks);
    }
    call_say(call, "as %s:%s%s%s", path, said, *lacks ? "; no options of this command:" : "", lacks);
done:
    doc_free(old);
    return st;
}

enum st like_apply(const struct command *c, struct call *call, void *args, struct err *err)
{
    enum st st = ST_OK;
    char folder[PATH_BYTES];
    doc *plan = NULL;
    const struct param *p = params_called(c->params, "like");
    const char **like = p ? (const char **)((char *)args + p->offset) : NULL;
    if (!like || !*like) return ST_OK;
    bool set = strcmp(p->value, "P") != 0; /* of hotset size: a data set, or a plan */
    if (set && !file_is_directory(*like)) return ST_OK;
    TRY(open_plan(*like, folder, &plan, err));
    call->repeated = doc_array();
    TRY(take_settings(c, call, args, *like, plan, folder, err));
    *like = NULL; /* what follows sees a command line with all options */
    call->given[(p - c->params) / 64] &= ~((uint64_t)1 << ((p - c->params) % 64));
done:
    doc_free(plan);
    return st;
}

void like_say_replaced(const struct call *call, const char *path)
{
    char folder[PATH_BYTES], where[PATH_BYTES];
    struct err ignored = {0};
    doc *plan = NULL;
    snprintf(where, sizeof where, "%s/plan.json", path ? path : "");
    if (!path || !file_exists(where) || open_plan(path, folder, &plan, &ignored) != ST_OK) return;
    const doc *settings = doc_get(plan, "settings"), *gpu = doc_at(doc_get(plan, "gpus"), 0);
    const char *budget = doc_text_value(doc_get(settings, "budget"), NULL);
    char bytes[UNIT_TEXT];
    call_say(call, "%s: the plan there will be replaced: policy %s, budget %s%s per GPU, graph %s", path,
             doc_text_value(doc_get(plan, "policy"), "?"), budget ? budget : "",
             budget ? "" : units_bytes(bytes, (uint64_t)doc_integer_value(doc_get(gpu, "budget_bytes"), 0)),
             doc_text_value(doc_get(doc_get(plan, "graph"), "path"), "?"));
    doc_free(plan);
}
