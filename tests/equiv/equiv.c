/* equiv.c - every backend equals the judge `ref`, byte for byte, on every operation, size and number of threads.
 * Speaks TAP.
 *
 * equiv                        compare
 * equiv NAME [OPERATION [n]]   compare that backend alone, on that operation alone, on one graph of n vertices
 * equiv --perf [n] [threads]   time instead
 */
#include "tests/equiv/operations.h"
#include "tests/equiv/perf.h"
#include "tests/tier.h"

#ifdef HOTSET_CUDA_EMULATED
static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 257, 1025, 100003}; /* grids are small there, and so slow */
#elif defined(HOTSET_PTX)
static const uint64_t sizes[] = {0, 1, 31, 32, 33, 255, 256, 257, 1025, 65535, 65536, 65537, 200003}; /* interpreted */
#else
static const uint64_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 65537, 1000003};
#endif
static const int gpu_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 72};

#ifdef HOTSET_PTX
enum { LARGE = 60000, OF_CHOICES = 7 };
#else
enum { LARGE = 100000, OF_CHOICES = 1 };
#endif
/* Of the combinations of GPUs, budgets and forms, one in OF_CHOICES is tried; another one for each size and pattern. */
enum { COUNT_OF_SIZES = sizeof sizes / sizeof *sizes, COUNT_OF_GPUS = sizeof gpu_counts / sizeof *gpu_counts };

struct score {
    int number, failed, choice; /* number: of all shapes, whether they are in this tier or not; seeds follow from it */
    int shapes, said;
    const char *only, *operation;
};

/* Whether a backend is to be held against the judge. */
static bool judged(const struct score *t, const struct kernels *k)
{
    return k != &kernels_ref && (!t->only || !strcmp(k->name, t->only));
}

static void say(struct score *t, bool ok, const struct kernels *k, const struct shape *s, const char *trouble)
{
    t->said++;
    printf("%s %d - %s %s: %s, n %llu, %d rows, %s%s, seed %llu\n", ok ? "ok" : "not ok", ++t->number, k->name,
           operations[s->op].name, pattern_names[s->pattern], (unsigned long long)s->n, s->gpus,
           budget_names[s->budget], s->flag ? ", second form" : "", (unsigned long long)s->seed);
    if (!ok) {
        printf("# %s\n", trouble);
        t->failed++;
    }
}

/* Outputs begin as a pattern that no operation writes, so that a byte which should have stayed untouched is compared
 * too. */
static void blank(void *out, uint64_t bytes) { memset(out, 0xA5, bytes); }

static void compare(struct score *t, const struct kernels *k, const struct shape *s, const struct input *in,
                    const unsigned char *truth, unsigned char *out, uint64_t bytes)
{
    char trouble[1400] = "";
    for (int threads = 1; threads <= (strcmp(k->name, "cuda") ? 3 : 1) && !*trouble;
         threads++) { /* a GPU does not ask how many */
        struct err err = {0};
        uint64_t at = 0;
        blank(out, bytes);
        if (operations[s->op].run(k, threads, s, in, out, &err) != ST_OK)
            snprintf(trouble, sizeof trouble, "%d threads: failed: %s", threads, err.text);
        else if (memcmp(out, truth, bytes)) {
            while (out[at] == truth[at]) at++;
            snprintf(trouble, sizeof trouble, "%d threads: byte %llu of %llu is %u, must be %u", threads,
                     (unsigned long long)at, (unsigned long long)bytes, out[at], truth[at]);
        }
    }
    say(t, !*trouble, k, s, trouble);
}

/* One shape in SHORT_OF is the short tier's, the others are the rest's (tests/tiers); by hand all are tried. */
static bool in_tier(struct score *t)
{
    enum { SHORT_OF = 17 }; /* a prime, so that every operation, pattern and size has its turn */
    bool is_short = t->shapes++ % SHORT_OF == 0;
    return is_short ? !test_is_rest() : !test_is_short();
}

/* One case: the input and the truth once, then every backend. */
static void try_shape(struct score *t, struct shape s)
{
    struct input in = {0};
    struct err err = {0};
    const struct operation *op = &operations[s.op];
    uint64_t bytes;
    unsigned char *truth, *out;

    if (!in_tier(t)) {
        for (const struct kernels *const *k = kernels_all(); *k; k++)
            t->number += judged(t, *k) && !(*k)->missing() && op->has(*k);
        return;
    }
    if (t->operation && strcmp(t->operation, op->name)) return;
    s.seed = 1000003ull * (uint64_t)t->number + s.n;
    op->make(&s, &in);
    bytes = op->output_bytes(&s, &in);
    truth = block(bytes, 1);
    out = block(bytes, 1);
    blank(truth, bytes);
    if (op->run(&kernels_ref, 1, &s, &in, truth, &err) != ST_OK) say(t, false, &kernels_ref, &s, err.text);
    else
        for (const struct kernels *const *k = kernels_all(); *k; k++)
            if (judged(t, *k) && !(*k)->missing() && op->has(*k)) compare(t, *k, &s, &in, truth, out, bytes);
    free(truth);
    free(out);
    input_free(&in);
}

