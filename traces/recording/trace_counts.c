#include "traces/recording/trace_counts.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/npy.h"
#include "base/status.h"
#include "base/units.h"

/* What a running job counted: a folder with gpu<id>-<epochs>.npy for each GPU, one-dimensional uint32 arrays of reads
 * of each vertex's feature row over that many epochs (simulator/lib/hotset/_recorder.py writes it). */

/* The epochs that a name states for a GPU; 0: it is another file. */
static uint64_t epochs_of(const char *name, int gpu)
{
    char before[32], *end;
    int length = snprintf(before, sizeof before, "gpu%d-", gpu);
    if (strncmp(name, before, (size_t)length) != 0 || name[length] < '1' || name[length] > '9') return 0;
    uint64_t epochs = strtoull(name + length, &end, 10);
    return strcmp(end, ".npy") ? 0 : epochs;
}

static enum st newest(const char *folder, int gpu, uint64_t *epochs, struct err *err)
{
    DIR *d = opendir(folder);
    *epochs = 0;
    if (!d) return err_set(err, ST_INPUT, "%s: cannot be opened", folder);
    for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
        uint64_t found = epochs_of(e->d_name, gpu);
        *epochs = found > *epochs ? found : *epochs;
    }
    closedir(d);
    if (*epochs) return ST_OK;
    return err_set(err, ST_INPUT, "%s/gpu%d-<epochs>.npy: there is none; GPU %d has recorded no epoch", folder, gpu,
                   gpu);
}

static enum st read_one(const char *folder, int gpu, uint64_t epochs, uint64_t n, uint64_t *value, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    char name[64], path[PATH_BYTES];
    bool ok = true;
    snprintf(name, sizeof name, "gpu%d-%llu.npy", gpu, (unsigned long long)epochs);
    PASS(path_join(path, folder, name, err));
    PASS(npy_map(path, &a, err));
    if (a.dims != 1 || a.count != n)
        return err_set(err, ST_INPUT,
                       "%s: counts %llu vertices, but the trace's graph has %llu; name the graph of the recording",
                       path, (unsigned long long)a.count, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) {
        int64_t count = npy_integer(&a, i, &ok);
        if (!ok || count < 0 || count > UINT32_MAX)
            return err_set(err, ST_INPUT, "%s: element %llu of type %s is no count; expected 0 to 2^32 - 1", path,
                           (unsigned long long)i, a.type);
        value[i] = (uint64_t)count;
    }
    return ST_OK;
}

/* Reads the newest file of every GPU id[gpus]. value: [gpus][n]. *epochs: of all of them. ST_INPUT: a GPU has none, n
 * differs, or GPUs have recorded different numbers of epochs. */
static enum st recorded_folder_read(const char *folder, const int *id, int gpus, uint64_t n, uint64_t *value,
                                    uint64_t *epochs, struct err *err)
{
    for (int g = 0; g < gpus; g++) {
        uint64_t found = 0;
        PASS(newest(folder, id[g], &found, err));
        if (g && found != *epochs)
            return err_set(err, ST_INPUT,
                           "%s: the GPUs have recorded different numbers of epochs: GPU %d %llu, GPU %d %llu; let each "
                           "finish as many",
                           folder, id[0], (unsigned long long)*epochs, id[g], (unsigned long long)found);
        *epochs = found;
        PASS(read_one(folder, id[g], found, n, value + (uint64_t)g * n, err));
    }
    return ST_OK;
}

enum kind { KIND_NPY, KIND_RAW, KIND_TEXT, KIND_PCM, KIND_FOLDER };

/* Tells kinds apart by content: NumPy's magic; bytes that text does not have; a first line that begins with a digit.
 * Other files are PCM or unknown. */
static enum st find_kind(const char *path, enum kind *out, struct err *err)
{
    struct source *s = NULL;
    unsigned char head[4096];
    size_t got = 0, some = 1;
    enum st st;
    if (file_is_directory(path)) {
        *out = KIND_FOLDER;
        return ST_OK;
    }
    TRY(source_open(path, &s, err));
    while (some && got < sizeof head) {
        TRY(source_read(s, head + got, sizeof head - got, &some, err));
        got += some;
    }
    if (!got)
        FAIL(ST_INPUT, "%s is empty, but counts per vertex or a capture of pcm-pcie or pcm-iio are expected", path);
    if (got >= 6 && !memcmp(head, "\x93NUMPY", 6)) *out = KIND_NPY;
    else if (memchr(head, 0, got)) *out = KIND_RAW;
    else {
        size_t i = 0;
        while (i < got &&
               (head[i] == '#' || head[i] == '\n' || head[i] == '\r' || head[i] == ' ')) /* comments and blank lines */
            if (head[i++] == '#')
                while (i < got && head[i] != '\n') i++;
        *out = i < got && head[i] >= '0' && head[i] <= '9' ? KIND_TEXT : KIND_PCM;
    }
done:
    source_close(s);
    return st;
}

