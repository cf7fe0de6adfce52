/* Options, tables, did-you-mean, documents, errors, memory. */
#include "tests/unit/unit.h"
#include <math.h>
#include "base/cmd.h"
#include "base/doc.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/table.h"
#include "base/table_numbers.h"
#include "base/terminal.h"
#include "base/text.h"

/* A large struct from the heap goes back when its function is left, by any way; without memory the function ends. As
 * on a stack, no limit counts it. */
static enum st with_large(bool early, struct err *err)
{
    struct large {
        char byte[100000];
    };
    const uint64_t before = mem_in_use();
    ON_HEAP(struct large, x);
    assert_int_equal(mem_in_use(), before);
    for (size_t k = 0; k < sizeof x->byte; k += 999) assert_int_equal(x->byte[k], 0);
    memset(x, 1, sizeof *x); /* the next one is zeroed again */
    if (early) return ST_NO;
    return ST_OK;
}

/* What a terminal obeys is shown; all else stays, byte by byte. */
static void controls_are_visible(void **state)
{
    static const char *const cases[][2] = {{"plain, tab\t, line\n", "plain, tab\t, line\n"},
                                           {"\x1b[31m\x7f\r\a", "\\u001b[31m\\u007f\\u000d\\u0007"},
                                           {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f "
                                                                                                "\xe2\x82\xac "
                                                                                                "\xf0\x9f\x98\x80"},
                                           {"\xc2\x80\xc2\x9f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},
                                           {"\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa9\\u202a\\u"
                                                                                                "202e\xe2\x80\xaf"},
                                           {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5\\u2066\\u"
                                                                                                "2069\xe2\x81\xaa"},
                                           {"\xff\xc3(\xe2\x80", "\\xff\\xc3(\\xe2\\x80"},
                                           {"\xc0\x9b\xed\xa0\x80", "\\xc0\\x9b\\xed\\xa0\\x80"}};
    char out[200];
    size_t taken;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes = strlen(cases[i][0]);
        assert_int_equal(text_visible(out, sizeof out, cases[i][0], bytes, &taken), strlen(cases[i][1]));
        assert_string_equal(out, cases[i][1]);
        assert_int_equal(taken, bytes);
    }
    assert_int_equal(text_visible(out, sizeof out, "a\0b", 3, NULL), 8);
    assert_string_equal(out, "a\\u0000b");
    assert_int_equal(text_visible(out, 8, "ab\x1b", 3, &taken), 2); /* an escape is written whole or not at all */
    assert_int_equal(taken, 2);
    assert_string_equal(out, "ab");
}

static void large_structs(void **state)
{
    (void)state;
    struct err err = {0};
    uint64_t before = mem_in_use();
    assert_int_equal(with_large(false, &err), ST_OK);
    assert_int_equal(with_large(true, &err), ST_NO);
    assert_int_equal(mem_in_use(), before);
    mem_fail_at(1);
    assert_int_equal(with_large(false, &err), ST_LIMIT);
    mem_fail_at(0);
    assert_int_equal(mem_in_use(), before);
}

static struct err err;
extern const struct command *const commands_registered[];

/* ---- options ---- */

struct args {
    bool flag;
    int64_t number, any;
    double real;
    uint64_t size;
    const char *word, *text;
    struct int_list list;
};
#define AT(member) offsetof(struct args, member)
static const struct param table[] =
    {{.name = "flag", .letter = 'f', .kind = PARAM_FLAG, .offset = AT(flag), .help = "A flag."},
     OPTION_INTEGER("number", 'n', struct args, number, "N", "5", 1, 9, "A number."),
     OPTION_INTEGER("any", 0, struct args, any, "N", NULL, 0, 0, "Any number."),
     OPTION_REAL("real", 0, struct args, real, "X", "0.5", -2, 9, "A real."),
     OPTION_SIZE("size", 0, struct args, size, "SIZE", "1KiB", "A size."),
     OPTION_WORD("word", 0, struct args, word, "WORD", "red", "red|green|blue", "A word of three."),
     OPTION_TEXT("text", 't', struct args, text, "TEXT", NULL, "Any text."),
     OPTION_LIST("list", 0, struct args, list, "LIST", "25,10", 1, 100, "A list."),
     OPTION_ALIAS("count", "number"),
     OPTION_RENAMED("banner", "flag"),
     {0}};

