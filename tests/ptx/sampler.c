/* sampler.c - hotset_sampler as nvcc compiles it, on four GPUs that the interpreter has: the mini-batches of real plans
 * that cache neighbour lists. Vertices, edges and their order are those that `hotset simulate` exports; visits by
 * place, and lines of host memory, those that it counts; nothing allocated per mini-batch; work in streams in an order
 * that order.c accepts. Then the same in four processes. Speaks TAP. HOTSET names the program that makes the plans.
 */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simulator/lib/hotset_sampler.h"
#include "tests/ptx/planned.h"
#include "tests/ptx/ptx.h"

enum { DRAWS_MAX = 1 << 18 };

static const struct variant {
    const char *name, *fanout, *frontier;
    uint32_t hops, number[3], every, batch, places, vertices, edges;
} variants[] = {
    {"fan-outs 4,3", "4,3", "new", 2, {4, 3}, 0, 8, 1, 700, 6000},
    {"every vertex, fan-outs 3,2,2", "3,2,2", "all", 3, {3, 2, 2}, 1, 5, 1, 700, 6000},
    {"fan-outs 1,64, no edges", "1,64", "new", 2, {1, 64}, 0, 9, 0, 700, 6000},
    {"many tiles", "64,64", "new", 2, {64, 64}, 0, 64, 1, 2300, 400000}, /* more draws than TILE * TILE */
};
static const struct variant *is;
static struct hotset_error error;
static int64_t *indptr;
static uint32_t *indices;
static uint64_t edges;

/* ---- plans ---- */

/* The data of an array file, in memory that processes share; *bytes: how much. */
static void *array(const char *folder, const char *name, uint64_t *bytes)
{
    char path[600];
    unsigned char head[10];
    snprintf(path, sizeof path, "%s/G/%s", folder, name);
    FILE *file = fopen(path, "rb");
    must(file && fread(head, 1, 10, file) == 10 && head[6] == 1, path);
    long from = 10 + head[8] + 256 * head[9];
    must(!fseek(file, 0, SEEK_END), path);
    *bytes = (uint64_t)(ftell(file) - from);
    void *out = shared(*bytes);
    must(!fseek(file, from, SEEK_SET) && fread(out, 1, *bytes, file) == *bytes, path);
    fclose(file);
    return out;
}

static void open_plans(void)
{
    char graph[100], plan[100];
    uint64_t bytes;
    snprintf(graph, sizeof graph, "--vertices %u --edges %u --feature-dim 8", is->vertices, is->edges);
    snprintf(plan, sizeof plan, "--budget $p%% --fanout %s --batch %u --frontier %s --sampling gpu", is->fanout,
             is->batch, is->frontier);
    const char *folder = make_plans(graph, plan, "8", "5");
    indptr = array(folder, "indptr.npy", &bytes);
    must(bytes == (is->vertices + 1) * 8, "indptr");
    indices = array(folder, "indices.npy", &bytes);
    edges = bytes / 4;
    must(edges == (uint64_t)indptr[is->vertices], "indices");
    open_planned(HOTSET_TOPOLOGY);
    snprintf(about, sizeof about, "%s", is->name);
}

static void close_plans(void)
{
    close_planned();
    munmap(indptr, (is->vertices + 1) * 8);
    munmap(indices, edges * 4);
}

/* ---- a GPU of a job ---- */

struct reader {
    hotset_sampler *sampler;
    cudaStream_t train;
    cudaEvent_t done, copied[2];
    uint32_t *seeds;
    int64_t *there, *here[2];  /* what is taken, [4][DRAWS_MAX]: on the GPU; pinned, in turn */
    struct hotset_batch batch; /* what was taken last, and is not compared yet */
    struct hotset_sampled sizes;
    uint64_t taken;
    bool right;
};

static struct hotset_sampler_request request(const struct planned *p, int g)
{
    struct hotset_sampler_request r = {.struct_bytes = sizeof r,
                                       .device = g,
                                       .memories = GPUS,
                                       .own = (uint32_t)g,
                                       .table = p->table[g],
                                       .ids = p->ids[g],
                                       .rows = p->rows[g],
                                       .rows_room = is->vertices,
                                       .entries_room = edges,
                                       .indptr = indptr,
                                       .indices = indices,
                                       .vertices = is->vertices,
                                       .edges = edges,
                                       .seed = SEED,
                                       .gpu = (uint32_t)hotset_gpu_id(p->plan, g),
                                       .hops = is->hops,
                                       .every = is->every,
                                       .places = is->places,
                                       .batch = is->batch};
    for (uint32_t h = 0; h < is->hops; h++) r.fanout[h] = is->number[h];
    return r;
}