enum st trace_counts_probe(const char *path, bool *pcm, struct err *err)
{
    enum kind kind = KIND_PCM;
    enum st st = find_kind(path, &kind, err);
    *pcm = kind == KIND_PCM;
    return st;
}

/* The counts of a file: [1][n] for all GPUs together, or [gpus][n]. */
struct counts {
    uint64_t *value, epochs;
    int rows;
};

static enum st set(const struct trace_counts_request *r, struct counts *k, uint64_t at, int64_t value, struct err *err)
{
    if (value < 0 || value > UINT32_MAX)
        return err_set(err, ST_INPUT, "%s: number %llu is %lld, but counts are 0 to 2^32 - 1", r->path,
                       (unsigned long long)at, (long long)value);
    k->value[at] = (uint64_t)value;
    return ST_OK;
}

/* Takes vertex `id` at `place` of a ranking. */
static enum st rank(const struct trace_counts_request *r, uint64_t n, struct counts *k, uint64_t place, int64_t id,
                    struct err *err)
{
    if (id < 0 || (uint64_t)id >= n)
        return err_set(err, ST_INPUT, "%s: place %llu of the ranking is vertex %lld, but the graph has %llu vertices",
                       r->path, (unsigned long long)place, (long long)id, (unsigned long long)n);
    if (k->value[id])
        return err_set(err, ST_INPUT,
                       "%s: vertex %lld is at place %llu of the ranking and also before it; each vertex may occur once",
                       r->path, (long long)id, (unsigned long long)place);
    k->value[id] = n - place;
    return ST_OK;
}

static enum st trace_counts_take(const struct trace_counts_request *r, uint64_t n, struct counts *k, uint64_t at,
                                 int64_t value, struct err *err)
{
    return r->ranking ? rank(r, n, k, at, value, err) : set(r, k, at, value, err);
}

static enum st read_npy(const struct trace_counts_request *r, const struct trace *t, struct counts *k, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    uint64_t n = t->n, gpus = (uint64_t)t->assignment.gpus;
    bool ok = true;
    PASS(npy_map(r->path, &a, err));
    bool each = a.dims == 2 && a.shape[0] == gpus && a.shape[1] == n && !r->ranking,
         all = a.dims == 1 && (a.shape[0] == n || (r->ranking && a.shape[0] < n));
    if (!each && !all)
        return err_set(err, ST_INPUT,
                       "%s: has %d dimensions and %llu elements, but [%llu] or [%llu, %llu] (GPUs, vertices) are "
                       "expected",
                       r->path, a.dims, (unsigned long long)a.count, (unsigned long long)n, (unsigned long long)gpus,
                       (unsigned long long)n);
    k->rows = each ? (int)gpus : 1;
    MAKE(k->value, (uint64_t)k->rows * n, "imported counts");
    for (uint64_t i = 0; i < a.count; i++) {
        int64_t value = npy_integer(&a, i, &ok);
        if (!ok)
            return err_set(err, ST_INPUT,
                           "%s: elements are of type %s, but whole numbers are expected; convert them with "
                           "astype('uint32')",
                           r->path, a.type);
        PASS(trace_counts_take(r, n, k, i, value, err));
    }
    return ST_OK;
}

/* What a job counted, GPU by GPU. */
static enum st read_folder(const struct trace_counts_request *r, const struct trace *t, struct counts *k,
                           struct err *err)
{
    if (r->ranking || r->topology)
        return err_set(err, ST_USAGE, "%s: a job counts reads of feature rows; leave --as and --kind out", r->path);
    k->rows = t->assignment.gpus;
    MAKE(k->value, (uint64_t)k->rows * t->n, "recorded counts");
    return recorded_folder_read(r->path, t->assignment.id, k->rows, t->n, k->value, &k->epochs, err);
}

static enum st read_raw(const struct trace_counts_request *r, const struct trace *t, struct counts *k, struct err *err)
{
    OWNED_BY(file_unmap) struct mapping map = {0};
    char found[BYTES_TEXT], expected[BYTES_TEXT];
    PASS(file_map(r->path, &map, err));
    if (map.bytes != 4 * t->n && !(r->ranking && map.bytes < 4 * t->n && map.bytes % 4 == 0))
        return err_set(err, ST_INPUT, "%s: has %s, but one uint32 for each of %llu vertices is expected, %s", r->path,
                       units_bytes_exact(found, map.bytes), (unsigned long long)t->n,
                       units_bytes_exact(expected, 4 * t->n));
    k->rows = 1;
    MAKE(k->value, t->n, "imported counts");
    for (uint64_t i = 0; i < map.bytes / 4; i++) {
        uint32_t value;
        memcpy(&value, (const char *)map.base + 4 * i, 4);
        PASS(trace_counts_take(r, t->n, k, i, value, err));
    }
    return ST_OK;
}

