/* Plan and trace directories: what was saved comes back; what was damaged is refused with ST_INPUT, never with a
 * crash. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/npy.h"
#include "simulator/movement/simulated.h"
#include "tests/oracle/case.h"

enum { MOST = 9 };
static struct err err;
static struct server server;
static struct graph graph;
static struct study study;
static char folder[PATH_BYTES];

/* ---- files ---- */

static char *path_of(const char *name)
{
    static char path[2][2 * PATH_BYTES];
    static int turn;
    turn ^= 1;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

struct bytes {
    char *at;
    size_t count;
};

static struct bytes read_bytes(const char *name)
{
    FILE *f = fopen(path_of(name), "rb");
    struct bytes b = {malloc(1 << 20), 0};
    HOLDS(f, "%s", path_of(name));
    b.count = fread(b.at, 1, 1 << 20, f);
    fclose(f);
    return b;
}

static void write_bytes(const char *name, const void *at, size_t count)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(at, 1, count, f), count);
    fclose(f);
}

/* plan.json without its checksum, as others write plans: so that changes reach what lies behind it. */
static struct bytes read_unsealed(void)
{
    struct bytes b = read_bytes("plan.json");
    static const char member[] = ",\n \"checksum\": \"sha256:", end[] = "\n}\n";
    char *at = NULL;
    for (size_t i = 0; i + sizeof member - 1 < b.count; i++)
        if (!memcmp(b.at + i, member, sizeof member - 1)) at = b.at + i;
    HOLDS(at, "no checksum");
    memcpy(at, end, sizeof end - 1);
    b.count = (size_t)(at - b.at) + sizeof end - 1;
    return b;
}

/* Removes the directory under test with all that is in it. */
static void empty_folder(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlink(path_of(e->d_name));
    if (d) closedir(d);
    rmdir(folder);
}

static int make_folder(void **state)
{
    const char *near = getenv("TMPDIR"),
               *memory = access("/dev/shm", W_OK) ? "/tmp"
                                                  : "/dev/shm"; /* saving flushes to disk, which is slow on disks */
    char root[PATH_BYTES / 2];
    (void)state;
    snprintf(root, sizeof root, "%s/hotset-test-XXXXXX", near && *near ? near : memory);
    if (!mkdtemp(root)) return -1;
    snprintf(folder, sizeof folder, "%s/it", root);
    return 0;
}

static int drop_folder(void **state)
{
    (void)state;
    empty_folder();
    folder[strlen(folder) - 3] = '\0';
    return rmdir(folder);
}

/* ---- plans ---- */

static void same_rows(const struct row_list *a, const struct row_list *b, const char *what, int g)
{
    EQUAL(a->count, b->count, "%s of GPU %d", what, g);
    if (a->count) HOLDS(!memcmp(a->id, b->id, 4 * a->count), "%s of GPU %d", what, g);
}

static void same_assignment(const struct assignment *a, const struct assignment *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->gpus, b->gpus);
    assert_int_equal(a->cliques, b->cliques);
    assert_int_equal(a->uneven, b->uneven);
    for (int g = 0; g < a->gpus; g++) {
        assert_int_equal(a->id[g], b->id[g]);
        assert_int_equal(a->clique_of[g], b->clique_of[g]);
        assert_int_equal(a->train_count[g], b->train_count[g]);
        if (a->train_count[g]) assert_memory_equal(a->train[g], b->train[g], 4 * a->train_count[g]);
    }
}

static void same_workload(const struct workload *a, const struct workload *b)
{
    assert_int_equal(a->hops, b->hops);
    for (int h = 0; h < a->hops; h++) assert_int_equal(a->fanout[h], b->fanout[h]);
    assert_int_equal(a->batch, b->batch);
    assert_int_equal(a->frontier, b->frontier);
    assert_int_equal(a->seed, b->seed);
}

static void same_rate(double a, double b) { assert_true((isnan(a) && isnan(b)) || fabs(a - b) < 1e-8); }

