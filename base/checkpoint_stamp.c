/* checkpoint_stamp.c - whether a file is still the same (declared in checkpoint.h). */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checkpoint.h"
#include "base/sha256.h"

/* The digests of "name stamp" of every file, combined by exclusive or: the order of the listing does not matter. */
static void stamp_folder(const char *path, char out[CHECKPOINT_STAMP])
{
    unsigned char all[32] = {0}, digest[32];
    char inner[PATH_BYTES], stamp[CHECKPOINT_STAMP], hex[65];
    struct err ignored = {0};
    struct sha256 h;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.' || path_join(inner, path, e->d_name, &ignored) != ST_OK || file_is_directory(inner))
            continue;
        checkpoint_stamp(inner, stamp);
        sha256_begin(&h);
        sha256_add(&h, e->d_name, strlen(e->d_name) + 1);
        sha256_add(&h, stamp, strlen(stamp));
        sha256_end(&h, digest);
        for (int i = 0; i < 32; i++) all[i] ^= digest[i];
    }
    if (d) closedir(d);
    sha256_hex(all, hex);
    snprintf(out, CHECKPOINT_STAMP, "folder:%s", hex);
}

const char *checkpoint_stamp(const char *path, char out[CHECKPOINT_STAMP])
{
    struct stat s;
    if (stat(path, &s) != 0) snprintf(out, CHECKPOINT_STAMP, "absent");
    else if (S_ISDIR(s.st_mode)) stamp_folder(path, out);
    else
        snprintf(out, CHECKPOINT_STAMP, "%lld:%lld.%09ld:%lld.%09ld", (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                 s.st_mtim.tv_nsec, (long long)s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
    return out;
}
