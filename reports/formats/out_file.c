/* out_file.c - files of a report; see out_file.h. */
#include "reports/formats/out_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/file.h"

enum st out_file_open(const char *folder, const char *name, FILE **out, struct err *err)
{
    char path[PATH_BYTES];
    PASS(path_join(path, folder, name, err));
    *out = fopen(path, "wb");
    if (!*out)
        return err_set(err, ST_LIMIT, "%s: the file cannot be made (%s); free disk space or give another output folder",
                       path, strerror(errno));
    return ST_OK;
}

enum st out_file_close(FILE **file, const char *name, struct err *err)
{
    FILE *f = *file;
    bool bad;
    *file = NULL;
    if (!f) return ST_OK;
    bad = ferror(f);
    bad = fclose(f) || bad;
    if (bad)
        return err_set(err, ST_LIMIT,
                       "%s: the file could not be written whole; free disk space or give another output folder", name);
    return ST_OK;
}
