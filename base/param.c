#include "base/param.h"

#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

/* ---- names ---- */

const struct param *params_called(const struct param *table, const char *name)
{
    for (const struct param *p = table; p && p->name; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

/* The option behind a row: the row itself, or the one that an alias stands for. */
static const struct param *option_of(const struct param *table, const struct param *row)
{
    return row && param_is_alias(row) ? params_called(table, row->value) : row;
}

/* ---- values ---- */

static void bounds(const struct param *p, int64_t *low, int64_t *high)
{
    bool any = p->low == 0 && p->high == 0;
    *low = any ? INT64_MIN : p->low;
    *high = any ? INT64_MAX : p->high;
}

static enum st set_list(const struct param *p, struct int_list *list, const char *label, const char *text,
                        struct err *err)
{
    char copy[256], *parts[INT_LIST_MAX];
    int64_t low, high;
    bounds(p, &low, &high);
    list->named = NULL;
    if (p->words && strchr(text, '=')) {
        list->count = 0;
        list->named = text;
        return ST_OK;
    }
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "%s: the list is too long", label);
    strcpy(copy, text);
    int n = text_split(copy, ',', parts, INT_LIST_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "%s: more than %d numbers", label, INT_LIST_MAX);
    for (int i = 0; i < n; i++) {
        bool all = p->words && low == -1 && !strcmp(parts[i], "all");
        enum st st = units_integer(all ? "-1" : parts[i], label, low, high, &list->value[i], err);
        const char *dash = strchr(parts[i] + (*parts[i] != '\0'), '-'); /* 25-10, not -25 */
        if (st != ST_OK && (text[strspn(text, "0123456789,-")] || dash))
            return err_set(err, ST_USAGE,
                           "%s: '%.60s' is not a list of integers; write them with commas between, as in 25,10", label,
                           text);
        if (st != ST_OK) return st;
    }
    list->count = n;
    return ST_OK;
}

static enum st set_real(const struct param *p, double *to, const char *label, const char *text, struct err *err)
{
    double v;
    PASS(units_real(text, label, &v, err));
    if ((p->low || p->high) && (v < (double)p->low || v > (double)p->high))
        return err_set(err, ST_USAGE, "%s: %.9g is out of range, expected %lld to %lld", label, v, (long long)p->low,
                       (long long)p->high);
    *to = v;
    return ST_OK;
}

bool param_gone(const struct param *p, const char *value)
{
    size_t length = value ? strlen(value) : 0;
    return p->kind == PARAM_GONE || (p->gone && length && !strncmp(p->gone, value, length) && p->gone[length] == ' ');
}

/* One of "a|b|c". */
static enum st check_word(const struct param *p, const char *label, const char *text, struct err *err)
{
    char copy[512], *parts[32];
    const char *words[33] = {0};
    if (!p->words) return ST_OK;
    text_append(strcpy(copy, ""), sizeof copy, "%s", p->words);
    int n = text_split(copy, '|', parts, 32);
    for (int i = 0; i < n; i++) {
        if (!strcmp(parts[i], text)) return ST_OK;
        words[i] = parts[i];
    }
    if (param_gone(p, text)) return err_set(err, ST_USAGE, "%s: %s", label, p->gone);
    const char *near = text_nearest(text, words);
    return err_set(err, ST_USAGE, "%s: '%.60s' is not one of %s%s%s%s", label, text, p->words,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static enum st set_size(uint64_t *to, const char *label, const char *text, struct err *err)
{
    enum st st = units_size(text, label, to, err);
    return st == ST_OK ? units_bare(text, *to, label, UNITS_PAGE, "one page", false, err) : st;
}

static enum st set_value(const struct param *p, void *args, const char *label, const char *text, struct err *err)
{
    void *to = (char *)args + p->offset;
    int64_t low, high;
    switch (p->kind) {
    case PARAM_FLAG: *(bool *)to = true; return ST_OK;
    case PARAM_INTEGER: bounds(p, &low, &high); return units_integer(text, label, low, high, to, err);
    case PARAM_REAL: return set_real(p, to, label, text, err);
    case PARAM_SIZE: return set_size(to, label, text, err);
    case PARAM_LIST: return set_list(p, to, label, text, err);
    case PARAM_TEXT: *(const char **)to = text; return check_word(p, label, text, err);
    case PARAM_GROUP:
    case PARAM_ALIAS:
    case PARAM_RENAMED:
    case PARAM_GONE: break; /* aliases are resolved before */
    }
    return err_set(err, ST_BUG, "internal error: option %s has no kind", label);
}

const char *param_text(const struct param *p, const void *args, char room[PARAM_TEXT_ROOM])
{
    const void *at = (const char *)args + p->offset;
    const struct int_list *list = at;
    *room = '\0';
    switch (p->kind) {
    case PARAM_FLAG: return *(const bool *)at ? room : NULL;
    case PARAM_INTEGER: snprintf(room, PARAM_TEXT_ROOM, "%lld", (long long)*(const int64_t *)at); break;
    case PARAM_REAL:
        snprintf(room, PARAM_TEXT_ROOM, "%.9g", *(const double *)at);
        if (strtod(room, NULL) != *(const double *)at) snprintf(room, PARAM_TEXT_ROOM, "%.17g", *(const double *)at);
        break;
    case PARAM_SIZE: snprintf(room, PARAM_TEXT_ROOM, "%lluB", (unsigned long long)*(const uint64_t *)at); break;
    case PARAM_TEXT: return *(const char *const *)at;
    case PARAM_LIST:
        if (list->named) return list->named;
        for (int i = 0; i < list->count; i++)
            text_append(room, PARAM_TEXT_ROOM, "%s%lld", i ? "," : "", (long long)list->value[i]);
        break;
    case PARAM_GROUP:
    case PARAM_ALIAS:
    case PARAM_RENAMED:
    case PARAM_GONE: return NULL;
    }
    return room;
}

enum st params_default(const struct param *table, void *args, struct err *err)
{
    for (; table && table->name; table++) {
        if (!table->fallback) continue;
        enum st st = set_value(table, args, table->name, table->fallback, err);
        if (st != ST_OK)
            return err_set(err, ST_BUG, "internal error: the default of --%s: %s", table->name, table->fallback);
    }
    return ST_OK;
}

/* ---- the command line ---- */

/* Finds the row that `word` names. *value: the text behind '=' or the letter, else NULL. *off: the word is --no-name.
 */
static const struct param *match(const struct param *table, const char *word, const char **value, bool *off)
{
    *value = NULL;
    *off = false;
    for (const struct param *p = table; p && p->name; p++) {
        size_t length = strlen(p->name);
        if (p->kind == PARAM_GROUP) continue;
        if (word[1] == '-') {
            const char *name = word + 2;
            const struct param *option = option_of(table, p);
            if (option && option->kind == PARAM_FLAG && text_starts(name, "no-") && !strcmp(name + 3, p->name)) {
                *off = true;
                return p;
            }
            if (strncmp(name, p->name, length)) continue;
            if (name[length] == '=') *value = name + length + 1;
            else if (name[length]) continue;
            return p;
        }
        if (p->letter && word[1] == p->letter) {
            if (word[2]) *value = word + 2;
            return p;
        }
    }
    return NULL;
}

const struct param *params_match(const struct param *table, const char *word)
{
    const char *value;
    bool off;
    return option_of(table, match(table, word, &value, &off));
}

const struct param *params_renamed(const struct param *table, const char *word)
{
    const char *value;
    bool off;
    const struct param *row = match(table, word, &value, &off);
    return row && row->kind == PARAM_RENAMED ? row : NULL;
}

enum st params_take(const struct param *table, void *args, int count, char **words, int *at, bool *found,
                    struct err *err)
{
    char label[80];
    const char *value;
    bool off;
    const struct param *row = match(table, words[*at], &value, &off), *p = option_of(table, row);
    *found = row != NULL;
    if (!row) return ST_OK;
    if (row->kind == PARAM_GONE) return err_set(err, ST_USAGE, "--%s %s", row->name, row->value);
    if (!p) return err_set(err, ST_BUG, "internal error: --%s is another name of no option", row->name);
    snprintf(label, sizeof label, "--%s", row->name);
    if (p->kind == PARAM_FLAG) {
        if (value) return err_set(err, ST_USAGE, "%s takes no value", label);
        *(bool *)((char *)args + p->offset) = !off;
        ++*at;
        return ST_OK;
    }
    if (!value && *at + 1 >= count)
        return err_set(err, ST_USAGE, "%s needs a value (%s)", label, p->value ? p->value : "see -h");
    if (!value) value = words[++*at];
    ++*at;
    return set_value(p, args, label, value, err);
}

/* ---- help ---- */

enum { SHORT_WORDS = 50, HELP_INDENT = 28, NARROW_INDENT = 10, HELP_WIDTH = 99, HELP_NARROW = 72 };

static int help_width(FILE *to)
{
    int width = terminal_width(to);
    return width && width < HELP_WIDTH ? width : HELP_WIDTH;
}

void params_wrapped(FILE *to, const char *text, int indent) { terminal_wrap(to, text, indent, help_width(to)); }

/* Appends " One of: a, b." for "a|b": commas leave room for a new line. */
static void append_words(char *text, size_t size, const char *words)
{
    text_append(text, size, " One of: ");
    for (; *words; words += strcspn(words, "|"), words += *words == '|') {
        int length = (int)strcspn(words, "|");
        text_append(text, size, "%.*s%s", length, words, words[length] ? ", " : ".");
    }
}

/* "  -o, --output P", then the text from the column `indent` on. */
static void option_print(const struct param *p, const char *right, int indent, FILE *to)
{
    char left[128];
    if (p->letter) snprintf(left, sizeof left, "  -%c, --%s", p->letter, p->name);
    else snprintf(left, sizeof left, "      --%s", p->name);
    if (p->value) text_append(left, sizeof left, " %s", p->value);
    if ((int)strlen(left) >= indent - 1) fprintf(to, "%s\n%*s", left, indent, "");
    else fprintf(to, "%-*s", indent, left);
    params_wrapped(to, right, indent);
}

static int help_indent(FILE *to) { return help_width(to) < HELP_NARROW ? NARROW_INDENT : HELP_INDENT; }

bool param_shows_default(const struct param *p) { return p->fallback && !strstr(p->help, "[default: "); }

void params_help(const struct param *table, const struct param *before, FILE *to)
{
    for (const struct param *p = table; p && p->name; p++) {
        char right[1200];
        if (p->kind == PARAM_GROUP) fprintf(to, "%s:\n", p->name);
        if (param_is_alias(p) || params_called(before, p->name)) continue;
        snprintf(right, sizeof right, "%s", p->help);
        if (p->words) append_words(right, sizeof right, p->words);
        if (param_shows_default(p)) text_append(right, sizeof right, " [default:%c%s]", HARD_SPACE, p->fallback);
        option_print(p, right, help_indent(to), to);
    }
}

int param_first_sentence(const char *text)
{
    size_t at = strcspn(text, ".:;");
    while (text[at] && text[at + 1] && text[at + 1] != ' ') at += 1 + strcspn(text + at + 1, ".:;");
    return (int)at;
}

void params_help_usual(const struct param *table, const char *names, FILE *to)
{
    char copy[400], *name[32], right[600];
    snprintf(copy, sizeof copy, "%s", names);
    int count = text_split(copy, ' ', name, 32);
    for (int i = 0; i < count; i++) {
        const struct param *p = params_called(table, name[i]);
        if (!p) continue;
        const char *unsaid = strstr(p->help, " [default: "); /* where its own text says the default */
        int length = param_first_sentence(p->help);
        if (unsaid && unsaid - p->help < length) length = (int)(unsaid - p->help);
        snprintf(right, sizeof right, "%.*s", length, p->help);
        if (p->kind == PARAM_TEXT && p->words && strlen(p->words) <= SHORT_WORDS)
            text_append(right, sizeof right, ": %s", p->words);
        if (param_shows_default(p)) text_append(right, sizeof right, " [default:%c%s]", HARD_SPACE, p->fallback);
        else if (unsaid) text_append(right, sizeof right, "%s", unsaid);
        if (right[0] && right[strlen(right) - 1] == '.') right[strlen(right) - 1] = '\0';
        option_print(p, right, help_indent(to), to);
    }
}
