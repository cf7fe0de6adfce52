#include "planner/commands/storage_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "planner/commands/choice.h"
#include "planner/places/memory_args.h"
#include "reports/tables/tables.h"

struct sizes {
    uint64_t memory[CHOICES_MAX]; /* order_u64, each once */
    int memories;
    struct choice_list ssd; /* at least one; part[0] NULL: the server's drives, or none */
};

static doc *copy_of(const doc *d, const char *key) { return doc_get(d, key) ? doc_copy(doc_get(d, key)) : doc_null(); }

static enum st read_lists(const struct storage_args *a, struct storage_work *w, struct sizes *s, struct err *err)
{
    struct choice_list memory = {.count = 1};
    uint64_t block = 0;
    s->ssd.count = 1;
    if (a->memory) PASS(choice_split(a->memory, "--host-memory", &memory, err));
    if (a->ssd) PASS(choice_split(a->ssd, "--ssd", &s->ssd, err));
    for (int i = 0; i < memory.count; i++) {
        PASS(storage_work_memory(memory.part[i], w, err));
        s->memory[i] = w->result.host_bytes;
    }
    qsort(s->memory, (size_t)memory.count, sizeof *s->memory, order_u64);
    for (int i = 0; i < memory.count; i++)
        if (!i || s->memory[i] != s->memory[i - 1]) s->memory[s->memories++] = s->memory[i];
    for (int i = 0; i < s->ssd.count; i++) {
        PASS(storage_work_drives(s->ssd.part[i], w, err));
        if (i && w->result.drives.block_bytes != block)
            return err_set(err, ST_USAGE, "--ssd: %s reads blocks of another size than %s; ask for them one by one",
                           s->ssd.part[i], s->ssd.part[0]);
        block = w->result.drives.block_bytes;
    }
    return ST_OK;
}

/* What one memory costs with one set of drives. whole: storage_document of both. */
static doc *drives_row(const doc *whole)
{
    doc *d = doc_object();
    const doc *s = doc_get(whole, "simulated"), *ssd = doc_get(whole, "ssd"), *epoch = doc_get(s, "epoch");
    double with = doc_number(epoch, "seconds"), without = doc_number(epoch, "without_ssd_seconds");
    doc_put(d, "drives", copy_of(ssd, "drives"));
    doc_put(d, "name", copy_of(ssd, "name"));
    doc_put(d, "ssd_seconds", copy_of(s, "ssd_seconds"));
    doc_put(d, "ssd_limit", copy_of(s, "ssd_limit"));
    doc_put(d, "epoch_seconds", doc_real(with));
    doc_put(d, "slower", doc_real(with / without - 1));
    return d;
}

static enum st add_memory(struct call *call, const struct kernels *k, const struct sizes *s, struct storage_work *w,
                          doc *list, double *without, struct err *err)
{
    enum st st;
    doc *row = doc_object(), *each = doc_array();
    TRY(storage_work_judge(call, k, w, err));
    for (int i = 0; i < s->ssd.count; i++) {
        TRY(storage_work_drives(s->ssd.part[i], w, err));
        doc *whole = storage_document(&w->result);
        const doc *simulated = doc_get(whole, "simulated");
        if (!i) {
            doc_put(row, "host_memory_bytes", doc_integer((int64_t)w->result.host_bytes));
            doc_put(row, "share", doc_real((double)w->result.host_bytes / (double)memory_args_needed(&w->graph)));
            doc_put(row, "dram_hit_rate", copy_of(doc_get(simulated, "feature"), "dram_hit_rate"));
            doc_put(row, "blocks", copy_of(simulated, "blocks"));
            doc_put(row, "ssd_bytes", copy_of(simulated, "ssd_bytes"));
            doc_put(row, "disk_order", copy_of(doc_get(whole, "disk_order"), "chosen"));
        }
        *without = doc_number(doc_get(simulated, "epoch"), "without_ssd_seconds");
        doc_append(each, drives_row(whole));
        doc_free(whole);
    }
    doc_put(row, "drives", each);
    doc_append(list, row);
    return ST_OK;
done:
    doc_free(row);
    doc_free(each);
    return st;
}

static bool keeps(const doc *x, double within) { return doc_number(x, "slower") <= within; }