/* Parses words up to NULL; how many were taken, or -1 for a failure, -2 for a word that is no option. */
static int take(struct args *a, ...)
{
    char checkpoint[8][80], *words[8];
    int count = 0, at = 0;
    va_list ap;
    va_start(ap, a);
    for (const char *w; (w = va_arg(ap, const char *)); count++) words[count] = strcpy(checkpoint[count], w);
    va_end(ap);
    err_clear(&err);
    while (at < count) {
        bool found = false;
        if (params_take(table, a, count, words, &at, &found, &err) != ST_OK) return -1;
        if (!found) return -2;
    }
    return at;
}

static void defaults(void **state)
{
    struct args a = {0};
    (void)state;
    GOOD(params_default(table, &a, &err));
    assert_true(!a.flag && a.number == 5 && a.any == 0 && a.real == 0.5 && a.size == 1024 && !a.text);
    assert_string_equal(a.word, "red");
    assert_true(a.list.count == 2 && a.list.value[0] == 25 && a.list.value[1] == 10);
    static const struct param broken[] = {OPTION_INTEGER("n", 0, struct args, number, "N", "x", 0, 0, ""), {0}};
    BAD(ST_BUG, "default", params_default(broken, &a, &err));
    GOOD(params_default(NULL, &a, &err));
}

static void ways_to_write(void **state)
{
    struct args a = {0};
    (void)state;
    assert_int_equal(take(&a, "--number", "3", NULL), 2);
    assert_true(a.number == 3);
    assert_int_equal(take(&a, "--number=4", NULL), 1);
    assert_true(a.number == 4);
    assert_int_equal(take(&a, "-n", "6", NULL), 2);
    assert_true(a.number == 6);
    assert_int_equal(take(&a, "-n7", NULL), 1);
    assert_true(a.number == 7);
    assert_int_equal(take(&a, "--any", "-12", NULL), 2);
    assert_true(a.any == -12);
    assert_int_equal(take(&a, "-f", NULL), 1);
    assert_true(a.flag);
    assert_int_equal(take(&a, "--no-flag", NULL), 1);
    assert_false(a.flag);
    assert_int_equal(take(&a, "--flag", "--list=1,2,3", "--size", "2MiB", "--real=1e-3", "--word=blue",
                          "--text=", NULL),
                     7);
    assert_true(a.flag && a.list.count == 3 && a.list.value[2] == 3 && a.size == 2 << 20 && a.real == 1e-3);
    assert_string_equal(a.word, "blue");
    assert_string_equal(a.text, "");
}

static void wrong_options(void **state)
{
    static const struct {
        const char *one, *two, *words;
    } cases[] = {{"--number", NULL, "--number"},
                 {"--number", "0", "out of range, expected 1 to 9"},
                 {"--number", "x", "not an integer"},
                 {"--number=", NULL, "not an integer"},
                 {"--real", "x", "not a number"},
                 {"--size", "5%", "not a size"},
                 {"--word", "gren", "did you mean 'green'?"},
                 {"--word", "violet", "red|green|blue"},
                 {"--list", "1,,2", "not an integer"},
                 {"--list", "0", "out of range"},
                 {"--list", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "more than 16"},
                 {"--flag=yes", NULL, "--flag"}};
    struct args a = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int got = take(&a, cases[i].one, cases[i].two, NULL);
        if (got != -1 || err.code != ST_USAGE || !strstr(err.text, cases[i].words))
            fail_msg("%s %s: %d %s", cases[i].one, cases[i].two ? cases[i].two : "", got, err.text);
    }
    assert_int_equal(take(&a, "--nummer", "3", NULL), -2);
    assert_int_equal(take(&a, "--no-number", NULL), -2);
    assert_int_equal(take(&a, "-x", NULL), -2);
    assert_int_equal(take(&a, "--numbers", "3", NULL), -2);
}