static void make_reader(struct reader *r, int g)
{
    struct hotset_sampler_request q = request(&planned[0], g);
    memset(r, 0, sizeof *r);
    must(!cudaSetDevice(g), "no device");
    must(hotset_sampler_create(&q, &r->sampler, &error) == HOTSET_OK, error.text);
    must(!cudaStreamCreateWithFlags(&r->train, cudaStreamNonBlocking) && !cudaEventCreate(&r->done), "no stream");
    for (int k = 0; k < 2; k++)
        must(!cudaEventCreate(&r->copied[k]) && !cudaHostAlloc((void **)&r->here[k], 4 * DRAWS_MAX * 8, 0), "pinned");
    must(!cudaMalloc((void **)&r->seeds, is->batch * 4) && !cudaMalloc((void **)&r->there, 4 * DRAWS_MAX * 8), "room");
    r->right = true;
}

static void free_reader(struct reader *r, int g)
{
    must(!cudaSetDevice(g), "no device");
    hotset_sampler_free(r->sampler);
    for (int k = 0; k < 2; k++) must(!cudaFreeHost(r->here[k]) && !cudaEventDestroy(r->copied[k]), "free");
    must(!cudaFree(r->seeds) && !cudaFree(r->there), "free");
    must(!cudaStreamDestroy(r->train) && !cudaEventDestroy(r->done), "free");
}

/* Mini-batch b is drawn, seeds from the host or from the GPU in turn; those of the host fill the mini-batch, again and
 * again. */
static uint64_t begin(struct reader *r, const struct hotset_batch *batch, uint64_t b)
{
    uint64_t ticket, count = batch->seed_count;
    const void *seeds = batch->seeds;
    int64_t wide[64];
    bool on_host = b % 3 != 1;
    if (on_host) {
        for (count = 0; count < is->batch; count++) wide[count] = batch->seeds[count % batch->seed_count];
        seeds = wide;
    } else {
        must(!cudaMemcpyAsync(r->seeds, seeds, count * 4, cudaMemcpyHostToDevice, r->train), "copy");
        seeds = r->seeds;
    }
    must(hotset_sampler_begin(r->sampler, seeds, on_host ? 8 : 4, count,
                              on_host ? HOTSET_STORE_ON_HOST : HOTSET_STORE_ON_DEVICE, batch->epoch, batch->number,
                              r->train, &ticket, &error) == HOTSET_OK,
         error.text);
    memset(wide, 0xff, sizeof wide);
    return ticket;
}

/* Whether what was taken is the mini-batch. */
static bool same(const int64_t *vertices, const struct hotset_batch *batch, const struct hotset_sampled *z)
{
    const int64_t *rows = vertices + DRAWS_MAX, *columns = rows + DRAWS_MAX, *places = columns + DRAWS_MAX;
    uint64_t d = 0;
    bool good = z->vertices == batch->count && z->levels == is->hops + 1 && z->found[0] == batch->seed_vertices;
    for (uint64_t i = 0; good && i < batch->count; i++) good = vertices[i] == batch->vertices[i];
    for (uint32_t h = 0; good && h < is->hops; h++) {
        const struct hotset_hop *hop = &batch->hop[h];
        good = z->drawn[h] == d && z->drawn[h + 1] == d + hop->draws && z->found[h + 1] == hop->found;
        for (uint64_t i = 0; good && i < hop->draws; i++, d++)
            good = rows[d] == hop->rows[i] && columns[d] == hop->columns[i] &&
                   (!is->places || places[d] == hop->edges[i]);
    }
    return good && d == z->draws && (is->vertices < 1000 || d > 256 * 256);
}

/* Compares what was taken last. */
static void compare(struct reader *r)
{
    unsigned turn = (r->taken - 1) % 2;
    if (!r->batch.struct_bytes) return;
    must(!cudaEventSynchronize(r->copied[turn]), "synchronize");
    r->right = r->right && same(r->here[turn], &r->batch, &r->sizes);
    r->batch.struct_bytes = 0;
}

/* The training of it: takes it, into memory that the mini-batch before had. The host has not waited for it when the
 * next one begins. */
