/* store.c - hotset_store as nvcc compiles it, on four GPUs that the interpreter has: the mini-batches of a real plan,
 * with peers and pinned host memory. Rows bitwise right; rows by place, and lines of host memory, those of `hotset
 * simulate`; nothing allocated per mini-batch; work in streams in an order that order.c accepts. Then the same in four
 * processes, which open each other's memory by IPC handles. Speaks TAP. HOTSET names the program that makes the plan.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "base/rounded.h"
#include "simulator/lib/hotset_store.h"
#include "tests/lib/gather_cases.h"
#include "tests/ptx/planned.h"
#include "tests/ptx/ptx.h"

enum { VERTICES = 700, TURNS = 2 };

static struct hotset_error error;
static unsigned char *features;
static uint64_t row_bytes;
static enum hotset_held held; /* as the plans say */
static const char *const types[] = {"", "f16", "bf16", "f8", "i8"};
static const enum precision precisions[] = {PRECISION_HOST, PRECISION_F16, PRECISION_BF16, PRECISION_F8, PRECISION_I8};

/* ---- plans ---- */

/* Floats of all sizes that f16 has, with those between its values, and some beyond. */
static void fill_floats(uint64_t rows)
{
    float *x = (float *)features;
    for (uint64_t k = 0; k < rows * row_bytes / 4; k++) {
        uint64_t v = k / (row_bytes / 4);
        int mantissa = case_byte(v, k) << 8 | case_byte(k, v);
        x[k] = ldexpf((float)(mantissa - 32768), (int)(case_byte(k, 1) % 36) - 38);
        if (k % 997 == 0) x[k] = 0;
    }
}

static int fill_held(const uint32_t *ids, uint64_t count, void *rows, void *context)
{
    uint64_t bytes = hotset_held_bytes(held, row_bytes);
    for (uint64_t k = 0; k < count; k++)
        rounded_store(precisions[held], (const float *)(features + ids[k] * row_bytes), row_bytes / 4,
                      (char *)rows + k * bytes);
    return context != features;
}

static void open_plans(int dim)
{
    char graph[100], plan[100];
    snprintf(graph, sizeof graph, "--vertices %d --edges 6000 --feature-dim %d", VERTICES, dim);
    snprintf(plan, sizeof plan, "--policy $p --budget %d%% --fanout 4,3 --batch 8 %s %s",
             held >= HOTSET_HELD_F8 ? 3 : 8, held ? "--cache-type" : "", types[held]);
    make_plans(graph, plan, "hotset", "quiver");
    open_planned(HOTSET_FEATURE);
    row_bytes = 4 * (uint64_t)dim;
    for (int k = 0; k < PLANS; k++)
        must(hotset_row_bytes(planned[k].plan) == row_bytes, "another plan than was asked for");
    snprintf(about, sizeof about, "rows of %llu bytes%s%s", (unsigned long long)row_bytes, held ? ", held as " : "",
             types[held]);
    /* shared: the rows that every process pins */
    features = shared(VERTICES * row_bytes);
    if (held) fill_floats(VERTICES);
    else case_fill(features, NULL, VERTICES, row_bytes);
}

static void close_plans(void)
{
    close_planned();
    munmap(features, VERTICES * row_bytes);
}

/* ---- a GPU of a job ---- */

struct reader {
    hotset_store *store;
    cudaStream_t train;
    cudaEvent_t done;
    void *ids[TURNS], *out[TURNS];
    unsigned char *result; /* pinned: what the training read, mini-batch after mini-batch */
    uint64_t at, begun;    /* its bytes so far; rows that were counted */
    uint32_t *wanted;      /* [at / row_bytes] */
    bool *rounded;         /* [at / row_bytes] */
    uint64_t served[3];    /* counted by the rule */
};
enum { RESULT_ROWS = 20000 };

