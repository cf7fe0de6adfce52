/* hotset trace import - counts made elsewhere: hotness per vertex, and PCIe counters for N_TSUM. */
#include <stdlib.h>
#include <string.h>

#include "base/cmd.h"
#include "base/mem.h"
#include "base/spool.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/counters/pcm.h"
#include "planner/options/input_options.h"
#include "traces/recording/trace_counts.h"

struct import_args {
    const char *output, *trace, *graph, *idle, *kind, *as;
    double interval;
    int64_t epochs;
};

/* ---- PCM ---- */

static enum st read_capture(const struct call *call, const char *path, double interval, struct pcm *out,
                            struct err *err)
{
    char doubts[600];
    enum st st = pcm_read(path, out, err);
    if (st == ST_OK) pcm_doubts(out, doubts, sizeof doubts);
    if (st == ST_OK && *doubts) call_say(call, "warning: %s: %s", path, doubts);
    if (st == ST_OK && interval > 0 && !(out->interval_s > 0)) out->interval_s = interval;
    return st;
}

static doc *capture_document(const char *path, const struct pcm *busy, const struct pcm *idle, bool net_known,
                             uint64_t net)
{
    doc *d = doc_object(), *rest = pcm_document(busy);
    doc_put(d, "schema", doc_text("counters/1"));
    doc_put(d, "source", doc_text(path_base(path)));
    for (const char *key = doc_next_key(rest, NULL); key; key = doc_next_key(rest, key))
        doc_put(d, key, doc_copy(doc_get(rest, key)));
    doc_put(d, "idle", idle ? pcm_document(idle) : doc_null());
    doc_put(d, "net_transactions", net_known ? doc_integer((int64_t)net) : doc_null());
    doc_free(rest);
    return d;
}

static void capture_print(const struct pcm *p, bool net_known, uint64_t net, bool idle, FILE *to)
{
    char a[UNIT_TEXT], b[UNIT_TEXT], more[200] = "";
    uint64_t bytes;
    if (p->interval_s > 0) snprintf(more, sizeof more, " of %s", units_seconds(a, p->interval_s));
    terminal_print(to, "%s: %d sockets, %llu intervals%s\n", p->iio ? "pcm-iio" : "pcm-pcie", p->sockets,
                   (unsigned long long)p->iterations, more);
    for (int s = 0; s < p->sockets; s++)
        terminal_print(to, "  socket %d: %s %s\n", s, units_count(a, p->per_socket[s]),
                       p->iio ? "bytes/s, summed over the intervals" : "reads of 64 bytes");
    *more = '\0';
    if (net_known)
        snprintf(more, sizeof more, "; %s%s transactions of 64 bytes", idle ? "net of idle: " : "",
                 units_count(a, net));
    if (pcm_bytes(p, &bytes))
        terminal_print(to, "  all devices read %s of host memory%s\n", units_bytes(b, bytes), more);
    else
        terminal_print(to,
                       "  bytes are unknown: the capture states rates but no time; give the tool's delay with "
                       "--interval%s\n",
                       more);
}

static enum st save_counters(const doc *d, const char *folder, struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    char file[PATH_BYTES];
    PASS(output_directory(&o, folder, err));
    PASS(output_path(&o, "counters.json", file, err));
    PASS(doc_save(d, file, err));
    return output_commit(&o, err);
}

static enum st import_pcm(struct call *call, const struct import_args *a, const char *path, struct trace *t,
                          const struct graph *g, struct err *err)
{
    struct pcm busy = {0}, idle = {0};
    uint64_t net = 0;
    OWNED_DOC doc *d = NULL;
    struct err why = {0};
    PASS(read_capture(call, path, a->interval, &busy, err));
    if (a->idle) PASS(read_capture(call, a->idle, a->interval, &idle, err));
    bool known = pcm_net_lines(&busy, a->idle ? &idle : NULL, &net, &why) == ST_OK;
    if (!known && (a->idle || t)) return err_set(err, why.code, "%s: %s", path, why.text);
    d = capture_document(path, &busy, a->idle ? &idle : NULL, known, net);
    if (t) {
        uint64_t model = trace_n_tsum(t), epochs = a->epochs ? (uint64_t)a->epochs : t->epochs;
        char was[UNIT_TEXT], is[UNIT_TEXT];
        PASS(trace_apply_counters(t, net, PCM_LINE_BYTES, epochs, err));
        call_say(call, "N_TSUM over %llu epochs: %s by the model, %s measured; plan with --trace %s",
                 (unsigned long long)t->epochs, units_count(was, model), units_count(is, trace_n_tsum(t)), a->output);
        PASS(trace_save(t, g, a->output, err));
    } else {
        PASS(save_counters(d, a->output, err));
    }
    if (call_prints(call)) capture_print(&busy, known, net, a->idle != NULL, call->out);
    return call_finish(call, TAKE(d), err);
}

/* ---- hotness ---- */

static enum st import_hotness(struct call *call, const struct import_args *a, const char *path, struct trace *t,
                              const struct graph *g, struct err *err)
{
    struct trace_counts_request r = {.path = path,
                                     .ranking = !strcmp(a->as, "ranking"),
                                     .topology = !strcmp(a->kind, "topology"),
                                     .epochs = a->epochs ? (uint64_t)a->epochs : t->epochs};
    struct trace_counts_summary said;
    char where[PATH_BYTES], text[UNIT_TEXT], sum[UNIT_TEXT];
    doc *d = NULL;
    PASS(trace_counts_import(&r, t, &said, err));
    PASS(trace_save(t, g, a->output, err));
    PASS(path_join(where, a->output, "trace.json", err));
    PASS(doc_load(where, trace_schema(g), &d, err));
    if (call_prints(call))
        terminal_print(call->out, "%s: %s vertices counted, sum %s over %llu epochs, %s; %s of the trace replaced\n",
                       path_base(path), units_count(text, said.vertices), units_count(sum, said.sum),
                       (unsigned long long)t->epochs,
                       said.per_gpu ? "per GPU" : "divided among the GPUs in proportion to the trace's counts",
                       r.topology ? "topology hotness" : "feature hotness");
    PASS(call_finish(call, d, err));
    d = NULL;
    return ST_OK;
}