static void train(struct reader *r, const struct hotset_batch *batch, uint64_t ticket)
{
    struct hotset_sampled z = {.struct_bytes = sizeof z};
    unsigned turn = r->taken % 2;
    must(hotset_sampler_sizes(r->sampler, ticket, &z, &error) == HOTSET_OK, error.text);
    must(z.vertices <= DRAWS_MAX && z.draws <= DRAWS_MAX, "room for results");
    must(hotset_sampler_take(r->sampler, ticket, r->there, r->there + DRAWS_MAX, r->there + 2 * DRAWS_MAX,
                             is->places ? r->there + 3 * DRAWS_MAX : NULL, r->train, &error) == HOTSET_OK,
         error.text);
    for (int k = 0; k < 4; k++)
        must(!cudaMemcpyAsync(r->here[turn] + k * DRAWS_MAX, r->there + k * DRAWS_MAX, (k ? z.draws : z.vertices) * 8,
                              cudaMemcpyDeviceToHost, r->train),
             "copy");
    must(!cudaEventRecord(r->copied[turn], r->train), "event");
    compare(r);
    r->batch = *batch, r->sizes = z, r->taken++;
}

/* Whether counts are those of the simulation of `times` epochs of each plan. */
static bool counts_are(struct reader *r, int g, const int times[PLANS])
{
    struct hotset_sampler_counts c = {.struct_bytes = sizeof c};
    uint64_t peers = 0, want[4] = {0};
    compare(r);
    must(hotset_sampler_count(r->sampler, &c, &error) == HOTSET_OK, error.text);
    for (int m = 0; m < GPUS; m++) peers += m == g ? 0 : c.visits[m];
    for (int k = 0; k < PLANS; k++) {
        for (int place = 0; place < 3; place++) want[place] += (uint64_t)times[k] * planned[k].served[g][place];
        want[3] += (uint64_t)times[k] * planned[k].lines[g];
    }
    return c.memories == GPUS && c.visits[g] == want[0] && peers == want[1] && c.visits[GPUS] == want[2] &&
           !c.visits[GPUS + 1] && c.lines == want[3] && want[0] && want[3];
}

/* ---- four GPUs of one process ---- */

