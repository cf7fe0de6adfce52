#define _GNU_SOURCE
#include "base/direct_write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, PIECE = 1 << 22 };

/* Copies data to the aligned buffer and writes it from there, whole blocks. */
static bool write_blocks(int file, uint64_t at, const char *data, uint64_t bytes, char *buffer)
{
    for (uint64_t done = 0; done < bytes;) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        memcpy(buffer, data + done, piece);
        if (pwrite(file, buffer, piece, (off_t)(at + done)) != (ssize_t)piece) return false;
        done += piece;
    }
    return true;
}

bool direct_write(int folder, const char *name, uint64_t at, const void *data, uint64_t bytes, uint64_t *from,
                  uint64_t *to)
{
    uint64_t begin = (at + BLOCK - 1) / BLOCK * BLOCK, end = (at + bytes) / BLOCK * BLOCK;
    void *buffer = NULL;
    if (begin >= end || posix_memalign(&buffer, BLOCK, PIECE) != 0) return false;
    int file = openat(folder, name, O_WRONLY | O_CLOEXEC | O_DIRECT | O_NOFOLLOW);
    bool good = file >= 0 && write_blocks(file, begin, (const char *)data + (begin - at), end - begin, buffer);
    if (file >= 0) close(file);
    free(buffer);
    *from = begin - at;
    *to = end - at;
    return good;
}
