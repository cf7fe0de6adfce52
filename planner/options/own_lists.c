#include "planner/options/own_lists.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const char mark[] = "=lists:";

bool own_lists_word(const char *word) { return strstr(word, mark) != NULL; }

/* ST_USAGE when a policy cannot be called that. */
static enum st check_name(const char *word, size_t length, struct err *err)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
    if (!length || length >= sizeof((struct own_lists *)0)->name || strspn(word, good) < length)
        return err_set(err, ST_USAGE,
                       "--policy: '%.60s' has no good name before '=lists:'; take up to %d letters, digits and "
                       "characters of '_-+.'",
                       word, (int)sizeof((struct own_lists *)0)->name - 1);
    for (const struct policy *const *p = policies_registered; *p; p++)
        if (strlen((*p)->name) == length && !strncmp((*p)->name, word, length))
            return err_set(err, ST_USAGE,
                           "--policy: %s is a policy of hotset; give your lists another name, as in my-%s%s..",
                           (*p)->name, (*p)->name, mark);
    return ST_OK;
}

enum st own_lists_parse(const char *word, struct own_lists *out, struct err *err)
{
    const char *folder = strstr(word, mark);
    size_t length = (size_t)(folder - word);
    PASS(check_name(word, length, err));
    folder += strlen(mark);
    if (!*folder) return err_set(err, ST_USAGE, "--policy: '%.60s' names no folder; write NAME=lists:DIR", word);
    if (strlen(folder) >= sizeof out->folder)
        return err_set(err, ST_USAGE, "--policy: '%.60s..': the path is too long", word);
    if (!file_is_directory(folder))
        return err_set(err, ST_INPUT, "%s: is no folder; it must hold lists, as gpu0_feature.npy", folder);
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, word);
    memcpy(out->folder, folder, strlen(folder) + 1);
    out->policy = given_lists_policy;
    out->policy.name = out->name;
    return ST_OK;
}

enum st own_lists_folder(const struct own_lists *own, const struct server *s, const struct budget *b,
                         char out[PATH_BYTES], struct err *err)
{
    char of_server[PATH_BYTES];
    const char *budget = strchr(b->text, '/') ? NULL : b->text;
    PASS(path_join(of_server, own->folder, s->name, err));
    bool there = !strchr(s->name, '/') && file_is_directory(of_server);
    memcpy(out, there ? of_server : own->folder, PATH_BYTES);
    if (budget) {
        char inner[PATH_BYTES];
        PASS(path_join(inner, out, budget, err));
        if (file_is_directory(inner)) memcpy(out, inner, PATH_BYTES);
    }
    return ST_OK;
}

static enum st read_cell(const struct own_lists *own, const struct graph *g, const struct server *s,
                         struct study_cell *cell, struct given_lists *out, struct err *err)
{
    char folder[PATH_BYTES];
    PASS(own_lists_folder(own, s, &cell->budget, folder, err));
    PASS(given_lists_read(folder, g, s, out, err));
    out->folder = own->folder; /* the other path ends here */
    if (out->part && !(own->deals && !strcmp(folder, own->folder)))
        return err_set(err, ST_INPUT,
                       "%s: has train files, and a comparison assigns training vertices as --assignment says; take "
                       "them away, "
                       "or compare with --from-lists, whose train files hold for all policies",
                       folder);
    cell->lists = out;
    return ST_OK;
}

enum st own_lists_read(const struct own_lists *own, int owns, const struct graph *g, const struct server *s,
                       struct study_cell *cells, int count, struct given_lists **out, struct err *err)
{
    *out = NULL;
    if (!owns || !count) return ST_OK;
    MAKE(*out, count, "lists of rows");
    for (int i = 0; i < count; i++)
        for (int k = 0; k < owns; k++)
            if (cells[i].policy == &own[k].policy) PASS(read_cell(&own[k], g, s, &cells[i], &(*out)[i], err));
    return ST_OK;
}

void own_lists_free(struct given_lists *lists, int count)
{
    for (int i = 0; lists && i < count; i++) given_lists_release(&lists[i]);
    mem_free(lists);
}
