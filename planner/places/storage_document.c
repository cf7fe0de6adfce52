#include "planner/places/storage_document.h"

#include <math.h>
#include <string.h>

#include "base/doc_seal.h"
#include "base/id_file.h"
#include "planner/places/memory_args.h"
#include "simulator/movement/epoch_document.h"

static const char topology_file[] = "host_topology.npy", feature_file[] = "host_feature.npy",
                  disk_file[] = "disk_order.npy";

static doc *ratio(double a, double b) { return b > 0 ? doc_real(a / b) : doc_null(); }
/* The rows in DRAM. */
static const struct row_list *list_of(const struct storage_result *r, enum list_kind kind)
{
    return &r->storage->places->list[kind][0];
}

/* Of several types every table has a list of its own. */
static doc *held(const struct storage_result *r, enum list_kind kind, uint64_t bytes, const char *file)
{
    doc *d = doc_object();
    const uint64_t rows = list_of(r, kind)->count;
    uint64_t all = 0;
    for (int k = 0; k < graph_tables(r->graph); k++) {
        const struct row_table t = graph_table(r->graph, k);
        const bool topology = t.kind == ROWS_TOPOLOGY;
        if (topology == (kind == LIST_TOPOLOGY) && (topology || t.row_bytes)) all += t.count;
    }
    doc_put(d, "rows", doc_unsigned(rows));
    doc_put(d, "share", ratio((double)rows, (double)all));
    doc_put(d, "bytes", doc_unsigned(bytes));
    doc_put(d, "file", doc_text(graph_plain(r->graph) ? file : NULL));
    return d;
}

static doc *dram_of(const struct storage_result *r)
{
    doc *d = doc_object();
    const struct storage_forecast *f = r->forecast;
    doc_put(d, "offset_bytes", doc_unsigned(f->offset_bytes));
    doc_put(d, "topology", held(r, LIST_TOPOLOGY, f->topology_bytes, topology_file));
    doc_put(d, "feature", held(r, LIST_FEATURE, f->feature_bytes, feature_file));
    if (!graph_plain(r->graph)) doc_put(d, "lists", plan_places_lists(r->storage->places, 0, r->graph));
    return d;
}

/* Mean per epoch, halves up. */
static doc *mean(uint64_t sum, uint64_t epochs) { return doc_unsigned((sum + epochs / 2) / epochs); }

static doc *feature_of(const struct storage_result *r, const struct storage_gpu *x)
{
    doc *d = doc_object(), *blocks = doc_object(), *more = doc_object();
    uint64_t epochs = r->counts->epochs, host = x->rows_dram + x->rows_ssd;
    doc_put(d, "rows", mean(x->rows, epochs));
    doc_put(d, "from_gpus", mean(x->rows - host, epochs));
    doc_put(d, "from_dram", mean(x->rows_dram, epochs));
    doc_put(d, "from_ssd", mean(x->rows_ssd, epochs));
    doc_put(d, "dram_hit_rate", ratio((double)x->rows_dram, (double)host));
    for (int o = 0; o < DISK_ORDERS; o++) {
        const char *name = disk_order_name((enum disk_order)o);
        doc_put(blocks, name, mean(x->feature_blocks[o], epochs));
        doc_put(more, name,
                ratio((double)x->feature_blocks[o] * (double)r->storage->block_bytes, (double)x->feature_bytes));
    }
    doc_put(d, "blocks", blocks);
    doc_put(d, "amplification", more);
    return d;
}

static doc *topology_of(const struct storage_result *r, const struct storage_gpu *x)
{
    doc *d = doc_object();
    uint64_t epochs = r->counts->epochs;
    doc_put(d, "visits", mean(x->visits, epochs));
    doc_put(d, "from_dram", mean(x->visits_dram, epochs));
    doc_put(d, "from_ssd", mean(x->visits_ssd, epochs));
    doc_put(d, "blocks", mean(x->topology_blocks, epochs));
    doc_put(d, "amplification",
            ratio((double)x->topology_blocks * (double)r->storage->block_bytes, (double)x->topology_bytes));
    return d;
}

static double blocks_of(const struct storage_result *r, const struct storage_gpu *x)
{
    return (double)(x->feature_blocks[r->order] + x->topology_blocks) / (double)r->counts->epochs;
}

/* The plan's epoch with one more stage. */
static doc *epoch_of(const struct storage_result *r, double ssd_seconds)
{
    const doc *t = r->epoch_time;
    double per_iteration = ssd_seconds / doc_number(t, "iterations");
    struct epoch_with_stage e = epoch_document_with(t, ssd_seconds);
    if (!isfinite(e.with)) return doc_null();
    doc *d = doc_object();
    doc_put(d, "seconds", doc_real(e.with));
    doc_put(d, "without_ssd_seconds", doc_real(e.without));
    doc_put(d, "stage_seconds", doc_real(per_iteration));
    return d;
}

static doc *gpus_of(const struct storage_result *r)
{
    doc *list = doc_array();
    for (int g = 0; g < r->counts->gpus; g++) {
        doc *d = doc_object();
        doc_put(d, "id", doc_integer(r->plan->assignment.id[g]));
        doc_put(d, "feature", feature_of(r, &r->counts->gpu[g]));
        doc_put(d, "topology", topology_of(r, &r->counts->gpu[g]));
        doc_append(list, d);
    }
    return list;
}

static double seconds_of(const struct storage_result *r, double blocks)
{
    return r->drives.count ? drives_seconds(&r->drives, blocks) : NAN;
}

