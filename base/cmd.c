#include "base/cmd.h"

#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "base/machine.h"
#include "base/terminal.h"
#include "base/text.h"

const struct param common_params[] =
    {OPTION_WORD("device", 0, struct common, device, "WHICH", "auto", "cpu|cuda|auto|ref",
                 "Where large operations run; results are the same bit for bit. ref: the serial reference."),
     OPTION_INTEGER("threads", 0, struct common, threads, "N", "0", 0, 1024,
                    "CPU threads, 0: all; results do not depend on it."),
     OPTION_INTEGER("seed", 0, struct common, seed, "N", "1", 0, INT64_MAX, "Random seed."),
     OPTION_SIZE("memory", 0, struct common, memory, "SIZE", NULL,
                 "Most memory for arrays of planning [default: 90 % of the machine's]."),
     OPTION_FLAG("json", struct common, json, "Print one JSON document instead of tables."),
     {"quiet", 'q', PARAM_FLAG, offsetof(struct common, quiet), .help = "No messages and no progress."},
     OPTION_WORD("progress", 0, struct common, progress, "HOW", "auto", "auto|json|none",
                 "How far work is: a line on a terminal; json, for programs."),
     OPTION_FLAG("stamp", struct common, stamp, "Also print host, date, and time and memory of each stage."),
     OPTION_FLAG("force", struct common, force,
                 "Replace at -o what another command, or other options, of hotset wrote; files that hotset did not "
                 "write "
                 "are never deleted."),
     {0}};

void call_say(const struct call *call, const char *format, ...)
{
    char text[4000];
    va_list ap;
    if (call->common.quiet) return;
    if (call->out) fflush(call->out); /* keeps the order where both go to one place */
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    progress_hide();
    terminal_say(stderr, text_starts(text, "warning") ? TERMINAL_YELLOW : TERMINAL_PLAIN, "hotset: %s\n", text);
}

void call_say_twice(const struct call *call, const char *option, const char *word)
{
    call_say(call, "--%s: %s is listed more than once; it is used once", option, word);
}

bool call_prints(const struct call *call)
{
    progress_done();
    return !call->common.json;
}

bool call_progress(const struct call *call) { return !call->common.quiet; }

enum progress_mode call_progress_mode(const struct call *call)
{
    const char *how = call->common.progress;
    bool none = call->common.quiet || (how && !strcmp(how, "none"));
    return none ? PROGRESS_NONE : how && !strcmp(how, "json") ? PROGRESS_JSON : PROGRESS_LINE;
}

static bool given_in(const struct param *table, const uint64_t *bits, const char *name)
{
    for (int i = 0; table && table[i].name; i++)
        if (!strcmp(table[i].name, name)) return bits[i / 64] >> (i % 64) & 1;
    return false;
}

bool call_given(const struct call *call, const char *name)
{
    return given_in(call->params, call->given, name) || given_in(common_params, call->given_common, name);
}

/* Notes that the row which the word names was given. */
static void note_given(const struct param *table, const char *word, uint64_t *bits)
{
    const struct param *row = params_match(table, word);
    if (row) bits[(row - table) / 64] |= (uint64_t)1 << ((row - table) % 64);
}

enum st call_finish(struct call *call, doc *result, struct err *err)
{
    enum st st = ST_OK;
    if (call->keep) {
        call->result = result;
        return ST_OK;
    }
    if (call->common.stamp && result)
        doc_put(result, "stamp", stages_document(&call->stages, call->common.device, call->threads));
    if (call->common.json) st = doc_print(result, call->out, err); /* NULL: memory ran out, which this says */
    else if (call->common.stamp) stages_print(&call->stages, call->out);
    doc_free(result);
    return st;
}

static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == length && !strncmp(list, word, length)) return true;
    return false;
}