static void same_plan(const struct plan *a, const struct plan *b)
{
    const struct placement *x = &a->placement, *y = &b->placement;
    assert_string_equal(a->policy, b->policy);
    assert_string_equal(a->hotness, b->hotness);
    assert_string_equal(a->server_name, b->server_name);
    assert_string_equal(a->server_fingerprint, b->server_fingerprint);
    assert_int_equal(a->line_bytes, b->line_bytes);
    same_workload(&a->workload, &b->workload);
    same_assignment(&a->assignment, &b->assignment);
    assert_int_equal(x->gpus, y->gpus);
    assert_int_equal(x->access, y->access);
    for (int g = 0; g < x->gpus; g++) {
        same_rows(&x->topology[g], &y->topology[g], "topology", g);
        same_rows(&x->feature[g], &y->feature[g], "features", g);
        assert_int_equal(x->peers[g], y->peers[g]);
        for (int i = 0; i < x->peers[g]; i++) assert_int_equal(x->peer[g][i], y->peer[g][i]);
        assert_int_equal(a->budget[g], b->budget[g]);
        assert_int_equal(a->index_bytes[g], b->index_bytes[g]);
        assert_int_equal(a->pcie_switch[g], b->pcie_switch[g]);
        assert_int_equal(a->socket[g], b->socket[g]);
    }
    for (int c = 0; c < a->assignment.cliques; c++) {
        same_rate(a->clique[c].alpha, b->clique[c].alpha);
        assert_int_equal(a->clique[c].topology, b->clique[c].topology);
        assert_int_equal(a->clique[c].feature, b->clique[c].feature);
        assert_int_equal(a->clique[c].sweep_count, b->clique[c].sweep_count);
        for (int i = 0; i < a->clique[c].sweep_count; i++) {
            same_rate(a->clique[c].sweep[i].alpha, b->clique[c].sweep[i].alpha);
            assert_int_equal(a->clique[c].sweep[i].topology, b->clique[c].sweep[i].topology);
            assert_int_equal(a->clique[c].sweep[i].feature, b->clique[c].sweep[i].feature);
        }
    }
    same_rate(a->predicted_feature_hit, b->predicted_feature_hit);
    same_rate(a->predicted_topology_hit, b->predicted_topology_hit);
    assert_int_equal(a->predicted_held_out, b->predicted_held_out);
}

static void begin(uint64_t seed, struct dice *d, uint64_t n_most)
{
    uint64_t memory[MOST];
    d->at = seed * 65537 + 5;
    graph_shape(&graph, (enum shape)dice_below(d, SHAPES), dice_range(d, 1, n_most), d, dice_range(d, 1, 20), 4);
    snprintf(graph.fingerprint, sizeof graph.fingerprint, "sha256-16m:%064d", (int)seed);
    if (dice_chance(d, 0.7)) graph_trains(&graph, d, 0.5);
    server_random(&server, d);
    for (int g = 0; g < MOST; g++) memory[g] = 1 + dice_below(d, 4 * graph.m + 8 * graph.n + graph.n * graph.row_bytes);
    case_memories(&server, memory);
    struct workload w = case_workload(d, seed);
    struct study_options o = case_options(&graph, &server, &w, 2, 1, 1);
    study_begin(&study, &o);
}

static void end(void)
{
    empty_folder();
    study_end(&study);
    graph_drop(&graph);
}

