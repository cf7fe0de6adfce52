/* memory.c - blocks of memory of devices and pinned memory of the host (ptx.h). Addresses of a device are reserved but
 * cannot be read: what holds the bytes lies elsewhere, so that host code which follows a device pointer ends. Every
 * block begins at a granule of its own with a gap before the next one, and no address is used twice. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/ptx/ptx.h"

#define REGION_BYTES (1ull << 40)
enum { GRANULE = 256, BLOCKS_MAX = 1 << 22, REGISTERED_MAX = 256, HOST_ALIGN = 4096, PATTERN_MAX = 1 << 26 };

static struct region {
    u8 *at, *holds;
    u64 next;
    u32 *block; /* per granule: index into blocks, 0: none */
} region[2];
static struct block_of_memory *blocks; /* [0] unused */
static u32 count;
static struct block_of_memory *registered[REGISTERED_MAX];
static u32 registrations;
static u64 used[DEVICES_MAX], living[2];
static int device_file = -1; /* holds the memory of devices, so that other processes can map it */
u64 memory_made;

static void *reserve(u64 bytes, int access)
{
    void *at = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) return at;
    fprintf(stderr, "ptx: no address space for %llu bytes\n", (unsigned long long)bytes);
    _Exit(FAULT_CODE);
}

void *memory_zeros(u64 bytes) { return reserve(bytes, PROT_READ | PROT_WRITE); }

static void open_region(struct region *r, enum memory_kind kind)
{
    if (!blocks) {
        blocks = memory_zeros(BLOCKS_MAX * sizeof *blocks);
        count = 1;
    }
    r->block = memory_zeros(REGION_BYTES / GRANULE * sizeof *r->block);
    if (kind == MEMORY_DEVICE) device_file = memfd_create("devices", MFD_CLOEXEC);
    if (kind == MEMORY_DEVICE && device_file >= 0 && !ftruncate(device_file, REGION_BYTES))
        r->holds = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, device_file, 0);
    if (!r->holds || r->holds == MAP_FAILED) {
        r->holds = memory_zeros(REGION_BYTES);
        if (kind == MEMORY_DEVICE) device_file = -1;
    }
    r->at = kind == MEMORY_HOST ? r->holds : reserve(REGION_BYTES, PROT_NONE);
    r->next = HOST_ALIGN;
}

static struct block_of_memory *new_block(u64 at, u64 bytes)
{
    if (count == BLOCKS_MAX) {
        fprintf(stderr, "ptx: more than %d allocations\n", BLOCKS_MAX);
        _Exit(FAULT_CODE);
    }
    struct block_of_memory *b = &blocks[count++];
    *b = (struct block_of_memory){.at = at, .bytes = bytes, .shift = 2};
    memory_made++;
    return b;
}

u64 memory_make(enum memory_kind kind, int device, u64 bytes)
{
    struct region *r = &region[kind];
    if (!r->at) open_region(r, kind);
    u64 align = kind == MEMORY_HOST ? HOST_ALIGN : GRANULE, from = (r->next + align - 1) / align * align,
        granules = (bytes + GRANULE - 1) / GRANULE;
    if (from + bytes + 2 * GRANULE > REGION_BYTES) {
        fprintf(stderr, "ptx: all addresses are used up\n");
        _Exit(FAULT_CODE);
    }
    struct block_of_memory *b = new_block((u64)(uintptr_t)r->at + from, bytes);
    b->host = r->holds - r->at;
    b->is_host = kind == MEMORY_HOST;
    b->holder_device = (u8)device;
    for (u64 g = 0; g < granules; g++) r->block[from / GRANULE + g] = (u32)(b - blocks);
    r->next = from + granules * GRANULE + GRANULE;
    memset(r->holds + from, (int)(0x5c + options.seed) & 0xff, bytes < PATTERN_MAX ? bytes : PATTERN_MAX);
    living[kind]++;
    if (kind == MEMORY_DEVICE) used[device] += bytes;
    return b->at;
}

bool memory_register(void *host, u64 bytes)
{
    struct block_of_memory *b;
    u64 at = (u64)(uintptr_t)host;
    for (u32 i = 0; i < registrations; i++)
        if (at < registered[i]->at + registered[i]->bytes && registered[i]->at < at + bytes) return false;
    if (!blocks) open_region(&region[MEMORY_HOST], MEMORY_HOST);
    if (registrations == REGISTERED_MAX) abort();
    registered[registrations++] = b = new_block(at, bytes);
    b->is_host = true;
    living[MEMORY_HOST]++;
    return true;
}

