/* hotset diff - what changes when one plan takes another's place. */
#include <math.h>
#include <string.h>

#include "base/cmd.h"
#include "base/doc_seal.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "simulator/plan/plan_diff.h"
#include "simulator/plan/plan.h"

struct diff_args {
    const char *graph;
};

/* A plan as both of its readers have it. */
struct side {
    const char *path;
    hotset_plan *plan;
    doc *d;
};

/* A matrix of more GPUs does not fit a page; then the pairs that most moves between are listed. */
enum { MATRIX_GPUS_MAX = 12, PAIRS_LISTED = 16 };

static const char *const kind_names[DIFF_KINDS] = {"feature", "topology", "train"};
static const char *const kind_titles[DIFF_KINDS] = {"feature rows", "topology rows", "training vertices"};

/* What both predicted{} and simulated{} state. */
struct figure {
    const char *key, *title;
    bool rate;
};
static const struct figure figures[] = {{"topology_transactions", "topology transactions", false},
                                        {"feature_transactions", "feature transactions", false},
                                        {"total_transactions", "all transactions", false},
                                        {"topology_hit_rate", "topology hit rate (of visits)", true},
                                        {"feature_hit_rate", "feature hit rate (of rows)", true},
                                        {0}};

static enum st side_open(struct side *s, const char *path, int threads, struct err *err)
{
    struct hotset_options o = HOTSET_OPTIONS_INIT;
    struct hotset_error e;
    char file[PATH_BYTES];
    enum st st;
    o.threads = threads;
    o.memory_limit = mem_limit();
    s->path = path;
    int code = hotset_open(path, &o, &s->plan, &e);
    if (code != HOTSET_OK) FAIL((enum st)code, "%s", e.text);
    TRY(path_join(file, path, "plan.json", err));
    TRY(doc_load_sealed(file, "plan/1", &s->d, NULL, err));
done:
    return st;
}

/* The graph, for the bytes of topology rows; where the plans hold such rows and no graph is found, bytes stay unknown
 * and that is said. */
static enum st find_graph(struct call *call, const struct diff_args *a, const struct side *s, struct graph *g,
                          bool *found, struct err *err)
{
    char path[PATH_BYTES];
    struct err no = {0};
    struct hotset_error e;
    enum st st = ST_OK;
    *found = false;
    if (a->graph) {
        TRY(graph_open(a->graph, call->threads, g, err));
    } else if (plan_graph_path(s[0].path, path, &no) != ST_OK || graph_open(path, call->threads, g, &no) != ST_OK) {
        call_say(call, "bytes of topology rows are left out, as the graph is not there: %s", no.text);
        return ST_OK;
    }
    *found = true;
    for (int i = 0; i < 2; i++) {
        struct hotset_graph of = {(uint32_t)sizeof of, 0, g->n, g->m, g->fingerprint, g->indptr};
        int code = hotset_check_graph(s[i].plan, &of, &e);
        if (code != HOTSET_OK) FAIL((enum st)code, "%s", e.text);
    }
done:
    return st;
}

/* ---- the document ---- */

static void put_amount(doc *d, const char *key, const struct diff_amount *a, bool bytes_known)
{
    doc *one = doc_object();
    doc_put(one, "rows", doc_integer((int64_t)a->rows));
    doc_put(one, "bytes", bytes_known ? doc_integer((int64_t)a->bytes) : doc_null());
    doc_put(d, key, one);
}

static doc *gpu_document(const struct diff *d, int kind, int g)
{
    const struct diff_gpu *x = &d->gpu[kind][g];
    bool known = d->bytes_known[kind];
    doc *one = doc_object(), *to = doc_array();
    put_amount(one, "before", &x->before, known);
    put_amount(one, "after", &x->after, known);
    put_amount(one, "kept", &x->kept, known);
    put_amount(one, "added", &x->added, known);
    put_amount(one, "removed", &x->removed, known);
    put_amount(one, "moved_in", &x->moved_in, known);
    put_amount(one, "moved_out", &x->moved_out, known);
    for (int h = 0; h < d->gpus; h++) {
        if (!d->moved[kind][g][h].rows) continue;
        doc *move = doc_object();
        doc_put(move, "gpu", doc_integer(d->id[h]));
        doc_put(move, "rows", doc_integer((int64_t)d->moved[kind][g][h].rows));
        doc_put(move, "bytes", known ? doc_integer((int64_t)d->moved[kind][g][h].bytes) : doc_null());
        doc_append(to, move);
    }
    doc_put(one, "moved_to", to);
    return one;
}