static struct hotset_store_request request(const struct planned *p, int g)
{
    return (struct hotset_store_request){.struct_bytes = sizeof(struct hotset_store_request),
                                         .device = g,
                                         .memories = GPUS,
                                         .own = (uint32_t)g,
                                         .table = p->table[g],
                                         .ids = p->ids[g],
                                         .rows = p->rows[g],
                                         .room = VERTICES,
                                         .host = {features, VERTICES},
                                         .row_bytes = row_bytes,
                                         .batch = VERTICES,
                                         .held = held,
                                         .fill = fill_held,
                                         .fill_context = features};
}

static void make_reader(struct reader *r, int g)
{
    struct hotset_store_request q = request(&planned[0], g);
    memset(r, 0, sizeof *r);
    must(!cudaSetDevice(g), "no device");
    must(hotset_store_create(&q, &r->store, &error) == HOTSET_OK, error.text);
    must(!cudaStreamCreateWithFlags(&r->train, cudaStreamNonBlocking) && !cudaEventCreate(&r->done), "no stream");
    for (int t = 0; t < TURNS; t++)
        must(!cudaMalloc(&r->ids[t], VERTICES * 4) && !cudaMalloc(&r->out[t], VERTICES * row_bytes), "no memory");
    must(!cudaHostAlloc((void **)&r->result, RESULT_ROWS * row_bytes, 0), "no pinned memory");
    r->wanted = malloc(RESULT_ROWS * sizeof *r->wanted);
    r->rounded = malloc(RESULT_ROWS * sizeof *r->rounded);
}

static void free_reader(struct reader *r, int g)
{
    must(!cudaSetDevice(g), "no device");
    hotset_store_free(r->store);
    for (int t = 0; t < TURNS; t++) must(!cudaFree(r->ids[t]) && !cudaFree(r->out[t]), "free");
    must(!cudaFreeHost(r->result) && !cudaStreamDestroy(r->train) && !cudaEventDestroy(r->done), "free");
    free(r->wanted);
    free(r->rounded);
}

/* Mini-batch b is gathered, ids from the host or from the GPU in turn. */
static uint64_t begin(struct reader *r, const struct hotset_batch *batch, uint64_t b)
{
    uint64_t ticket;
    const void *ids = batch->vertices;
    bool on_host = b % 3 != 1;
    if (!on_host) {
        must(!cudaMemcpyAsync(r->ids[b % TURNS], ids, batch->count * 4, cudaMemcpyHostToDevice, r->train), "copy");
        ids = r->ids[b % TURNS];
    }
    must(hotset_store_ahead(r->store, ids, 4, batch->count, on_host ? HOTSET_STORE_ON_HOST : HOTSET_STORE_ON_DEVICE,
                            r->out[b % TURNS], r->train, &ticket, &error) == HOTSET_OK,
         error.text);
    return ticket;
}

/* What the table says of a mini-batch. */
static void count(struct reader *r, const struct planned *p, int g, const struct hotset_batch *batch)
{
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t m = 0;
        uint64_t slot;
        bool found = hotset_find(p->table[g], batch->vertices[i], &m, &slot);
        r->served[!found ? 2 : m != (uint32_t)g]++;
        r->rounded[r->begun++] = held && found;
    }
}

/* The training of it: reads its rows. */
static void train(struct reader *r, const struct hotset_batch *batch, uint64_t b, uint64_t ticket)
{
    must(hotset_store_wait(r->store, ticket, r->train, &error) == HOTSET_OK, error.text);
    must(r->at / row_bytes + batch->count <= RESULT_ROWS, "room for results");
    must(!cudaMemcpyAsync(r->result + r->at, r->out[b % TURNS], batch->count * row_bytes, cudaMemcpyDeviceToHost,
                          r->train),
         "copy");
    memcpy(r->wanted + r->at / row_bytes, batch->vertices, batch->count * 4);
    r->at += batch->count * row_bytes;
}