/* "vertex count", or one vertex per line for a ranking; blanks, tabs or commas between. */
static enum st read_text(const struct trace_counts_request *r, const struct trace *t, struct counts *k, struct err *err)
{
    OWNED_BY(text_lines_close) struct text_lines l = {0};
    char *line, name[80];
    uint64_t place = 0;
    k->rows = 1;
    MAKE(k->value, t->n, "imported counts");
    PASS(text_lines_open(r->path, &l, err));
    for (;;) {
        PASS(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        line += strspn(line, " \t");
        if (!*line || *line == '#') continue;
        char *second = line + strcspn(line, " \t,");
        int64_t id, count;
        if (*second) *second++ = 0;
        second += strspn(second, " \t,");
        second[strcspn(second, " \t,")] = 0;
        snprintf(name, sizeof name, "%.50s: line %llu", path_base(r->path), (unsigned long long)l.number);
        if (units_integer(line, name, 0, (int64_t)t->n - 1, &id, err) != ST_OK)
            return err_set(err, ST_INPUT, "%s: line %llu: \"%.20s\" is not a vertex id below %llu", r->path,
                           (unsigned long long)l.number, line, (unsigned long long)t->n);
        if (r->ranking) {
            PASS(rank(r, t->n, k, place++, id, err));
            continue;
        }
        if (units_integer(second, name, 0, UINT32_MAX, &count, err) != ST_OK)
            return err_set(err, ST_INPUT, "%s: line %llu: \"%.20s\" is not a count from 0 to 2^32 - 1", r->path,
                           (unsigned long long)l.number, second);
        if (k->value[id])
            return err_set(err, ST_INPUT, "%s: line %llu lists vertex %lld a second time", r->path,
                           (unsigned long long)l.number, (long long)id);
        k->value[id] = (uint64_t)count;
    }
    return ST_OK;
}

/* Shares one vertex's count over the GPUs by the weights own[g][v]. */
static void share(const struct count_row *own, int gpus, uint64_t v, uint64_t count, uint32_t *to, uint64_t n)
{
    uint64_t weight = 0, given = 0;
    for (int g = 0; g < gpus; g++) weight += count_at(own[g], v);
    for (int g = 0; g < gpus; g++) {
        uint64_t part = weight ? (uint64_t)((unsigned __int128)count * count_at(own[g], v) / weight)
                               : count / (uint64_t)gpus;
        to[(uint64_t)g * n + v] = (uint32_t)part;
        given += part;
    }
    for (int g = 0; given < count; g++) /* less than one per GPU is left */
        if (!weight || count_at(own[g], v)) {
            to[(uint64_t)g * n + v]++;
            given++;
        }
}

static enum st spread(const struct trace_counts_request *r, struct trace *t, const struct counts *k, uint32_t *to,
                      struct trace_counts_summary *summary, struct err *err)
{
    const uint64_t epochs = k->epochs ? k->epochs : r->epochs;
    const struct count_row *own = r->topology ? t->topology : t->feature;
    uint64_t n = t->n;
    int gpus = t->assignment.gpus;
    for (uint64_t v = 0; v < n; v++) {
        bool some = false;
        for (int row = 0; row < k->rows; row++) {
            uint64_t scaled = units_round_half_up((unsigned __int128)k->value[(uint64_t)row * n + v] * t->epochs,
                                                  epochs);
            if (scaled > UINT32_MAX)
                return err_set(err, ST_INPUT,
                               "%s: vertex %llu has %llu counts over %llu epochs, more than 32 bits hold", r->path,
                               (unsigned long long)v, (unsigned long long)scaled, (unsigned long long)t->epochs);
            if (k->rows == 1 && !k->epochs) share(own, gpus, v, scaled, to, n);
            else to[(uint64_t)row * n + v] = (uint32_t)scaled;
            summary->sum += scaled;
            some |= scaled > 0;
        }
        summary->vertices += some;
    }
    return ST_OK;
}

enum st trace_counts_import(const struct trace_counts_request *r, struct trace *t, struct trace_counts_summary *summary,
                            struct err *err)
{
    struct counts k = {0};
    OWNED uint32_t *to = NULL;
    enum kind kind = KIND_PCM;
    uint64_t gpus = (uint64_t)t->assignment.gpus;
    enum st st;
    memset(summary, 0, sizeof *summary);
    if (r->topology && !t->topology[0].bytes)
        FAIL(ST_USAGE, "--kind topology: draws of graphs with several types follow from visits; take --kind feature");
    TRY(find_kind(r->path, &kind, err));
    TRY(kind == KIND_NPY      ? read_npy(r, t, &k, err)
        : kind == KIND_RAW    ? read_raw(r, t, &k, err)
        : kind == KIND_FOLDER ? read_folder(r, t, &k, err)
                              : read_text(r, t, &k, err));
    summary->per_gpu = k.rows > 1 || k.epochs;
    NEW(to, gpus * t->n, "imported hotness");
    TRY(spread(r, t, &k, to, summary, err));
    BUG_IF(t->owned[3]);
    for (uint64_t g = 0; g < gpus; g++) (r->topology ? t->topology : t->feature)[g] = count_row_wide(to + g * t->n);
    t->owned[3] = TAKE(to);
    t->folds = 0;
done:
    mem_free(k.value);
    return st;
}
