#include "simulator/plan/plan_ids.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "simulator/lib/plan_json.h"

enum st plan_ids_list(const char *folder, const doc *d, const char *name, const char *stated, uint64_t count,
                      struct npy *out, struct err *err)
{
    char path[PATH_BYTES], hex[65];
    OWNED_BY(npy_release) struct npy a = {0};
    const doc *file = NULL;
    uint64_t bytes = 0;
    PASS(path_join(path, folder, name, err));
    PASS(npy_map(path, &a, err));
    PASS(npy_expect(&a, path, "u4", 1, &count, err));
    PASS(file_sha256(path, hex, &bytes, err));
    PASS(plan_json_file(d, path, name, stated, bytes, &file, err));
    if (strcmp(hex, doc_text_value(doc_get(file, "sha256"), "")))
        return err_set(err, ST_INPUT,
                       "%s: its SHA-256 is not the one that plan.json states in files[]; the plan is damaged, make it "
                       "again",
                       path);
    *out = a;
    memset(&a, 0, sizeof a);
    return ST_OK;
}

enum st plan_ids_map(const char *folder, const doc *d, const char *name, const doc *about, struct npy *out,
                     struct err *err)
{
    int64_t count = 0;
    PASS(doc_need_integer(about, "count", 0, UINT32_MAX, name, &count, err));
    return plan_ids_list(folder, d, name, doc_text_value(doc_get(about, "file"), ""), (uint64_t)count, out, err);
}

enum st plan_ids_append(const char *folder, const doc *d, const char *name, const doc *about, uint32_t first,
                        struct row_list *rows, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    enum st st;
    TRY(plan_ids_map(folder, d, name, about, &a, err));
    GROW(rows->id, rows->count + a.count + 1, "the rows of a plan");
    for (uint64_t i = 0; i < a.count; i++) rows->id[rows->count + i] = first + ((const uint32_t *)a.data)[i];
    rows->count = rows->capacity = rows->count + a.count;
done:
    return st;
}

enum st plan_ids_bytes(int64_t stated, int gpu, const char *rows, uint64_t bytes, const char *where, struct err *err)
{
    if (stated < 0 || stated == (int64_t)bytes) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: GPU %d states %lld bytes of %s rows, but the rows listed take %llu; the plan is damaged, make "
                   "it again",
                   where, gpu, (long long)stated, rows, (unsigned long long)bytes);
}
