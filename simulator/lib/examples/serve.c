/* serve.c - prints which memory serves the feature row of a vertex. Reads vertex ids from stdin, writes a line for
 * each.
 *
 * cc serve.c $(pkg-config --cflags --libs hotset) -o serve && seq 0 9 | ./serve P 0 */
#include <hotset.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct hotset_error *error)
{
    fprintf(stderr, "serve: %s\n", error->text);
    return error->code;
}

int main(int argc, char **argv)
{
    struct hotset_error error;
    struct hotset_options options = HOTSET_OPTIONS_INIT;
    hotset_plan *plan = NULL;
    struct hotset_lookup *table = NULL;
    unsigned long long vertex;
    uint64_t bytes, working, slot;
    uint32_t memory;
    if (argc != 3) {
        fprintf(stderr, "usage: serve PLAN GPU < vertex ids\n");
        return HOTSET_USAGE;
    }
    if (hotset_open(argv[1], &options, &plan, &error)) return fail(&error);
    struct hotset_request request = HOTSET_REQUEST_INIT(hotset_find_gpu(plan, atoi(argv[2])), HOTSET_FEATURE);
    if (hotset_lookup_bytes(plan, &request, &bytes, &working, &error)) return fail(&error);
    fprintf(stderr, "serve: the table takes up to %llu bytes\n", (unsigned long long)bytes);
    if (hotset_lookup_build(plan, &request, &table, &error)) return fail(&error);
    while (scanf("%llu", &vertex) == 1) {
        if (hotset_find(table, vertex, &memory, &slot))
            printf("%llu GPU %d slot %llu\n", vertex, hotset_gpu_id(plan, (int)memory), (unsigned long long)slot);
        else printf("%llu host\n", vertex);
    }
    hotset_lookup_free(table);
    hotset_close(plan);
    return 0;
}
