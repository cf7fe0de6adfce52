/* order.c - what work in streams may take as done (ptx.h): each stream and the host have a clock that counts the work
 * of all streams which they know to be over: by an event that they waited for, or by what the host waited for before it
 * queued the work. Two accesses of a word from different streams, not both reads nor both atomics, must be ordered so,
 * whichever happened to come first here. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "tests/ptx/ptx.h"

static const struct order_clock *now;
static u32 actors, self;
static const char *const kinds[ORDER_KINDS] = {"a read", "a write", "an atomic"};

u32 order_actor(void)
{
    if (actors == ORDER_ACTORS) {
        fprintf(stderr, "ptx: order is checked for at most %d streams\n", ORDER_ACTORS);
        _Exit(FAULT_CODE);
    }
    return actors++;
}

void order_join(struct order_clock *to, const struct order_clock *from)
{
    for (u32 a = 0; a < ORDER_ACTORS; a++)
        if (from->of[a] > to->of[a]) to->of[a] = from->of[a];
}

void order_work(const struct order_clock *clock, u32 actor) { now = clock, self = actor; }

const char *order_touch(struct block_of_memory *b, u64 at, u64 bytes, enum order_kind kind)
{
    static char text[200];
    u64 words = b->bytes / 4 + 1;
    if (!options.order || !now || !bytes) return NULL;
    for (int k = 0; k < ORDER_KINDS; k++)
        if (!b->touched[k]) b->touched[k] = memory_zeros(ORDER_ACTORS * words * sizeof **b->touched);
    for (u64 w = at / 4; w <= (at + bytes - 1) / 4; w++) {
        for (u32 a = 0; a < actors; a++)
            for (int k = 0; k < ORDER_KINDS && a != self; k++) {
                u32 when = b->touched[k][a * words + w];
                if (when <= now->of[a] || (k == (int)kind && kind != ORDER_WRITE)) continue;
                snprintf(text, sizeof text,
                         "order: %s of stream %u at byte %llu of a block of %llu, and %s of stream %u "
                         "that nothing puts before or after it",
                         kinds[kind], self, (unsigned long long)(4 * w), (unsigned long long)b->bytes, kinds[k], a);
                return text;
            }
        b->touched[kind][self * words + w] = now->of[self];
    }
    return NULL;
}

void order_forget(struct block_of_memory *b)
{
    for (int k = 0; k < ORDER_KINDS; k++) {
        if (b->touched[k]) munmap(b->touched[k], ORDER_ACTORS * (b->bytes / 4 + 1) * sizeof **b->touched);
        b->touched[k] = NULL;
    }
}
