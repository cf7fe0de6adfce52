/* out_file.c - files of a report; see out_file.h. */
#include "reports/formats/out_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/file.h"

enum st out_file_open(const char *folder, const char *name, FILE **out, struct err *err)
{
    enum st st;
    char path[PATH_BYTES];
    TRY(path_join(path, folder, name, err));
    *out = fopen(path, "wb");
    if (!*out)
        FAIL(ST_LIMIT, "%s: the file cannot be made (%s); free disk space or give another output folder", path,
             strerror(errno));
done:
    return st;
}

enum st out_file_close(FILE **file, const char *name, struct err *err)
{
    enum st st = ST_OK;
    FILE *f = *file;
    bool bad;
    *file = NULL;
    if (!f) goto done;
    bad = ferror(f);
    bad = fclose(f) || bad;
    if (bad)
        FAIL(ST_LIMIT, "%s: the file could not be written whole; free disk space or give another output folder", name);
done:
    return st;
}