static void plans_come_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        static struct study_cell cell[64];
        uint64_t seed = test_seed(i);
        struct dice d;
        int policies = 0;
        begin(seed, &d, 100);
        for (; policies_registered[policies]; policies++)
            case_cell(&cell[policies], policies_registered[policies]->name, UINT64_MAX);
        OK(study_plan_all(&study, cell, policies, &err));
        OK(study_simulate(&study, cell, policies, &err));
        for (int k = 0; k < policies; k++) {
            struct plan back = {.line_bytes = 0};
            if (cell[k].verdict.status == POLICY_OK) {
                OWNED_DOC doc *simulated = simulated_document(&cell[k].plan, cell[k].plan.simulated, &graph, true);
                OK(plan_save(&cell[k].plan, &graph, folder, simulated, NULL, &err));
                OK(plan_load(folder, &graph, &back, &err));
                same_plan(&cell[k].plan, &back);
                struct bytes first = read_bytes("plan.json");
                OK(plan_save(&back, &graph, folder, simulated, NULL, &err)); /* judged anew by whoever loads a plan */
                struct bytes second = read_bytes("plan.json");
                size_t differ = 0;
                while (differ < first.count && differ < second.count && first.at[differ] == second.at[differ]) differ++;
                if (differ < first.count || differ < second.count)
                    print_error("%.*s\n--- came back as\n%.*s\n",
                                (int)(first.count - differ < 200 ? first.count - differ : 200),
                                (const char *)first.at + differ,
                                (int)(second.count - differ < 200 ? second.count - differ : 200),
                                (const char *)second.at + differ);
                HOLDS(first.count == second.count && !memcmp(first.at, second.at, first.count),
                      "seed %d: %s: the document changed on the way", (int)seed, cell[k].policy->name);
                free(first.at);
                free(second.at);
                plan_release(&back);
            }
            study_cell_release(&cell[k]);
        }
        end();
    }
}

/* Expects ST_INPUT and a sentence, and nothing set. */
static void refused(const char *what)
{
    struct plan p = {.line_bytes = 0};
    err_clear(&err);
    enum st st = plan_load(folder, &graph, &p, &err);
    HOLDS(st == ST_INPUT && strlen(err.text) > 10 && !p.assignment.gpus, "%s: %d, %s", what, (int)st, err.text);
    plan_release(&p);
}

/* legion on two cliques of 2 and 1; the graph has 40 vertices. */
static void small_plan(struct study_cell *c)
{
    const int sizes[] = {2, 1, 0};
    struct dice d = {9};
    struct workload w = {.hops = 2, .fanout = {3, 2}, .batch = 5, .seed = 4};
    graph_shape(&graph, SHAPE_COMMUNITY, 40, &d, 4, 4);
    snprintf(graph.fingerprint, sizeof graph.fingerprint, "sha256-16m:%064d", 7);
    server_cliques(&server, sizes, 64);
    struct study_options o = case_options(&graph, &server, &w, 2, 0, 1);
    study_begin(&study, &o);
    case_cell(c, "legion", 500);
    OK(study_plan_all(&study, c, 1, &err));
    HOLDS(c->plan.placement.feature[0].count > 1 && c->plan.placement.topology[0].count > 1, "the plan should hold "
                                                                                             "rows of both kinds");
    OWNED_DOC doc *none = doc_null();
    OK(plan_save(&c->plan, &graph, folder, none, NULL, &err));
}

static const char *const plan_files[] = {"gpu0_topology.npy", "gpu0_feature.npy", "gpu0_train.npy", "gpu2_feature.npy",
                                         "gpu2_train.npy"};

static void damaged_arrays_are_refused(void **state)
{
    struct study_cell cell;
    (void)state;
    small_plan(&cell);
    for (size_t f = 0; f < COUNT_OF(plan_files); f++) {
        struct bytes b = read_bytes(plan_files[f]);
        for (size_t at = 0; at < b.count; at += at < 128 ? 2 : 5) {
            b.at[at] ^= 0x10;
            write_bytes(plan_files[f], b.at, b.count);
            refused(plan_files[f]);
            b.at[at] ^= 0x10;
        }
        for (size_t cut = 0; cut < b.count; cut += 17) {
            write_bytes(plan_files[f], b.at, cut);
            refused("cut short");
        }
        b.at[b.count] = 0;
        write_bytes(plan_files[f], b.at, b.count + 1);
        refused("one byte more");
        unlink(path_of(plan_files[f]));
        refused("missing");
        write_bytes(plan_files[f], b.at, b.count);
        free(b.at);
    }
    struct plan p = {.line_bytes = 0};
    OK(plan_load(folder, &graph, &p, &err)); /* everything is as it was */
    plan_release(&p);
    study_cell_release(&cell);
    end();
}