static void other_names(void **state)
{
    struct args a = {0};
    (void)state;
    assert_int_equal(take(&a, "--count", "3", "--banner", NULL), 3);
    assert_true(a.number == 3 && a.flag);
    assert_int_equal(take(&a, "--count=4", "--no-banner", NULL), 2);
    assert_true(a.number == 4 && !a.flag);
    assert_int_equal(take(&a, "--count", "0", NULL), -1);
    assert_non_null(strstr(err.text, "--count")); /* errors use the user's word */
    assert_ptr_equal(params_match(table, "--count=4"), params_match(table, "--number"));
    assert_string_equal(params_match(table, "--banner")->name, "flag");
    assert_null(params_renamed(table, "--count"));
    assert_string_equal(params_renamed(table, "--banner")->value, "flag");
    assert_null(params_renamed(table, "--flag"));
    assert_true(params_called(table, "count") && params_called(table, "number") && !params_called(table, "coun"));
    assert_false(params_called(NULL, "count"));
    static const struct param dangling[] = {OPTION_ALIAS("old", "new"), {0}};
    char word[] = "--old", *words[] = {word};
    int at = 0;
    bool found;
    BAD(ST_BUG, "--old", params_take(dangling, &a, 1, words, &at, &found, &err));
}

/* Every alias of every command leads to an option, and no table has more rows than struct call can mark. */
static void names_of_all_commands(void **state)
{
    (void)state;
    for (const struct command *const *c = commands_registered; *c; c++) {
        int rows = 0;
        for (const struct param *p = (*c)->params; p && p->name; p++, rows++)
            if (p->kind == PARAM_ALIAS || p->kind == PARAM_RENAMED) assert_true(params_called((*c)->params, p->value));
        assert_true(rows <= PARAM_ROWS_MAX);
    }
}

/* What a command needs is an option of its table without a default, "graph|like server": else it could not be missing.
 */
static void needs_of_all_commands(void **state)
{
    char names[200], *part[16];
    (void)state;
    for (const struct command *const *c = commands_registered; *c; c++) {
        if (!(*c)->needs) continue;
        assert_true(strlen((*c)->needs) < sizeof names);
        strcpy(names, (*c)->needs);
        for (char *at = names; *at; at++)
            if (*at == '|') *at = ' ';
        int count = text_split(names, ' ', part, 16);
        assert_true(count > 0);
        for (int i = 0; i < count; i++) {
            const struct param *p = params_called((*c)->params, part[i]);
            if (!p || p->fallback || !p->value) fail_msg("%s needs --%s", (*c)->name, part[i]);
        }
    }
}

static void one_dash_is_no_letter(void **state)
{
    static const struct command c = {.name = "paint", .arguments = "--text TEXT", .params = table, .needs = "text"};
    char text[] = "-text", value[] = "x", joined[] = "-tx", *wrong[] = {text, value}, *right[] = {joined};
    struct args a = {0};
    struct call call = {0};
    enum help help;
    (void)state;
    BAD(ST_USAGE, "did you mean --text?", command_parse(&c, 2, wrong, &call, &a, &help, &err));
    GOOD(command_parse(&c, 1, right, &call, &a, &help, &err));
    assert_string_equal(a.text, "x");
    call = (struct call){0};
    BAD(ST_USAGE, "paint: --text TEXT is missing; expected: hotset paint --text TEXT",
        command_parse(&c, 0, wrong, &call, &a, &help, &err));
}

static void reals_have_bounds(void **state)
{
    struct args a = {0};
    (void)state;
    assert_int_equal(take(&a, "--real", "-2", NULL), 2);
    assert_int_equal(take(&a, "--real", "9", NULL), 2);
    assert_int_equal(take(&a, "--real", "-2.001", NULL), -1);
    assert_non_null(strstr(err.text, "--real: -2.001 is out of range, expected -2 to 9"));
    assert_int_equal(take(&a, "--real", "9.5", NULL), -1);
}

/* Runs command_parse on words up to NULL and returns what it said on stderr. */
static const char *said(const struct command *c, void *args, ...)
{
    static char text[400];
    char kept[8][80], *words[8];
    int count = 0, saved = dup(2);
    enum help help;
    va_list ap;
    struct call call = {0};
    va_start(ap, args);
    for (const char *w; (w = va_arg(ap, const char *)); count++) words[count] = strcpy(kept[count], w);
    va_end(ap);
    FILE *to = tmpfile();
    fflush(stderr);
    dup2(fileno(to), 2);
    enum st st = command_parse(c, count, words, &call, args, &help, &err);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(to);
    text[fread(text, 1, sizeof text - 1, to)] = 0;
    fclose(to);
    assert_int_equal(st, ST_OK);
    return text;
}

