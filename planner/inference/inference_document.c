#include "planner/inference/inference_document.h"

#include <math.h>

#include "planner/places/memory_args.h"

extern const char hotset_version[];

static doc *whole(const struct inference_question *q, uint64_t v)
{
    return doc_integer((int64_t)((double)v * q->enlarge + 0.5));
}

static doc *chunk_document(const struct inference_choice *c)
{
    static const char *const units[] = {"vertices", "edges", "bytes"};
    return DOC(IS("unit", units[c->unit]), IS("limit", c->limit ? doc_integer((int64_t)c->limit) : doc_null()));
}

static doc *model_document(const struct inference_question *q)
{
    doc *d = doc_object();
    const struct inference *j = &q->job;
    DOC_PUT(d, IS("name", gnn_name(j->gnn.kind)), IS("layers", j->workload ? j->workload->hops : j->layers),
            IS("hidden", j->gnn.hidden), IS("classes", j->gnn.classes), IS("between", q->between));
    return d;
}

doc *inference_question_document(const struct inference_question *q)
{
    doc *d = doc_object(), *server = doc_object(), *of = graph_document(q->graph), *set = doc_object(), *schedule;
    doc_put(server, "name", doc_text(q->server->name));
    doc_put(server, "fingerprint", doc_text(q->server->fingerprint));
    doc_put(server, "gpus", doc_integer(q->server->gpus));
    doc_put(of, "path", doc_text(q->graph->path));
    DOC_PUT(set, IS("set", q->evaluated), IS("vertices", q->job.targets[q->job.layers]));
    DOC_PUT(d, IS("schema", INFERENCE_SCHEMA), IS("job", "inference"), IS("hotset_version", hotset_version),
            IS("mode", q->job.workload ? "sampled" : "layers"), IS("server", server), IS("graph", of));
    if (q->enlarge > 1) doc_put(d, "stands_for_times", doc_real(q->enlarge));
    DOC_PUT(d, IS("model", model_document(q)), IS("evaluated", set));
    if (q->job.workload) {
        doc *w = doc_object();
        workload_put(q->graph, &q->workload, w);
        doc_put(d, "workload", w);
    }
    schedule = doc_object();
    DOC_PUT(schedule, IS("pipelined", q->pipelined), IS("unoverlapped", q->unoverlapped));
    DOC_PUT(d, IS("schedule", schedule), IS("budget", q->no_cache ? "none" : q->budget.text),
            IS("host_memory_bytes", q->host_bytes ? doc_integer((int64_t)q->host_bytes) : doc_null()));
    doc_put(d, "ssd", q->drives.count ? drives_document(&q->drives) : doc_null());
    if (q->drives.count && q->drives.write_gbps > 0)
        doc_put(doc_get(d, "ssd"), "write_gbps", doc_real(q->drives.write_gbps * q->drives.count));
    if (q->premises.count) doc_put(d, "premises", premises_document(&q->premises));
    return d;
}

static void put_totals(const struct inference_question *q, const struct inference_outcome *o, doc *d)
{
    DOC_PUT(d, IS("seconds", o->fits ? o->seconds * q->enlarge : NAN), IS("host_bytes", whole(q, o->host_bytes)),
            IS("ssd_bytes", whole(q, o->ssd_bytes)), IS("nvlink_bytes", whole(q, o->peer_bytes)),
            IS("written_bytes", whole(q, o->written)));
}

doc *inference_choice_document(const struct inference_question *q, const struct inference_outcome *o)
{
    doc *d = doc_object();
    doc_put(d, "order", doc_text(inference_order_word(o->choice.order)));
    doc_put(d, "chunk", chunk_document(&o->choice));
    DOC_PUT(d, IS("fits", o->fits), IS("why", o->fits ? doc_null() : doc_text(o->why)));
    if (!o->fits) return d;
    put_totals(q, o, d);
    DOC_PUT(d, IS("gpu_peak_bytes", whole(q, o->gpu_peak)), IS("host_peak_bytes", whole(q, o->home.host_peak)),
            IS("ssd_peak_bytes", whole(q, o->home.ssd_peak)));
    return d;
}

void inference_list_add(const struct inference_outcome *o, void *to)
{
    const struct inference_list *l = to;
    doc_append(l->array, inference_choice_document(l->q, o));
}

/* ---- one layer ---- */