/* The object at gpus[g], or at key of it. */
static doc *gpu_of(doc *d, int g, const char *key)
{
    doc *x = doc_at(doc_get(d, "gpus"), (uint64_t)g);
    return key ? doc_get(x, key) : x;
}

static doc *integers(int count, const int64_t *v)
{
    doc *a = doc_array();
    for (int i = 0; i < count; i++) doc_append(a, doc_integer(v[i]));
    return a;
}

/* Saves a document in the place of one that is in use, which outputs refuse to do. */
static void save_over(const doc *d, const char *name)
{
    char to[2 * PATH_BYTES];
    snprintf(to, sizeof to, "%s", path_of(name));
    OK(doc_save(d, path_of("changed.json"), &err));
    assert_int_equal(rename(path_of("changed.json"), to), 0);
}

static void damaged_documents_are_refused(void **state)
{
    struct study_cell cell;
    char text[256];
    (void)state;
    small_plan(&cell);
    struct bytes b = read_unsealed();
    for (int k = 0; k < 40; k++) {
        doc *d = NULL;
        OK(doc_parse(b.at, b.count, "plan.json", &d, &err));
        bool meant = true;
        switch (k) {
        case 0: doc_put(d, "schema", doc_text("plan/2")); break;
        case 1: doc_put(d, "schema", doc_text("trace/1")); break;
        case 2:
            doc_put(gpu_of(d, 0, "topology"), "count",
                    doc_integer(doc_integer_value(doc_get(gpu_of(d, 0, "topology"), "count"), 0) - 1));
            break;
        case 3:
            doc_put(gpu_of(d, 0, "topology"), "bytes",
                    doc_integer(doc_integer_value(doc_get(gpu_of(d, 0, "topology"), "bytes"), 0) + 4));
            break;
        case 4: doc_put(gpu_of(d, 2, "feature"), "bytes", doc_integer(0)); break;
        case 5: doc_put(gpu_of(d, 2, "feature"), "count", doc_integer(-1)); break;
        case 6: doc_put(gpu_of(d, 1, "train"), "count", doc_text("3")); break;
        case 7: doc_put(gpu_of(d, 0, NULL), "id", doc_integer(2)); break; /* twice */
        case 8: doc_put(gpu_of(d, 0, NULL), "id", doc_integer(-1)); break;
        case 9: doc_put(gpu_of(d, 0, NULL), "id", doc_integer(300)); break;
        case 10: doc_put(gpu_of(d, 0, NULL), "budget_bytes", doc_integer(100)); break; /* less than it holds */
        case 11: doc_put(gpu_of(d, 0, NULL), "budget_bytes", doc_integer(-5)); break;
        case 12: doc_put(gpu_of(d, 0, NULL), "budget_bytes", doc_null()); break;
        case 13: doc_put(gpu_of(d, 0, NULL), "peers", integers(1, (int64_t[]){0})); break;    /* itself */
        case 14: doc_put(gpu_of(d, 0, NULL), "peers", integers(1, (int64_t[]){9})); break;    /* nobody */
        case 15: doc_put(gpu_of(d, 0, NULL), "peers", integers(2, (int64_t[]){1, 1})); break; /* twice */
        case 16:
            doc_put(doc_at(doc_get(d, "cliques"), 0), "gpus", integers(2, (int64_t[]){0, 2}));
            break; /* 2 in two cliques, 1 in none */
        case 17: doc_put(doc_at(doc_get(d, "cliques"), 1), "gpus", integers(0, NULL)); break;
        case 18: doc_put(d, "cliques", doc_array()); break;
        case 19: doc_put(d, "gpus", doc_array()); break;
        case 20: doc_put(d, "gpus", doc_integer(3)); break;
        case 21: doc_put(doc_get(d, "server"), "cls", doc_integer(0)); break;
        case 22: doc_put(doc_get(d, "server"), "cls", doc_integer(1ll << 40)); break;
        case 23: doc_put(d, "server", doc_null()); break;
        case 24: doc_put(doc_get(d, "workload"), "fanout", integers(2, (int64_t[]){3, 0})); break;
        case 25: doc_put(doc_get(d, "workload"), "fanout", integers(0, NULL)); break;
        case 26: doc_put(doc_get(d, "workload"), "batch", doc_integer(0)); break;
        case 27: doc_put(doc_get(d, "workload"), "seed", doc_integer(-1)); break;
        case 28: doc_put(doc_get(d, "workload"), "frontier", doc_text("newest")); break;
        case 29: doc_put(doc_get(d, "workload"), "sampler", doc_text("biased")); break;
        case 30: doc_put(doc_get(d, "graph"), "vertices", doc_integer(41)); break;
        case 31: doc_put(doc_get(d, "graph"), "edges", doc_integer(1)); break;
        case 32: doc_put(doc_get(d, "graph"), "fingerprint", doc_text("sha256-16m:00")); break;
        case 33: doc_put(d, "files", doc_array()); break;
        case 34: doc_put(d, "predicted", doc_null()); break;
        case 35:
            doc_put(doc_get(doc_at(doc_get(d, "cliques"), 0), "predicted"), "topology_transactions", doc_integer(-1));
            break;
        case 36: doc_put(d, "policy", doc_null()); break;
        case 37: doc_put(doc_at(doc_get(d, "files"), 0), "bytes", doc_integer(1)); break; /* a file's stated size */
        case 38: doc_put(doc_get(d, "server"), "cls", doc_integer(6)); break;             /* not a multiple of 4 */
        case 39: doc_put(doc_get(d, "workload"), "batch", doc_real(1.5)); break;
        default: meant = false;
        }
        assert_true(meant);
        save_over(d, "plan.json");
        snprintf(text, sizeof text, "change %d of plan.json", k);
        refused(text);
        doc_free(d);
    }
    for (size_t cut = 0; cut + 2 < b.count; cut += 41) {
        write_bytes("plan.json", b.at, cut);
        refused("plan.json cut short");
    }
    write_bytes("plan.json", b.at, b.count);
    free(b.at);
    study_cell_release(&cell);
    end();
}