/* "0-3" of a clique: its GPUs in words. */
static const char *clique_text(const doc *clique, char *text, size_t size)
{
    const doc *gpus = doc_get(clique, "gpus");
    int id[DIFF_GPUS_MAX], count = 0;
    *text = '\0';
    for (; count < DIFF_GPUS_MAX && (uint64_t)count < doc_size(gpus); count++)
        id[count] = (int)doc_integer_value(doc_at(gpus, (uint64_t)count), -1);
    text_append_ids(text, size, id, count);
    return text;
}

/* alpha of the clique of these GPUs; NaN when the plan has no such clique. */
static double alpha_of(const struct side *s, const char *gpus)
{
    char text[600];
    const doc *cliques = doc_get(s->d, "cliques");
    for (uint64_t i = 0; i < doc_size(cliques); i++)
        if (!strcmp(clique_text(doc_at(cliques, i), text, sizeof text), gpus))
            return doc_real_value(doc_get(doc_at(cliques, i), "alpha"), NAN);
    return NAN;
}

/* Every clique of either plan, once. */
static doc *cliques_document(const struct side *s)
{
    doc *all = doc_array();
    char text[600];
    for (int i = 0; i < 2; i++) {
        const doc *cliques = doc_get(s[i].d, "cliques");
        for (uint64_t c = 0; c < doc_size(cliques); c++) {
            bool again = false;
            char other[600];
            clique_text(doc_at(cliques, c), text, sizeof text);
            for (uint64_t k = 0; k < doc_size(all); k++)
                again |= !strcmp(clique_text(doc_at(all, k), other, sizeof other), text);
            if (again) continue;
            doc *one = doc_object();
            doc_put(one, "gpus", doc_copy(doc_get(doc_at(cliques, c), "gpus")));
            doc_put(one, "alpha_before", doc_real(alpha_of(&s[0], text)));
            doc_put(one, "alpha_after", doc_real(alpha_of(&s[1], text)));
            doc_append(all, one);
        }
    }
    return all;
}

static doc *figures_document(const struct side *s, const char *of)
{
    doc *d = doc_object();
    for (const struct figure *f = figures; f->key; f++) {
        const doc *a = doc_get(doc_get(s[0].d, of), f->key), *b = doc_get(doc_get(s[1].d, of), f->key);
        doc *one = doc_object();
        doc_put(one, "before", a ? doc_copy(a) : doc_null());
        doc_put(one, "after", b ? doc_copy(b) : doc_null());
        double before = doc_real_value(a, NAN), after = doc_real_value(b, NAN);
        doc_put(one, f->rate ? "difference" : "change",
                doc_real(f->rate      ? after - before
                         : before > 0 ? after / before - 1
                                      : NAN));
        doc_put(d, f->key, one);
    }
    return d;
}

static doc *diff_document(const struct diff *d, const struct side *s)
{
    doc *all = doc_object(), *gpus = doc_array();
    doc_put(all, "schema", doc_text("diff/1"));
    for (int i = 0; i < 2; i++) {
        doc *one = doc_object();
        doc_put(one, "path", doc_text(s[i].path));
        doc_put(one, "policy", doc_text(hotset_text(s[i].plan, HOTSET_TEXT_POLICY)));
        doc_put(all, i ? "after" : "before", one);
    }
    for (int g = 0; g < d->gpus; g++) {
        doc *one = doc_object();
        doc_put(one, "id", doc_integer(d->id[g]));
        for (int kind = 0; kind < DIFF_KINDS; kind++) doc_put(one, kind_names[kind], gpu_document(d, kind, g));
        doc_append(gpus, one);
    }
    doc_put(all, "gpus", gpus);
    doc_put(all, "cliques", cliques_document(s));
    doc_put(all, "predicted", figures_document(s, "predicted"));
    doc_put(all, "simulated", figures_document(s, "simulated"));
    return all;
}

/* ---- tables ---- */

static void add_amount(struct table *t, const struct diff_amount *a)
{
    char text[UNIT_TEXT];
    table_add(t, "%s", units_count(text, a->rows));
}