/* The least memory, and there the first drives, that keep the epoch. */
static doc *answer_of(const doc *list, double within)
{
    struct choice c = choice_first(list, "drives", keeps, within);
    if (!c.inner) return doc_null();
    doc *d = doc_object();
    doc_put(d, "host_memory_bytes", copy_of(c.outer, "host_memory_bytes"));
    doc_put(d, "drives", copy_of(c.inner, "drives"));
    doc_put(d, "name", copy_of(c.inner, "name"));
    doc_put(d, "epoch_seconds", copy_of(c.inner, "epoch_seconds"));
    doc_put(d, "slower", copy_of(c.inner, "slower"));
    return d;
}

enum st storage_sizes(struct call *call, const struct kernels *k, struct storage_work *w, doc **out, struct err *err)
{
    const struct storage_args *a = call->args;
    doc *plan = doc_object();
    OWNED_DOC doc *d = doc_object(), *list = doc_array();
    double without = NAN;
    doc_put(d, "schema", doc_text("storage-sizes/1"));
    doc_put(plan, "path", doc_text(call->words[0]));
    doc_put(plan, "policy", doc_text(w->plan.policy));
    doc_put(plan, "server", doc_text(w->plan.server_name));
    doc_put(d, "plan", plan);
    doc_put(d, "graph", graph_document(&w->graph));
    doc_put(d, "needed_bytes", doc_integer((int64_t)memory_args_needed(&w->graph)));
    OWNED_NEW(struct sizes, s, 1, "lists of sizes");
    PASS(read_lists(a, w, s, err));
    PASS(storage_work_record(call, k, w, err));
    for (int m = 0; m < s->memories; m++) {
        w->result.host_bytes = s->memory[m];
        PASS(add_memory(call, k, s, w, list, &without, err));
    }
    doc_put(d, "all_in_dram_seconds", doc_real(without));
    doc_put(d, "within", doc_real(a->within));
    doc_put(d, "answer", answer_of(list, a->within));
    doc_put(d, "sizes", list);
    list = NULL;
    *out = TAKE(d);
    return ST_OK;
}

/* ---- for people ---- */

/* What comes nearest where nothing is good enough. */
static void nearest_print(const doc *list, FILE *to)
{
    struct choice c = choice_nearest(list, "drives", "slower", NULL);
    char memory[UNIT_TEXT], drives[96];
    if (!c.inner) return;
    terminal_print(to, "nearest: %s of host memory and %s, %.1f %% longer\n",
                   units_bytes(memory, (uint64_t)doc_integer_value(doc_get(c.outer, "host_memory_bytes"), 0)),
                   storage_drives(c.inner, drives, sizeof drives), 100 * doc_number(c.inner, "slower"));
}

static void answer_print(const doc *d, FILE *to)
{
    const doc *answer = doc_get(d, "answer");
    char memory[UNIT_TEXT], drives[96], took[2][UNIT_TEXT];
    double within = 100 * doc_number(d, "within"), without = doc_number(d, "all_in_dram_seconds");
    if (!isfinite(without)) {
        const doc *first = doc_at(doc_get(doc_at(doc_get(d, "sizes"), 0), "drives"), 0);
        terminal_print(to, "epochs have no times, so there is no answer: %s\n",
                       doc_is_number(doc_get(first, "drives")) ? "the server states too few rates ('hotset server "
                                                                 "show' names them); 'hotset server import FILE --like "
                                                                 "PROFILE' takes them from a machine like it"
                                                               : "give --ssd, what holds the rows that host memory "
                                                                 "does not");
    } else if (!doc_is_object(answer)) {
        terminal_print(to,
                       "none of these keeps an epoch within %.4g %% of %s, which it takes with everything in DRAM\n",
                       within, units_seconds(took[1], without));
        nearest_print(doc_get(d, "sizes"), to);
    } else {
        terminal_print(to,
                       "%s of host memory and %s: an epoch takes %s, %.1f %% longer than the %s with "
                       "everything in DRAM (at most %.4g %% was asked)\n",
                       units_bytes(memory, (uint64_t)doc_integer_value(doc_get(answer, "host_memory_bytes"), 0)),
                       storage_drives(answer, drives, sizeof drives),
                       units_seconds(took[0], doc_number(answer, "epoch_seconds")), 100 * doc_number(answer, "slower"),
                       units_seconds(took[1], without), within);
    }
}

void storage_sizes_print(const doc *d, FILE *to)
{
    columns_show(storage_sizes_columns, doc_get(d, "sizes"), "drives", to);
    terminal_print(to, "DRAM hits: of the feature rows that no GPU serves; slower: than with everything in DRAM\n\n");
    answer_print(d, to);
}