static doc *counts_document(const struct inference_question *q, const struct inference_gpu *gpu, uint64_t peer)
{
    const struct {
        const char *key;
        uint64_t value;
    } member[] = {{"chunks", gpu->chunks},
                  {"vertices", gpu->vertices},
                  {q->job.workload ? "visits" : "arcs", gpu->arcs},
                  {"rows", gpu->rows},
                  {"row_bytes", gpu->bytes},
                  {"own_rows", gpu->own_rows},
                  {"own_bytes", gpu->own_bytes},
                  {"peer_rows", gpu->peer_rows},
                  {"peer_bytes", peer},
                  {"host_rows", gpu->host_rows},
                  {"host_bytes", gpu->host_bytes},
                  {"ssd_rows", gpu->ssd_rows},
                  {"ssd_row_bytes", gpu->ssd_bytes},
                  {"ssd_blocks", gpu->ssd_blocks},
                  {"fill_rows", gpu->fill_rows},
                  {"fill_bytes", gpu->fill_bytes},
                  {"topology_bytes", gpu->topology_host},
                  {"topology_kept_bytes", gpu->topology_own},
                  {"written_bytes", gpu->written},
                  {"largest_chunk_rows", gpu->most_rows},
                  {"largest_chunk_bytes", gpu->most_bytes}};
    doc *d = doc_object();
    for (size_t i = 0; i < sizeof member / sizeof *member; i++)
        doc_put(d, member[i].key, i ? whole(q, member[i].value) : doc_integer((int64_t)member[i].value));
    return d;
}

static doc *time_document(const struct inference_question *q, const struct inference_time *t)
{
    doc *d = doc_object();
    for (int i = 0; i < INFERENCE_STAGES; i++)
        doc_put(d, inference_stage_word((enum inference_stage)i), doc_real(t->stage[i] * q->enlarge));
    DOC_PUT(d, IS("total", t->seconds * q->enlarge),
            IS("longest", isnan(t->seconds) ? doc_null() : doc_text(inference_stage_word(t->longest))));
    if (t->unknown) doc_put(d, "unknown", doc_text(t->unknown));
    return d;
}

static doc *layer_document(const struct inference_question *q, const struct inference_outcome *o, int layer)
{
    const struct inference_layer *l = &o->layer[layer - 1];
    struct inference_gpu sum = inference_layer_total(l);
    doc *d = counts_document(q, &sum, sum.peer_bytes[0]), *gpus = doc_array();
    DOC_PUT(d, IS("layer", layer), IS("input", o->home.level_on_ssd[layer - 1] ? "ssd" : "host"),
            IS("output", o->home.level_on_ssd[layer] ? "ssd" : "host"),
            IS("dram_rows", whole(q, o->home.dram_rows[layer])));
    doc_put(d, "seconds", time_document(q, &o->time[layer - 1]));
    for (int g = 0; g < l->gpus; g++) {
        uint64_t peer = 0;
        for (int b = 0; b < l->gpus; b++) peer += l->gpu[g].peer_bytes[b];
        doc *x = counts_document(q, &l->gpu[g], peer);
        DOC_PUT(x, IS("id", q->server->gpu[g].id), IS("kept_rows", whole(q, o->kept[layer - 1][g])));
        doc_append(gpus, x);
    }
    doc_put(d, "gpus", gpus);
    return d;
}

void inference_outcome_put(const struct inference_question *q, const struct inference_outcome *o, doc *d)
{
    doc *memory = doc_object(), *layers = doc_array(), *total = doc_object();
    doc_put(d, "order", doc_text(inference_order_word(o->choice.order)));
    doc_put(d, "chunk", chunk_document(&o->choice));
    DOC_PUT(memory, IS("gpu_chunk_bytes", whole(q, o->gpu_need)), IS("gpu_peak_bytes", whole(q, o->gpu_peak)),
            IS("kept_topology_bytes", whole(q, o->kept_topology)), IS("kept_row_bytes", whole(q, o->kept_rows_most)),
            IS("host_peak_bytes", whole(q, o->home.host_peak)), IS("ssd_peak_bytes", whole(q, o->home.ssd_peak)),
            IS("topology", o->home.topology_on_ssd ? "ssd" : "host"));
    doc_put(d, "memory", memory);
    for (int l = 1; l <= q->job.layers; l++) doc_append(layers, layer_document(q, o, l));
    doc_put(d, "layers", layers);
    put_totals(q, o, total);
    doc_put(d, "total", total);
}