static void kind_print(const struct diff *d, int kind, FILE *to)
{
    static const char *const headers[] = {">GPU",       ">before", ">after",    ">kept",          ">removed",
                                          ">moved out", ">added",  ">moved in", ">bytes to load", NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (int g = 0; g < d->gpus; g++) {
        const struct diff_gpu *x = &d->gpu[kind][g];
        const struct diff_amount *cells[] = {&x->before,    &x->after, &x->kept,    &x->removed,
                                             &x->moved_out, &x->added, &x->moved_in};
        table_add(t, "%d", d->id[g]);
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) add_amount(t, cells[i]);
        table_add(t, "%s", d->bytes_known[kind] ? units_bytes(text, x->added.bytes + x->moved_in.bytes) : "-");
    }
    fprintf(to, "%s\n", kind_titles[kind]);
    table_print(t, to);
    fputc('\n', to);
    table_free(t);
}

/* From (down) and to (across), in rows. */
static struct table *moves_matrix(const struct diff *d, int kind, const char **headers, char (*name)[16])
{
    char text[UNIT_TEXT];
    headers[0] = "from";
    for (int g = 0; g < d->gpus; g++) {
        snprintf(name[g], sizeof name[g], ">to %d", d->id[g]);
        headers[1 + g] = name[g];
    }
    headers[1 + d->gpus] = NULL;
    struct table *t = table_new(headers);
    for (int g = 0; g < d->gpus; g++) {
        table_add(t, "%d", d->id[g]);
        for (int h = 0; h < d->gpus; h++)
            table_add(t, "%s", g == h ? "-" : units_count(text, d->moved[kind][g][h].rows));
    }
    return t;
}

/* The pairs that most rows move between, the most first, ties by ids; *left: how many pairs more there are. */
static struct table *moves_list(const struct diff *d, int kind, int *left)
{
    static const char *const headers[] = {"from", "to", ">rows", NULL};
    struct table *t = table_new(headers);
    uint64_t below = UINT64_MAX;
    int listed = 0;
    *left = 0;
    while (below) { /* one count of rows after the other, downwards */
        uint64_t rows = 0;
        for (int g = 0; g < d->gpus; g++)
            for (int h = 0; h < d->gpus; h++)
                rows = d->moved[kind][g][h].rows < below && d->moved[kind][g][h].rows > rows ? d->moved[kind][g][h].rows
                                                                                             : rows;
        for (int i = 0; rows && i < d->gpus * d->gpus; i++) {
            int g = i / d->gpus, h = i % d->gpus;
            char text[UNIT_TEXT];
            if (d->moved[kind][g][h].rows != rows) continue;
            if (listed == PAIRS_LISTED) {
                ++*left;
                continue;
            }
            listed++;
            table_add(t, "%d", d->id[g]);
            table_add(t, "%d", d->id[h]);
            table_add(t, "%s", units_count(text, rows));
        }
        below = rows;
    }
    return t;
}

/* Nothing where nothing moves. */
static void moves_print(const struct diff *d, int kind, FILE *to)
{
    const char *headers[DIFF_GPUS_MAX + 2];
    char name[DIFF_GPUS_MAX][16];
    bool any = false, small = d->gpus <= MATRIX_GPUS_MAX;
    int left = 0;
    for (int g = 0; g < d->gpus; g++) any |= d->gpu[kind][g].moved_out.rows > 0;
    if (!any) return;
    struct table *t = small ? moves_matrix(d, kind, headers, name) : moves_list(d, kind, &left);
    fprintf(to, "%s that moved, from GPU to GPU\n", kind_titles[kind]);
    table_print(t, to);
    table_free(t);
    if (left) fprintf(to, "and between %d pairs more, as many rows or fewer; --json has them all\n", left);
    fputc('\n', to);
}

/* A number of the document for people: rates and alpha in percent, counts with commas. */
static void add_value(struct table *t, const doc *v, bool rate)
{
    char text[UNIT_TEXT];
    if (!doc_is_number(v)) table_add(t, "-");
    else if (rate) table_add(t, "%s", units_percent(text, doc_real_value(v, 0)));
    else table_add(t, "%s", units_count(text, (uint64_t)doc_real_value(v, 0)));
}

