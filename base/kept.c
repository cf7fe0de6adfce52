#include "base/kept.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

struct region {
    char *at;
    uint64_t bytes;
};

/* Process-wide, as the memory itself is. Sorted by size, so that the first that is large enough fits best. */
static struct {
    pthread_mutex_t lock;
    struct region region[KEPT_REGIONS];
    int count;
    uint64_t bytes;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* With the lock held. */
static void remove_region(int i)
{
    kept.bytes -= kept.region[i].bytes;
    kept.count--;
    for (; i < kept.count; i++) kept.region[i] = kept.region[i + 1];
}

static void insert(struct region r)
{
    int i = kept.count++;
    for (; i > 0 && kept.region[i - 1].bytes > r.bytes; i--) kept.region[i] = kept.region[i - 1];
    kept.region[i] = r;
    kept.bytes += r.bytes;
}

/* Gives at least `excess` bytes of a region back, or all of it where what is left would be small. */
static void give_back(int i, uint64_t excess)
{
    struct region r = kept.region[i];
    uint64_t cut = (excess + KEPT_STEP - 1) / KEPT_STEP * KEPT_STEP;
    uint64_t stays = cut < r.bytes && r.bytes - cut >= KEPT_FROM ? r.bytes - cut : 0;
    remove_region(i);
    munmap(r.at + stays, r.bytes - stays);
    if (stays) insert((struct region){r.at, stays});
}

bool kept_add(void *mapping, uint64_t bytes, uint64_t most)
{
    bool taken = false;
    pthread_mutex_lock(&kept.lock);
    if (bytes >= KEPT_FROM && bytes <= most && kept.bytes <= most - bytes) {
        if (kept.count == KEPT_REGIONS && kept.region[0].bytes < bytes) give_back(0, UINT64_MAX / 2);
        taken = kept.count < KEPT_REGIONS;
        if (taken) insert((struct region){mapping, bytes});
    }
    pthread_mutex_unlock(&kept.lock);
    return taken;
}

void *kept_take(uint64_t bytes, uint64_t *got)
{
    struct region r = {NULL, 0};
    pthread_mutex_lock(&kept.lock);
    for (int i = 0; i < kept.count && !r.at; i++) {
        if (kept.region[i].bytes < bytes) continue;
        r = kept.region[i];
        remove_region(i);
    }
    uint64_t cut = (bytes + KEPT_STEP - 1) / KEPT_STEP * KEPT_STEP;
    if (r.at && cut < r.bytes) {
        if (r.bytes - cut >= KEPT_FROM) insert((struct region){r.at + cut, r.bytes - cut});
        else munmap(r.at + cut, r.bytes - cut);
        r.bytes = cut;
    }
    pthread_mutex_unlock(&kept.lock);
    *got = r.bytes;
    return r.at;
}

void kept_trim(uint64_t most)
{
    pthread_mutex_lock(&kept.lock);
    while (kept.bytes > most) give_back(0, kept.bytes - most);
    pthread_mutex_unlock(&kept.lock);
}

uint64_t kept_bytes(void)
{
    pthread_mutex_lock(&kept.lock);
    uint64_t bytes = kept.bytes;
    pthread_mutex_unlock(&kept.lock);
    return bytes;
}
