/* test_graph_help.h - what the graph tests share: a folder of their own, files written from text, imports, rows
 * compared. */
#ifndef TEST_GRAPH_HELP_H
#define TEST_GRAPH_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/npy.h"
#include "traces/graph/graph.h"
#include "traces/graph/graph_sets.h"
#include "traces/formats/graph_import.h"

struct test_place {
    char folder[64];
    struct err err;
    struct graph_summary summary;
};

static inline int place_make(void **state)
{
    struct test_place *p = calloc(1, sizeof *p);
    snprintf(p->folder, sizeof p->folder, "/tmp/hotset-test-XXXXXX");
    *state = p;
    return p && mkdtemp(p->folder) ? 0 : -1;
}

static inline int place_remove(void **state)
{
    struct test_place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    int failed = system(command);
    free(p);
    return failed || mem_in_use() ? -1 : 0; /* nothing may leak */
}

/* "name" -> its path in the test's folder; a ring of results. */
static inline const char *in_place(const struct test_place *p, const char *name)
{
    static char ring[8][256];
    static int at;
    at = (at + 1) % 8;
    snprintf(ring[at], sizeof ring[at], "%s/%s", p->folder, name);
    return ring[at];
}

static inline const char *put(const struct test_place *p, const char *name, const void *data, size_t bytes)
{
    const char *path = in_place(p, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
    return path;
}

static inline const char *put_text(const struct test_place *p, const char *name, const char *text)
{
    return put(p, name, text, strlen(text));
}

static inline struct import_options plain_options(char **sources, int count)
{
    return (struct import_options){.sources = sources,
                                   .source_count = count,
                                   .train_share = 0.5,
                                   .seed = 1,
                                   .feature_dim = 4,
                                   .feature_type = "f32",
                                   .threads = 2};
}

/* Imports one file to "G". */
static inline enum st import_as(struct test_place *p, const char *source, struct import_options o)
{
    char *sources[] = {(char *)(uintptr_t)source};
    o.sources = sources;
    o.source_count = 1;
    err_clear(&p->err);
    return graph_import(&o, in_place(p, "G"), &p->summary, &p->err);
}

static inline enum st import_plain(struct test_place *p, const char *source)
{
    return import_as(p, source, plain_options(NULL, 0));
}

static inline void forget(const struct test_place *p)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s/G'", p->folder);
    assert_int_equal(system(command), 0);
}

/* The import is refused with ST_INPUT, says `part`, and leaves nothing behind. */
static inline void refused_as(struct test_place *p, const char *source, struct import_options o, const char *part)
{
    forget(p);
    enum st st = import_as(p, source, o);
    if (st != ST_INPUT || !strstr(p->err.text, part))
        fail_msg("%s: got %d '%s', expected '%s'", source, (int)st, p->err.text, part);
    assert_false(file_exists(in_place(p, "G")));
}

static inline void refused(struct test_place *p, const char *source, const char *part)
{
    refused_as(p, source, plain_options(NULL, 0), part);
}

/* "G" has the rows that `rows` shows: neighbours with blanks between, ';' behind each row. */
static inline void has_rows(struct test_place *p, const char *rows)
{
    struct graph g;
    char text[4096] = "";
    struct err err = {0};
    if (graph_open(in_place(p, "G"), 2, &g, &err) != ST_OK) fail_msg("%s", err.text);
    for (uint64_t v = 0; v < g.n; v++) {
        for (int64_t i = g.indptr[v]; i < g.indptr[v + 1]; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i > g.indptr[v] ? " " : "", g.indices[i]);
        strcat(text, ";");
    }
    graph_close(&g);
    assert_string_equal(text, rows);
}

/* "G" has these labels, validation and test vertices, with blanks between; "" for none. */
static inline void has_sets(struct test_place *p, const char *labels, const char *valid, const char *test)
{
    struct graph g;
    struct graph_sets s;
    char text[3][1024] = {"", "", ""};
    struct err err = {0};
    if (graph_open(in_place(p, "G"), 2, &g, &err) != ST_OK) fail_msg("%s", err.text);
    if (graph_sets_open(&g, 2, &s, &err) != ST_OK) fail_msg("%s", err.text);
    for (uint64_t v = 0; s.labels && v < g.n; v++)
        snprintf(text[0] + strlen(text[0]), 32, "%s%d", v ? " " : "", (int)s.labels[v]);
    for (uint64_t i = 0; i < s.valid_count; i++)
        snprintf(text[1] + strlen(text[1]), 32, "%s%u", i ? " " : "", s.valid[i]);
    for (uint64_t i = 0; i < s.test_count; i++)
        snprintf(text[2] + strlen(text[2]), 32, "%s%u", i ? " " : "", s.test[i]);
    graph_sets_close(&s);
    graph_close(&g);
    assert_string_equal(text[0], labels);
    assert_string_equal(text[1], valid);
    assert_string_equal(text[2], test);
}

static inline void imports(struct test_place *p, const char *source, const char *rows)
{
    if (import_plain(p, source) != ST_OK) fail_msg("%s: %s", source, p->err.text);
    has_rows(p, rows);
}

#define WITH_PLACE(function) cmocka_unit_test_setup_teardown(function, place_make, place_remove)

#endif
