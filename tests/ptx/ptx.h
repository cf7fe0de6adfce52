/* ptx.h - a PTX interpreter: what nvcc makes of a kernel, parsed once and executed on the CPU, with every access
 * checked.
 *
 * parse.c reads PTX text into modules of kernels: arrays of struct op, whose operands are places in a warp's registers
 * or in the kernel's pool of constants. exec.c runs warps of 32 lanes; lanes that part go on as groups, each with a
 * place of its own, and join where they meet. grid.c keeps a few blocks resident and gives their warps turns, in an
 * order that the seed decides. access.c is every load, store and atomic: bounds, alignment, races, what was never
 * written, lines counted. memory.c owns allocations; cudart.c is the CUDA runtime on top; report.c says faults and
 * writes coverage and counts at the end of the process. One thread executes at a time.
 */
#ifndef TESTS_PTX_PTX_H
#define TESTS_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

enum { LANES = 32, OPERANDS = 8 };
enum space { GENERIC, GLOBAL, SHARED, LOCAL, PARAM };

/* Generic addresses of the spaces that are not global; no pointer of the host has these high bits. */
#define SHARED_WINDOW 0x1000000000000000u
#define LOCAL_WINDOW 0x2000000000000000u
#define PARAM_WINDOW 0x3000000000000000u
#define WINDOW_OF(address) ((address) >> 60)

/* One instruction. r: operands in the order of the text; r >= 0 is a byte in the warp's registers, r < 0 is byte ~r of
 * the pool. A register is an array of 32 values of 2, 4 or 8 bytes; a predicate is a word of 32 bits. */
struct op {
    u16 code;
    u8 space, size, count; /* ld, st, atom: bytes of an element, elements */
    u8 width;              /* bytes of the registers that are loaded or stored */
    u8 base;               /* bytes of the register with the address */
    u8 mode;               /* shfl, vote, atom, bar: which */
    bool is_signed, strong, leader, negate;
    s32 guard; /* place of the predicate, -1: none */
    s32 r[OPERANDS];
    s64 offset;
    u32 target; /* branch: index of an op */
    u32 line;   /* of the PTX text */
    u32 loc;    /* index into the module's places of the source, 0: none */
};

struct loc {
    u32 file, line, from_file, from_line; /* from: where it was inlined, 0: it was not */
};

enum { SPECIALS_MAX = 24 };
struct special {
    s32 at;
    u32 which;
};

struct kernel {
    struct module *module;
    char *name;
    struct op *op;
    u32 ops, room;
    u8 *pool;
    u32 pool_bytes, pool_room;
    u32 reg_bytes, local_bytes, shared_bytes, param_bytes, max_threads;
    struct special special[SPECIALS_MAX];
    u32 specials;
    u8 shared_shift; /* 2: only whole words of shared memory are used, 0: smaller pieces, too */
    struct {
        u32 from, to;
    } shared_object[64]; /* what lies between them is red zone */
    u32 shared_objects;
    struct {
        u32 at, bytes;
    } param[64];
    u32 params;
    u64 *runs, *lanes;     /* per op: how often issued, by how many lanes */
    struct lines *touched; /* per op: lines of memory touched; NULL until counted */
    u64 launches, shared_accesses, shared_turns;
    struct kernel *next;
};

/* Lines of 32, 64, 128 bytes that the accesses of one op touched, by who holds the memory. */
enum holder { OWN, PEER, HOST, HOLDERS };
struct lines {
    u64 accesses[HOLDERS], bytes[HOLDERS], of_32[HOLDERS], of_64[HOLDERS], of_128[HOLDERS];
};

enum { GLOBALS_MAX = 512, DEVICES_MAX = 16, FILES_MAX = 128 };
struct module {
    struct kernel *kernels;
    struct {
        char *name;
        u32 bytes;
        u8 *init; /* NULL: zeros */
        u64 at;
    } global[GLOBALS_MAX];
    u32 globals;
    char *file[FILES_MAX];
    struct loc *loc;
    u32 locs, loc_room;
    struct module *next;
};

/* Parses PTX text; stops the process where it has no meaning here. All modules are kept in a list. */
struct module *parse_module(const char *text, size_t bytes);
extern struct module *modules;
struct kernel *kernel_named(struct module *m, const char *name);
const char *op_name(u32 code);

/* ---- memory ---- */