/* What other programs call an option, and what is written here: the first that the command has. NULL: none. */
static const char *other_option(const struct command *c, const char *name)
{
    static const struct {
        const char *said, *option, *written;
    } others[] = {{"max-memory max-mem memory-limit limit-memory mem-limit ram max-ram", "memory", "memory"},
                  {"cache cache-size cache-ratio gpu-cache gpu-cache-size", "budget", "budget"},
                  {"fp16 half float16 f16", "cache-type", "cache-type f16"},
                  {"fp16 half float16 f16", "feature-type", "feature-type f16"},
                  {"bf16 bfloat16", "cache-type", "cache-type bf16"},
                  {"fp8 float8", "cache-type", "cache-type f8"},
                  {"int8", "cache-type", "cache-type i8"},
                  {"int8", "feature-type", "feature-type i8"},
                  {"dtype feature-dtype", "feature-type", "feature-type"},
                  {"dtype feature-dtype", "cache-type", "cache-type"},
                  {"sockets numa", "socket-rows", "socket-rows"},
                  {"sockets numa", "server", "server S, whose profile says how many sockets it has"},
                  {"gpus num-gpus", "server", "server S:4, for 4 of its GPUs"},
                  {"workers num-workers num-threads", "threads", "threads"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_listed(others[i].said, name) &&
            (params_called(c->params, others[i].option) || params_called(common_params, others[i].option)))
            return others[i].written;
    return NULL;
}

/* Refuses an option that others have, with the reason. value: what was given to it. */
static enum st refuse_elsewhere(const struct option_elsewhere *e, const char *value, struct err *err)
{
    char why[600] = "";
    bool made = e->why_value && e->why_value(value, why, sizeof why);
    return err_set(err, ST_USAGE, "--%s: %s", e->option, made ? why : e->why);
}

/* next: the word behind it, or "". */
static enum st unknown_option(const struct command *c, const char *word, const char *next, struct err *err)
{
    const char *names[129] = {0}, *equals = strchr(word, '=');
    char name[128];
    int n = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word[1] == '-' ? word + 2 : word + 1);
    for (const struct param *p = c->params; p && p->name && n < 100; p++)
        if (!param_is_alias(p)) names[n++] = p->name;
    for (const struct param *p = common_params; p->name; p++) names[n++] = p->name;
    for (const struct option_elsewhere *e = c->elsewhere; e && e->option; e++)
        if (!strcmp(e->option, name)) return refuse_elsewhere(e, equals ? equals + 1 : next, err);
    const char *other = other_option(c, name), *near = other ? other : text_nearest(name, names);
    return err_set(err, ST_USAGE, "option '%.60s' is not known%s%s%s; '-h' lists the options", word,
                   near ? ", did you mean --" : "", near ? near : "", near ? "?" : "");
}

/* -graph is --graph with a dash too few, not -g with the value "raph". */
static enum st refuse_one_dash(const struct command *c, const char *word, struct err *err)
{
    char name[64];
    if (word[1] == '-' || !word[1] || !word[2]) return ST_OK;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 1, "="), word + 1);
    if (!params_called(c->params, name) && !params_called(common_params, name)) return ST_OK;
    return err_set(err, ST_USAGE,
                   "'%.60s' is not an option, did you mean --%s? For -%c and the value '%.60s', put a space between "
                   "them",
                   word, name, word[1], word + 2);
}

/* Appends how an option is written: "--graph G", "-o P". */
static void append_option(char *list, size_t size, const struct command *c, const char *name)
{
    const struct param *p = params_called(c->params, name);
    if (p && p->letter && !strcmp(name, "output")) text_append(list, size, "-%c", p->letter);
    else text_append(list, size, "--%s", name);
    if (p && p->value) text_append(list, size, " %s", p->value);
}

/* Whether one of the options "graph|like" was given. If not, appends "--graph G (or --like NAME)". names: changed. */
static bool any_given(const struct call *call, char *names, char *list, size_t size, const struct command *c)
{
    char *part[8];
    int count = text_split(names, '|', part, 8);
    for (int i = 0; i < count; i++)
        if (call_given(call, part[i])) return true;
    for (int i = 0; i < count; i++) {
        text_append(list, size, i == 0 ? "" : i == 1 ? " (or " : " or ");
        append_option(list, size, c, part[i]);
    }
    if (count > 1) text_append(list, size, ")");
    return false;
}

