#include "hwprofiles/model/server_constants.h"

#include <string.h>

static bool said(const doc *object, const char *key) { return !doc_is_null(doc_get(object, key)); }

enum st constants_read_gpu(const doc *d, const char *where, struct server_gpu *out, struct err *err)
{
    const char *flow = NULL;
    PASS(doc_may_rate(d, "memory_gbps", 1e6, where, &out->memory_gbps, err));
    PASS(doc_may_rate(d, "tflops", 1e6, where, &out->tflops, err));
    PASS(doc_may_rate(d, "training_efficiency", 1, where, &out->efficiency, err));
    PASS(doc_may_rate(d, "training_compute_efficiency", 1, where, &out->compute_efficiency, err));
    PASS(doc_may_rate(d, "training_layer_seconds", 10, where, &out->layer_seconds, err));
    PASS(doc_may_rate(d, "sampling_edges_per_second", 1e15, where, &out->sampling_edges, err));
    if (!said(d, "dataflow")) return ST_OK;
    PASS(doc_need_text(d, "dataflow", where, &flow, err));
    out->streamed = !strcmp(flow, "streamed");
    if (!out->streamed && strcmp(flow, "stepwise"))
        return err_set(err, ST_INPUT,
                       "%s: \"dataflow\" is \"%.40s\", but stepwise (aggregate, then update) or streamed (both at "
                       "once) is expected",
                       where, flow);
    return ST_OK;
}

/* pcie.effective: points by ascending payload. */
static enum st read_rates(const doc *d, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"payload_bytes", "gbps", NULL};
    doc *list = NULL;
    PASS(doc_need_array(d, "effective", where, &list, err));
    if (doc_size(list) < 1 || doc_size(list) > SERVER_RATES_MAX)
        return err_set(err, ST_INPUT,
                       "%s: \"effective\" lists %llu points, but 1 to %d are possible; leave it out where nothing is "
                       "known",
                       where, (unsigned long long)doc_size(list), SERVER_RATES_MAX);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *point = doc_at(list, i);
        int64_t payload = 0;
        if (!doc_is_object(point))
            return err_set(err, ST_INPUT,
                           "%s: \"effective\" has a point that is no object; write {\"payload_bytes\": 64, \"gbps\": "
                           "5.5}",
                           where);
        PASS(doc_only_keys(point, keys, where, err));
        PASS(doc_need_integer(point, "payload_bytes", 1, (int64_t)1 << 40, where, &payload, err));
        PASS(doc_need_real(point, "gbps", 1e-3, 1e6, where, &out->pcie_rate[i].gbps, err));
        if (i && (uint64_t)payload <= out->pcie_rate[i - 1].payload_bytes)
            return err_set(err, ST_INPUT,
                           "%s: \"effective\" states %lld bytes after %llu; list the points by ascending payload_bytes",
                           where, (long long)payload, (unsigned long long)out->pcie_rate[i - 1].payload_bytes);
        out->pcie_rate[i].payload_bytes = (uint64_t)payload;
    }
    out->pcie_rates = (int)doc_size(list);
    return ST_OK;
}

static enum st read_limits(const doc *pcie, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"gbps", "requests_per_second", NULL};
    doc *limits = NULL;
    PASS(doc_may_rate(pcie, "write_gbps", 1e6, where, &out->pcie_write_gbps, err));
    PASS(doc_may_rate(pcie, "while_writing", 1, where, &out->pcie_while_writing, err));
    if (!said(pcie, "read")) return ST_OK;
    PASS(doc_need_object(pcie, "read", where, &limits, err));
    PASS(doc_only_keys(limits, keys, where, err));
    PASS(doc_may_rate(limits, "gbps", 1e6, where, &out->pcie_read.gbps, err));
    return doc_may_rate(limits, "requests_per_second", 1e15, where, &out->pcie_read.requests, err);
}

