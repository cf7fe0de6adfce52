#include "simulator/plan/plan_ids.h"

#include <string.h>

#include "base/file.h"
#include "simulator/lib/plan_json.h"

static enum st check_sha256(const doc *d, const char *name, const char *path, struct err *err)
{
    char hex[65];
    uint64_t bytes = 0;
    const doc *file = plan_json_file(d, name);
    PASS(file_sha256(path, hex, &bytes, err));
    if (strcmp(hex, doc_text_value(doc_get(file, "sha256"), "")) ||
        doc_integer_value(doc_get(file, "bytes"), (int64_t)bytes) != (int64_t)bytes)
        return err_set(err, ST_INPUT,
                       "%s: its size or SHA-256 is not the one that plan.json states in files[]; the plan is damaged, "
                       "make it again",
                       path);
    return ST_OK;
}

enum st plan_ids_map(const char *folder, const doc *d, const char *name, const doc *about, struct npy *out,
                     struct err *err)
{
    char path[PATH_BYTES];
    struct npy a = {0};
    int64_t count = 0;
    enum st st;
    TRY(path_join(path, folder, name, err));
    TRY(doc_need_integer(about, "count", 0, UINT32_MAX, path, &count, err));
    uint64_t shape = (uint64_t)count;
    TRY(npy_map(path, &a, err));
    TRY(npy_expect(&a, path, "u4", 1, &shape, err));
    TRY(check_sha256(d, name, path, err));
    *out = a;
    return ST_OK;
done:
    npy_release(&a);
    return st;
}

enum st plan_ids_bytes(const doc *about, int gpu, const char *rows, uint64_t bytes, const char *where, struct err *err)
{
    int64_t stated = doc_integer_value(doc_get(about, "bytes"), (int64_t)bytes);
    if (stated == (int64_t)bytes) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: GPU %d states %lld bytes of %s rows, but the rows listed take %llu; the plan is damaged, make "
                   "it again",
                   where, gpu, (long long)stated, rows, (unsigned long long)bytes);
}
