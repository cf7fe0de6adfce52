#include "planner/options/resume.h"

#include <stdio.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/made_by.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"

void resume_option_value(const struct param *p, const void *args, char *out, size_t room)
{
    const void *at = (const char *)args + p->offset;
    const struct int_list *list = at;
    *out = '\0';
    switch (p->kind) {
    case PARAM_FLAG: snprintf(out, room, "%d", *(const bool *)at); break;
    case PARAM_INTEGER: snprintf(out, room, "%lld", (long long)*(const int64_t *)at); break;
    case PARAM_REAL: snprintf(out, room, "%.17g", *(const double *)at); break;
    case PARAM_SIZE: snprintf(out, room, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    case PARAM_TEXT: snprintf(out, room, "%s", *(const char *const *)at ? *(const char *const *)at : ""); break;
    case PARAM_GROUP:
    case PARAM_ALIAS:
    case PARAM_RENAMED:
    case PARAM_GONE: break;
    case PARAM_LIST:
        if (list->named) snprintf(out, room, "%s", list->named);
        for (int i = 0; i < list->count; i++) text_append(out, room, i ? ",%lld" : "%lld", (long long)list->value[i]);
        break;
    }
}

const char *resume_quoted(const char *word, char *out, size_t room)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%=";
    bool quote = !*word || word[strspn(word, plain)];
    *out = '\0';
    if (quote) text_append(out, room, "'");
    for (; *word; word++) text_append(out, room, *word == '\'' ? "'\\''" : "%c", *word);
    if (quote) text_append(out, room, "'");
    return out;
}

static void append_given(const struct call *call, const struct param *params, const void *args,
                         const char *const *except, char *out, size_t room)
{
    char value[PATH_BYTES], quoted[PATH_BYTES + 16];
    for (const struct param *p = params; p && p->name; p++) {
        bool told = made_by_option(p->name) || made_by_prints(p->name);
        bool left_out = param_is_alias(p) || !told || !call_given(call, p->name);
        for (int i = 0; except[i]; i++) left_out |= !strcmp(except[i], p->name);
        if (left_out) continue;
        resume_option_value(p, args, value, sizeof value);
        if (p->kind == PARAM_FLAG) text_append(out, room, *value == '1' ? " --%s" : " --no-%s", p->name);
        else text_append(out, room, " --%s %s", p->name, resume_quoted(value, quoted, sizeof quoted));
    }
}

void resume_given_text(const struct call *call, const char *const *except, char *out, size_t room)
{
    append_given(call, call->params, call->args, except, out, room);
    append_given(call, common_params, &call->common, except, out, room);
}

static void put_options(const struct param *params, const void *args, doc *about)
{
    char value[PATH_BYTES], name[80];
    for (const struct param *p = params; p && p->name; p++) {
        if (param_is_alias(p) || !made_by_option(p->name)) continue;
        resume_option_value(p, args, value, sizeof value);
        snprintf(name, sizeof name, "--%.70s", p->name);
        doc_put(about, name, doc_text(value));
    }
}

static void put_graph(const struct graph *g, doc *about)
{
    static const char *const files[] = {"graph.json", "indptr.npy", "indices.npy", "train.npy", "weights.npy"};
    char path[PATH_BYTES], stamp[CHECKPOINT_STAMP], name[80];
    struct err ignored = {0};
    doc_put(about, "graph fingerprint", doc_text(g->fingerprint));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (path_join(path, g->path, files[i], &ignored) != ST_OK) continue;
        snprintf(name, sizeof name, "file %s of the graph", files[i]);
        doc_put(about, name, doc_text(checkpoint_stamp(path, stamp)));
    }
}

void resume_add_path(doc *inputs, const char *name, const char *path)
{
    char stamp[CHECKPOINT_STAMP];
    if (path) doc_put(inputs, name, doc_text(checkpoint_stamp(path, stamp)));
}

enum st resume_add_server(doc *inputs, const char *source, const struct server *s, struct err *err)
{
    char hex[65], name[PATH_BYTES];
    enum st st = doc_sha256(s->document, hex, err);
    snprintf(name, sizeof name, "server %.4000s", source);
    if (st == ST_OK) doc_put(inputs, name, doc_text(hex));
    return st;
}

enum st resume_load_server(doc *inputs, const char *source, struct err *err)
{
    ON_HEAP(struct server, s);
    enum st st = server_load(source, s, err);
    if (st == ST_OK) st = resume_add_server(inputs, source, s, err);
    server_release(s);
    return st;
}

static void put_inputs(const doc *inputs, doc *about)
{
    if (!inputs) doc_put(about, "inputs", NULL); /* no memory: the document must not be written */
    for (const char *name = NULL; (name = doc_next_key(inputs, name));)
        doc_put(about, name, doc_copy(doc_get(inputs, name)));
}

doc *resume_about(const struct call *call, const struct graph *g, const doc *inputs)
{
    extern const char hotset_version[];
    doc *about = doc_object();
    doc_put(about, "hotset_version", doc_text(hotset_version));
    put_options(call->params, call->args, about);
    put_options(common_params, &call->common, about);
    put_graph(g, about);
    put_inputs(inputs, about);
    return about;
}

enum st resume_open(const struct call *call, const struct resume_args *a, const char *out, const struct graph *g,
                    const doc *inputs, struct checkpoint *s, struct err *err)
{
    struct checkpoint made = {.threads = call->threads};
    OWNED_DOC doc *about = NULL;
    if (!out || !ranks_first()) return ST_OK; /* the first rank keeps what is finished */
    about = resume_about(call, g, inputs);
    PASS(checkpoint_open(&made, out, a->scratch, about, a->restart, err));
    if (made.resumed && checkpoint_any(&made))
        call_say(call, "continuing from %s, left by an interrupted run (--no-resume starts over)", made.folder);
    else if (*made.why) call_say(call, "%s is started over: %s", made.folder, made.why);
    resume_say_on_interrupt(call, &made);
    *s = made;
    return ST_OK;
}

void resume_say_on_interrupt(const struct call *call, const struct checkpoint *s)
{
    char note[PATH_BYTES + 128];
    snprintf(note, sizeof note, "hotset: interrupted; the same command continues from %.4000s\n", s->folder);
    output_say_on_interrupt(call->common.quiet ? NULL : note);
}

void resume_say_nothing_kept(const struct call *call, const struct checkpoint *s)
{
    if (!*s->folder || call->common.quiet) return;
    output_say_on_interrupt("hotset: interrupted before a first part was finished; the same command starts over\n");
}

void resume_close(const struct call *call, struct checkpoint *s, enum st how)
{
    if (!*s->folder) return;
    bool keep = how != ST_OK && how != ST_NO && checkpoint_any(s);
    output_say_on_interrupt(NULL);
    if (keep) call_say(call, "finished steps are kept in %s; the same command continues from there", s->folder);
    checkpoint_close(s, !keep);
}