static enum st read_nvlink(const doc *d, const char *where, struct server *out, struct err *err)
{
    static const char *const keys[] = {"share", "requests_per_second", NULL};
    doc *limits = NULL;
    if (!said(d, "nvlink_read")) return ST_OK;
    PASS(doc_need_object(d, "nvlink_read", where, &limits, err));
    PASS(doc_only_keys(limits, keys, where, err));
    PASS(doc_may_rate(limits, "share", 1, where, &out->nvlink_share, err));
    return doc_may_rate(limits, "requests_per_second", 1e15, where, &out->nvlink_requests, err);
}

enum st constants_read(const doc *d, const char *where, struct server *out, struct err *err)
{
    PASS(doc_may_rate(d, "host_memory_gbps", 1e6, where, &out->host_memory_gbps, err));
    PASS(doc_may_rate(d, "cpu_tflops", 1e6, where, &out->cpu_tflops, err));
    PASS(doc_may_rate(d, "cpu_sampling_edges_per_second", 1e15, where, &out->cpu_sampling_edges, err));
    if (said(d, "cpu_sampling")) {
        doc *table = NULL;
        PASS(doc_need_object(d, "cpu_sampling", where, &table, err));
        PASS(cpu_sampling_read(table, where, &out->cpu_sampling, err));
    }
    PASS(read_nvlink(d, where, out, err));
    if (said(doc_get(d, "pcie"), "effective")) PASS(read_rates(doc_get(d, "pcie"), where, out, err));
    if (doc_is_object(doc_get(d, "pcie"))) PASS(read_limits(doc_get(d, "pcie"), where, out, err));
    return ST_OK;
}

static void put_known(doc *d, const char *key, double v)
{
    if (v > 0) doc_put(d, key, doc_real(v));
}

void constants_put_gpu(const struct server_gpu *g, doc *d)
{
    put_known(d, "memory_gbps", g->memory_gbps);
    put_known(d, "tflops", g->tflops);
    put_known(d, "training_efficiency", g->efficiency);
    put_known(d, "training_compute_efficiency", g->compute_efficiency);
    put_known(d, "training_layer_seconds", g->layer_seconds);
    put_known(d, "sampling_edges_per_second", g->sampling_edges);
    if (g->streamed) doc_put(d, "dataflow", doc_text("streamed"));
}

void constants_put(const struct server *s, doc *d)
{
    put_known(d, "host_memory_gbps", s->host_memory_gbps);
    put_known(d, "cpu_tflops", s->cpu_tflops);
    put_known(d, "cpu_sampling_edges_per_second", s->cpu_sampling_edges);
    if (s->cpu_sampling.threads) doc_put(d, "cpu_sampling", cpu_sampling_document(&s->cpu_sampling));
    if (!(s->nvlink_share > 0) && !(s->nvlink_requests > 0)) return;
    doc *limits = doc_object();
    put_known(limits, "share", s->nvlink_share);
    put_known(limits, "requests_per_second", s->nvlink_requests);
    doc_put(d, "nvlink_read", limits);
}

static void put_limits(const struct server *s, doc *pcie)
{
    put_known(pcie, "write_gbps", s->pcie_write_gbps);
    put_known(pcie, "while_writing", s->pcie_while_writing);
    if (!(s->pcie_read.gbps > 0) && !(s->pcie_read.requests > 0)) return;
    doc *limits = doc_object();
    put_known(limits, "gbps", s->pcie_read.gbps);
    put_known(limits, "requests_per_second", s->pcie_read.requests);
    doc_put(pcie, "read", limits);
}

void constants_put_rates(const struct server *s, doc *pcie)
{
    put_limits(s, pcie);
    if (!s->pcie_rates) return;
    doc *list = doc_array();
    for (int i = 0; i < s->pcie_rates; i++) {
        doc *point = doc_object();
        doc_put(point, "payload_bytes", doc_integer((int64_t)s->pcie_rate[i].payload_bytes));
        doc_put(point, "gbps", doc_real(s->pcie_rate[i].gbps));
        doc_append(list, point);
    }
    doc_put(pcie, "effective", list);
}