static bool all_right(const struct reader *r)
{
    float *want = malloc(row_bytes), *row;
    bool good = r->at > 0;
    for (uint64_t k = 0; good && k < r->at / row_bytes; k++) {
        row = (float *)(features + r->wanted[k] * row_bytes);
        if (r->rounded[k]) rounded_row(precisions[held], row, row_bytes / 4, want);
        good = !memcmp(r->result + k * row_bytes, r->rounded[k] ? want : row, row_bytes);
    }
    free(want);
    return good;
}

static bool counts_are(const struct reader *r, int g, const uint64_t served[3])
{
    uint64_t counts[GPUS + 2], peers = 0;
    must(hotset_store_counts(r->store, counts, &error) == HOTSET_OK, error.text);
    for (int m = 0; m < GPUS; m++) peers += m == g ? 0 : counts[m];
    return counts[g] == served[0] && peers == served[1] && counts[GPUS] == served[2] && !counts[GPUS + 1];
}

/* ---- four GPUs of one process ---- */

static void open_peers(struct reader *all)
{
    struct hotset_store_handle handle[GPUS];
    for (int g = 0; g < GPUS; g++) must(hotset_store_handle(all[g].store, &handle[g], &error) == HOTSET_OK, error.text);
    for (int g = 0; g < GPUS; g++) {
        int n;
        const int32_t *peer = hotset_peers(planned[0].plan, g, &n);
        must(n == GPUS - 1, "a clique of four");
        for (int k = 0; k < n; k++)
            must(hotset_store_open(all[g].store, &handle[peer[k]], &error) == HOTSET_OK, error.text);
    }
}

/* An epoch of all GPUs at the same time, each a mini-batch ahead. */
static void epoch(struct reader *all, const struct planned *p)
{
    uint64_t ticket[GPUS] = {0};
    struct hotset_batch now[GPUS];
    for (uint64_t b = 0; b <= most_batches(p); b++)
        for (int g = 0; g < GPUS; g++) {
            uint64_t before = ticket[g];
            struct hotset_batch last = now[g];
            must(!cudaSetDevice((g + 1) % GPUS), "no device"); /* the store finds its own */
            if (b < p->per_epoch[g]) {
                now[g] = batch_of(p, g, b);
                count(&all[g], p, g, &now[g]);
                ticket[g] = begin(&all[g], &now[g], b);
            }
            if (b && b - 1 < p->per_epoch[g]) train(&all[g], &last, b - 1, before);
        }
}

/* All streams of `train` go on after all others have come so far. */
static void meet(struct reader *all)
{
    for (int g = 0; g < GPUS; g++) must(!cudaSetDevice(g) && !cudaEventRecord(all[g].done, all[g].train), "event");
    for (int g = 0; g < GPUS; g++)
        for (int e = 0; e < GPUS; e++)
            must(!cudaSetDevice(g) && !cudaStreamWaitEvent(all[g].train, all[e].done, 0), "event");
}

static uint64_t reload(struct reader *all, const struct planned *to)
{
    uint64_t moved = 0, some;
    meet(all);
    for (int g = 0; g < GPUS; g++) {
        must(hotset_store_reload(all[g].store, to->table[g], to->ids[g], to->rows[g], all[g].train, &some, &error) ==
                 HOTSET_OK,
             error.text);
        moved += some;
    }
    meet(all);
    return moved;
}

static u64 launches(const char *part)
{
    u64 found = 0;
    for (const struct module *m = modules; m; m = m->next)
        for (const struct kernel *k = m->kernels; k; k = k->next)
            if (strstr(k->name, part)) found += k->launches;
    return found;
}

