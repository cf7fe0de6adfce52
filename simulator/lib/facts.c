/* facts.c - facts of an open plan (declared in hotset.h), and helpers of the library (internal.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "base/units.h"
#include "simulator/lib/internal.h"

const char *const lib_list_names[HOTSET_LISTS] = {"feature", "topology", "train", "order"};

int hotset_library_version(void)
{
    return 10000 * HOTSET_VERSION_MAJOR + 100 * HOTSET_VERSION_MINOR + HOTSET_VERSION_PATCH;
}

/* ---- helpers ---- */

int lib_finish(enum st st, const struct err *err, struct hotset_error *error)
{
    if (error) {
        error->code = (int32_t)st;
        /* callers print it, and names from documents are in it */
        text_visible(error->text, sizeof error->text, err->text, st == ST_OK ? 0 : strlen(err->text), NULL);
    }
    return (int)st;
}

enum st lib_allocate(uint64_t bytes, uint64_t limit, const char *what, void **out, struct err *err)
{
    enum { LARGE = 1 << 21 }; /* a huge page */
    char want[UNIT_TEXT], bound[UNIT_TEXT];
    void *block = NULL;
    units_bytes(want, bytes);
    if (limit && bytes > limit)
        return err_set(err, ST_LIMIT, "memory for %s: %s needed, above the caller's limit of %s; raise memory_limit",
                       what, want, units_bytes(bound, limit));
    if (bytes > SIZE_MAX - LARGE || posix_memalign(&block, bytes >= LARGE ? LARGE : 64, bytes ? bytes : 1) != 0)
        return err_set(err, ST_LIMIT, "memory for %s: the system refused %s", what, want);
    if (bytes >= LARGE)
        madvise(block, bytes, MADV_HUGEPAGE); /* may be refused; random reads are faster from large pages */
    *out = block;
    return ST_OK;
}

void *lib_cleared(uint64_t count, size_t size)
{
    return count <= SIZE_MAX / size ? calloc(count ? count : 1, size) : NULL;
}

enum st lib_check_struct(uint32_t stated, size_t ours, const char *name, struct err *err)
{
    if (stated == ours) return ST_OK;
    return err_set(err, ST_USAGE,
                   "struct %s states %u bytes, but this library's has %zu; set struct_bytes to the size of the struct, "
                   "and use the header of this library",
                   name, stated, ours);
}

enum st lib_check_call(const char *name, uint32_t reserved, int threads, struct err *err)
{
    if (reserved) return err_set(err, ST_USAGE, "struct %s: reserved is %u; set it to 0", name, reserved);
    if (threads < 0)
        return err_set(err, ST_USAGE, "%s: %d threads; give 1 or more, or 0 for one per processor", name, threads);
    return ST_OK;
}

enum st lib_check_options(const struct hotset_options *o, struct err *err)
{
    enum { EVERY = HOTSET_CHECK_CHECKSUMS | HOTSET_CHECK_IDS };
    if (!o) return ST_OK;
    PASS(lib_check_struct(o->struct_bytes, sizeof *o, "hotset_options", err));
    PASS(lib_check_call("hotset_options", o->reserved, o->threads, err));
    if (!(o->skip & ~(uint32_t)EVERY)) return ST_OK;
    return err_set(err, ST_USAGE, "struct hotset_options: skip is %u, which has checks that this library does not know",
                   o->skip);
}

/* ---- facts ---- */

static const struct lib_gpu *gpu_at(const hotset_plan *p, int g)
{
    return p && g >= 0 && g < p->gpus ? &p->gpu[g] : NULL;
}

const char *hotset_text(const hotset_plan *p, enum hotset_text which)
{
    return p && (unsigned)which < HOTSET_TEXTS ? p->text[which] : "";
}
int hotset_sealed(const hotset_plan *p) { return p ? p->sealed : 0; }
uint64_t hotset_vertices(const hotset_plan *p) { return p ? p->n : 0; }
uint64_t hotset_edges(const hotset_plan *p) { return p ? p->m : 0; }
uint64_t hotset_feature_dim(const hotset_plan *p) { return p ? p->dim : 0; }
uint64_t hotset_row_bytes(const hotset_plan *p) { return p ? p->row_bytes : 0; }
uint64_t hotset_cached_row_bytes(const hotset_plan *p) { return p ? p->cached_bytes : 0; }
int hotset_cliques(const hotset_plan *p) { return p ? p->cliques : 0; }
int hotset_gpus(const hotset_plan *p) { return p ? p->gpus : 0; }
int hotset_gpu_id(const hotset_plan *p, int g) { return gpu_at(p, g) ? p->gpu[g].id : -1; }
int hotset_gpu_clique(const hotset_plan *p, int g) { return gpu_at(p, g) ? p->gpu[g].clique : -1; }

int hotset_find_gpu(const hotset_plan *p, int id)
{
    for (int g = 0; p && g < p->gpus; g++)
        if (p->gpu[g].id == id) return g;
    return -1;
}

const int32_t *hotset_peers(const hotset_plan *p, int g, int *count)
{
    const struct lib_gpu *gpu = gpu_at(p, g);
    if (count) *count = gpu ? gpu->peers : 0;
    return gpu ? gpu->peer : NULL;
}

const int32_t *hotset_peer_links(const hotset_plan *p, int g, int *count)
{
    const struct lib_gpu *gpu = gpu_at(p, g);
    if (count) *count = gpu ? gpu->peers : 0;
    return gpu ? gpu->links : NULL;
}

const uint32_t *hotset_ids(const hotset_plan *p, int g, enum hotset_list list, uint64_t *count)
{
    const struct lib_gpu *gpu = (unsigned)list < HOTSET_LISTS ? gpu_at(p, g) : NULL;
    if (count) *count = gpu ? gpu->list[list].count : 0;
    return gpu ? gpu->list[list].id : NULL;
}

uint64_t hotset_bytes(const hotset_plan *p, int g, enum hotset_bytes which)
{
    const struct lib_gpu *gpu = gpu_at(p, g);
    uint64_t sum = 0;
    if (!gpu) return 0;
    for (int t = 0; t < p->tables && which != HOTSET_BYTES_BUDGET; t++)
        sum += hotset_bytes(&p->table[t].rows, g, which);
    if (p->tables && which != HOTSET_BYTES_BUDGET) return sum;
    switch (which) {
    case HOTSET_BYTES_BUDGET: return gpu->budget;
    case HOTSET_BYTES_FEATURE: return gpu->list[HOTSET_FEATURE].count * p->cached_bytes;
    case HOTSET_BYTES_TOPOLOGY: return gpu->topology_bytes;
    case HOTSET_BYTES_INDEX: return gpu->index;
    case HOTSET_BYTES_TRAIN: return gpu->list[HOTSET_TRAIN].count * sizeof(uint32_t);
    case HOTSET_BYTES_DYNAMIC: return gpu->dynamic_rows * p->cached_bytes;
    }
    return 0;
}

uint64_t hotset_dynamic_rows(const hotset_plan *p, int g) { return gpu_at(p, g) ? p->gpu[g].dynamic_rows : 0; }
