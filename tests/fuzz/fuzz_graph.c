/* fuzz_graph.c - any bytes, given to every graph format: no crash, no leak, and either a graph that opens or a
 * sentence. */
#define _GNU_SOURCE
#include <ftw.h>
#include "tests/fuzz/fuzz.h"
#include "traces/formats/graph_import.h"
#include "traces/graph/graph_names.h"
#include "traces/graph/graph_sets.h"

static char source[400], target[300];

/* Bytes behind the first NUL NUL NUL NUL go to a second file: WebGraph's properties. */
static void put_files(const uint8_t *data, size_t size)
{
    const uint8_t *cut = !size ? NULL : memmem(data, size, "\0\0\0\0", 4);
    size_t first = cut ? (size_t)(cut - data) + 4 : 0;
    fuzz_file("x.properties", cut ? data + first : data, size - first);
    snprintf(source, sizeof source, "%s", fuzz_file("x.graph", data, size));
    snprintf(target, sizeof target, "%s/G", fuzz_begin());
}

static int drop(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void import_once(const char *format, int flags)
{
    struct err err = {0};
    struct graph g;
    struct graph_sets sets;
    struct graph_names names;
    char *from = source;
    struct import_options o = {.sources = &from,
                               .source_count = 1,
                               .format = format,
                               .undirected = flags & 1,
                               .renumber = flags & 2,
                               .weights = flags & 4,
                               .names = flags & 8,
                               .feature_dim = 1,
                               .feature_type = "f32",
                               .threads = 1};
    if (graph_import(&o, target, NULL, &err) == ST_OK) {
        if (graph_open(target, 1, &g, &err) != ST_OK) abort();
        if (graph_sets_open(&g, 1, &sets, &err) != ST_OK) abort();
        graph_sets_close(&sets);
        if (graph_names_open(&g, 0, 1, &names, &err) != ST_OK) abort();
        graph_names_close(&names);
        graph_close(&g);
        if (nftw(target, drop, 8, FTW_DEPTH | FTW_PHYS)) abort();
    } else if (!err.text[0] || err.code == ST_BUG || access(target, F_OK) == 0) {
        abort(); /* without a sentence, or with half a graph */
    }
    if (mem_in_use()) abort();
}

/* Whole inputs for every format in turn are slow; the fuzzer gives each one format, by the length. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int count = 0;
    while (graph_formats_registered[count]) count++;
    put_files(data, size);
#ifdef FUZZ_ONE_FORMAT
    int at = (int)(size % (size_t)(count + 1));
    import_once(at < count ? graph_formats_registered[at]->name : NULL, (int)(size / (size_t)(count + 1) & 7));
#else
    for (int i = 0; i < count; i++) import_once(graph_formats_registered[i]->name, (int)(size & 7));
    import_once(NULL, (int)(size >> 3 & 7));
#endif
    return 0;
}