static doc *simulated_of(const struct storage_result *r)
{
    doc *d = doc_object();
    struct storage_gpu x = storage_total(r->counts);
    double blocks = blocks_of(r, &x), rows = (double)x.rows_ssd / (double)r->counts->epochs;
    doc_put(d, "epochs", doc_unsigned(r->counts->epochs));
    doc_put(d, "seed", doc_unsigned(r->seed));
    doc_put(d, "feature", feature_of(r, &x));
    doc_put(d, "topology", topology_of(r, &x));
    doc_put(d, "blocks", doc_real(blocks));
    doc_put(d, "ssd_bytes", doc_real(blocks * (double)r->storage->block_bytes));
    doc_put(d, "ssd_seconds", doc_real(seconds_of(r, blocks)));
    doc_put(d, "ssd_limit", doc_text(r->drives.count ? drives_limit(&r->drives) : NULL));
    doc_put(d, "prediction_error", rows > 0 ? doc_real(r->forecast->feature_rows / rows - 1) : doc_null());
    doc_put(d, "epoch", epoch_of(r, seconds_of(r, blocks)));
    doc_put(d, "gpus", gpus_of(r));
    return d;
}

static doc *caches_of(const struct storage_result *r)
{
    doc *list = doc_array();
    struct storage_gpu x = storage_total(r->counts);
    for (int i = 0; i < r->caches; i++) {
        const struct cache_counts *c = &r->cached[i].rows;
        doc *d = doc_object();
        double blocks = (double)r->cached[i].blocks / (double)r->counts->epochs;
        doc_put(d, "cache", doc_text(r->cache[i]->name));
        doc_put(d, "rows", doc_unsigned(list_of(r, LIST_FEATURE)->count));
        doc_put(d, "requests", doc_unsigned(c->requests));
        doc_put(d, "misses", doc_unsigned(c->misses));
        doc_put(d, "miss_rate", ratio((double)c->misses, (double)c->requests));
        doc_put(d, "static_miss_rate", ratio((double)x.rows_ssd, (double)(x.rows_ssd + x.rows_dram)));
        doc_put(d, "blocks_per_epoch", doc_real(blocks));
        doc_put(d, "ssd_seconds", doc_real(seconds_of(r, blocks)));
        doc_append(list, d);
    }
    return list;
}

doc *storage_document(const struct storage_result *r)
{
    doc *d = doc_object(), *plan = doc_object(), *predicted = doc_object(), *order = doc_object();
    doc *ssd = r->drives.count ? drives_document(&r->drives) : doc_null();
    const uint64_t needed = memory_args_needed(r->graph) - memory_args_offsets(r->graph);
    doc_put(plan, "path", doc_text(r->plan_path));
    doc_put(plan, "policy", doc_text(r->plan->policy));
    doc_put(plan, "server", doc_text(r->plan->server_name));
    doc_put(d, "schema", doc_text("storage/1"));
    doc_put(d, "plan", plan);
    doc_put(d, "graph", graph_document(r->graph));
    doc_put(d, "host_memory_bytes", doc_unsigned(r->host_bytes));
    doc_put(d, "block_bytes", doc_unsigned(r->storage->block_bytes));
    doc_put(d, "dram", dram_of(r));
    if (r->drives.count) doc_put(ssd, "needed_bytes", doc_unsigned(needed));
    doc_put(d, "ssd", ssd);
    doc_put(order, "chosen", doc_text(disk_order_name(r->order)));
    doc_put(order, "file", doc_text(graph_plain(r->graph) ? disk_file : NULL));
    doc_put(d, "disk_order", order);
    doc_put(predicted, "feature_rows_from_host", doc_real(r->forecast->rows_from_host));
    doc_put(predicted, "feature_rows_from_ssd", doc_real(r->forecast->feature_rows));
    doc_put(predicted, "topology_visits_from_ssd", doc_real(r->forecast->topology_visits));
    doc_put(d, "predicted", predicted);
    doc_put(d, "simulated", simulated_of(r));
    doc_put(d, "caches", caches_of(r));
    return d;
}

/* ---- files ---- */

static enum st save_lists(const struct storage_result *r, const struct output *o, doc *files, struct err *err)
{
    const struct row_list *t = list_of(r, LIST_TOPOLOGY), *f = list_of(r, LIST_FEATURE);
    if (!graph_plain(r->graph)) return plan_places_save(r->storage->places, r->graph, o, files, err);
    PASS(id_file_save(o, topology_file, t->id, t->count, files, err));
    return id_file_save(o, feature_file, f->id, f->count, files, err);
}

/* A file per table of features. */
static enum st save_orders(const struct storage_result *r, const struct output *o, doc *files, struct err *err)
{
    const struct graph *g = r->graph;
    char name[64];
    if (graph_plain(g)) return id_file_save(o, disk_file, r->storage->disk, g->n, files, err);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (t.kind == ROWS_TOPOLOGY || !graph_table_there(g, k)) continue;
        snprintf(name, sizeof name, "disk_order_%s_%d.npy", row_kind_name(t.kind), t.of);
        PASS(id_file_save(o, name, r->storage->disk + (t.first - graph_topology_rows(g)), t.count, files, err));
    }
    return ST_OK;
}

enum st storage_save(const struct storage_result *r, const char *path, doc *d, struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    doc *files = doc_array();
    doc_put(d, "files", files);
    PASS(output_directory(&o, path, err));
    PASS(save_lists(r, &o, files, err));
    PASS(save_orders(r, &o, files, err));
    PASS(output_path(&o, "storage.json", file, err));
    PASS(doc_save_sealed(d, file, err));
    return output_commit(&o, err);
}
