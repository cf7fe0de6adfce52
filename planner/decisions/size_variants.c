#include "planner/decisions/size_variants.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/decisions/size_ask.h"

enum { LIST_MAX = 32, COMBINED_MAX = 1 << 16 }; /* values of a list; combinations, equal ones too */

/* Values of every quantity but the servers' numbers of GPUs. */
struct lists {
    char *server[LIST_MAX];
    int servers, fanouts, elements, nvlinks, batches, grows, shares;
    bool nvlink[2];
    struct int_list fanout[LIST_MAX];
    uint64_t element[LIST_MAX];
    int64_t batch[LIST_MAX]; /* of the server at hand */
    char batches_text[512];  /* owns the names */
    struct {
        const char *server; /* NULL: of those without one of their own */
        int64_t batch;
    } listed[LIST_MAX];
    int batches_listed;
    double grow[LIST_MAX], share[LIST_MAX];
    struct size_beside host[LIST_MAX], ssd[LIST_MAX]; /* one member each */
    double nic[LIST_MAX];                             /* 0: what descriptions state */
    int hosts, ssds, nics;
};

/* "1,1.5,2" within low..high. */
static enum st read_reals(const char *text, const char *name, double low, double high, double *out, int *count,
                          struct err *err)
{
    char copy[256], *part[LIST_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "%s: the list is too long", name);
    strcpy(copy, text);
    int n = text_split(copy, ',', part, LIST_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "%s: more than %d values", name, LIST_MAX);
    for (int i = 0; i < n; i++) {
        PASS(units_real(part[i], name, &out[i], err));
        if (!(out[i] >= low && out[i] <= high))
            return err_set(err, ST_USAGE, "%s: %g is out of range; expected %g to %g", name, out[i], low, high);
    }
    *count = n;
    return ST_OK;
}

/* "25,10/15,5". */
static enum st read_fanouts(const char *text, struct lists *to, struct err *err)
{
    char copy[512], *part[LIST_MAX], *hop[INT_LIST_MAX];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--fanouts: the list is too long");
    strcpy(copy, text);
    to->fanouts = text_split(copy, '/', part, LIST_MAX);
    if (to->fanouts < 0) return err_set(err, ST_USAGE, "--fanouts: more than %d fan-outs", LIST_MAX);
    for (int i = 0; i < to->fanouts; i++) {
        int n = text_split(part[i], ',', hop, INT_LIST_MAX);
        if (n < 0) return err_set(err, ST_USAGE, "--fanouts: more than %d hops", INT_LIST_MAX);
        to->fanout[i].count = n;
        for (int h = 0; h < n; h++)
            PASS(workload_fanout_read(hop[h], "--fanouts (as in 25,10/15,5)", 1, &to->fanout[i].value[h], err));
    }
    return ST_OK;
}

static enum st read_types(const char *text, struct lists *to, struct err *err)
{
    char copy[64], *part[8];
    if (strlen(text) >= sizeof copy) return err_set(err, ST_USAGE, "--feature-type: the list is too long");
    strcpy(copy, text);
    to->elements = text_split(copy, ',', part, 8);
    for (int i = 0; i < to->elements; i++) {
        for (uint64_t bytes = 1; bytes <= 4; bytes *= 2)
            if (!strcmp(part[i], size_element_name(bytes))) to->element[i] = bytes;
        if (!to->element[i])
            return err_set(err, ST_USAGE, "--feature-type: '%.20s' is not a type; expected f32, f16 or i8", part[i]);
    }
    if (to->elements < 1) return err_set(err, ST_USAGE, "--feature-type: too many types");
    return ST_OK;
}

/* What is listed, else what varies, else what is usual. */
static const char *list_or(const char *given, const struct size_vary *v, enum size_quantity of, const char *varied,
                           const char *usual)
{
    return given ? given : size_varies(v, of) ? varied : usual;
}

static void read_nvlink(const char *word, struct lists *to)
{
    if (strcmp(word, "without")) to->nvlink[to->nvlinks++] = true;
    if (strcmp(word, "with")) to->nvlink[to->nvlinks++] = false;
}

static enum st read_batches(const char *text, struct lists *to, struct err *err)
{
    char *part[LIST_MAX];
    if (!text) return ST_OK;
    if (strlen(text) >= sizeof to->batches_text) return err_set(err, ST_USAGE, "--batches: the list is too long");
    strcpy(to->batches_text, text);
    int n = text_split(to->batches_text, ',', part, LIST_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "--batches: more than %d values", LIST_MAX);
    for (int i = 0; i < n; i++) {
        char *is = strrchr(part[i], '='), *number = is ? is + 1 : part[i];
        bool known = !is;
        if (is) *is = '\0';
        for (int s = 0; is && s < to->servers; s++) known |= !strcmp(part[i], to->server[s]);
        if (!known)
            return err_set(err, ST_USAGE, "--batches: '%.60s' is not one of the servers that --server lists", part[i]);
        to->listed[i].server = is ? part[i] : NULL;
        PASS(units_integer(number, "--batches (as in 2048,dgx-b200=4096)", 1, UINT32_MAX, &to->listed[i].batch, err));
    }
    to->batches_listed = n;
    return ST_OK;
}