bool memory_unregister(void *host)
{
    for (u32 i = 0; i < registrations; i++) {
        if (registered[i]->at != (u64)(uintptr_t)host) continue;
        registered[i]->freed = true;
        registered[i] = registered[--registrations];
        living[MEMORY_HOST]--;
        return true;
    }
    return false;
}

struct block_of_memory *memory_find(u64 at)
{
    for (int kind = 0; kind < 2; kind++) {
        struct region *r = &region[kind];
        u64 from = at - (u64)(uintptr_t)r->at;
        if (!r->at || from >= REGION_BYTES) continue;
        u32 which = r->block[from / GRANULE];
        if (!which) { /* just after the end of a block: that one is meant */
            which = from >= GRANULE ? r->block[from / GRANULE - 1] : 0;
            if (!which) return NULL;
        }
        return &blocks[which];
    }
    for (u32 i = 0; i < registrations; i++)
        if (at - registered[i]->at < registered[i]->bytes) return registered[i];
    return NULL;
}

bool memory_free(u64 at, enum memory_kind kind)
{
    struct block_of_memory *b = memory_find(at);
    if (!b || b->at != at || b->freed || b->is_host != (kind == MEMORY_HOST)) return false;
    u8 *holds = (u8 *)(uintptr_t)(at + (u64)b->host);
    u64 from = ((u64)(uintptr_t)holds + 4095) / 4096 * 4096, to = ((u64)(uintptr_t)holds + b->bytes) / 4096 * 4096;
    bool shared = kind == MEMORY_DEVICE && device_file >= 0;
    if (to > from && b->host == region[kind].holds - region[kind].at)
        madvise((void *)(uintptr_t)from, to - from, shared ? MADV_REMOVE : MADV_DONTNEED);
    if (b->shadow) munmap(b->shadow, ((b->bytes >> b->shift) + 1) * sizeof *b->shadow);
    b->shadow = NULL;
    b->freed = true;
    order_forget(b);
    living[kind]--;
    if (kind == MEMORY_DEVICE && b->host == region[kind].holds - region[kind].at) used[b->holder_device] -= b->bytes;
    return true;
}

void *memory_host(u64 at, u64 bytes)
{
    struct block_of_memory *b = memory_find(at);
    if (!b || b->freed || at - b->at > b->bytes || bytes > b->bytes - (at - b->at)) return NULL;
    return (void *)(uintptr_t)(at + (u64)b->host);
}

void memory_shadow(struct block_of_memory *b)
{
    b->shadow = memory_zeros(((b->bytes >> b->shift) + 1) * sizeof *b->shadow);
}

void memory_split(struct block_of_memory *b)
{
    u64 words = (b->bytes >> 2) + 1;
    struct cell *fine = memory_zeros((b->bytes + 1) * sizeof *fine);
    for (u64 i = 0; i < b->bytes; i++) fine[i] = b->shadow[i >> 2];
    munmap(b->shadow, words * sizeof *b->shadow);
    b->shadow = fine;
    b->shift = 0;
}

int memory_file(u64 at, u64 *byte)
{
    *byte = at - (u64)(uintptr_t)region[MEMORY_DEVICE].at;
    return device_file;
}

u64 memory_import(int pid, int fd, u64 byte, u64 bytes, int device)
{
    char path[64];
    u64 page = byte / 4096 * 4096;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    int file = open(path, O_RDWR | O_CLOEXEC);
    u8 *holds = file < 0 ? MAP_FAILED
                         : mmap(NULL, byte - page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)page);
    if (file >= 0) close(file);
    if (holds == MAP_FAILED) return 0;
    u64 at = memory_make(MEMORY_DEVICE, device, bytes);
    struct block_of_memory *b = memory_find(at);
    b->host = (s64)((u64)(uintptr_t)holds + byte - page - at); /* which stays mapped */
    used[device] -= bytes;
    return at;
}

u64 memory_used(int device) { return used[device]; }
u64 memory_living(enum memory_kind kind) { return living[kind]; }
