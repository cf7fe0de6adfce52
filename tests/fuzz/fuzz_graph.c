/* fuzz_graph.c - any bytes, given to every graph format: no crash, no leak, and either a graph that opens or a
 * sentence. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "traces/graph/graph.h"
#include "traces/formats/graph_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes behind the first NUL NUL NUL NUL go to a second file: WebGraph's properties. */
static void put_files(const char *folder, const uint8_t *data, size_t size)
{
    char path[128];
    const uint8_t *cut = !size ? NULL : memmem(data, size, "\0\0\0\0", 4);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "x.properties" : "x.graph");
        FILE *f = fopen(path, "wb");
        if (!f) abort();
        size_t first = i && cut ? (size_t)(cut - data) + 4 : 0;
        if (size > first && fwrite(data + first, 1, size - first, f) != size - first) abort();
        fclose(f);
    }
}

static void import_once(char *source, const char *folder, const char *format, int flags)
{
    char target[128];
    struct err err = {0};
    struct graph g;
    struct import_options o = {.sources = &source,
                               .source_count = 1,
                               .format = format,
                               .undirected = flags & 1,
                               .renumber = flags & 2,
                               .weights = flags & 4,
                               .feature_dim = 1,
                               .feature_type = "f32",
                               .threads = 1};
    snprintf(target, sizeof target, "%s/G", folder);
    if (graph_import(&o, target, NULL, &err) == ST_OK) {
        if (graph_open(target, 1, &g, &err) != ST_OK) abort();
        graph_close(&g);
    } else if (!err.text[0] || err.code == ST_BUG) {
        abort();
    }
    if (mem_in_use()) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[] = "/tmp/hotset-fuzz-XXXXXX", source[128], command[128];
    if (!mkdtemp(folder)) abort();
    mem_limit_set((uint64_t)1 << 30);
    put_files(folder, data, size);
    snprintf(source, sizeof source, "%s/x.graph", folder);
    for (const struct graph_format *const *f = graph_formats_registered; *f; f++)
        import_once(source, folder, (*f)->name, (int)(size & 7));
    import_once(source, folder, NULL, (int)(size >> 3 & 7));
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}