/* Any byte of the document changed: refused, or a plan that obeys its own limits. */
static void noise_in_the_document_is_survived(void **state)
{
    struct study_cell cell;
    struct dice d = {test_seed(3)};
    uint64_t accepted = 0;
    (void)state;
    small_plan(&cell);
    struct bytes b = read_unsealed();
    for (int round = 0; round < 800; round++) {
        struct plan p = {.line_bytes = 0};
        char *copy = malloc(b.count);
        memcpy(copy, b.at, b.count);
        for (uint64_t k = dice_range(&d, 1, 3); k; k--)
            copy[dice_below(&d, b.count)] = (char)(dice_chance(&d, 0.7) ? 32 + dice_below(&d, 95)
                                                                        : dice_below(&d, 256));
        write_bytes("plan.json", copy, b.count);
        enum st st = plan_load(folder, &graph, &p, &err);
        HOLDS(st == ST_OK || st == ST_INPUT, "round %d: %d, %s", round, (int)st, err.text);
        if (st == ST_OK) {
            accepted++;
            assert_true(p.assignment.gpus >= 1 && p.assignment.gpus <= 3 && p.workload.batch >= 1 && p.line_bytes >= 4);
            for (int g = 0; g < p.assignment.gpus; g++)
                assert_true(placement_topology_bytes(&p.placement, g, &graph) +
                                placement_feature_bytes(&p.placement, g, &graph) <=
                            p.budget[g]);
            plan_release(&p);
        }
        free(copy);
    }
    assert_true(accepted > 20); /* names and figures for people may change */
    free(b.at);
    study_cell_release(&cell);
    end();
}

