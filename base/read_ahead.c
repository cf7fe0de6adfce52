#include "base/read_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* PIECE is the smallest window that systems come with. SMALL: such a range is asked for at once. */
enum { PIECE = 128 << 10, SMALL = 8 << 20 };

struct range {
    char *at;
    uint64_t bytes;
};

static void ask_for(struct range r)
{
    for (uint64_t from = 0; from < r.bytes; from += PIECE)
        if (madvise(r.at + from, r.bytes - from < PIECE ? r.bytes - from : PIECE, MADV_WILLNEED)) return;
}

static void *ask_aside(void *range)
{
    ask_for(*(struct range *)range);
    free(range);
    return NULL;
}

static bool start(struct range r)
{
    pthread_attr_t detached;
    pthread_t thread;
    struct range *copy = malloc(sizeof *copy);
    bool runs = false;
    if (!copy || pthread_attr_init(&detached)) {
        free(copy);
        return false;
    }
    *copy = r;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    runs = !pthread_create(&thread, &detached, ask_aside, copy);
    pthread_attr_destroy(&detached);
    if (!runs) free(copy);
    return runs;
}

void read_ahead(const void *data, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)data + page - 1) / page * page,
             to = ((uintptr_t)data + bytes) / page * page;
    struct range r = {(char *)(uintptr_t)from, to - from};
    if (!data || from >= to) return;
    if (r.bytes <= SMALL) ask_for(r);
    else start(r);
}
