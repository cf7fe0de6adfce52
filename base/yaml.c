/* yaml.c - maps and lists by indentation; see yaml.h. */
#include "base/yaml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

enum { DEPTH = 32 };

/* The open maps and lists, outermost first, and the key of the innermost map that has no value yet. */
struct yaml {
    struct {
        int indent; /* of its keys, or of the dashes of its entries */
        doc *node;
    } at[DEPTH];
    int depth;
    char waiting[128]; /* "": none */
    const char *where;
    uint64_t line;
};

static doc *innermost(const struct yaml *y) { return y->at[y->depth - 1].node; }

/* A text without blanks, quotes and a comment around it, in place. */
static char *bare(char *text)
{
    text += strspn(text, " \t");
    const char quote = *text == '"' || *text == '\'' ? *text : '\0';
    char *end = quote ? strchr(text + 1, quote) : strstr(text, " #");
    if (quote && end) return *end = '\0', text + 1;
    if (!quote && *text == '#') end = text;
    if (end) *end = '\0';
    for (size_t n = strlen(text); n && strchr(" \t\r", text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

static doc *scalar(char *text)
{
    const bool quoted = text[strspn(text, " \t")] == '"' || text[strspn(text, " \t")] == '\'';
    const char *word = bare(text);
    char *end;
    const long long number = strtoll(word, &end, 10);
    if (!quoted && (!*word || !strcmp(word, "null") || !strcmp(word, "~"))) return doc_null();
    if (!quoted && *word && !*end && strlen(word) < 19) return doc_integer(number);
    return doc_text(word);
}

/* Opens a map or list: the value of the waiting key, or an entry of the list that is open. */
static enum st open_node(struct yaml *y, doc *node, int indent, struct err *err)
{
    if (y->depth == DEPTH) {
        doc_free(node);
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is nested deeper than %d levels", y->where, y->line, DEPTH);
    }
    if (*y->waiting) doc_put(innermost(y), y->waiting, node);
    else doc_append(innermost(y), node);
    *y->waiting = '\0';
    y->at[y->depth].indent = indent;
    y->at[y->depth++].node = node;
    return ST_OK;
}

/* Closes what is indented further than a line at `indent`, and lists beside whose dashes a key stands. */
static void close_nodes(struct yaml *y, int indent, bool dash)
{
    while (y->depth > 1 && (y->at[y->depth - 1].indent > indent ||
                            (y->at[y->depth - 1].indent == indent && doc_is_array(innermost(y)) != dash)))
        y->depth--;
}

static enum st take_key(struct yaml *y, int indent, char *text, struct err *err)
{
    char *colon = strstr(text, ": ");
    const size_t length = strcspn(text, " #\r");
    if (!colon && length && text[length - 1] == ':') colon = text + length - 1;
    if (*y->waiting && indent > y->at[y->depth - 1].indent) PASS(open_node(y, doc_object(), indent, err));
    *y->waiting = '\0';
    close_nodes(y, indent, false);
    if (!colon || !doc_is_object(innermost(y)))
        return err_set(err, ST_INPUT, "%s: line %" PRIu64 " ('%.60s') is neither a key with its value nor an entry",
                       y->where, y->line, text);
    *colon = '\0';
    const char *key = bare(text);
    doc *value = scalar(colon + 1);
    if (doc_is_null(value)) snprintf(y->waiting, sizeof y->waiting, "%s", key);
    doc_put(innermost(y), key, value);
    return ST_OK;
}

static bool is_utf8(const char *text)
{
    for (int bytes; *text; text += bytes)
        if (!(bytes = text_utf8_bytes(text, (int)strnlen(text, 4)))) return false;
    return true;
}

static enum st take_line(struct yaml *y, const char *where, uint64_t number, char *line, struct err *err)
{
    int indent = (int)strspn(line, " ");
    char *text = line + indent;
    y->where = where;
    y->line = number;
    if (!is_utf8(line)) return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is not UTF-8", where, number);
    if (!*text || strchr("#\r", *text) || text_starts(text, "---") || text_starts(text, "...")) return ST_OK;
    while (text_starts(text, "- ") || !strcmp(text, "-")) {
        const int inner = indent + 1 + (int)strspn(text + 1, " ");
        if (*y->waiting && indent >= y->at[y->depth - 1].indent) PASS(open_node(y, doc_array(), indent, err));
        *y->waiting = '\0';
        close_nodes(y, indent, true);
        if (!doc_is_array(innermost(y)))
            return err_set(err, ST_INPUT, "%s: line %" PRIu64 " is an entry, but no list is open", where, number);
        text += inner - indent;
        indent = inner;
        if (text_starts(text, "- ")) PASS(open_node(y, doc_array(), inner, err));
        else if (strstr(text, ": ") || (*text && text[strcspn(text, " #\r") - (*text != ' ')] == ':'))
            PASS(open_node(y, doc_object(), inner, err));
        else return doc_append(innermost(y), scalar(text)), ST_OK;
    }
    return take_key(y, indent, text, err);
}

enum st yaml_load(const char *path, doc **out, struct err *err)
{
    OWNED_DOC doc *root = doc_object();
    struct yaml y = {.depth = 1, .at = {{0, root}}};
    OWNED_BY(text_lines_close) struct text_lines lines = {0};
    char *line;
    PASS(text_lines_open(path, &lines, err));
    for (;;) {
        PASS(text_lines_next(&lines, &line, NULL, err));
        if (!line) break;
        PASS(take_line(&y, path, lines.number, line, err));
    }
    if (!doc_whole(root)) return err_set(err, ST_LIMIT, "%s: out of memory while it was read", path);
    *out = root;
    root = NULL;
    return ST_OK;
}