/* Plans whose checksums are right but whose content is not: saved as they are, refused when read. */
static void nonsense_with_right_checksums_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 7; k++) {
        struct study_cell cell;
        small_plan(&cell);
        struct plan *p = &cell.plan;
        struct row_list *f = &p->placement.feature[0], *t = &p->placement.topology[0];
        uint32_t held = 0;
        switch (k) {
        case 0: f->id[0] = f->id[1]; break; /* a row twice */
        case 1: t->id[0] = t->id[1]; break;
        case 2:
            f->id[0] = (uint32_t)graph.n;
            break; /* beyond the graph; a topology row out there has no bytes to state */
        case 3: p->assignment.train[0][0] = p->assignment.train[1][0]; break; /* a training vertex on two GPUs */
        case 4:
            held = p->assignment.train[0][0];
            p->assignment.train[0][1] = held;
            break; /* twice on one */
        case 5: p->assignment.train[2][0] = UINT32_MAX; break;
        case 6:
            p->budget[0] = placement_topology_bytes(&p->placement, 0, &graph) +
                           placement_feature_bytes(&p->placement, 0, &graph) - 1;
            break;
        }
        OWNED_DOC doc *simulated = simulated_document(p, p->simulated, &graph, true);
        OK(plan_save(p, &graph, folder, simulated, NULL, &err));
        char text[64];
        snprintf(text, sizeof text, "nonsense %d", k);
        refused(text);
        study_cell_release(&cell);
        end();
    }
}

/* ---- traces ---- */

static void traces_come_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(30); i++) {
        uint64_t seed = test_seed(i);
        struct dice d;
        struct study_recording *recording = NULL;
        struct trace back = {0};
        begin(seed, &d, 150);
        struct recording_key key = {.kind = seed % 2 ? ASSIGNMENT_GLOBAL : ASSIGNMENT_HIERARCHICAL,
                                    .method = study.o.partition,
                                    .epochs = study.o.presample_epochs};
        OK(study_record(&study, &key, &recording, &err));
        struct trace shown = *recording->trace; /* the arrays stay those of the recording */
        const struct trace *t = &shown;
        shown.assignment.uneven = seed % 3 == 1;
        OK(trace_save(t, &graph, folder, &err));
        OK(trace_load(folder, &graph, &back, &err));
        same_assignment(&t->assignment, &back.assignment);
        same_workload(&t->workload, &back.workload);
        assert_int_equal(t->epochs, back.epochs);
        assert_int_equal(t->line_bytes, back.line_bytes);
        assert_int_equal(t->n, back.n);
        assert_string_equal(t->n_tsum_source, back.n_tsum_source);
        assert_string_equal(t->server_name, back.server_name);
        assert_string_equal(t->server_fingerprint, back.server_fingerprint);
        for (int c = 0; c < server.cliques; c++) assert_int_equal(t->n_tsum[c], back.n_tsum[c]);
        for (int g = 0; g < server.gpus; g++) {
            assert_memory_equal(t->topology[g].data, back.topology[g].data, 4 * graph.n);
            assert_memory_equal(t->feature[g].data, back.feature[g].data, 4 * graph.n);
            for (int h = 0; h < t->workload.hops; h++)
                for (uint64_t v = 0; v < graph.n; v++)
                    assert_int_equal(count_at(t->visits[h][g], v), count_at(back.visits[h][g], v));
        }
        trace_release(&back);
        end();
    }
}

static void trace_refused(const char *what)
{
    struct trace t = {0};
    err_clear(&err);
    enum st st = trace_load(folder, &graph, &t, &err);
    HOLDS(st == ST_INPUT && strlen(err.text) > 10 && !t.assignment.gpus, "%s: %d, %s", what, (int)st, err.text);
    trace_release(&t);
}