/* ---- the command ---- */

static enum st import(struct call *call, struct err *err)
{
    const struct import_args *a = call->args;
    const char *path = call->words[0];
    ON_HEAP(struct graph, g);
    ON_HEAP(struct trace, t);
    ON_HEAP(struct spool, inputs);
    bool pcm = false;
    enum st st;
    if (a->trace && !a->graph) FAIL(ST_USAGE, "--trace %s: needs --graph, the graph that it was recorded on", a->trace);
    if (a->interval < 0 || a->interval > 1e6)
        FAIL(ST_USAGE, "--interval: %g is out of range; expected 0 to 1000000 seconds", a->interval);
    TRY(output_check(a->output, NULL, err));
    TRY(spool_open(inputs, path, a->output, &path, err));
    TRY(trace_counts_probe(path, &pcm, err));
    if (!a->trace && !pcm)
        FAIL(ST_USAGE,
             "%s: holds counts per vertex, which replace those of a trace; record one with 'hotset trace record' and "
             "name it with --trace T0 --graph G",
             path);
    if (a->trace) {
        TRY(graph_open_any(a->graph, call->threads, g, err));
        TRY(trace_load(a->trace, g, t, err));
    }
    TRY(pcm ? import_pcm(call, a, path, a->trace ? t : NULL, g, err) : import_hotness(call, a, path, t, g, err));
done:
    spool_close(inputs, err);
    trace_release(t);
    graph_close(g);
    return st;
}

static const struct param params[] = {
    OPTION_OUTPUT(struct import_args, output, "T", NULL,
                  "Directory to write: a trace with --trace, else counters.json."),
    OPTION_TRACE(struct import_args, trace, "T0", "; its N_TSUM or hotness is replaced"),
    OPTION_GRAPH(struct import_args, graph, ""),
    OPTION_RENAMED("epochs", "covered-epochs"),
    OPTION_INTEGER("covered-epochs", 0, struct import_args, epochs, "K", NULL, 1, 1 << 23,
                   "Epochs that the file's counts cover [default: as many as T0]."),
    OPTION_PATH("idle", 0, struct import_args, idle, "FILE", NULL, PATH_READ,
                "PCM: a capture of the idle server by the same tool, to subtract."),
    OPTION_REAL("interval", 0, struct import_args, interval, "SECONDS", "0", 0, 0,
                "pcm-iio: the tool's delay, if the file has no time stamps (its default is 3)."),
    OPTION_WORD("kind", 0, struct import_args, kind, "WHAT", "feature", "feature|topology",
                "Hotness: what is counted, mini-batches that read the feature row or draws from the topology row."),
    OPTION_WORD("as", 0, struct import_args, as, "WHAT", "counts", "counts|ranking",
                "Hotness: a count per vertex, or vertex ids, hottest first (GNNLab's cache_by_*.bin)."),
    {0},
};

static const char about[] = "The kind of FILE is detected by its content.\n\n"
                            "Intel PCM (pcm-pcie -csv, pcm-iio -csv): how many 64-byte reads of host memory the\n"
                            "PCIe devices made.\n"
                            "With --trace, they become the trace's N_TSUM (what sampling reads with nothing\n"
                            "cached), divided among the cliques in proportion to the modelled N_TSUM. The counters\n"
                            "see every device of a socket and every read, so capture sampling alone, and an idle\n"
                            "server for --idle.\n\n"
                            "Hotness: the folder in which a job recorded its reads (Python's hotset.Recorder, which\n"
                            "states the epochs); .npy of [n] or [gpus, n] integers; GNNLab's .bin (uint32 per vertex); "
                            "text\n"
                            "with \"vertex count\" per line, compressed or not. Counts per vertex are divided among "
                            "the\n"
                            "GPUs in proportion to T0's own. Everything else of T0 is kept, except its folds\n"
                            "(counts of parts of the recording, from which hotset estimates read rates); plans from\n"
                            "this trace rank by plain counts.";

static const char examples[] = "  sudo pcm-pcie 1 -csv=idle.csv -i=10; sudo pcm-pcie 1 -csv=busy.csv -i=10 # while "
                               "sampling, nothing cached\n"
                               "  hotset trace import busy.csv --idle idle.csv --trace T0 --graph G -o T   # T: T0 "
                               "with measured N_TSUM\n"
                               "  hotset trace import frequency.npy --trace T0 --graph G --covered-epochs 3 -o T   # "
                               "counts of "
                               "three epochs\n"
                               "  hotset trace import R --trace T0 --graph G -o T   # what a job recorded";

extern const struct command cmd_trace_import;
const struct command cmd_trace_import = {
    .group = "trace",
    .name = "import",
    .summary = "import hotness or PCIe counters measured elsewhere",
    .arguments = "FILE -o T [--trace T0 --graph G] [options]",
    .words_low = 1,
    .words_high = 1,
    .about = about,
    .examples = examples,
    .params = params,
    .usual = "output trace graph covered-epochs kind as idle interval",
    .needs = "output",
    .args_size = sizeof(struct import_args),
    .run = import,
};
