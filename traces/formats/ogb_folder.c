#include "traces/formats/ogb_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/packed.h"
#include "traces/builder/builder.h"
#include "traces/builder/graph_text.h"

/* The first split folder in name order that has training ids, into out; false when there is none. */
static bool find_split(const char *folder, char out[PATH_BYTES])
{
    char inner[PATH_BYTES + 260], path[PATH_BYTES], best[260] = "";
    if (snprintf(out, PATH_BYTES, "%s/split", folder) >= PATH_BYTES) return false;
    DIR *d = opendir(out);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(inner, sizeof inner, "%s/%s", out, e->d_name);
        if (e->d_name[0] != '.' && packing_find(inner, "train.csv", path) && (!*best || strcmp(e->d_name, best) < 0))
            snprintf(best, sizeof best, "%s", e->d_name);
    }
    if (d) closedir(d);
    const size_t used = strlen(out), room = PATH_BYTES - used;
    return *best && snprintf(out + used, room, "/%s", best) < (int)room;
}

/* One file of a split: an id per line. */
static enum st read_ids(const char *path, uint64_t n, enum vertex_set set, struct builder *to, struct err *err)
{
    static const char *const what[VERTEX_SETS] = {"train.csv of the split", "valid.csv of the split",
                                                  "test.csv of the split"};
    char *line;
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    uint64_t count = 0, room = 1024;
    OWNED uint64_t *ids = NULL;
    enum st st = ST_OK;
    TRY(text_lines_open(path, &l, err));
    NEW(ids, room, "vertices of a set");
    for (;;) {
        TRY(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        const char *p = line;
        if (!*text_skip(p)) continue;
        if (count == room) {
            GROW(ids, 2 * room, "vertices of a set");
            room *= 2;
        }
        enum text_kind kind = text_take(&p, &ids[count]);
        if (kind != TEXT_NUMBER || ids[count] >= n)
            TRY(text_error(kind == TEXT_NUMBER ? TEXT_BEYOND : kind, path, l.number, line, "one vertex id", err));
        count++;
    }
    if (count) TRY(builder_set(to, set, ids, count, what[set], err));
done:
    return st;
}

enum st ogb_read_split(const char *folder, uint64_t n, struct builder *to, struct err *err)
{
    static const char *const names[VERTEX_SETS] = {"train.csv", "valid.csv", "test.csv"};
    char split[PATH_BYTES], path[PATH_BYTES];
    if (!find_split(folder, split)) return ST_OK;
    for (int i = 0; i < VERTEX_SETS; i++)
        if (packing_find(split, names[i], path)) PASS(read_ids(path, n, (enum vertex_set)i, to, err));
    return ST_OK;
}

enum st ogb_row_elements(const char *path, uint64_t *out, struct err *err)
{
    char *line;
    OWNED_BY(text_lines_close) struct text_lines lines = {0};
    PASS(text_lines_open(path, &lines, err));
    PASS(text_lines_next(&lines, &line, NULL, err));
    if (!line) return err_set(err, ST_INPUT, "%s: is empty", path);
    for (*out = 1; *line; line++) *out += *line == ',';
    return ST_OK;
}
