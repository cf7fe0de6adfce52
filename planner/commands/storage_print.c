#include "planner/commands/storage_print.h"

#include <math.h>
#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "planner/results/table_values.h"

static void held_print(const doc *d, FILE *to)
{
    const doc *dram = doc_get(d, "dram"), *t = doc_get(dram, "topology"), *f = doc_get(dram, "feature");
    const char *rows = doc_get(dram, "lists") ? "rows" : "vertices";
    char memory[UNIT_TEXT], count[2][UNIT_TEXT], bytes[3][UNIT_TEXT];
    terminal_print(to, "host memory, %s: offsets %s, topology of %s %s (%.1f %%) %s, features of %s %s (%.1f %%) %s\n",
                   units_bytes(memory, doc_count(d, "host_memory_bytes")),
                   units_bytes(bytes[0], doc_count(dram, "offset_bytes")), units_count(count[0], doc_count(t, "rows")),
                   rows, 100 * doc_real_value(doc_get(t, "share"), 0), units_bytes(bytes[1], doc_count(t, "bytes")),
                   units_count(count[1], doc_count(f, "rows")), rows, 100 * doc_real_value(doc_get(f, "share"), 0),
                   units_bytes(bytes[2], doc_count(f, "bytes")));
}

static void add_part(struct table *t, const char *what, uint64_t all, uint64_t gpus, uint64_t dram, const doc *of,
                     const char *order)
{
    char text[UNIT_TEXT];
    const doc *blocks = doc_get(of, "blocks"), *more = doc_get(of, "amplification");
    if (doc_is_object(blocks)) blocks = doc_get(blocks, order);
    if (doc_is_object(more)) more = doc_get(more, order);
    table_add(t, "%s", what);
    table_add(t, "%s", units_count(text, all));
    table_percent(t, all ? (double)gpus / (double)all : NAN);
    table_percent(t, all ? (double)dram / (double)all : NAN);
    table_percent(t, all ? (double)doc_count(of, "from_ssd") / (double)all : NAN);
    table_count(t, blocks);
    if (doc_is_number(more)) table_add(t, "%.2fx", doc_real_value(more, NAN));
    else table_add(t, "-");
}

static void reads_print(const doc *d, FILE *to)
{
    static const char *const headers[] =
        {"per epoch", ">reads", ">from GPUs", ">from DRAM", ">from SSDs", ">blocks read", ">bytes read of needed",
         NULL};
    const doc *s = doc_get(d, "simulated"), *f = doc_get(s, "feature"), *v = doc_get(s, "topology");
    const char *order = doc_text_value(doc_get(doc_get(d, "disk_order"), "chosen"), "id");
    struct table *t = table_new(headers);
    add_part(t, "feature rows", doc_count(f, "rows"), doc_count(f, "from_gpus"), doc_count(f, "from_dram"), f, order);
    uint64_t visits = doc_count(v, "visits"), host = doc_count(v, "from_dram") + doc_count(v, "from_ssd");
    add_part(t, "topology visits", visits, visits - host, doc_count(v, "from_dram"), v, order);
    table_show(t, to);
}

static void order_print(const doc *d, FILE *to)
{
    const doc *blocks = doc_get(doc_get(doc_get(d, "simulated"), "feature"), "blocks");
    char id[UNIT_TEXT], heat[UNIT_TEXT];
    if (!doc_count(blocks, "id")) return;
    terminal_print(to, "\norder on disk: %s; blocks of features in the order of ids %s, hottest first %s\n",
                   doc_text_value(doc_get(doc_get(d, "disk_order"), "chosen"), "?"),
                   units_count(id, doc_count(blocks, "id")), units_count(heat, doc_count(blocks, "heat")));
}

static void time_print(const doc *d, FILE *to)
{
    const doc *s = doc_get(d, "simulated"), *ssd = doc_get(d, "ssd"), *epoch = doc_get(s, "epoch");
    char text[3][UNIT_TEXT];
    double error = doc_number(s, "prediction_error");
    if (!isnan(error))
        terminal_print(to, "rows from the SSDs: predicted %s, simulated %s per epoch (%+.1f %%)\n",
                       units_count(text[0], (uint64_t)doc_number(doc_get(d, "predicted"), "feature_rows_from_ssd")),
                       units_count(text[1], doc_count(doc_get(s, "feature"), "from_ssd")), 100 * error);
    if (!doc_is_object(ssd)) return;
    terminal_print(to, "%lld x %s: %s per epoch, limited by %s", (long long)doc_count(ssd, "drives"),
                   doc_text_value(doc_get(ssd, "name"), "?"), units_seconds(text[0], doc_number(s, "ssd_seconds")),
                   doc_text_value(doc_get(s, "ssd_limit"), "?"));
    if (doc_is_object(epoch))
        terminal_print(to, "; the epoch takes %s, without SSDs %s",
                       units_seconds(text[1], doc_number(epoch, "seconds")),
                       units_seconds(text[2], doc_number(epoch, "without_ssd_seconds")));
    fputc('\n', to);
}

static void caches_print(const doc *d, FILE *to)
{
    static const char *const headers[] = {"DRAM holds features by", ">rows",           ">misses of host reads",
                                          ">blocks/epoch",          ">SSD time/epoch", NULL};
    const doc *list = doc_get(d, "caches"), *s = doc_get(d, "simulated");
    if (!doc_size(list)) return;
    fputc('\n', to);
    struct table *t = table_new(headers);
    table_add(t, "(planned list)");
    table_count(t, doc_get(doc_at(list, 0), "rows"));
    table_percent(t, doc_number(doc_at(list, 0), "static_miss_rate"));
    const doc *planned = doc_get(doc_get(doc_get(s, "feature"), "blocks"), "id");
    table_count(t, planned);
    table_add_seconds(t, doc_real_value(planned, NAN) * doc_number(s, "ssd_seconds") / doc_number(s, "blocks"));
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *c = doc_at(list, i);
        char text[UNIT_TEXT];
        table_add(t, "%s", doc_text_value(doc_get(c, "cache"), "?"));
        table_count(t, doc_get(c, "rows"));
        table_percent(t, doc_number(c, "miss_rate"));
        table_add(t, "%s", units_count(text, (uint64_t)(doc_number(c, "blocks_per_epoch") + 0.5)));
        table_add_seconds(t, doc_number(c, "ssd_seconds"));
    }
    table_show(t, to);
    terminal_print(to, "misses of host reads: of the feature rows that no GPU served; blocks: features in the order of "
                       "ids; caches begin empty\n");
}

void storage_print(const doc *d, FILE *to)
{
    held_print(d, to);
    fputc('\n', to);
    reads_print(d, to);
    order_print(d, to);
    time_print(d, to);
    caches_print(d, to);
}
