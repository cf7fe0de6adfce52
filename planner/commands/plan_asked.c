#include "planner/commands/plan_asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "planner/options/resume.h"

extern const struct command cmd_plan;

struct word {
    char text[PATH_BYTES + 80];
};

/* Whether the row is given, and an option of plan. */
static bool passes(const struct call *call, const struct param *p)
{
    const struct param *of = cmd_plan.params;
    if (param_is_alias(p) || !strcmp(p->name, "output") || !call_given(call, p->name)) return false;
    while (of->name && strcmp(of->name, p->name)) of++;
    return of->name;
}

static enum st add_words(const struct call *call, struct word *word, char **words, int *count, struct err *err)
{
    OWNED_NEW(struct word, value, 1, "an option");
    for (const struct param *p = call->params; p && p->name; p++) {
        if (!passes(call, p)) continue;
        resume_option_value(p, call->args, value->text, PATH_BYTES);
        bool flag = p->kind == PARAM_FLAG;
        snprintf(word[*count].text, sizeof word->text, "--%s%.70s", flag && *value->text != '1' ? "no-" : "", p->name);
        words[*count] = word[*count].text;
        ++*count;
        if (flag) continue;
        word[*count] = *value;
        words[*count] = word[*count].text;
        ++*count;
    }
    return ST_OK;
}

static enum st run_plan(const struct call *call, int count, char **words, struct err *err)
{
    enum st st;
    OWNED void *args = NULL;
    enum help help;
    struct call inner = {.out = call->out, .keep = true};
    args = mem_array(1, cmd_plan.args_size, "the arguments of a plan", err);
    if (!args) return err->code;
    TRY(command_parse(&cmd_plan, count, words, &inner, args, &help, err));
    inner.common = call->common;
    inner.common.json = true; /* the document is kept, and no table printed */
    inner.common.stamp = false;
    inner.threads = call->threads;
    TRY(cmd_plan.run(&inner, err));
done:
    doc_free(inner.result);
    return st;
}

enum st plan_asked_make(const struct call *call, struct plan_asked *out, struct err *err)
{
    enum { MOST = 2 * PARAM_ROWS_MAX };
    char *words[MOST], name[64], target[PATH_BYTES];
    const char *near = getenv("TMPDIR");
    int count = 0;
    if (!call_given(call, "graph") || !call_given(call, "server"))
        return err_set(err, ST_USAGE,
                       "a plan is missing; name one, or a graph and a server to plan for first (--graph G --server S)");
    snprintf(name, sizeof name, "hotset-asked-%ld", (long)getpid());
    PASS(path_join(target, near && *near ? near : "/tmp", name, err));
    PASS(output_directory(&out->folder, target, err));
    PASS(path_join(out->path, out->folder.temporary, "plan", err));
    OWNED_NEW(struct word, word, MOST, "the options of a plan");
    PASS(add_words(call, word, words, &count, err));
    words[count] = word[count].text;
    snprintf(word[count++].text, sizeof word->text, "--output");
    words[count++] = out->path;
    return run_plan(call, count, words, err);
}

void plan_asked_release(struct plan_asked *p) { output_abort(&p->folder); }

enum st plan_asked_refuse(const struct call *call, const char *const *own, struct err *err)
{
    for (const struct param *p = call->params; p && p->name; p++) {
        bool both = false;
        for (int i = 0; own[i]; i++) both |= !strcmp(own[i], p->name);
        if (!both && passes(call, p))
            return err_set(err, ST_USAGE, "--%s: says what is planned, and %s is planned; leave one of them out",
                           p->name, call->words[0]);
    }
    return ST_OK;
}
