#include "base/kept.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct region {
    char *at;
    uint64_t bytes;
};

/* Sorted by size, so that the first that is large enough fits best. */
struct shelf {
    struct region *region;
    int count, room;
};

/* Process-wide, as the memory itself is. */
static struct region large_regions[KEPT_REGIONS], small_regions[KEPT_SMALL];
static struct {
    pthread_mutex_t lock;
    struct shelf small, large;
    uint64_t bytes; /* of both */
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .small = {small_regions, 0, KEPT_SMALL},
          .large = {large_regions, 0, KEPT_REGIONS}};

/* With the lock held, as all below. */
static struct shelf *shelf_of(uint64_t bytes) { return bytes >= KEPT_FROM ? &kept.large : &kept.small; }

static struct region remove_region(struct shelf *s, int i)
{
    struct region r = s->region[i];
    kept.bytes -= r.bytes;
    s->count--;
    for (; i < s->count; i++) s->region[i] = s->region[i + 1];
    return r;
}

static void insert(struct shelf *s, struct region r)
{
    int i = s->count++;
    for (; i > 0 && s->region[i - 1].bytes > r.bytes; i--) s->region[i] = s->region[i - 1];
    s->region[i] = r;
    kept.bytes += r.bytes;
}

/* Puts a large region on its shelf, as one with those that begin where it ends or end where it begins: what was cut
 * apart would else never serve a larger array again. */
static void insert_joined(struct region r)
{
    struct shelf *s = &kept.large;
    for (int i = 0; i < s->count;) {
        const struct region other = s->region[i];
        if (other.at + other.bytes != r.at && r.at + r.bytes != other.at) {
            i++;
            continue;
        }
        remove_region(s, i);
        r = (struct region){other.at < r.at ? other.at : r.at, r.bytes + other.bytes};
        i = 0;
    }
    insert(s, r);
}

/* Gives at least `excess` bytes of a shelf's smallest region back, or all of it where what is left would be small. */
static void give_back(struct shelf *s, uint64_t excess)
{
    struct region r = remove_region(s, 0);
    uint64_t cut = (excess + KEPT_STEP - 1) / KEPT_STEP * KEPT_STEP;
    uint64_t stays = cut < r.bytes && r.bytes - cut >= KEPT_FROM ? r.bytes - cut : 0;
    munmap(r.at + stays, r.bytes - stays);
    if (stays) insert(s, (struct region){r.at, stays});
}

bool kept_add(void *mapping, uint64_t bytes, uint64_t most)
{
    bool taken = false;
    pthread_mutex_lock(&kept.lock);
    if (bytes >= KEPT_LEAST && bytes <= most && kept.bytes <= most - bytes) {
        struct shelf *s = shelf_of(bytes);
        if (s->count == s->room && s->region[0].bytes < bytes) give_back(s, UINT64_MAX / 2);
        taken = s->count < s->room;
        if (taken && s == &kept.large) insert_joined((struct region){mapping, bytes});
        else if (taken) insert(s, (struct region){mapping, bytes});
    }
    pthread_mutex_unlock(&kept.lock);
    return taken;
}

/* Of a large region that was taken off its shelf: puts back, or gives back, what is beyond `bytes`. */
static struct region cut_to(struct region r, uint64_t bytes)
{
    uint64_t cut = (bytes + KEPT_STEP - 1) / KEPT_STEP * KEPT_STEP;
    if (cut >= r.bytes) return r;
    if (r.bytes - cut >= KEPT_FROM) insert(&kept.large, (struct region){r.at + cut, r.bytes - cut});
    else munmap(r.at + cut, r.bytes - cut);
    return (struct region){r.at, cut};
}

/* Of a small one: gives its pages beyond `bytes` back, so that no block takes more than was asked for. */
static struct region end_at(struct region r, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = (bytes + page - 1) / page * page;
    if (end < r.bytes) munmap(r.at + end, r.bytes - end);
    return (struct region){r.at, end < r.bytes ? end : r.bytes};
}

void *kept_take(uint64_t bytes, uint64_t *got)
{
    struct region r = {NULL, 0};
    pthread_mutex_lock(&kept.lock);
    struct shelf *s = shelf_of(bytes);
    uint64_t most = s == &kept.large ? UINT64_MAX : bytes + bytes / 4;
    int i = 0;
    while (i < s->count && s->region[i].bytes < bytes) i++;
    if (i < s->count && s->region[i].bytes <= most) r = remove_region(s, i);
    if (r.at) r = s == &kept.large ? cut_to(r, bytes) : end_at(r, bytes);
    pthread_mutex_unlock(&kept.lock);
    *got = r.bytes;
    return r.at;
}

void kept_trim(uint64_t most)
{
    pthread_mutex_lock(&kept.lock);
    while (kept.bytes > most) give_back(kept.small.count ? &kept.small : &kept.large, kept.bytes - most);
    pthread_mutex_unlock(&kept.lock);
}

uint64_t kept_bytes(void)
{
    pthread_mutex_lock(&kept.lock);
    uint64_t bytes = kept.bytes;
    pthread_mutex_unlock(&kept.lock);
    return bytes;
}