/* The list: every operation over patterns and sizes, with the choices that matter to it. */
static void try_patterns(struct score *t, int op, int gpus, bool flag)
{
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int i = 0; i < COUNT_OF_SIZES; i++)
            if (sizes[i] < LARGE || (pattern == POWER && gpus <= 8)) /* `ref` takes its time */
                try_shape(t, (struct shape){.op = op,
                                            .pattern = (enum pattern)pattern,
                                            .n = sizes[i],
                                            .gpus = gpus,
                                            .flag = flag});
}

static void try_gpu_counts(struct score *t, int op, enum pattern pattern, uint64_t n)
{
    for (int g = 0; g < COUNT_OF_GPUS; g++)
        for (int b = 0; b < BUDGETS; b++)
            for (int flag = 0; flag < 2; flag++)
                if ((op != COLUMN_SUM || (b == 0 && !flag)) && !(t->choice++ % OF_CHOICES))
                    try_shape(t, (struct shape){op, pattern, n, gpu_counts[g], (enum budget)b, flag, 0});
}

static void try_all(struct score *t)
{
    try_patterns(t, SORT, 1, false);
    try_patterns(t, SEARCH, 3, false);
    for (int flag = 0; flag < 2; flag++) {
        try_patterns(t, TALLY, 8, flag);
        try_patterns(t, TALLY, 72, flag);
    }
    for (int flag = 0; flag < 2; flag++) {
        try_patterns(t, SCAN, 1, flag);
        try_patterns(t, PAGERANK, 1, flag);
        try_patterns(t, COUNT, 1, flag);
        try_patterns(t, PUSH, 1, flag);
    }
    for (int i = 0; i < COUNT_OF_SIZES; i++) {
        if (sizes[i] >= LARGE) {
            try_shape(t, (struct shape){CSLP, POWER, sizes[i], 8, HALF, false, 0});
            try_shape(t, (struct shape){CSLP, TIES, sizes[i], 3, UNEVEN, true, 0});
            try_shape(t, (struct shape){SWEEP, POWER, sizes[i], 8, HALF, true, 0});
            try_shape(t, (struct shape){SEARCH, POWER, sizes[i], 8, HALF, false, 0});
            try_shape(t, (struct shape){SEARCH, TIES, sizes[i], 9, UNEVEN, true, 0});
            try_shape(t, (struct shape){COLUMN_SUM, UNIFORM, sizes[i], 8, NOTHING, false, 0});
            continue;
        }
        for (int pattern = ZERO; pattern <= POWER; pattern++)
            if (sizes[i] < 2000 || pattern == TIES) {
                try_gpu_counts(t, CSLP, (enum pattern)pattern, sizes[i]);
                try_gpu_counts(t, SWEEP, (enum pattern)pattern, sizes[i]);
                if (sizes[i] < 2000) try_gpu_counts(t, SEARCH, (enum pattern)pattern, sizes[i]);
            }
        try_gpu_counts(t, COLUMN_SUM, UNIFORM, sizes[i]);
    }
}

/* What cannot be compared here is said, once per operation. */
static void report_skips(struct score *t)
{
    for (const struct kernels *const *k = kernels_all(); *k; k++)
        for (int op = 0; op < OPERATIONS && judged(t, *k); op++) {
            const char *missing = (*k)->missing();
            if (missing || !operations[op].has(*k))
                printf("ok %d - %s %s # SKIP %s\n", ++t->said, (*k)->name, operations[op].name,
                       missing ? missing : "the backend does not have it");
        }
#ifndef HOTSET_CUDA
    printf("ok %d - cuda # SKIP this build has no CUDA backend\n", ++t->said);
#endif
}

/* One case of each form, of a size that is asked for. */
static void try_one(struct score *t, uint64_t n)
{
    for (int op = 0; op < OPERATIONS; op++)
        for (int flag = 0; flag < 2; flag++) try_shape(t, (struct shape){op, POWER, n, 8, HALF, flag, 0});
}

int main(int argc, char **argv)
{
    struct score t = {.only = argc > 1 ? argv[1] : NULL, .operation = argc > 2 ? argv[2] : NULL};
#if defined(HOTSET_CUDA_EMULATED) || defined(HOTSET_PTX)
    t.only = "cuda"; /* the others are compared where they are not emulated */
#endif
    if (argc > 1 && !strcmp(argv[1], "--perf")) {
        perf(argc > 2 ? strtoull(argv[2], NULL, 10) : 16 << 20, argc > 3 ? atoi(argv[3]) : 2);
        return 0;
    }
    if (argc > 3) try_one(&t, strtoull(argv[3], NULL, 10));
    else try_all(&t);
    if (!test_is_rest()) report_skips(&t);
    printf("1..%d\n", t.said);
    return t.failed != 0;
}
