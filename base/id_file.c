#include "base/id_file.h"

#include "base/npy.h"

enum st id_file_save(const struct output *o, const char *name, const uint32_t *ids, uint64_t count, doc *files,
                     struct err *err)
{
    char path[PATH_BYTES], hex[65];
    uint64_t bytes = 0;
    PASS(output_path(o, name, path, err));
    PASS(npy_save(path, "u4", 1, &count, ids, err));
    PASS(file_sha256(path, hex, &bytes, err));
    doc *d = doc_object();
    doc_put(d, "name", doc_text(name));
    doc_put(d, "bytes", doc_integer((int64_t)bytes));
    doc_put(d, "sha256", doc_text(hex));
    doc_append(files, d);
    return ST_OK;
}