/* Those of the server, else those of all that have none of their own, else what varies or is usual. */
static void choose_batches(const char *server, const struct size_vary *v, int64_t usual, struct lists *to)
{
    to->batches = 0;
    for (int own = 1; own >= 0 && !to->batches; own--)
        for (int i = 0; i < to->batches_listed; i++)
            if (own ? to->listed[i].server && !strcmp(to->listed[i].server, server) : !to->listed[i].server)
                to->batch[to->batches++] = to->listed[i].batch;
    for (int64_t part = size_varies(v, VARY_BATCH) ? 8 : 1; part && !to->batches_listed; part /= 2)
        to->batch[to->batches++] = usual / part ? usual / part : 1;
    if (!to->batches) to->batch[to->batches++] = usual;
}

/* What lies beside the GPUs: sizes or shares of host memory, drives, and rates of networks; one unasked value without.
 */
static enum st read_beside(const struct size_lists *l, struct lists *to, struct err *err)
{
    char copy[1024], *part[LIST_MAX];
    const char *const text[] = {l->host_memory, l->ssd}, *const name[] = {"--host-memory", "--ssd"};
    int *const count[] = {&to->hosts, &to->ssds};
    to->nics = to->hosts = to->ssds = 1;
    for (int k = 0; k < 2; k++) {
        if (!text[k]) continue;
        if (strlen(text[k]) >= sizeof copy) return err_set(err, ST_USAGE, "%s: the list is too long", name[k]);
        strcpy(copy, text[k]);
        *count[k] = text_split(copy, ',', part, LIST_MAX);
        if (*count[k] < 0) return err_set(err, ST_USAGE, "%s: more than %d values", name[k], LIST_MAX);
        for (int i = 0; i < *count[k]; i++)
            if (k) PASS(drives_parse(part[i], name[k], &to->ssd[i].drives, err));
            else if (strchr(part[i], '%')) PASS(size_ask_share(part[i], &to->host[i].host_share, err));
            else PASS(size_ask_size(part[i], name[k], &to->host[i].host_memory, err));
    }
    return l->nic ? read_reals(l->nic, "--nic-gbps", 0, 100000, to->nic, &to->nics, err) : ST_OK;
}

static enum st read_lists(const struct size_lists *l, const struct size_vary *v, const struct workload_args *w,
                          uint64_t element, char *names, struct lists *to, struct err *err)
{
    const char *types = list_or(l->feature_type, v, VARY_FEATURE_TYPE, "f32,f16,i8", NULL),
               *fanouts = list_or(l->fanouts, v, VARY_FANOUT, "25,10/15,10/10,5", NULL);
    to->servers = text_split(names, ',', to->server, LIST_MAX);
    if (to->servers < 0) return err_set(err, ST_USAGE, "--server: more than %d servers", LIST_MAX);
    PASS(read_reals(list_or(l->grow, v, VARY_GROW, "1,2,4", "1"), "--grow", 1e-3, 1e6, to->grow, &to->grows, err));
    PASS(read_reals(list_or(l->share, v, VARY_SHARE, "1,0.75,0.5,0.25", "1"), "--memory-share", 1e-3, 1, to->share,
                    &to->shares, err));
    if (fanouts) PASS(read_fanouts(fanouts, to, err));
    else to->fanout[to->fanouts++] = w->fanout;
    if (types) PASS(read_types(types, to, err));
    else to->element[to->elements++] = element;
    PASS(read_beside(l, to, err));
    read_nvlink(list_or(l->nvlink, v, VARY_NVLINK, "both", "with"), to);
    return read_batches(l->batches, to, err);
}

/* Keeps the numbers that the server has; the others are noted in left_out. */
static void keep_possible(const char *name, int gpus, struct int_list *list, char *left_out, size_t size)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (list->value[i] <= gpus) list->value[kept++] = list->value[i];
        else
            text_append(left_out, size, "%s%.60s has %d GPUs, not %lld", *left_out ? "; " : "", name, gpus,
                        (long long)list->value[i]);
    }
    list->count = kept;
}

/* Numbers of GPUs of one server; 0: all of them. */
static enum st read_gpus(const char *server, const struct size_lists *l, const struct size_vary *v,
                         struct int_list *out, struct size_variants *to, struct err *err)
{
    OWNED_SERVER struct server *s = NULL;
    *out = l->gpus;
    if (!out->count && !size_varies(v, VARY_GPUS)) {
        out->value[out->count++] = 0;
        return ST_OK;
    }
    if (strrchr(server, ':') && !file_exists(server))
        return err_set(err, ST_USAGE,
                       "--gpus: the server '%.60s' already selects GPUs; leave out what follows the colon, or --gpus",
                       server);
    MAKE(s, 1, "a server");
    PASS(server_load(server, s, err));
    if (out->count) keep_possible(server, s->gpus, out, to->left_out, sizeof to->left_out);
    else {
        for (int n = 1; n < s->gpus && out->count < INT_LIST_MAX - 1; n *= 2) out->value[out->count++] = n;
        out->value[out->count++] = 0;
    }
    return ST_OK;
}