static void figures_print(const doc *all, FILE *to)
{
    static const char *const headers[] = {"per epoch", ">before", ">after", ">change", NULL},
                             *const shares[] = {"clique", ">alpha before", ">alpha after", NULL};
    static const char *const sections[] = {"predicted", "simulated"};
    struct table *t = table_new(shares);
    const doc *cliques = doc_get(all, "cliques");
    char text[600];
    for (uint64_t c = 0; c < doc_size(cliques); c++) {
        const doc *one = doc_at(cliques, c);
        table_add(t, "%s", clique_text(one, text, sizeof text));
        add_value(t, doc_get(one, "alpha_before"), true);
        add_value(t, doc_get(one, "alpha_after"), true);
    }
    table_print(t, to);
    table_free(t);
    fputc('\n', to);
    t = table_new(headers);
    for (size_t s = 0; s < 2; s++)
        for (const struct figure *f = figures; f->key; f++) {
            const doc *one = doc_get(doc_get(all, sections[s]), f->key), *change = doc_get(one, "change"),
                      *points = doc_get(one, "difference");
            if (!doc_is_number(doc_get(one, "before")) && !doc_is_number(doc_get(one, "after"))) continue;
            table_add(t, "%s %s", sections[s], f->title);
            add_value(t, doc_get(one, "before"), f->rate);
            add_value(t, doc_get(one, "after"), f->rate);
            if (doc_is_number(change)) table_add(t, "%+.2f %%", 100 * doc_real_value(change, 0));
            else if (doc_is_number(points)) table_add(t, "%+.2f points", 100 * doc_real_value(points, 0));
            else table_add(t, "-");
        }
    table_print(t, to);
    table_free(t);
}

/* ---- the command ---- */

static enum st run(struct call *call, struct err *err)
{
    struct side s[2] = {{0}, {0}};
    struct graph g = {0};
    struct diff d = {0};
    bool found = false;
    doc *all = NULL;
    enum st st;
    for (int i = 0; i < 2; i++) TRY(side_open(&s[i], call->words[i], call->threads, err));
    TRY(find_graph(call, call->args, s, &g, &found, err));
    uint64_t arc_bytes = strcmp(hotset_text(s[0].plan, HOTSET_TEXT_SAMPLER), "biased") ? 4 : 8;
    TRY(diff_make(s[0].plan, s[1].plan, found ? g.indptr : NULL, arc_bytes, &d, err));
    all = diff_document(&d, s);
    if (!call->common.json) {
        for (int kind = 0; kind < DIFF_KINDS; kind++) kind_print(&d, kind, call->out);
        for (int kind = 0; kind < DIFF_KINDS; kind++) moves_print(&d, kind, call->out);
        figures_print(all, call->out);
    }
    st = call_finish(call, all, err);
done:
    diff_release(&d);
    graph_close(&g);
    for (int i = 0; i < 2; i++) {
        hotset_close(s[i].plan);
        doc_free(s[i].d);
    }
    return st;
}

static const struct param params[] = {OPTION_TEXT("graph", 'g', struct diff_args, graph, "G", NULL,
                                                  "Graph directory, for the bytes of topology rows [default: where the "
                                                  "first plan says it lies]."),
                                      {0}};

extern const struct command cmd_diff;
const struct command cmd_diff = {.name = "diff",
                                 .summary = "say what moves between two plans",
                                 .arguments = "P1 P2 [--graph G]",
                                 .params = params,
                                 .args_size = sizeof(struct diff_args),
                                 .words_low = 2,
                                 .words_high = 2,
                                 .run = run,
                                 .about = "For every GPU, by its id, and for feature rows, topology rows and training "
                                          "vertices: how many are kept, added, removed, and moved to which other GPU,\n"
                                          "in rows and in bytes; how alpha changes per clique, and the predicted and "
                                          "simulated transactions and hit rates.\n"
                                          "A row that one GPU gives up and another takes has moved, pairs formed in "
                                          "ascending order of ids; a runtime can copy it over NVLink.\n"
                                          "'bytes to load' is what the GPU must get when the second plan takes the "
                                          "first one's place: added and moved in.",
                                 .examples = "  hotset diff P1 P2          # is the new plan worth the reload?\n  "
                                             "hotset diff P1 P2 --json   # the same as one document, with every pair "
                                             "of GPUs"};