static void open_peers(struct reader *all)
{
    struct hotset_sampler_handle handle[GPUS];
    for (int g = 0; g < GPUS; g++)
        must(hotset_sampler_handle(all[g].sampler, &handle[g], &error) == HOTSET_OK, error.text);
    for (int g = 0; g < GPUS; g++) {
        int n;
        const int32_t *peer = hotset_peers(planned[0].plan, g, &n);
        must(n == GPUS - 1, "a clique of four");
        for (int k = 0; k < n; k++)
            must(hotset_sampler_open(all[g].sampler, &handle[peer[k]], &error) == HOTSET_OK, error.text);
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
            must(!cudaSetDevice((g + 1) % GPUS), "no device"); /* the sampler finds its own */
            if (b < p->per_epoch[g]) {
                now[g] = batch_of(p, g, b);
                ticket[g] = begin(&all[g], &now[g], b);
            }
            if (b && b - 1 < p->per_epoch[g]) train(&all[g], &last, before);
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

static void several_gpus(void)
{
    struct reader all[GPUS];
    const struct planned *to = &planned[1];
    bool right = true, good = true;
    for (int g = 0; g < GPUS; g++) make_reader(&all[g], g);
    open_peers(all);
    u64 made = memory_made;
    epoch(all, &planned[0]);
    bool none = made == memory_made;
    for (int g = 0; g < GPUS; g++) {
        good = counts_are(&all[g], g, (const int[]){1, 0}) && good;
        right = right && all[g].right;
    }
    verdict(right, "four GPUs: vertices, edges and their order are those of the simulation");
    verdict(good, "visits by place, and lines of host memory, too");
    verdict(none, "nothing is allocated per mini-batch");
    if (is->vertices > 1000) goto done;
    epoch(all, &planned[0]);
    meet(all);
    for (int g = 0; g < GPUS; g++)
        must(hotset_sampler_reload(all[g].sampler, to->table[g], to->ids[g], to->rows[g], all[g].train, &error) ==
                 HOTSET_OK,
             error.text);
    meet(all);
    epoch(all, to);
    for (int g = 0; g < GPUS; g++) {
        good = counts_are(&all[g], g, (const int[]){2, 1}) && good;
        right = right && all[g].right;
    }
    verdict(right && good, "over a reload in the middle");
done:
    for (int g = 0; g < GPUS; g++) free_reader(&all[g], g);
}

/* Three mini-batches at once, of which two have a place: the first is gone, the others are right. */
static void too_far_ahead(void)
{
    struct reader all[GPUS], *r = all;
    struct hotset_sampled z = {.struct_bytes = sizeof z};
    struct hotset_batch batch[3];
    struct hotset_sampler_counts c = {.struct_bytes = sizeof c};
    uint64_t ticket[3], want[3] = {0};
    for (int g = 0; g < GPUS; g++) make_reader(&all[g], g);
    open_peers(all);
    for (uint64_t b = 0; b < 3; b++) {
        batch[b] = batch_of(&planned[0], 0, b), ticket[b] = begin(r, &batch[b], 3);
        must(hotset_count_visits(planned[0].table[0], &batch[b], want, &error) == HOTSET_OK, error.text);
    }
    bool gone = hotset_sampler_sizes(r->sampler, ticket[0], &z, &error) == HOTSET_USAGE;
    train(r, &batch[1], ticket[1]);
    train(r, &batch[2], ticket[2]);
    compare(r);
    must(hotset_sampler_count(r->sampler, &c, &error) == HOTSET_OK, error.text);
    gone = gone && c.visits[0] == want[0] && c.visits[GPUS] == want[2];
    verdict(r->right && gone, "three begun where two have a place");
    for (int g = 0; g < GPUS; g++) free_reader(&all[g], g);
}

/* A mini-batch that two streams take is drawn over when both have it, not the last alone. */
static void taken_twice(void)
{
    struct reader all[GPUS], *r = all;
    struct hotset_batch batch[3];
    cudaStream_t other;
    int64_t *there;
    uint64_t ticket[3];
    for (int g = 0; g < GPUS; g++) make_reader(&all[g], g);
    open_peers(all);
    must(!cudaSetDevice(0) && !cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) &&
             !cudaMalloc((void **)&there, DRAWS_MAX * 8),
         "no stream");
    for (uint64_t b = 0; b < 3; b++) batch[b] = batch_of(&planned[0], 0, b);
    ticket[0] = begin(r, &batch[0], 3);
    train(r, &batch[0], ticket[0]);
    must(hotset_sampler_take(r->sampler, ticket[0], there, NULL, NULL, NULL, other, &error) == HOTSET_OK, error.text);
    for (uint64_t b = 1; b < 3; b++) ticket[b] = begin(r, &batch[b], 3);
    for (uint64_t b = 1; b < 3; b++) train(r, &batch[b], ticket[b]);
    compare(r);
    verdict(r->right, "two streams take a mini-batch");
    must(!cudaStreamDestroy(other) && !cudaFree(there), "free");
    for (int g = 0; g < GPUS; g++) free_reader(&all[g], g);
}

/* ---- what is refused ---- */

static int create(const void *q)
{
    hotset_sampler *s = NULL;
    int code = hotset_sampler_create(q, &s, &error);
    unsetenv("HOTSET_EMULATED_FAIL");
    if (code == HOTSET_OK) hotset_sampler_free(s);
    return code == HOTSET_OK || error.text[0] ? code : -1;
}

static void wrong_requests(void)
{
    struct hotset_sampler_request q = request(&planned[0], 0), wrong = q;
    uint32_t beyond = is->vertices;
    bool good = true;
    must(!cudaSetDevice(0), "no device");
    wrong.own = 1;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.fanout[1] = HOTSET_SAMPLER_FANOUT_MAX + 1;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.vertices--;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.ids = &beyond, wrong.rows = 1;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    wrong = q, wrong.edges = 5;
    good = good && created(create, &wrong) == HOTSET_INPUT;
    wrong = q, wrong.device = GPUS;
    good = good && created(create, &wrong) == HOTSET_MISSING;
    wrong = q, wrong.batch = (uint64_t)1 << 33;
    good = good && created(create, &wrong) == HOTSET_USAGE;
    setenv("HOTSET_EMULATED_NO_REGISTER", "1", 1);
    good = good && created(create, &q) == HOTSET_LIMIT && strstr(error.text, "ulimit -l");
    unsetenv("HOTSET_EMULATED_NO_REGISTER");
    verdict(good, "wrong requests are refused");
    verdict(survives_failures(create, &q), "whatever call fails, nothing is left behind");
}

/* A plan for a graph that has changed below is refused before anything is written. */
static bool reload_refused(struct reader *r, const uint32_t *ids, uint64_t rows, int code)
{
    return hotset_sampler_reload(r->sampler, planned[0].table[0], ids, rows, r->train, &error) == code && error.text[0];
}

/* Seeds beyond the graph, lists of peers that were not opened, a graph that changes below: said, and no memory touched
 * that is not there. */
static void damaged(void)
{
    struct reader r;
    struct hotset_sampled z = {.struct_bytes = sizeof z};
    struct hotset_sampler_request q = request(&planned[0], 0);
    uint64_t ticket, device, pinned, m = edges;
    int64_t seeds[] = {is->vertices, -1, planned[0].ids[0][0]};
    make_reader(&r, 0);
    must(hotset_sampler_bytes(&q, &device, &pinned, &error) == HOTSET_OK, error.text);
    bool good = device > edges * 4 + is->vertices * 8 && pinned >= edges * 4 + is->vertices * 8;
    for (int turn = 0; turn < 4; turn++) {
        must(hotset_sampler_begin(r.sampler, seeds, 8, turn ? 1 : 3, HOTSET_STORE_ON_HOST, 0, 0, r.train, &ticket,
                                  &error) == HOTSET_OK,
             error.text);
        good = good && hotset_sampler_sizes(r.sampler, ticket, &z, &error) == HOTSET_INPUT && z.found[0] == 1;
        if (turn == 0) { /* every neighbour on the host is beyond the graph, and some lists end before they begin */
            uint32_t host = 0, k;
            uint64_t slot;
            for (uint64_t e = 0; e < m; e++) indices[e] = UINT32_MAX - (uint32_t)(e % 7);
            while (hotset_find(planned[0].table[0], host, &k, &slot) || indptr[host] == indptr[host + 1]) host++;
            seeds[0] = host;
        }
    }
    verdict(good && z.vertices == 1, "seeds and neighbours beyond the graph are said");
    for (uint32_t v = 0; v <= is->vertices; v++) indptr[v] = v % 2 ? INT64_MAX : -5;
    must(hotset_sampler_begin(r.sampler, seeds, 8, 1, HOTSET_STORE_ON_HOST, 0, 0, r.train, &ticket, &error) ==
             HOTSET_OK,
         error.text);
    good = hotset_sampler_sizes(r.sampler, ticket, &z, &error) == HOTSET_INPUT && !z.draws;
    good = good && hotset_sampler_sizes(r.sampler, ticket + 1, &z, &error) == HOTSET_USAGE &&
           hotset_sampler_sizes(r.sampler, ticket - 2, &z, &error) == HOTSET_USAGE;
    good = good && hotset_sampler_begin(r.sampler, seeds, 8, is->batch + 1, HOTSET_STORE_ON_HOST, 0, 0, r.train,
                                        &ticket, &error) == HOTSET_USAGE;
    good = good && hotset_sampler_begin(r.sampler, (char *)r.seeds + 4, 8, 1, HOTSET_STORE_ON_DEVICE, 0, 0, r.train,
                                        &ticket, &error) == HOTSET_USAGE;
    verdict(good, "lists that end before they begin; tickets that are gone; too many seeds, or at odd addresses");
    const uint32_t twice[] = {0, 2};
    good = reload_refused(&r, planned[0].ids[0], planned[0].rows[0], HOTSET_INPUT);
    for (uint32_t v = 0; v <= is->vertices; v++) indptr[v] = v % 2 ? (int64_t)edges : 0;
    good = good && reload_refused(&r, planned[0].ids[0], planned[0].rows[0], HOTSET_INPUT) &&
           reload_refused(&r, (const uint32_t[]){0, 1}, 2, HOTSET_INPUT) && reload_refused(&r, twice, 2, HOTSET_LIMIT);
    verdict(good, "a reload from lists that end before they begin, or that have no room");
    free_reader(&r, 0);
}

/* ---- four processes ---- */

static int process(int g, void *board)
{
    struct hotset_sampler_handle *handle = board;
    struct reader r;
    make_reader(&r, g);
    must(hotset_sampler_handle(r.sampler, &handle[g], &error) == HOTSET_OK, error.text);
    come_together(0);
    for (int e = 0; e < GPUS; e++)
        must(e == g || hotset_sampler_open(r.sampler, &handle[e], &error) == HOTSET_OK, error.text);
    for (int k = 0; k < PLANS; k++) {
        for (uint64_t b = 0; b < planned[k].per_epoch[g]; b++) {
            struct hotset_batch batch = batch_of(&planned[k], g, b);
            train(&r, &batch, begin(&r, &batch, b));
        }
        come_together(2 * k + 1);
        if (k) break;
        must(hotset_sampler_reload(r.sampler, planned[1].table[g], planned[1].ids[g], planned[1].rows[g], r.train,
                                   &error) == HOTSET_OK,
             error.text);
        come_together(2);
    }
    bool good = counts_are(&r, g, (const int[]){1, 1}) && r.right;
    come_together(4); /* nobody frees what others read */
    free_reader(&r, g);
    return !good;
}

int main(void)
{
    job_begin();
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        is = &variants[i];
        open_plans();
        if (!i) four_processes(process, "four processes read each other's lists, over a reload");
        several_gpus();
        if (!i) too_far_ahead(), taken_twice(), wrong_requests(), damaged();
        close_plans();
    }
    return job_end();
}