static void renamed_options_are_told(void **state)
{
    struct args a = {0};
    const struct command c = {.name = "test", .params = table, .args_size = sizeof a};
    (void)state;
    assert_string_equal(said(&c, &a, "--banner", NULL), "hotset: --banner is now called --flag here\n");
    assert_true(a.flag);
    assert_string_equal(said(&c, &a, "--banner", "--quiet", NULL), "");
    assert_string_equal(said(&c, &a, "--count", "3", "--flag", NULL), "");
}

static void help_shows_everything(void **state)
{
    char text[8000];
    size_t size = 0;
    char *out = NULL;
    (void)state;
    FILE *f = open_memstream(&out, &size);
    params_help(table, NULL, f);
    fclose(f);
    snprintf(text, sizeof text, "%s", out);
    free(out);
    assert_null(strstr(text, "--count"));
    assert_null(strstr(text, "--banner"));
    for (const struct param *p = table; p->name; p++) {
        char option[40];
        if (param_is_alias(p)) continue;
        snprintf(option, sizeof option, "--%s", p->name);
        assert_non_null(strstr(text, option));
        assert_non_null(strstr(text, p->help));
        if (param_shows_default(p)) {
            snprintf(option, sizeof option, "[default: %s]", p->fallback);
            assert_non_null(strstr(text, option));
        }
    }
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 110);
}

/* A common option whose name a command uses itself is not shown beside it. */
static void help_hides_what_is_taken(void **state)
{
    static const struct param common[] = {OPTION_TEXT("banner", 0, struct args, text, "TEXT", NULL, "Hidden."),
                                          OPTION_TEXT("other", 0, struct args, text, "TEXT", NULL, "Shown."),
                                          {0}};
    char *out = NULL;
    size_t size = 0;
    (void)state;
    FILE *f = open_memstream(&out, &size);
    params_help(common, table, f);
    fclose(f);
    assert_null(strstr(out, "Hidden."));
    assert_non_null(strstr(out, "Shown."));
    free(out);
}

/* ---- texts ---- */

static void tables(void **state)
{
    static const char *const headers[] = {"name", ">count", NULL};
    char *out = NULL;
    size_t size = 0;
    (void)state;
    struct table *t = table_new(headers);
    table_add(t, "%s", "\xc3\xa4pfel"); /* a letter of two bytes is one wide */
    table_add(t, "%d", 7);
    table_add(t, "%s", "b");
    table_add(t, "%d", 123456);
    FILE *f = open_memstream(&out, &size);
    table_print(t, f);
    fclose(f);
    assert_string_equal(out, "name    count\n-----  ------\n\xc3\xa4pfel       7\nb      123456\n");
    free(out);
    table_free(t);
    table_free(NULL);
}

/* One column of each kind: one unit and one number of decimals; "-" for what is not known. */
static void numbers_of_a_column_look_alike(void **state)
{
    static const char *const headers[] = {"", ">bytes", ">far", ">time", ">rate", ">real", ">whole", NULL};
    static const char expected[] = "      bytes       far       time       rate    real  whole\n"
                                   "-  --------  --------  ---------  ---------  ------  -----\n"
                                   "a  1.50 MiB    1.00 B   0.863 ms  0.900 k/s   0.125     16\n"
                                   "b  0.02 MiB  1.00 TiB  13.500 ms  2.000 k/s  40.500     32\n"
                                   "c         -         -   0.000 ms  0.000 k/s       -      -\n";
    static const double rows[][6] = {{1536 * 1024, 1, 0.863e-3, 900, 0.125, 16},
                                     {20480, 0x1p40, 13.5e-3, 2000, 40.5, 32},
                                     {NAN, NAN, 0, 0, NAN, NAN}};
    char *out = NULL;
    size_t size = 0;
    (void)state;
    struct table *t = table_new(headers);
    for (int i = 0; i < 3; i++) {
        table_add(t, "%c", 'a' + i);
        table_add_bytes(t, rows[i][0]);
        table_add_bytes(t, rows[i][1]);
        table_add_seconds(t, rows[i][2]);
        table_add_rate(t, rows[i][3]);
        table_add_real(t, rows[i][4]);
        table_add_real(t, rows[i][5]);
    }
    FILE *f = open_memstream(&out, &size);
    table_print(t, f);
    fclose(f);
    assert_string_equal(out, expected);
    free(out);
    table_free(t);
}

