#include "planner/commands/like.h"

#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/settings.h"

/* ---- a plan's settings ---- */

/* plan.json of a plan directory, of any kind. folder: the directory, or that of the first of its nodes. */
static enum st open_plan(const char *path, char folder[PATH_BYTES], doc **out, struct err *err)
{
    char where[PATH_BYTES];
    bool plain, several;
    snprintf(folder, PATH_BYTES, "%s/node0", path);
    if (!file_is_directory(folder)) snprintf(folder, PATH_BYTES, "%s", path);
    PASS(folder_document(where, folder, "plan.json", err));
    PASS(doc_has_schema(where, "plan/1", &plain, err));
    PASS(plan_has_types(folder, &several, err));
    return doc_load(where, several ? "plan/2" : "plan/1", out, err);
}

/* Whether the command line has the option already, or another that takes its place. */
static bool given_already(const struct call *call, const char *name)
{
    static const char *const pairs[][2] = {{"budget", "clique-budget"}, {"assignment", "parts"}, {"server", "cluster"}};
    bool given = call_given(call, name);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++) given |= !strcmp(name, pairs[i][k]) && call_given(call, pairs[i][!k]);
    return given;
}

/* Takes one option, unless it was given or is none of this command. said, lacks: what was taken and what was not.
 * ST_USAGE for what is gone: without it the plan would be another one. */
static enum st like_take(const struct command *c, struct call *call, void *args, const char *name, const char *value,
                         char *said, char *lacks, size_t size, struct err *err)
{
    char word[PATH_BYTES + 80];
    int at = 0;
    struct err refused = {0};
    const struct param *p = params_called(c->params, name);
    if (p && p->kind == PARAM_RENAMED) p = params_called(c->params, name = p->value); /* an older plan's name for it */
    if (given_already(call, name)) return ST_OK;
    snprintf(word, sizeof word, value ? "--%s=%s" : "--%s", name, value);
    doc *kept = doc_text(word); /* options are borrowed from the word */
    doc_append(call->repeated, kept);
    char *words[] = {(char *)(uintptr_t)doc_text_value(kept, "")};
    const char **to = p && p->kind == PARAM_TEXT ? (const char **)((char *)args + p->offset) : NULL,
               *before = to ? *to : NULL;
    if (p && param_gone(p, value)) return call_take(c, call, args, 1, words, &at, err);
    if ((!p && !params_called(common_params, name)) || call_take(c, call, args, 1, words, &at, &refused) != ST_OK) {
        if (to) *to = before; /* the option has another meaning here, as --assignment auto */
        text_append(lacks, size, value ? " --%s %s" : " --%s", name, value);
    } else text_append(said, size, value ? " --%s %s" : " --%s", name, value);
    return ST_OK;
}

static enum st take_settings(const struct command *c, struct call *call, void *args, const char *path, const doc *plan,
                             const char *folder, struct err *err)
{
    char said[3000] = "", lacks[1000] = "", graph[PATH_BYTES];
    OWNED_DOC doc *old = NULL;
    const doc *settings = doc_get(plan, "settings");
    if (!settings) settings_of_workload(doc_get(plan, "workload"), old = doc_object()); /* all that older plans state */
    if (old) settings = old;
    if (!call_given(call, "graph")) {
        PASS(plan_graph_path(folder, graph, err));
        PASS(like_take(c, call, args, "graph", graph, said, lacks, sizeof lacks, err));
    }
    if (!doc_get(settings, "cluster") && !call_given(call, "cluster"))
        PASS(like_take(c, call, args, "server", path, said, lacks, sizeof lacks, err));
    for (const char *key = doc_next_key(settings, NULL); key; key = doc_next_key(settings, key)) {
        const doc *value = doc_get(settings, key);
        const char *text = doc_text_value(value, NULL);
        if (text || doc_bool_value(value, false))
            PASS(like_take(c, call, args, key, text, said, lacks, sizeof lacks, err));
    }
    call_say(call, "as %s:%s%s%s", path, said, *lacks ? "; no options of this command:" : "", lacks);
    return ST_OK;
}

/* What takes a row's place is said by others from here on. */
static void forget(const struct command *c, struct call *call, const struct param *p, const char **text)
{
    *text = NULL;
    call->given[(p - c->params) / 64] &= ~((uint64_t)1 << ((p - c->params) % 64));
}

/* An older `size --like papers100m`, which names no plan: --stand-in. */
static enum st take_stand_in(const struct command *c, struct call *call, void *args, const char *name, struct err *err)
{
    char word[PATH_BYTES + 80];
    int at = 0;
    snprintf(word, sizeof word, "--stand-in=%s", name);
    doc *kept = doc_text(word); /* options are borrowed from the word */
    doc_append(call->repeated, kept);
    char *words[] = {(char *)(uintptr_t)doc_text_value(kept, "")};
    call_say(call, "--like of a data set is now called --stand-in here");
    return call_take(c, call, args, 1, words, &at, err);
}

enum st like_apply(const struct command *c, struct call *call, void *args, struct err *err)
{
    char folder[PATH_BYTES];
    OWNED_DOC doc *plan = NULL;
    const struct param *p = params_called(c->params, "like");
    const char **like = p && p->kind == PARAM_TEXT ? (const char **)((char *)args + p->offset) : NULL;
    if (!like || !*like) return ST_OK;
    call->repeated = doc_array();
    if (params_called(c->params, "stand-in") && !file_is_directory(*like)) {
        PASS(take_stand_in(c, call, args, *like, err));
    } else {
        PASS(open_plan(*like, folder, &plan, err));
        PASS(take_settings(c, call, args, *like, plan, folder, err));
    }
    forget(c, call, p, like); /* what follows sees a command line with all options */
    return ST_OK;
}