/* A cell of shadow memory: who touched a word (or a byte) last. stamp: the clock when; 0: never. */
struct cell {
    u64 write, read;
};
enum order_kind { ORDER_READ, ORDER_WRITE, ORDER_ATOMIC, ORDER_KINDS };
enum { ORDER_ACTORS = 256 };
struct block_of_memory {
    u64 at, bytes;
    s64 host; /* host address = device address + host */
    u8 holder_device, is_host, freed, shift;
    struct cell *shadow;
    u64 serial;
    u32 *touched[ORDER_KINDS]; /* [streams][words] when; order.c */
};
enum memory_kind { MEMORY_DEVICE, MEMORY_HOST };
u64 memory_make(enum memory_kind kind, int device, u64 bytes);
bool memory_register(void *host, u64 bytes); /* false: part of it is registered */
/* Whether `at` is the begin of a living block, which is given back. */
bool memory_free(u64 at, enum memory_kind kind);
bool memory_unregister(void *host);
/* The block around an address, freed ones too; NULL: none. */
struct block_of_memory *memory_find(u64 at);
/* The host's address of device memory (a copy, a memset); NULL: not all of it lies in one living block. */
void *memory_host(u64 at, u64 bytes);
void memory_shadow(struct block_of_memory *b);
void memory_split(struct block_of_memory *b); /* shadow per byte from now on */
u64 memory_used(int device);
void *memory_zeros(u64 bytes);
u64 memory_living(enum memory_kind kind); /* blocks never given back */
extern u64 memory_made;                   /* blocks made, and registered, so far */
/* Memory of a device for other processes: the file that holds it, and the byte of it where an address lies. */
int memory_file(u64 at, u64 *byte);
/* Bytes of such a file of another process, as a block of this one; 0: they cannot be mapped. */
u64 memory_import(int pid, int fd, u64 byte, u64 bytes, int device);

/* ---- order of work in streams ---- */

struct order_clock {
    u32 of[ORDER_ACTORS];
};
u32 order_actor(void); /* a number for a stream */
void order_join(struct order_clock *to, const struct order_clock *from);
/* What is touched from now on is work of a stream that knows `clock`; NULL: of nobody. */
void order_work(const struct order_clock *clock, u32 actor);
/* NULL, or what is wrong with an access. */
const char *order_touch(struct block_of_memory *b, u64 at, u64 bytes, enum order_kind kind);
void order_forget(struct block_of_memory *b);

/* ---- execution ---- */

enum state { READY, WAIT_SYNC, WAIT_BAR };
struct group {
    u32 pc, mask;
    enum state state;
    u32 members; /* WAIT_SYNC: whom it waits for */
};
struct warp {
    struct block *block;
    u32 index, live, groups, current;
    struct group group[LANES];
    bool waits; /* at a barrier of the block */
    u32 carry;
    u8 *regs, *local, *pool; /* pool: the kernel's constants */
    u64 synced;              /* clock of the last bar.warp.sync of all lanes */
    u64 pair[LANES][LANES];  /* of the last one with both lanes */
};
struct block {
    struct grid *grid;
    u32 id[3], linear, waiting, done;
    u8 *shared;
    struct cell *shadow;
    u8 *valid;          /* per byte of shared memory: 0 red zone, 1 not written, 2 written */
    u64 begin, barrier; /* clock of the begin and of the last barrier */
    struct warp *warp;
};
struct grid {
    struct kernel *kernel;
    u32 blocks[3], threads[3], all, threads_each, warps_each, shared_bytes;
    u8 *params;
    int device;
    u64 begin; /* clock of the launch */
};
extern u64 ptx_clock;
/* Runs a launch to its end. params: the kernel's parameter space. */
void grid_run(struct kernel *k, const u32 blocks[3], const u32 threads[3], u32 dynamic_shared, const void *params,
              int device);
/* Runs a warp until it waits, ends, or `fuel` instructions are over; false: nothing could run. any: a group by chance
 * goes first and is not left, instead of the one that is behind. */
bool warp_run(struct warp *w, u32 fuel, bool any);
void access_load(struct warp *w, const struct op *op, u32 mask);
void access_store(struct warp *w, const struct op *op, u32 mask);
void access_atomic(struct warp *w, const struct op *op, u32 mask);
u64 ptx_calls(void); /* of the runtime, that HOTSET_EMULATED_FAIL counts */
/* Whether device `from` may read memory of device `to`. */
bool peer_allowed(int from, int to);

static inline void *place(const struct warp *w, s32 r) { return r >= 0 ? w->regs + r : w->pool + ~r; }

/* ---- reports ---- */

struct options {
    u64 seed;
    u32 resident;     /* blocks at a time */
    bool races, lazy; /* lazy: work in streams waits until someone waits for it */
    bool races_same;  /* stores of equal values race, too */
    bool order;       /* work of streams is held against each other (order.c) */
    const char *coverage, *counts;
};
extern struct options options;
void options_read(void);
u64 chance(u64 below); /* seeded */
/* Says what is wrong, where, and ends the process with FAULT_CODE. lane -1: the warp. */
enum { FAULT_CODE = 86 };
void fault(const struct warp *w, const struct op *op, int lane, const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));
void ptx_report(void);

#endif
