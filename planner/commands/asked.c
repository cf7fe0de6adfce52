#include "planner/commands/asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

extern const struct command cmd_plan;

enum st asked_run(const struct call *call, const struct command *of, int count, char **words, doc **out,
                  struct err *err)
{
    enum st st;
    OWNED void *args = NULL;
    enum help help;
    struct call inner = {.out = call->out, .keep = true};
    args = mem_array(1, of->args_size, "the arguments of a command", err);
    if (!args) return err->code;
    TRY(command_parse(of, count, words, &inner, args, &help, err));
    inner.common = call->common;
    inner.common.json = true; /* the document is kept, and no table printed */
    inner.common.stamp = false;
    inner.threads = call->threads;
    TRY(of->run(&inner, err));
    *out = inner.result;
    inner.result = NULL;
done:
    doc_free(inner.result);
    return st;
}

enum st asked_plan_make(const struct call *call, int count, char **words, struct asked_plan *out, struct err *err)
{
    char output[] = "--output", name[64], target[PATH_BYTES];
    const char *near = getenv("TMPDIR");
    OWNED_DOC doc *made = NULL;
    snprintf(name, sizeof name, "hotset-asked-%ld", (long)getpid());
    PASS(path_join(target, near && *near ? near : "/tmp", name, err));
    PASS(output_directory(&out->folder, target, err));
    PASS(path_join(out->path, out->folder.temporary, "plan", err));
    words[count++] = output;
    words[count++] = out->path;
    return asked_run(call, &cmd_plan, count, words, &made, err);
}

void asked_plan_release(struct asked_plan *p) { output_abort(&p->folder); }

int asked_words(char *text, char **words, int most)
{
    int count = 0;
    for (char *at = text, *to = text; *at; *to++ = '\0') {
        bool quoted = false;
        while (*at == ' ') at++;
        if (!*at) break;
        if (count == most) return -1;
        for (words[count++] = to; *at && (quoted || *at != ' '); at++) {
            if (*at == '\'') quoted = !quoted;
            else if (!quoted && *at == '\\' && at[1]) *to++ = *++at;
            else *to++ = *at;
        }
        if (*at) at++; /* the blank gives its place to the end of the word */
    }
    return count;
}
