/* gather.c - gathers the mini-batches of every GPU through a plan, and prints how many rows, and visits of neighbour
 * lists, each place served.
 *
 * cc gather.c $(pkg-config --cflags --libs hotset) -o gather
 * hotset simulate P --epochs 2 --export-batches B && ./gather P B
 *
 * Blocks of malloc stand in for GPU memory. On GPUs, hotset_cuda_gather of hotset_cuda.h takes the same request. */
#include <hotset.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hotset_error error;

static void need(int code)
{
    if (!code) return;
    fprintf(stderr, "gather: %s\n", error.text);
    exit(code);
}

static void *block(uint64_t count, uint64_t bytes)
{
    void *p = calloc(count + 1, bytes);
    if (p) return p;
    fprintf(stderr, "gather: not enough memory\n");
    exit(HOTSET_LIMIT);
}

/* Gathers all mini-batches of the GPU `id` and prints its counts. memory: [hotset_gpus] rows by position. */
static void replay(const hotset_plan *plan, const hotset_batches *batches, int at, uint64_t count,
                   const struct hotset_rows *memory, struct hotset_rows host)
{
    int id = hotset_batches_gpu_id(batches, at), own = hotset_find_gpu(plan, id), gpus = hotset_gpus(plan);
    uint64_t counts[HOTSET_MEMORIES_MAX + 2] = {0}, bytes = hotset_row_bytes(plan), peer = 0, visits[3] = {0};
    struct hotset_request wanted = HOTSET_REQUEST_INIT(own, HOTSET_FEATURE);
    struct hotset_gather_request gather = HOTSET_GATHER_INIT;
    struct hotset_lookup *table = NULL, *topology = NULL;
    struct hotset_batch batch = {.struct_bytes = sizeof batch};
    char *x = block(host.rows, bytes); /* no mini-batch has more vertices than the graph */
    need(hotset_lookup_build(plan, &wanted, &table, &error));
    wanted.list = HOTSET_TOPOLOGY;
    need(hotset_lookup_build(plan, &wanted, &topology, &error));
    gather.table = table, gather.memory = memory, gather.memories = (uint32_t)gpus, gather.host = host;
    gather.row_bytes = bytes, gather.out = x, gather.counts = counts;
    for (uint64_t b = 0; b < count; b++) {
        need(hotset_batches_read(batches, at, b, &batch, &error));
        gather.ids = batch.vertices, gather.count = batch.count;
        need(hotset_gather(&gather, &error));
        need(hotset_count_visits(topology, &batch, visits, &error));
        for (uint64_t i = 0; i < batch.count; i++) /* train here; this only checks the rows */
            if (memcmp(x + i * bytes, (const char *)host.base + batch.vertices[i] * bytes, bytes)) abort();
    }
    for (int g = 0; g < gpus; g++) peer += g == own ? 0 : counts[g];
    printf("GPU %d rows own %llu peer %llu host %llu\n", id, (unsigned long long)counts[own], (unsigned long long)peer,
           (unsigned long long)counts[gpus]);
    printf("GPU %d visits own %llu peer %llu host %llu\n", id, (unsigned long long)visits[0],
           (unsigned long long)visits[1], (unsigned long long)visits[2]);
    hotset_lookup_free(topology);
    hotset_lookup_free(table);
    free(x);
}

int main(int argc, char **argv)
{
    struct hotset_options options = HOTSET_OPTIONS_INIT;
    struct hotset_batches_facts facts = {.struct_bytes = sizeof facts};
    struct hotset_rows host, memory[HOTSET_MEMORIES_MAX] = {{0}};
    void *filled[HOTSET_MEMORIES_MAX];
    hotset_plan *plan = NULL;
    hotset_batches *batches = NULL;
    if (argc != 3) return fprintf(stderr, "usage: gather PLAN BATCHES\n"), HOTSET_USAGE;
    need(hotset_open(argv[1], &options, &plan, &error));
    need(hotset_batches_open(argv[2], &batches, &error));
    need(hotset_batches_about(batches, &facts, &error));
    uint64_t bytes = hotset_row_bytes(plan), n = hotset_vertices(plan);
    char *features = block(n, bytes); /* your features; here any bytes */
    for (uint64_t i = 0; i < n * bytes; i++) features[i] = (char)(i * 2654435761u >> 13);
    host.base = features, host.rows = n;
    for (int g = 0; g < hotset_gpus(plan); g++) { /* fills a memory: slot k holds the row of the list's entry k */
        struct hotset_gather_request fill = HOTSET_GATHER_INIT;
        fill.ids = hotset_ids(plan, g, HOTSET_FEATURE, &fill.count), fill.host = host, fill.row_bytes = bytes;
        fill.out = filled[g] = block(fill.count, bytes);
        memory[g].base = fill.out, memory[g].rows = fill.count;
        need(hotset_gather(&fill, &error));
    }
    for (int at = 0; at < facts.gpus; at++)
        replay(plan, batches, at, facts.epochs * hotset_batches_per_epoch(batches, at), memory, host);
    for (int g = 0; g < hotset_gpus(plan); g++) free(filled[g]);
    free(features);
    hotset_batches_close(batches);
    hotset_close(plan);
    return 0;
}
