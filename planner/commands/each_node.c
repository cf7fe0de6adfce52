#include "planner/commands/each_node.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"
#include "planner/results/nodes_plan.h"

enum { WORDS_MAX = 64 };

/* What the user wrote, and what one node's run gets in its place. */
struct named_path {
    const char **at, *given;
    char path[PATH_BYTES];
};

static enum st path_new(const char **at, struct named_path *list, int *count, struct err *err)
{
    if (*count == WORDS_MAX) return err_set(err, ST_USAGE, "more than %d paths for a plan of several nodes", WORDS_MAX);
    list[*count] = (struct named_path){.at = at, .given = *at};
    (*count)++;
    return ST_OK;
}

/* Every path that may have a folder per node: the words, and the texts of options. */
static enum st list_paths(const struct command *c, struct call *call, void *args, struct named_path *list, int *count,
                          struct named_path **output, struct err *err)
{
    for (int i = 0; i < call->word_count; i++) PASS(path_new((const char **)&call->words[i], list, count, err));
    for (const struct param *p = c->params; p && p->name; p++) {
        const char **at = (const char **)((char *)args + p->offset);
        if (p->kind != PARAM_TEXT || !*at) continue;
        if (!strcmp(p->name, "output")) *output = &list[*count];
        PASS(path_new(at, list, count, err));
    }
    return ST_OK;
}

/* "D/node0", or "X.node0.json" of a document. */
static enum st output_of(struct named_path *p, int node, struct err *err)
{
    size_t length = strlen(p->given);
    bool document = length > 5 && !strcmp(p->given + length - 5, ".json");
    if (!document && mkdir(p->given, 0777) != 0 && errno != EEXIST)
        return err_set(err, ST_LIMIT, "%s: cannot be made: %s", p->given, strerror(errno));
    int n = document ? snprintf(p->path, sizeof p->path, "%.*s.node%d.json", (int)length - 5, p->given, node)
                     : snprintf(p->path, sizeof p->path, "%s/node%d", p->given, node);
    if (n >= (int)sizeof p->path) return err_set(err, ST_USAGE, "--output: the path is too long");
    *p->at = p->path;
    return ST_OK;
}

static void input_of(struct named_path *p, int node)
{
    int n = snprintf(p->path, sizeof p->path, "%s/node%d", p->given, node);
    if (n < (int)sizeof p->path && file_exists(p->path)) *p->at = p->path;
}

static enum st run_node(const struct command *c, struct call *call, struct named_path *list, int count,
                        struct named_path *output, int node, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < count; i++)
        if (&list[i] == output) TRY(output_of(&list[i], node, err));
        else input_of(&list[i], node);
    if (call_prints(call)) terminal_print(call->out, "%snode %d\n", node ? "\n" : "", node);
    st = c->run(call, err);
done:
    for (int i = 0; i < count; i++) *list[i].at = list[i].given;
    return st;
}

/* How many nodes the plan of the first word, or of --plan, has; 0: it is no plan of several. */
static enum st count_nodes(const struct command *c, const struct call *call, const void *args, int *nodes,
                           struct err *err)
{
    enum st st = ST_OK;
    char path[PATH_BYTES];
    const char *plan = call->word_count ? call->words[0] : NULL;
    bool several = false;
    doc *d = NULL;
    for (const struct param *p = c->params; p && p->name; p++)
        if (!plan && !strcmp(p->name, "plan")) plan = *(const char *const *)((const char *)args + p->offset);
    *nodes = 0;
    if (!plan) return ST_OK;
    snprintf(path, sizeof path, "%s/node0", plan);
    if (!file_exists(path)) return ST_OK;
    TRY(folder_document(path, plan, "plan.json", err));
    TRY(doc_has_schema(path, NODES_PLAN_SCHEMA, &several, err));
    if (!several) return ST_OK;
    TRY(nodes_plan_load(path, &d, err));
    *nodes = (int)doc_size(doc_get(d, "parts"));
done:
    doc_free(d);
    return st;
}

enum st each_node_run(const struct command *c, struct call *call, void *args, struct err *err)
{
    enum st st = ST_OK, worst = ST_OK;
    struct named_path *list = NULL, *output = NULL;
    struct err no = {0};
    doc *parts = NULL;
    int count = 0, nodes;
    TRY(count_nodes(c, call, args, &nodes, err));
    if (!nodes) return c->run(call, err);
    NEW(list, WORDS_MAX, "paths");
    TRY(list_paths(c, call, args, list, &count, &output, err));
    parts = doc_array();
    for (int i = 0; i < nodes; i++) {
        call->result = NULL;
        call->keep = true;
        st = run_node(c, call, list, count, output, i, err);
        doc_append(parts, DOC(IS("node", i), IS("result", call->result ? call->result : doc_null())));
        if (st != ST_OK && (st != ST_NO || !call->result)) { /* ST_NO without a document is a refusal */
            if (!i && output) (void)rmdir(output->given);    /* stays where it is not empty */
            goto done;
        }
        if (st == ST_NO) no = *err, worst = st;
    }
    call->keep = false;
    doc *all = DOC(IS("schema", "parts/1"), IS("parts", parts));
    parts = NULL;
    TRY(call_finish(call, all, err));
    if (worst == ST_NO) *err = no;
    st = worst;
done:
    doc_free(parts);
    mem_free(list);
    return st;
}