static void several_gpus(void)
{
    struct reader all[GPUS];
    uint64_t batches = 0;
    for (int g = 0; g < GPUS; g++) make_reader(&all[g], g);
    open_peers(all);
    for (int g = 0; g < GPUS; g++) batches += planned[0].per_epoch[g];
    u64 made = memory_made, launched = launches("gather_rows");
    epoch(all, &planned[0]);
    bool good = true, right = true, none = memory_made == made;
    for (int g = 0; g < GPUS; g++) {
        must(!cudaSetDevice(g) && !cudaStreamSynchronize(all[g].train), "synchronize");
        good = good && counts_are(&all[g], g, all[g].served) && counts_are(&all[g], g, planned[0].served[g]);
        right = right && all_right(&all[g]);
    }
    verdict(right, "four GPUs: rows are right");
    verdict(good, "rows by place are those of the simulation");
    verdict(none, "nothing is allocated per mini-batch");
    verdict(launches("gather_rows") - launched == batches, "one launch per mini-batch");
    epoch(all, &planned[0]);
    u64 moved = reload(all, &planned[1]), differ = 0;
    for (int g = 0; g < GPUS; g++)
        for (uint64_t k = 0; k < planned[1].rows[g]; k++)
            differ += k >= planned[0].rows[g] || planned[0].ids[g][k] != planned[1].ids[g][k];
    epoch(all, &planned[1]);
    right = good = true;
    for (int g = 0; g < GPUS; g++) {
        must(!cudaSetDevice(g) && !cudaStreamSynchronize(all[g].train), "synchronize");
        right = right && all_right(&all[g]);
        good = good && counts_are(&all[g], g, all[g].served);
    }
    verdict(right, "over a reload in the middle: rows are right");
    verdict(good && moved == differ && moved, "and counts; only rows that differ are moved");
    for (int g = 0; g < GPUS; g++) free_reader(&all[g], g);
}

/* ---- lines of host memory ---- */

static u64 host_lines(void)
{
    u64 lines = 0;
    for (const struct module *m = modules; m; m = m->next)
        for (const struct kernel *k = m->kernels; k; k = k->next)
            for (u32 i = 0; k->touched && strstr(k->name, "gather_rows") && i < k->ops; i++)
                lines += k->touched[i].of_64[HOST];
    return lines;
}

/* Each GPU by itself, so that lines are its own; ids on the device. */
static void lines(void)
{
    struct reader all[GPUS];
    bool good = true;
    for (int g = 0; g < GPUS; g++) make_reader(&all[g], g);
    open_peers(all);
    for (int g = 0; g < GPUS; g++) {
        must(!cudaSetDevice(g) && !cudaDeviceSynchronize(), "synchronize");
        u64 before = host_lines();
        for (uint64_t b = 0; b < planned[0].per_epoch[g]; b++) {
            struct hotset_batch batch = batch_of(&planned[0], g, b);
            must(!cudaMemcpyAsync(all[g].ids[0], batch.vertices, batch.count * 4, cudaMemcpyHostToDevice,
                                  all[g].train) &&
                     hotset_store_gather(all[g].store, all[g].ids[0], 4, batch.count, all[g].out[0], all[g].train,
                                         &error) == HOTSET_OK,
                 "gather");
        }
        must(!cudaStreamSynchronize(all[g].train), "synchronize");
        u64 found = host_lines() - before;
        if (found != planned[0].lines[g])
            printf("# GPU %d: %llu lines, the simulation says %llu\n", g, (unsigned long long)found,
                   (unsigned long long)planned[0].lines[g]);
        good = good && found == planned[0].lines[g] && found;
    }
    verdict(good, "lines of 64 bytes of host memory are the simulation's, GPU by GPU");
    for (int g = 0; g < GPUS; g++) free_reader(&all[g], g);
}

/* ---- two stores over the same rows ---- */