static void styles_of_numbers(void **state)
{
    static const struct {
        enum measure measure;
        double least, most;
        const char *text[2];
    } cases[] = {{MEASURE_BYTES, 3, 10239, {"3 B", "10,239 B"}}, /* every byte below 10 KiB */
                 {MEASURE_BYTES, 1024, 10240, {"1.00 KiB", "10.00 KiB"}},
                 {MEASURE_BYTES, 150.0 * 0x1p30, 186.0 * 0x1p30, {"150.0 GiB", "186.0 GiB"}},
                 {MEASURE_BYTES, 26.0 * 0x1p20, 40.0 * 0x1p30, {"0.03 GiB", "40.00 GiB"}},
                 {MEASURE_BYTES, 1.0 * 0x1p20, 40.0 * 0x1p30, {"1.00 MiB", "40,960.00 MiB"}},
                 {MEASURE_SECONDS, 3e-9, 5e-9, {"3.00 ns", "5.00 ns"}},
                 {MEASURE_SECONDS, 12, 3600, {"12.0 s", "3,600.0 s"}},
                 {MEASURE_RATE, 1.25e9, 1.5e9, {"1.25 G/s", "1.50 G/s"}},
                 {MEASURE_REAL, 0.0316, 0.0724, {"0.0316", "0.0724"}},
                 {MEASURE_REAL, 2.39e-5, 1.82e-4, {"0.0000239", "0.0001820"}},
                 {MEASURE_REAL, 2.5, 1e6, {"2.5", "1,000,000.0"}},
                 {MEASURE_REAL, -4, 4, {"-4", "4"}},
                 {MEASURE_REAL, 0, 0, {"0", "0"}}};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double values[] = {cases[i].least, NAN, cases[i].most};
        struct number_style s = numbers_style(cases[i].measure, values, 3);
        assert_string_equal(numbers_text(text, sizeof text, &s, values[0]), cases[i].text[0]);
        assert_string_equal(numbers_text(text, sizeof text, &s, values[2]), cases[i].text[1]);
        assert_string_equal(numbers_text(text, sizeof text, &s, NAN), "-");
    }
}

static void words_are_wrapped(void **state)
{
    char *out = NULL;
    size_t size = 0;
    (void)state;
    FILE *f = open_memstream(&out, &size);
    const char *rest = "one two  three \xc3\xa4\xc3\xb6\xc3\xbc unbreakable";
    assert_int_equal(terminal_words(f, &rest, 9, true), 7);
    assert_int_equal(terminal_words(f, &rest, 9, true), 9); /* letters of two bytes are one wide */
    assert_int_equal(terminal_words(f, &rest, 9, true), 9);
    assert_string_equal(rest, "");
    fflush(f);
    assert_string_equal(out, "one twothree \xc3\xa4\xc3\xb6\xc3\xbcunbreak..");
    fclose(f);
    free(out);
    f = open_memstream(&out, &size);
    terminal_wrap(f, "one two three", 2, 9);
    assert_int_equal(terminal_width(f), 0); /* no terminal: lines stay as they are, and there is no colour */
    terminal_print(f, "%0250d %d\n", 1, 2);
    terminal_say(f, TERMINAL_RED, "plain\n");
    fclose(f);
    assert_memory_equal(out, "one two\n  three\n000", 19);
    assert_string_equal(out + size - 10, "1 2\nplain\n");
    free(out);
    f = open_memstream(&out, &size);
    terminal_wrap(f, "seven 12 % x", 0, 8); /* a number and its % are one word */
    terminal_command(f, "the plan: ", "hotset plan --graph %s", "G");
    fclose(f);
    assert_string_equal(out, "seven\n12 % x\nthe plan: hotset plan --graph G\n");
    free(out);
}

/* As many columns as a rack has GPUs, and more; and prose that goes on in further lines. */
static void wide_tables(void **state)
{
    enum { COLUMNS = 150 };
    static const char *headers[COLUMNS + 1], *const words[] = {"a", "why", NULL};
    char *out = NULL;
    size_t size = 0;
    (void)state;
    for (int i = 0; i < COLUMNS; i++) headers[i] = ">x";
    struct table *t = table_new(headers);
    for (int i = 0; i < COLUMNS; i++) table_add(t, "%d", i);
    FILE *f = open_memstream(&out, &size);
    table_print(t, f);
    fclose(f);
    assert_non_null(strstr(out, " 9  10  11"));
    assert_string_equal(out + size - 9, "148  149\n");
    free(out);
    table_free(t);
    t = table_new(words);
    table_add(t, "7");
    table_add(t, "%0100d %020d tail", 1, 2);
    f = open_memstream(&out, &size);
    table_print(t, f);
    fclose(f);
    assert_non_null(strstr(out, "1\n   00000000000000000002 tail\n"));
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) assert_true(strlen(line) <= 120);
    free(out);
    table_free(t);
}