/* ST_USAGE with the options that are missing of those that the command needs. */
static enum st check_needs(const struct call *call, const struct command *c, struct err *err)
{
    char names[200] = "", path[100], missing[8][200] = {""}, list[600] = "", *part[8];
    int count = 0;
    text_append(names, sizeof names, "%s", c->needs ? c->needs : "");
    int parts = c->needs ? text_split(names, ' ', part, 8) : 0;
    for (int i = 0; i < parts; i++) count += !any_given(call, part[i], missing[count], sizeof *missing, c);
    if (!count) return ST_OK;
    for (int i = 0; i < count; i++)
        text_append(list, sizeof list, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", missing[i]);
    snprintf(path, sizeof path, "%s%s%s", c->group ? c->group : "", c->group ? " " : "", c->name);
    return err_set(err, ST_USAGE, "%s: %s %s missing; expected: hotset %s %s", path, list, count > 1 ? "are" : "is",
                   path, c->arguments);
}

enum st call_take(const struct command *c, struct call *call, void *args, int count, char **words, int *at,
                  struct err *err)
{
    bool found;
    const char *word = words[*at];
    PASS(params_take(c->params, args, count, words, at, &found, err));
    note_given(found ? c->params : common_params, word, found ? call->given : call->given_common);
    if (!found) PASS(params_take(common_params, &call->common, count, words, at, &found, err));
    if (!found) PASS(unknown_option(c, word, *at + 1 < count ? words[*at + 1] : "", err));
    return ST_OK;
}

/* What a word that has no place may have been meant as; "" for others. */
static const char *hint_of_word(const struct command *c, const char *word)
{
    bool graph = false;
    for (const struct param *p = c->params; p && p->name; p++) graph |= !strcmp(p->name, "graph");
    if (graph && file_is_directory(word)) return "; a graph is given as --graph G, a server as --server S";
    if (strspn(word, "0123456789%")) return "; values have no blanks, as in 25,10 and 5%";
    return "";
}

enum st command_parse(const struct command *c, int count, char **words, struct call *call, void *args, enum help *help,
                      struct err *err)
{
    bool only_words = false;
    const struct param *renamed = NULL;
    *help = HELP_NONE;
    call->args = args;
    call->params = c->params;
    call->words = words; /* arguments that are no options are moved to the front of the list */
    call->word_count = 0;
    PASS(params_default(common_params, &call->common, err));
    PASS(params_default(c->params, args, err));
    for (int at = 0; at < count;) {
        char *word = words[at];
        if (only_words || word[0] != '-' || !word[1]) {
            words[call->word_count++] = word;
            at++;
        } else if (!strcmp(word, "--")) {
            only_words = true;
            at++;
        } else if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
            *help = HELP_SCREEN;
            return ST_OK;
        } else if (!strcmp(word, "--help-all")) {
            *help = HELP_ALL;
            return ST_OK;
        } else {
            PASS(refuse_one_dash(c, word, err));
            if (params_renamed(c->params, word)) renamed = params_renamed(c->params, word);
            PASS(call_take(c, call, args, count, words, &at, err));
        }
    }
    if (call->word_count < c->words_low)
        return err_set(err, ST_USAGE, "an argument is missing after '%s'; expected: %s", c->name, c->arguments);
    if (call->word_count > c->words_high)
        return err_set(err, ST_USAGE, "'%.60s' is one argument too many after '%s'%s; expected: %s",
                       words[c->words_high], c->name, hint_of_word(c, words[c->words_high]), c->arguments);
    if (call->repeat) PASS(call->repeat(c, call, args, err));
    PASS(check_needs(call, c, err));
    call->threads = call->common.threads ? (int)call->common.threads : machine_cpus();
    if (renamed) call_say(call, "--%s is now called --%s here", renamed->name, renamed->value);
    return ST_OK;
}