static void shared_rows(void)
{
    struct reader first, second;
    uint32_t wanted[VERTICES], m;
    struct hotset_batch batch = {.vertices = wanted};
    uint64_t slot;
    for (uint32_t v = 0; v < VERTICES; v++) /* no peer is opened */
        if (!hotset_find(planned[0].table[0], v, &m, &slot) || m == 0) wanted[batch.count++] = v;
    u64 before = memory_living(MEMORY_HOST);
    make_reader(&first, 0);
    make_reader(&second, 0);
    free_reader(&first, 0);
    count(&second, &planned[0], 0, &batch);
    train(&second, &batch, 0, begin(&second, &batch, 0));
    must(!cudaStreamSynchronize(second.train), "synchronize");
    bool good = all_right(&second) && second.served[2] && counts_are(&second, 0, second.served);
    free_reader(&second, 0);
    verdict(good && before == memory_living(MEMORY_HOST), "rows stay pinned until the last store of them goes");
}

/* ---- rows in another form ---- */

/* More rows than `fill` makes at a time, in the GPU's memory; and a fill that fails, after which nothing is believed.
 */
static void pieces(void)
{
    struct hotset_store_request q = request(&planned[0], 0);
    struct hotset_store_handle handle;
    hotset_store *s = NULL;
    uint32_t all[VERTICES];
    uint64_t mine = row_bytes, held_bytes;
    unsigned char *small = features, *got, *want;
    row_bytes = 4 * 6001;
    held_bytes = hotset_held_bytes(held, row_bytes);
    features = shared(VERTICES * row_bytes);
    fill_floats(VERTICES);
    for (uint32_t v = 0; v < VERTICES; v++) all[v] = VERTICES - 1 - v;
    got = malloc(VERTICES * held_bytes), want = malloc(VERTICES * held_bytes);
    q.ids = all, q.rows = VERTICES, q.row_bytes = row_bytes, q.host.base = q.fill_context = features;
    must(!cudaSetDevice(0) && hotset_store_create(&q, &s, &error) == HOTSET_OK, error.text);
    must(hotset_store_handle(s, &handle, &error) == HOTSET_OK, error.text);
    must(!cudaMemcpy(got, (void *)(uintptr_t)handle.base, VERTICES * held_bytes, cudaMemcpyDeviceToHost), "copy");
    fill_held(all, VERTICES, want, NULL);
    bool good = !memcmp(got, want, VERTICES * held_bytes) && VERTICES * held_bytes > (2 << 22);
    hotset_store_free(s);
    q.fill_context = NULL, s = NULL;
    good = good && hotset_store_create(&q, &s, &error) == HOTSET_INPUT && !s;
    q.fill_context = features, s = NULL, handle.own = 1, handle.held = held == HOTSET_HELD_F16 ? HOTSET_HELD_BF16 : 0;
    must(hotset_store_create(&q, &s, &error) == HOTSET_OK, error.text);
    good = good && hotset_store_open(s, &handle, &error) == HOTSET_USAGE; /* rows as long, in another form */
    hotset_store_free(s);
    q.fill = NULL, s = NULL;
    good = good && hotset_store_create(&q, &s, &error) == HOTSET_USAGE && !s;
    munmap(features, VERTICES * row_bytes);
    features = small, row_bytes = mine;
    free(got), free(want);
    verdict(good, "rows are made piece by piece; what fails is said");
}

/* ---- what is refused ---- */

static int create(const void *q)
{
    hotset_store *s = NULL;
    int code = hotset_store_create(q, &s, &error);
    unsetenv("HOTSET_EMULATED_FAIL");
    if (code == HOTSET_OK) hotset_store_free(s);
    return code == HOTSET_OK || error.text[0] ? code : -1;
}