static void damaged_traces_are_refused(void **state)
{
    static const char *const files[] = {"hotness_topology.npy", "hotness_feature.npy", "visits.npy", "train_gpu0.npy",
                                        "train_gpu2.npy"};
    struct study_cell cell;
    struct trace t = {0};
    char text[64];
    (void)state;
    small_plan(&cell);
    empty_folder();
    OK(trace_save(cell.recording->trace, &graph, folder, &err));
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        struct bytes b = read_bytes(files[f]);
        for (size_t cut = 0; cut < b.count; cut += 5) {
            write_bytes(files[f], b.at, cut);
            trace_refused(files[f]);
        }
        b.at[b.count] = 0;
        write_bytes(files[f], b.at, b.count + 1);
        trace_refused("a byte more");
        const char *const types[] = {"i4", "f4", "u8", "u2"};
        const uint64_t shape = (b.count - 128) / 4;
        void *zeros = calloc(shape + 1, 8);
        for (size_t k = 0; k < COUNT_OF(types); k++) { /* other types and shapes */
            OK(npy_save(path_of(files[f]), types[k], 1, &shape, zeros, &err));
            trace_refused(types[k]);
        }
        uint64_t wide[] = {1, 3, 41};
        uint32_t none[123] = {0};
        if (f < 3) {
            OK(npy_save(path_of(files[f]), "u4", f < 2 ? 2 : 3, f < 2 ? wide + 1 : wide, none, &err));
            trace_refused("another shape");
        }
        free(zeros);
        unlink(path_of(files[f]));
        trace_refused("missing");
        write_bytes(files[f], b.at, b.count);
        free(b.at);
    }
    OK(trace_load(folder, &graph, &t, &err));
    trace_release(&t);
    const uint32_t beyond[] = {40}, twice[] = {3, 3},
                   foreign[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39};
    struct bytes train = read_bytes("train_gpu1.npy"), b = read_bytes("trace.json");
    OK(npy_save(path_of("train_gpu1.npy"), "u4", 1, (uint64_t[]){1}, beyond, &err));
    trace_refused("a training vertex beyond the graph");
    OK(npy_save(path_of("train_gpu1.npy"), "u4", 1, (uint64_t[]){2}, twice, &err));
    trace_refused("a training vertex twice");
    OK(npy_save(path_of("train_gpu1.npy"), "u4", 1, (uint64_t[]){40}, foreign, &err));
    trace_refused("training vertices of other GPUs");
    write_bytes("train_gpu1.npy", train.at, train.count);
    for (int k = 0; k < 17; k++) {
        doc *d = NULL;
        OK(doc_parse(b.at, b.count, "trace.json", &d, &err));
        switch (k) {
        case 0: doc_put(d, "schema", doc_text("trace/2")); break;
        case 1: doc_put(d, "epochs", doc_integer(0)); break;
        case 2: doc_put(d, "epochs", doc_null()); break;
        case 3: doc_put(d, "n_tsum", integers(1, (int64_t[]){3})); break;
        case 4: doc_put(d, "n_tsum", integers(2, (int64_t[]){3, -3})); break;
        case 5: doc_put(d, "n_tsum", integers(2, (int64_t[]){3, INT64_MAX})); break;
        case 6: doc_put(d, "n_tsum_source", doc_null()); break;
        case 7: doc_put(d, "cls", doc_integer(3)); break;
        case 8: doc_put(d, "gpus", integers(3, (int64_t[]){0, 0, 2})); break;
        case 9: doc_put(d, "gpus", integers(2, (int64_t[]){0, 1})); break;
        case 10: doc_put(d, "cliques", doc_array()); break;
        case 11: doc_put(d, "fanout", integers(3, (int64_t[]){3, 2, 2})); break; /* visits.npy has two hops */
        case 12: doc_put(d, "fanout", integers(2, (int64_t[]){3, 70000})); break;
        case 13: doc_put(d, "batch", doc_integer(0)); break;
        case 14: doc_put(d, "frontier", doc_integer(1)); break;
        case 15: doc_put(doc_get(d, "graph"), "fingerprint", doc_text("sha256-16m:11")); break;
        case 16: doc_put(d, "sampler", doc_text("snowball")); break;
        }
        save_over(d, "trace.json");
        snprintf(text, sizeof text, "change %d of trace.json", k);
        trace_refused(text);
        doc_free(d);
    }
    free(b.at);
    free(train.at);
    study_cell_release(&cell);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_come_back),
                                       cmocka_unit_test(damaged_arrays_are_refused),
                                       cmocka_unit_test(damaged_documents_are_refused),
                                       cmocka_unit_test(noise_in_the_document_is_survived),
                                       cmocka_unit_test(nonsense_with_right_checksums_is_refused),
                                       cmocka_unit_test(traces_come_back),
                                       cmocka_unit_test(damaged_traces_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