const struct command *const *command_next(const struct command *const *at, const char *group)
{
    for (; *at; at++)
        if (group ? (*at)->group && !strcmp((*at)->group, group) : !(*at)->group) return at;
    return NULL;
}

static void group_print(const struct command *c, const struct command *const *all, const char *path, FILE *to)
{
    fprintf(to, "\ncommands:\n");
    for (const struct command *const *k = command_next(all, c->name); k; k = command_next(k + 1, c->name)) {
        fprintf(to, "  %-12s ", (*k)->name);
        params_wrapped(to, (*k)->summary, 15);
    }
    terminal_print(to, "\n'%s <command> -h' explains a command.\n", path);
}

/* Joins the lines of a paragraph and wraps it. A paragraph ends with a line that ends in '.', ':' or ';', or before an
 * empty line. */
static void about_print(const char *text, FILE *to)
{
    char paragraph[4000] = "";
    while (*text) {
        size_t length = strcspn(text, "\n");
        text_append(paragraph, sizeof paragraph, "%s%.*s", *paragraph ? " " : "", (int)length, text);
        bool ends = !length || strchr(".:;", text[length - 1]) || !text[length] || text[length + 1] == '\n';
        if (ends) {
            params_wrapped(to, paragraph, 0);
            *paragraph = '\0';
        }
        text += length + (text[length] == '\n');
    }
}

/* most: lines that are printed. */
static void examples_print(const char *text, int most, FILE *to)
{
    for (fprintf(to, "\nexamples:\n"); *text && most; most--) {
        int length = (int)strcspn(text, "\n");
        fprintf(to, "%s%.*s\n", *text == ' ' ? "" : "  ", length, text);
        text += length + (text[length] == '\n');
    }
}

static int options_of(const struct param *table, const struct param *before)
{
    int count = 0;
    for (const struct param *p = table; p && p->name; p++)
        count += !param_is_alias(p) && !params_called(before, p->name);
    return count;
}

/* The first paragraph; of a long one as many whole sentences as fit `most` bytes. */
static int first_length(const char *about, int most)
{
    const char *paragraph = strstr(about, "\n\n");
    int length = paragraph ? (int)(paragraph - about) : (int)strlen(about), ends = 0;
    if (length <= most) return length;
    for (int i = 1; i < most; i++)
        if (about[i - 1] == '.' && strchr(" \n", about[i])) ends = i;
    return ends;
}

/* One screen: what it does, the options that people use, examples. */
static void screen_print(const struct command *c, const char *path, FILE *to)
{
    enum { EXAMPLES = 3 };
    char first[600];
    if (c->about) {
        snprintf(first, sizeof first, "%.*s", first_length(c->about, (int)sizeof first - 1), c->about);
        fputc('\n', to);
        about_print(first, to);
    }
    fprintf(to, "\noptions:\n");
    params_help_usual(c->params, c->usual, to);
    if (c->examples) examples_print(c->examples, EXAMPLES, to);
    terminal_print(to, "\nAll %d options: %s --help-all\n",
                   options_of(c->params, NULL) + options_of(common_params, c->params), path);
}

void command_help(const struct command *c, const struct command *const *all, const char *path, enum help how, FILE *to)
{
    terminal_print(to, "%s - %s\n\nusage: %s %s\n", path, c->summary, path, c->run ? c->arguments : "<command> ..");
    if (how == HELP_SCREEN && c->usual) {
        screen_print(c, path, to);
        return;
    }
    if (c->about) {
        fputc('\n', to);
        about_print(c->about, to);
    }
    if (!c->run) {
        group_print(c, all, path, to);
        return;
    }
    if (c->params) {
        fprintf(to, "\noptions:\n");
        params_help(c->params, NULL, to);
    }
    fprintf(to, "\ncommon options:\n");
    params_help(common_params, c->params, to);
    if (c->examples) examples_print(c->examples, -1, to);
}