static void ids_as_ranges(void **state)
{
    char text[40] = "GPUs ";
    (void)state;
    text_append_ids(text, sizeof text, (const int[]){0, 1, 4, 5, 6, 9}, 6);
    assert_string_equal(text, "GPUs 0,1,4-6,9");
    text_append_ids(text, sizeof text, NULL, 0);
    assert_string_equal(text, "GPUs 0,1,4-6,9");
}

static void nearest(void **state)
{
    static const char *const words[] = {"legion", "legion-topocpu", "quiver", "quiver-plus", "random", NULL};
    (void)state;
    assert_string_equal(text_nearest("legoin", words), "legion"); /* neighbours swapped */
    assert_string_equal(text_nearest("quiverplus", words), "quiver-plus");
    assert_string_equal(text_nearest("randm", words), "random");
    assert_string_equal(text_nearest("legion-topo", words), "legion-topocpu");
    assert_null(text_nearest("zebra", words));
    assert_null(text_nearest("", (const char *const[]){NULL}));
    char big[300];
    memset(big, 'q', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_null(text_nearest(big, words));
}

static void splitting(void **state)
{
    char text[] = "a,,b", cut[8] = "", *parts[3];
    (void)state;
    assert_int_equal(text_split(text, ',', parts, 3), 3);
    assert_string_equal(parts[1], "");
    char more[] = "a,b,c,d";
    assert_int_equal(text_split(more, ',', parts, 3), -1);
    text_append(cut, sizeof cut, "%s", "hello");
    text_append(cut, sizeof cut, "%s", "world");
    text_append(cut, sizeof cut, "%s", "again");
    assert_string_equal(cut, "hellowo");
}

static void errors(void **state)
{
    char big[3000];
    (void)state;
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_int_equal(err_set(&err, ST_INPUT, "line %d", 3), ST_INPUT);
    assert_int_equal(err_prefix(&err, "%s: ", "f.txt"), ST_INPUT);
    assert_string_equal(err.text, "f.txt: line 3");
    err_set(&err, ST_LIMIT, "%s", big);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    err_prefix(&err, "%s", big);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    err_clear(&err);
    assert_true(err.code == ST_OK && !*err.text);
}

/* ---- documents ---- */

static void documents_out(void **state)
{
    char *out = NULL;
    size_t size = 0;
    (void)state;
    doc *d = doc_object(), *list = doc_array();
    doc_put(d, "z", doc_integer(INT64_MAX));
    doc_put(d, "a", doc_real(0.1));
    doc_put(d, "nan", doc_real(NAN));
    doc_put(d, "inf", doc_real(-INFINITY));
    doc_put(d, "none", doc_text(NULL));
    doc_put(d, "list", list);
    doc_append(list, doc_bool(true));
    doc_append(list, doc_text("\"\n"));
    FILE *f = open_memstream(&out, &size);
    GOOD(doc_print(d, f, &err));
    fclose(f);
    assert_string_equal(out, "{\n \"z\": 9223372036854775807,\n \"a\": 0.1,\n \"nan\": null,\n \"inf\": null,\n "
                             "\"none\": null,\n \"list\": [\n  true,\n  \"\\\"\\n\"\n ]\n}\n");
    GOOD(doc_save(d, in_scratch("d.json"), &err));
    doc *back = NULL;
    GOOD(doc_load(in_scratch("d.json"), NULL, &back, &err));
    assert_true(doc_integer_value(doc_get(back, "z"), 0) == INT64_MAX && doc_size(doc_get(back, "list")) == 2);
    const char *key = doc_next_key(back, NULL); /* order of insertion */
    assert_string_equal(key, "z");
    assert_string_equal(doc_next_key(back, key), "a");
    doc_free(back);
    doc_put(d, "broken", NULL); /* a maker ran out of memory: remembered */
    BAD(ST_LIMIT, "out of memory", doc_save(d, in_scratch("e.json"), &err));
    assert_int_not_equal(access(in_scratch("e.json"), F_OK), 0);
    doc_free(d);
    free(out);
    doc_free(NULL);
    doc_put(NULL, "x", doc_integer(1));
    doc_append(NULL, doc_integer(1));
    FILE *full = fopen("/dev/full", "w");
    d = doc_object();
    BAD(ST_LIMIT, "cannot be written", doc_print(d, full, &err));
    fclose(full);
    doc_free(d);
}

static enum st load(const char *text, const char *schema, doc **d)
{
    return doc_load(put_file("in.json", text, strlen(text)), schema, d, &err);
}

static void documents_in(void **state)
{
    doc *d = NULL;
    int64_t v = 0;
    double r = 0;
    const char *t = NULL;
    doc *child = NULL;
    (void)state;
    BAD(ST_INPUT, "not valid JSON", load("", NULL, &d));
    BAD(ST_INPUT, "not valid JSON", load("{\"a\": 1", NULL, &d));
    BAD(ST_INPUT, "line 2", load("{\n\"a\": 1, \"a\": 2}", NULL, &d)); /* a key that is there twice */
    BAD(ST_INPUT, "not valid JSON", load("{\"a\": 99999999999999999999}", NULL, &d));
    BAD(ST_INPUT, "not valid JSON", load("{\"a\": 1e999}", NULL, &d));
    BAD(ST_INPUT, "not valid JSON", load("{\"a\": \"\xff\"}", NULL, &d));
    BAD(ST_INPUT, "not a JSON object", load("[1]", NULL, &d));
    BAD(ST_INPUT, "found the byte 0x0b", load("{\n\v", NULL, &d));
    BAD(ST_INPUT, "has no \"schema\"", load("{}", "plan/1", &d));
    BAD(ST_INPUT, "another kind", load("{\"schema\": \"trace/1\"}", "plan/1", &d));
    BAD(ST_INPUT, "another major", load("{\"schema\": \"plan/3\"}", "plan/1", &d));
    BAD(ST_INPUT, "several node types", load("{\"schema\": \"plan/2\"}", "plan/1", &d));
    BAD(ST_INPUT, "", load("{\"schema\": \"plan/10\"}", "plan/1", &d));
    static char deep[20000];
    memset(deep, '[', sizeof deep - 1);
    BAD(ST_INPUT, "not valid JSON", load(deep, NULL, &d));
    GOOD(load("{\"schema\": \"plan/1\", \"i\": 5, \"r\": 2.5, \"t\": \"x\", \"l\": [1], \"o\": {}, \"n\": null}",
              "plan/1", &d));
    GOOD(doc_need_integer(d, "i", 5, 5, "f", &v, &err));
    BAD(ST_INPUT, "f: key \"i\" is 5, expected 6 to 9", doc_need_integer(d, "i", 6, 9, "f", &v, &err));
    BAD(ST_INPUT, "missing", doc_need_integer(d, "x", 0, 9, "f", &v, &err));
    BAD(ST_INPUT, "not an integer", doc_need_integer(d, "r", 0, 9, "f", &v, &err));
    BAD(ST_INPUT, "missing", doc_need_integer(NULL, "r", 0, 9, "f", &v, &err));
    GOOD(doc_need_real(d, "i", 0, 9, "f", &r, &err));
    BAD(ST_INPUT, "expected", doc_need_real(d, "r", 3, 9, "f", &r, &err));
    BAD(ST_INPUT, "not a number", doc_need_real(d, "t", 3, 9, "f", &r, &err));
    GOOD(doc_need_text(d, "t", "f", &t, &err));
    BAD(ST_INPUT, "not a text", doc_need_text(d, "n", "f", &t, &err));
    GOOD(doc_need_array(d, "l", "f", &child, &err));
    BAD(ST_INPUT, "not an array", doc_need_array(d, "o", "f", &child, &err));
    GOOD(doc_need_object(d, "o", "f", &child, &err));
    BAD(ST_INPUT, "not an object", doc_need_object(d, "l", "f", &child, &err));
    assert_true(doc_is_null(doc_get(d, "n")) && doc_is_null(doc_get(d, "missing")) && doc_is_null(NULL) &&
                !doc_is_null(doc_get(d, "i")));
    BAD(ST_INPUT, "key \"t\" is not known",
        doc_only_keys(d, (const char *const[]){"schema", "i", "r", "l", "o", "n", "zebra", NULL}, "f", &err));
    GOOD(doc_only_keys(d, (const char *const[]){"schema", "i", "r", "t", "l", "o", "n", NULL}, "f", &err));
    doc_free(d);
}

/* ---- memory ---- */

static void memory_is_counted(void **state)
{
    (void)state;
    assert_int_equal(mem_in_use(), 0);
    for (uint64_t bytes = 0; bytes < 5 << 20; bytes = 3 * bytes + 1) {
        unsigned char *p = mem_array(bytes, 1, "test", &err);
        assert_non_null(p);
        assert_int_equal(mem_in_use(), bytes);
        for (uint64_t i = 0; i < bytes; i++) assert_true(p[i] == 0 && (p[i] = 0xAB));
        assert_int_equal((uintptr_t)p % 16, 0);
        p = mem_resize(p, bytes + 100, 1, "test", &err);
        assert_non_null(p);
        for (uint64_t i = 0; i < bytes; i++) assert_int_equal(p[i], 0xAB);
        for (uint64_t i = bytes; i < bytes + 100; i++) assert_int_equal(p[i], 0);
        p = mem_resize(p, bytes / 2, 1, "test", &err);
        assert_int_equal(mem_in_use(), bytes / 2);
        mem_free(p);
        assert_int_equal(mem_in_use(), 0);
    }
    mem_free(NULL);
    mem_peak_reset();
    mem_free(mem_array(1000, 8, "test", &err));
    assert_int_equal(mem_peak(), 8000);
}

static void memory_says_no(void **state)
{
    (void)state;
    err_clear(&err);
    assert_null(mem_array(UINT64_MAX, 2, "wrapping", &err));
    assert_true(err.code == ST_LIMIT && strstr(err.text, "wrapping"));
    assert_null(mem_array((uint64_t)1 << 61, 1, "vast", &err));
    assert_null(mem_array(((uint64_t)1 << 61) + 1, 8, "wrapping to 8", &err));
    mem_limit_set(1000);
    void *p = mem_array(1000, 1, "all", &err);
    assert_non_null(p);
    err_clear(&err);
    assert_null(mem_array(1, 1, "one more", &err));
    assert_true(err.code == ST_LIMIT && strstr(err.text, "--memory"));
    assert_null(mem_resize(p, 2000, 1, "growth", &err));
    assert_int_equal(mem_in_use(), 1000); /* the old block is there */
    mem_free(p);
    mem_limit_set(0);
    mem_fail_at(2);
    void *first = mem_array(1, 1, "x", &err), *second = mem_array(1, 1, "x", &err), *third = mem_array(1, 1, "x", &err);
    assert_true(first && !second && third);
    mem_free(first);
    mem_free(third);
    mem_fail_at(1);
    mem_fail_at(0);
    mem_free(p = mem_array(1, 1, "x", &err));
    assert_non_null(p);
    assert_int_equal(mem_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults),
                                       cmocka_unit_test(ways_to_write),
                                       cmocka_unit_test(wrong_options),
                                       cmocka_unit_test(other_names),
                                       cmocka_unit_test(names_of_all_commands),
                                       cmocka_unit_test(needs_of_all_commands),
                                       cmocka_unit_test(one_dash_is_no_letter),
                                       cmocka_unit_test(reals_have_bounds),
                                       cmocka_unit_test(renamed_options_are_told),
                                       cmocka_unit_test(help_hides_what_is_taken),
                                       cmocka_unit_test(controls_are_visible),
                                       cmocka_unit_test(large_structs),
                                       cmocka_unit_test(help_shows_everything),
                                       cmocka_unit_test(tables),
                                       cmocka_unit_test(wide_tables),
                                       cmocka_unit_test(numbers_of_a_column_look_alike),
                                       cmocka_unit_test(styles_of_numbers),
                                       cmocka_unit_test(words_are_wrapped),
                                       cmocka_unit_test(ids_as_ranges),
                                       cmocka_unit_test(nearest),
                                       cmocka_unit_test(splitting),
                                       cmocka_unit_test(errors),
                                       cmocka_unit_test(documents_out),
                                       cmocka_unit_test(documents_in),
                                       cmocka_unit_test(memory_is_counted),
                                       cmocka_unit_test(memory_says_no)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