bool size_variant_same_caches(const struct size_variant *a, const struct size_variant *b)
{
    bool same = !strcmp(a->server, b->server) && a->gpus == b->gpus && a->nvlink == b->nvlink &&
                a->element == b->element && a->batch == b->batch && a->fanout.count == b->fanout.count &&
                !memcmp(&a->grow, &b->grow, sizeof a->grow) && !memcmp(&a->share, &b->share, sizeof a->share);
    for (int h = 0; same && h < a->fanout.count; h++) same = a->fanout.value[h] == b->fanout.value[h];
    return same;
}

static bool same_beside(const struct size_beside *a, const struct size_beside *b)
{
    return a->host_memory == b->host_memory && !memcmp(&a->host_share, &b->host_share, sizeof a->host_share) &&
           !memcmp(&a->nic_gbps, &b->nic_gbps, sizeof a->nic_gbps) && a->drives.count == b->drives.count &&
           !strcmp(a->drives.name, b->drives.name);
}

/* Adds a variant, unless it is there: lists may name a value more than once. */
static enum st add_variant(const struct size_variant *v, struct size_variants *out, struct err *err)
{
    for (int i = 0; i < out->count; i++)
        if (size_variant_same_caches(v, &out->list[i]) && same_beside(&v->beside, &out->list[i].beside)) {
            out->dropped++;
            return ST_OK;
        }
    if (out->count == SIZE_CURVES_MAX)
        return err_set(err, ST_LIMIT, "more than %d combinations of servers, GPUs and the rest; give shorter lists",
                       SIZE_CURVES_MAX);
    out->list[out->count++] = *v;
    return ST_OK;
}

/* All combinations behind one server and number of GPUs. */
static enum st add_rest(const struct lists *lists, struct size_variant start, struct size_variants *out,
                        struct err *err)
{
    const int length[] = {lists->nvlinks, lists->elements, lists->fanouts, lists->batches, lists->grows,
                          lists->shares,  lists->hosts,    lists->ssds,    lists->nics};
    int total = 1;
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) { /* nine full lists are more than an int */
        total *= length[k];
        if (total > COMBINED_MAX)
            return err_set(err, ST_LIMIT, "more than %d combinations of what the lists name; give shorter lists",
                           COMBINED_MAX);
    }
    for (int i = 0; i < total; i++) {
        int at = i;
        struct size_variant v = start;
        v.beside.nic_gbps = lists->nic[at % lists->nics], at /= lists->nics;
        v.beside.drives = lists->ssd[at % lists->ssds].drives, at /= lists->ssds;
        v.beside.host_share = lists->host[at % lists->hosts].host_share;
        v.beside.host_memory = lists->host[at % lists->hosts].host_memory, at /= lists->hosts;
        v.share = lists->share[at % lists->shares], at /= lists->shares;
        v.grow = lists->grow[at % lists->grows], at /= lists->grows;
        v.batch = lists->batch[at % lists->batches], at /= lists->batches;
        v.fanout = lists->fanout[at % lists->fanouts], at /= lists->fanouts;
        v.element = lists->element[at % lists->elements], at /= lists->elements;
        v.nvlink = lists->nvlink[at];
        PASS(add_variant(&v, out, err));
    }
    return ST_OK;
}

enum st size_variants_make(const struct size_lists *l, const struct size_vary *v, const struct workload_args *workload,
                           uint64_t element, struct size_variants *out, struct err *err)
{
    struct int_list gpus;
    out->count = out->dropped = 0;
    *out->left_out = '\0';
    if (strlen(l->server) >= sizeof out->text) return err_set(err, ST_USAGE, "--server: the list is too long");
    strcpy(out->text, l->server);
    OWNED_NEW(struct lists, x, 1, "lists");
    PASS(read_lists(l, v, workload, element, out->text, x, err));
    for (int s = 0; s < x->servers; s++) {
        PASS(read_gpus(x->server[s], l, v, &gpus, out, err));
        choose_batches(x->server[s], v, workload->batch, x);
        for (int g = 0; g < gpus.count; g++)
            PASS(add_rest(x, (struct size_variant){.server = x->server[s], .gpus = (int)gpus.value[g]}, out, err));
    }
    if (!out->count)
        return err_set(err, ST_USAGE, "--gpus: no server has so many GPUs (%.400s); name smaller numbers",
                       out->left_out);
    return ST_OK;
}