static void refusals(void)
{
    struct hotset_store_request q = request(&planned[0], 0), wrong = q;
    struct reader r;
    uint64_t device, pinned, moved, counts[GPUS + 2], ticket;
    uint32_t beyond[2] = {VERTICES, planned[0].ids[0][0]};
    bool good = true;
    must(!cudaSetDevice(0), "no device");
    wrong.own = 1;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.host.rows--;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.ids = beyond, wrong.rows = 1;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.device = GPUS;
    good = good && created(create, &wrong) == HOTSET_MISSING;
    verdict(good, "wrong requests are refused");
    setenv("HOTSET_EMULATED_NO_REGISTER", "1", 1);
    good = created(create, &q) == HOTSET_LIMIT && strstr(error.text, "ulimit -l");
    verdict(good, "memory that cannot be pinned is said");
    unsetenv("HOTSET_EMULATED_NO_REGISTER");
    verdict(survives_failures(create, &q), "whatever call fails, nothing is left behind");
    make_reader(&r, 0);
    must(hotset_store_bytes(&q, &device, &pinned, &error) == HOTSET_OK, error.text);
    good = device >= VERTICES * row_bytes + planned[0].table[0]->bytes && pinned >= VERTICES * row_bytes;
    verdict(good, "the bytes are said");
    good = hotset_store_reload(r.store, planned[1].table[0], planned[1].ids[0], VERTICES + 1, r.train, &moved,
                               &error) == HOTSET_LIMIT &&
           hotset_store_wait(r.store, 0, r.train, &error) == HOTSET_USAGE;
    for (int wrong_magic = 0; wrong_magic < 2; wrong_magic++) {
        planned[1].table[0]->magic[0] ^= wrong_magic;
        good = good && hotset_store_reload(r.store, planned[1].table[0], beyond, wrong_magic ? 0 : 1, r.train, &moved,
                                           &error) == HOTSET_USAGE;
        planned[1].table[0]->magic[0] ^= wrong_magic;
    }
    must(hotset_store_ahead(r.store, beyond, 4, 2, HOTSET_STORE_ON_HOST, r.out[0], r.train, &ticket, &error) ==
             HOTSET_OK,
         error.text);
    must(hotset_store_counts(r.store, counts, &error) == HOTSET_OK, error.text);
    verdict(good && counts[GPUS + 1] == 1, "no room for a plan, no such ticket, no table, ids beyond the graph");
    free_reader(&r, 0);
}

/* ---- four processes ---- */

static int process(int g, void *board)
{
    struct hotset_store_handle *handle = board;
    struct reader r;
    uint64_t moved;
    make_reader(&r, g);
    must(hotset_store_handle(r.store, &handle[g], &error) == HOTSET_OK, error.text);
    come_together(0);
    for (int e = 0; e < GPUS; e++)
        must(e == g || hotset_store_open(r.store, &handle[e], &error) == HOTSET_OK, error.text);
    for (int k = 0; k < PLANS; k++) {
        for (uint64_t b = 0; b < planned[k].per_epoch[g]; b++) {
            struct hotset_batch batch = batch_of(&planned[k], g, b);
            count(&r, &planned[k], g, &batch);
            train(&r, &batch, b, begin(&r, &batch, b));
        }
        must(!cudaStreamSynchronize(r.train), "synchronize");
        come_together(2 * k + 1);
        if (k) break;
        must(hotset_store_reload(r.store, planned[1].table[g], planned[1].ids[g], planned[1].rows[g], r.train, &moved,
                                 &error) == HOTSET_OK &&
                 !cudaStreamSynchronize(r.train),
             error.text);
        come_together(2);
    }
    bool good = all_right(&r) && counts_are(&r, g, r.served);
    come_together(4); /* nobody frees what others read */
    free_reader(&r, g);
    return !good;
}

int main(void)
{
    static const struct {
        int dim;
        enum hotset_held held;
    } cases[] = {{16, 0},
                 {100, 0},
                 {150, 0},
                 {256, 0},
                 {100, HOTSET_HELD_F16},
                 {37, HOTSET_HELD_BF16},
                 {150, HOTSET_HELD_F8},
                 {66, HOTSET_HELD_I8}};
    job_begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        held = cases[i].held;
        open_plans(cases[i].dim);
        if (!i) four_processes(process, "four processes read each other's memory, over a reload");
        if (i < 2 || held) several_gpus();
        lines();
        if (i == 1) shared_rows(), refusals();
        if (held == HOTSET_HELD_F16) pieces();
        close_plans();
    }
    return job_end();
}
