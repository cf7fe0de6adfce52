#include "planner/commands/asked_what_if.h"

#include <string.h>

#include "base/mem.h"
#include "planner/commands/asked.h"
#include "planner/decisions/what_if.h"

extern const struct command cmd_what_if;

enum st asked_what_if(const struct call *call, const char *of, const char *graph, doc **out, struct err *err)
{
    char option[] = "--graph", *words[] = {(char *)of, option, (char *)graph};
    return asked_run(call, &cmd_what_if, graph ? 3 : 1, words, out, err);
}

static void asked_plan_end(struct asked_plan **p)
{
    if (*p) asked_plan_release(*p);
    mem_free(*p);
}

enum st asked_what_if_planned(const struct call *call, const char *graph, const char *server, const char *options,
                              const char *name, doc **out, struct err *err)
{
    enum { WORDS = 2 * PARAM_ROWS_MAX };
    char of_graph[] = "--graph", of_server[] = "--server";
    const size_t bytes = strlen(options) + 1;
    OWNED char *text = NULL;
    OWNED char **words = NULL;
    OWNED_BY(asked_plan_end) struct asked_plan *plan = NULL;
    int count = 0;
    MAKE(text, bytes, "options");
    MAKE(words, WORDS, "words");
    MAKE(plan, 1, "a plan");
    memcpy(text, options, bytes);
    words[count++] = of_graph;
    words[count++] = (char *)graph;
    words[count++] = of_server;
    words[count++] = (char *)server;
    int more = asked_words(text, words + count, WORDS - count - 2);
    if (more < 0) return err_set(err, ST_LIMIT, "--what-if: %s has too many options", name);
    PASS(asked_plan_make(call, count + more, words, plan, err));
    PASS(asked_what_if(call, plan->path, NULL, out, err));
    doc_put(*out, "of", doc_text(name));
    doc_put(doc_at(doc_get(*out, "subjects"), 0), "name", doc_text(name));
    return ST_OK;
}

bool asked_what_if_print(const struct call *call, const doc *answer, bool explain)
{
    const doc *told = doc_get(answer, "what_if");
    if (!doc_is_object(told)) return false;
    if (call_prints(call)) fputc('\n', call->out);
    if (call_prints(call)) what_if_print(told, explain, call->out);
    return true;
}
