#include "traces/recording/recorded_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/npy.h"

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

enum st recorded_folder_read(const char *folder, const int *id, int gpus, uint64_t n, uint64_t *value, uint64_t *epochs,
                             struct err *err)
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
