#include "planner/decisions/size_print.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "planner/decisions/size_notes.h"
#include "planner/decisions/size_sentence.h"
#include "base/columns.h"

static void add_number(struct table *t, enum size_metric m, const char *currency, double v)
{
    char text[UNIT_TEXT];
    if (m == SIZE_SECONDS || m == SIZE_TRAINING) table_add_seconds(t, v);
    else if (m == SIZE_COST || m == SIZE_ENERGY)
        table_add(t, "%s", size_range_text(m, currency, (struct size_range){v, v, v}, text));
    else table_add(t, "%s", size_value_text(m, v, text));
}

/* Bytes of a member; "-" where it is null. */
static void add_bytes(struct table *t, const doc *of, const char *key)
{
    table_add_bytes(t, doc_is_null(doc_get(of, key)) ? NAN : (double)doc_count(of, key));
}

static const char *price_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const double price = doc_number(r->row, "price_per_hour");
    const char *source = doc_text_value(doc_get(r->row, "price_source"), "");
    if (isnan(price)) return "not stated";
    snprintf(out, COLUMN_TEXT, "%s%.2f%s", doc_text_value(doc_get(r->row, "currency"), ""), price,
             !strcmp(source, "--price") ? " (--price)"
             : !strcmp(source, "--buy") ? " (bought)"
                                        : "");
    return out;
}

/* What training lacks; that a cache far below the GPU's memory is no limit of it. */
static const char *most_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    char text[UNIT_TEXT];
    const bool all = doc_bool_value(doc_get(r->row, "limit_holds_all"), false);
    if (all) snprintf(out, COLUMN_TEXT, "%s (whole graph)", units_bytes(text, doc_count(r->row, "limit_bytes")));
    if (!doc_count(r->row, "missing_bytes")) return all ? out : NULL;
    snprintf(out, COLUMN_TEXT, "%s missing", units_bytes(text, doc_count(r->row, "missing_bytes")));
    return out;
}

static const char *unsure_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return doc_bool_value(doc_get(r->row, "unsure"), false) ? "not known" : NULL;
}

static const struct column curves_columns[] = {COLUMN("what", "label", CELL_TEXT),
                                               COLUMN("price/h", NULL, CELL_FORM, .text = price_text),
                                               COLUMN("memory", "memory_bytes", CELL_BYTES),
                                               COLUMN("reserved", "reservation.total_bytes", CELL_BYTES),
                                               COLUMN("most cache", "limit_bytes", CELL_BYTES, .text = most_text),
                                               COLUMN("needs cache", "answer_budget_bytes", CELL_BYTES,
                                                      .text = unsure_text),
                                               COLUMN("of the GPU", "answer_gpu_bytes", CELL_BYTES),
                                               COLUMN("knee", "knee_budget_bytes", CELL_BYTES),
                                               {0}};

/* Whether the points of a curve have epoch times. */
static bool curve_timed(const doc *of, uint64_t curve)
{
    const doc *list = doc_get(of, "candidates");
    for (uint64_t i = 0; i < doc_size(list); i++)
        if (doc_number(doc_at(list, i), "curve") == (double)curve && !isnan(doc_number(doc_at(list, i), "epoch_"
                                                                                                        "seconds")))
            return true;
    return false;
}

/* Servers whose times are not known, and why. */
static void unknown_print(const doc *of, FILE *to)
{
    const doc *curves = doc_get(of, "curves");
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i), *unknown = doc_get(c, "unknown");
        char lacks[600] = "", lacking[SIZE_LACKING];
        for (uint64_t k = 0; k < doc_size(unknown); k++)
            text_append(lacks, sizeof lacks, "%s %s", k ? "," : "",
                        size_lacking_text(doc_text_value(doc_at(unknown, k), "?"), lacking));
        if (!*lacks) continue;
        bool timed = curve_timed(of, i);
        terminal_print(to, "%s: epoch times%s are not known, because the server's description lacks%s\n",
                       doc_text_value(doc_get(c, "label"), "?"), timed ? " of some caches" : "", lacks);
    }
}

/* What a point is to the question. */
static const char *point_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const double answer = doc_real_value(doc_path(r->of, "answer.candidate"), -1),
                 knee = doc_real_value(doc_path(r->of, "knee.candidate"), -1), at = (double)r->group;
    (void)out;
    if (at == answer || at == knee) return at == answer ? "least to meet" : "knee";
    return doc_bool_value(doc_get(r->row, "meets"), false) && answer >= 0 ? "meets" : "";
}

static const char *bottleneck_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    if (doc_is_null(doc_get(r->row, "bottleneck"))) return NULL;
    snprintf(out, COLUMN_TEXT, "%s: %s", doc_text_value(doc_get(r->row, "bottleneck"), "?"),
             doc_text_value(doc_get(r->row, "limited_by"), "?"));
    return out;
}

static bool other_curve(const struct column_row *r)
{
    return doc_number(r->row, "curve") != doc_number(r->of, "shown");
}

/* Of the curve that is shown. */
static const char *currency_of(const doc *of)
{
    const doc *curves = doc_get(of, "curves");
    const uint64_t shown = (uint64_t)doc_real_value(doc_get(of, "shown"), 0);
    return doc_text_value(doc_get(doc_at(curves, shown), "currency"), "");
}

static const char *money_text(const struct column_row *r, char out[COLUMN_TEXT])
{
    const double cost = doc_number(r->row, "cost_per_epoch");
    char text[UNIT_TEXT];
    if (isnan(cost)) return NULL;
    snprintf(out, COLUMN_TEXT, "%s",
             size_range_text(SIZE_COST, currency_of(r->of), (struct size_range){cost, cost, cost}, text));
    return out;
}

/* The points of the curve that is shown. */
static const struct column points_columns[] = {COLUMN("", NULL, CELL_TEXT, .text = point_text),
                                               COLUMN("cache/GPU", "budget_bytes", CELL_BYTES),
                                               COLUMN("feat. hits", "feature_hit_rate", CELL_PERCENT),
                                               COLUMN("topo. hits", "topology_hit_rate", CELL_PERCENT),
                                               COLUMN("transactions", "transactions", CELL_COUNT),
                                               COLUMN("epoch", "epoch_seconds", CELL_SECONDS),
                                               COLUMN("cost/epoch", "cost_per_epoch", CELL_NUMBER, .text = money_text),
                                               COLUMN("bottleneck", NULL, CELL_TEXT, .text = bottleneck_text),
                                               {0}};

static void next_print(const doc *of, FILE *to)
{
    const doc *n = doc_get(of, "next_gigabyte"), *k = doc_get(of, "knee");
    char a[UNIT_TEXT], b[UNIT_TEXT], c[UNIT_TEXT], less[UNIT_TEXT + 20] = "";
    double saved = -doc_number(n, "epoch_seconds"), fewer = -doc_number(n, "transactions");
    if (doc_is_object(k))
        terminal_print(to, "knee: %s per GPU (%s)\n", units_bytes(a, doc_count(k, "budget_bytes")),
                       doc_text_value(doc_get(k, "rule"), "?"));
    if (!doc_is_object(n)) return;
    if (!isnan(saved)) snprintf(less, sizeof less, ", %s less time", size_seconds_text(saved > 0 ? saved : 0, c));
    terminal_print(to,
                   "another %s per GPU on top of %s: %+.2f points of feature hit rate, %s fewer transactions per "
                   "epoch%s\n",
                   units_bytes(a, doc_count(n, "more_bytes")), units_bytes(b, doc_count(n, "from_budget_bytes")),
                   100 * doc_real_value(doc_get(n, "feature_hit_rate"), 0),
                   units_count(c, fewer > 0 ? (uint64_t)fewer : 0), less);
}

static void range_print(const doc *u, enum size_metric m, const char *currency, FILE *to)
{
    const doc *range = doc_get(u, size_metric_key(m));
    double low = doc_real_value(doc_at(range, 0), NAN), high = doc_real_value(doc_at(range, 1), NAN);
    char a[UNIT_TEXT], b[UNIT_TEXT];
    if (!isnan(low))
        terminal_print(to, "  %s %s%s to %s\n", size_metric_name(m), m == SIZE_COST ? currency : "",
                       size_value_text(m, low, a), size_value_text(m, high, b));
}

static void uncertainty_print(const doc *of, FILE *to)
{
    const doc *u = doc_get(of, "uncertainty"), *need = doc_get(u, "answer_budget_bytes");
    char a[UNIT_TEXT], b[UNIT_TEXT];
    if (!doc_is_object(doc_get(of, "stand_in"))) return;
    terminal_print(to, "\nthe graph is a stand-in: %s\n", doc_text_value(doc_get(doc_get(of, "stand_in"), "note"), ""));
    if (!doc_is_object(u)) return;
    terminal_print(to, "over %llu stand-ins (other seeds and sizes), at %s per GPU:\n",
                   (unsigned long long)doc_size(doc_get(u, "stand_ins")), units_bytes(a, doc_count(u, "budget_bytes")));
    for (int m = 0; m <= SIZE_COST; m++) range_print(u, (enum size_metric)m, currency_of(of), to);
    if (!doc_is_null(doc_at(need, 0)))
        terminal_print(to, "  cache that meets the targets: %s to %s per GPU%s\n",
                       units_bytes(a, (uint64_t)doc_real_value(doc_at(need, 0), 0)),
                       units_bytes(b, (uint64_t)doc_real_value(doc_at(need, 1), 0)),
                       doc_bool_value(doc_get(u, "all_meet"), true) ? "" : "; on some stand-ins nothing meets them");
}

/* One row per value of y, one column per value of x. */
static void map_table_print(const doc *map, enum size_metric m, const char *currency, FILE *to)
{
    enum { MAP_MOST = 128 };
    char names[MAP_MOST][64];
    const char *headers[MAP_MOST + 2];
    const doc *x = doc_get(map, "x"), *y = doc_get(map, "y"), *columns = doc_get(x, "labels"),
              *rows = doc_get(y, "labels"), *values = doc_get(map, "values");
    uint64_t count = doc_size(columns) < MAP_MOST ? doc_size(columns) : MAP_MOST;
    headers[0] = doc_text_value(doc_get(y, "quantity"), "?");
    for (uint64_t k = 0; k < count; k++) {
        snprintf(names[k], sizeof names[k], ">%.60s", doc_text_value(doc_at(columns, k), "?"));
        headers[k + 1] = names[k];
    }
    headers[count + 1] = NULL;
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(rows); i++) {
        table_add(t, "%s", doc_text_value(doc_at(rows, i), "?"));
        for (uint64_t k = 0; k < count; k++)
            add_number(t, m, currency, doc_real_value(doc_at(doc_at(values, i), k), NAN));
    }
    table_show(t, to);
}

static void map_print(const doc *of, FILE *to)
{
    const doc *map = doc_get(of, "vary");
    const char *metric = doc_text_value(doc_get(map, "metric"), "");
    int m = 0;
    if (!doc_is_object(map)) return;
    while (m + 1 < SIZE_METRICS && strcmp(metric, size_metric_key((enum size_metric)m))) m++;
    terminal_print(to, "\n%s by %s (down) and %s (across), at %s:\n", size_metric_name((enum size_metric)m),
                   doc_text_value(doc_get(doc_get(map, "y"), "quantity"), "?"),
                   doc_text_value(doc_get(doc_get(map, "x"), "quantity"), "?"),
                   doc_text_value(doc_get(map, "at"), "?"));
    map_table_print(map, (enum size_metric)m, currency_of(of), to);
}

/* ---- the decision ---- */

static struct size_range range_of(const doc *of, const char *key, double factor)
{
    char name[60];
    snprintf(name, sizeof name, "%s_interval", key);
    const doc *range = doc_get(of, name);
    return (struct size_range){factor * doc_number(of, key), factor * doc_real_value(doc_at(range, 0), NAN),
                               factor * doc_real_value(doc_at(range, 1), NAN)};
}

static void add_range(struct table *t, enum size_metric m, const char *currency, struct size_range v)
{
    char text[UNIT_TEXT], range[2 * UNIT_TEXT];
    if (isnan(v.mid)) table_add(t, "-");
    else if (v.low < v.mid || v.high > v.mid)
        table_add(t, "%s (%s)", size_range_text(m, currency, v, text), size_interval_text(m, currency, v, range));
    else table_add(t, "%s", size_range_text(m, currency, v, text));
}

static bool listed(const doc *option) { return doc_bool_value(doc_get(option, "listed"), true); }

/* What an option meets; NULL: there is no target. */
static const char *verdict_of(const doc *o)
{
    return doc_text_value(doc_get(o, "verdicts"), doc_text_value(doc_get(o, "verdict"), NULL));
}

/* The columns, but for those that nobody asked for: of the whole training, and of verdicts. */
static void options_headers(bool whole, bool judged, const char *out[10])
{
    static const char *const all[] = {"what",   ">cache/GPU", ">hits",    ">epoch", ">training",
                                      ">money", ">energy",    "bound by", "verdict"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((whole || strcmp(all[i], ">training")) && (judged || strcmp(all[i], "verdict"))) *out++ = all[i];
    *out = NULL;
}

static void options_print(const doc *of, FILE *to)
{
    const doc *list = doc_get(of, "options"), *curves = doc_get(of, "curves");
    bool whole = doc_bool_value(doc_path(of, "run.told"), false), front = false, judged = false;
    const char *headers[10];
    char hits[UNIT_TEXT];
    int unlisted = 0;
    for (uint64_t i = 0; i < doc_size(list); i++) judged |= verdict_of(doc_at(list, i)) != NULL;
    options_headers(whole, judged, headers);
    struct table *t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *o = doc_at(list, i), *c = doc_at(curves, (uint64_t)doc_integer_value(doc_get(o, "curve"), 0));
        const char *currency = doc_text_value(doc_get(c, "currency"), "");
        if (!listed(o) || !doc_bool_value(doc_get(o, "fits"), false)) continue;
        bool on = doc_bool_value(doc_get(o, "front"), false);
        front |= on;
        table_add(t, "%lld x %s%s", (long long)doc_integer_value(doc_get(o, "servers"), 1),
                  doc_text_value(doc_get(o, "label"), "?"), on ? " *" : "");
        add_bytes(t, o, "budget_bytes");
        table_add(t, "%s", size_value_text(SIZE_FEATURE_HIT, doc_number(o, "feature_hit_rate"), hits));
        add_range(t, SIZE_SECONDS, "", range_of(o, "epoch_seconds", 1));
        if (whole) add_range(t, SIZE_TRAINING, "", range_of(o, "training_seconds", 1));
        if (doc_is_null(doc_get(c, "price_per_hour"))) table_add(t, "no price");
        else add_range(t, SIZE_COST, currency, range_of(o, "cost", 1));
        add_range(t, SIZE_ENERGY, "", range_of(o, "energy_kwh", 1));
        const char *lacks = doc_text_value(doc_get(o, "lacks"), NULL);
        table_add(t, "%s", lacks ? lacks : doc_text_value(doc_get(o, "binds"), "-"));
        if (judged) table_add(t, "%s", verdict_of(o) ? verdict_of(o) : "-");
    }
    table_keep(t, whole ? "verdict,training,money" : "verdict,epoch,money");
    table_show(t, to);
    if (front) terminal_print(to, "*: no other one is better in time, money and energy\n");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *o = doc_at(list, i);
        unlisted += !listed(o);
        if (!listed(o) || doc_bool_value(doc_get(o, "fits"), false)) continue;
        terminal_print(to, "%lld x %s: refused, %s; what would make it fit: %s\n",
                       (long long)doc_integer_value(doc_get(o, "servers"), 1), doc_text_value(doc_get(o, "label"), "?"),
                       doc_text_value(doc_get(o, "lacks"), "?"), doc_text_value(doc_get(o, "remedy"), "?"));
    }
    if (unlisted)
        terminal_print(to, "%d more option%s, with other numbers of the same servers: see the document (--json)\n",
                       unlisted, unlisted > 1 ? "s" : "");
}

static const doc *option_at(const doc *of, const doc *number)
{
    return doc_is_null(number) ? NULL : doc_at(doc_get(of, "options"), (uint64_t)doc_integer_value(number, 0));
}

/* The answer of every future, and where servers stop, where there are several futures. */
static void growth_print(const doc *decision, FILE *to)
{
    static const char *const lists[] = {"futures", "stops"};
    if (doc_size(doc_get(decision, "futures"))) terminal_print(to, "futures (--grow; the answer is of the largest):\n");
    for (int k = 0; k < 2; k++) {
        const doc *list = doc_get(decision, lists[k]);
        for (uint64_t i = 0; i < doc_size(list); i++)
            terminal_print(to, "  - %s\n", doc_text_value(doc_get(doc_at(list, i), "line"), ""));
    }
}

/* What one should know before signing, in front of the tables, where it leaves the last screen to the answer.
 * explain: also what the words mean. Returns how many there are. */
static int notes_print(const doc *of, bool explain, FILE *to)
{
    const doc *notes = doc_path(of, "decision.notes");
    int said = 0;
    for (uint64_t i = 0; i < doc_size(notes); i++) {
        const char *note = doc_text_value(doc_at(notes, i), "");
        if (!explain && !size_note_matters(note)) continue;
        terminal_print(to, "%s\n", note);
        said++;
    }
    return said;
}

/* The answer in one line, why, the next best, what would change it, and the command that writes the plan. explain:
 * every reason whole, else up to where its details begin. */
static void decision_print(const doc *of, bool explain, FILE *to)
{
    const doc *d = doc_get(of, "decision"), *reasons = doc_get(d, "reasons"), *best = doc_get(d, "best"),
              *chosen = option_at(of, doc_get(d, "option")), *next = option_at(of, doc_get(d, "runner_up"));
    const char *holds = doc_text_value(doc_path(d, "holds.sentence"), NULL);
    const bool money = !strcmp(doc_text_value(doc_get(d, "objective"), ""), "money");
    growth_print(d, to);
    terminal_say(to, TERMINAL_BOLD, "%s\n", doc_text_value(doc_get(d, "line"), ""));
    for (uint64_t i = 0; i < doc_size(reasons); i++) {
        const char *reason = doc_text_value(doc_at(reasons, i), ""), *details = strstr(reason, "; ");
        terminal_print(to, "  - %.*s\n", (int)(details && !explain ? details - reason : (long)strlen(reason)), reason);
    }
    if (next)
        terminal_print(to, "runner-up by %s: %s\n", doc_text_value(doc_get(d, "objective"), "?"),
                       doc_text_value(doc_get(next, "line"), "?"));
    for (const char *key = doc_next_key(best, NULL); key; key = doc_next_key(best, key)) {
        const doc *other = option_at(of, doc_get(best, key));
        char energy[UNIT_TEXT] = "";
        if (!strcmp(key, "energy") && other) size_range_text(SIZE_ENERGY, "", range_of(other, "energy_kwh", 1), energy);
        const bool unranked = money && !strcmp(key, "time") && isnan(doc_number(other, "cost"));
        if (other && other != chosen)
            terminal_print(to, "best by %s: %s%s%s%s\n", key, doc_text_value(doc_get(other, "line"), "?"),
                           *energy ? ", " : "", energy,
                           unranked ? "; money ranks it once its price is stated: --price PER_HOUR (0: you own it), "
                                      "--prices FILE or --buy PRICE"
                                    : "");
    }
    if (holds) terminal_print(to, "does the choice hold? %s\n", holds);
    if (chosen) terminal_command(to, "the plan: ", "%s", doc_text_value(doc_get(chosen, "command"), "?"));
    if (!explain) terminal_print(to, "--explain adds the caches that were tried, GPU memory, where numbers are from\n");
}

/* Where prices and watts come from. */
static void sources_print(const doc *of, FILE *to)
{
    const doc *curves = doc_get(of, "curves");
    const char *before = "";
    for (uint64_t i = 0; i < doc_size(curves); i++) {
        const doc *c = doc_at(curves, i);
        const char *server = doc_text_value(doc_get(c, "server"), "?"),
                   *watts = doc_text_value(doc_get(doc_get(c, "watts"), "source"), NULL);
        if (!strcmp(server, before)) continue;
        before = server;
        terminal_print(to, "%s: %s; watts: %s\n", server, doc_text_value(doc_get(c, "price_text"), "no price"),
                       watts ? watts : "not known (--power)");
    }
}

static void heading(const char *text, const char *of, FILE *to) { terminal_say(to, TERMINAL_BOLD, "%s%s\n", text, of); }

static void title(const char *text, const char *of, FILE *to)
{
    fputc('\n', to);
    heading(text, of, to);
}

/* How to read the tables, and what the numbers rest on. */
static void provenance_print(const doc *of, FILE *to)
{
    title("where the numbers are from", "", to);
    sources_print(of, to);
    const char *by = doc_text_value(doc_get(of, "rows_by"), "");
    bool timed = !strcmp(by, "epoch") || !strcmp(by, "time");
    terminal_print(to,
                   "which rows a cache of one size holds follows from %s; of the sizes, the smallest is taken whose "
                   "epoch is within 1 %% of the shortest%s\n",
                   timed ? "the seconds of an epoch (--objective epoch)" : "transactions, not from seconds",
                   timed ? "" : ". Another split of the same bytes may be faster: --objective epoch looks for it");
    terminal_print(to, "hits: shares of feature rows and of topology visits served by the GPU itself or a peer; "
                       "transactions: PCIe reads per epoch; all simulated on held-out epochs\n"
                       "epoch: modelled from the server's constants; its 90 %% interval is how far such predictions "
                       "were off in the cases of hotset lab validate\n"
                       "if an epoch takes longer than with less memory, use the plan for less memory "
                       "(best_epoch_seconds in the document)\n");
    if (!doc_bool_value(doc_get(of, "exact"), true))
        terminal_print(to, "assignments are tried with some of the rows, at some sizes, and taken for those between; "
                           "copies are searched for among some of the rows: seconds move by less than 1 %%, "
                           "transactions by less than 1 %% of those with nothing cached; --exact searches at every "
                           "size\n");
    const double share = doc_real_value(doc_get(of, "rows_share"), 1);
    if (share < 1)
        terminal_print(to,
                       "one row in %.0f is placed and simulated, and stands for the others; the intervals of "
                       "transactions say how far that may be off\n",
                       1 / share);
}

/* What the answer was found from: caches, memory, maps, sources. */
static void details_print(const doc *of, FILE *to)
{
    const doc *shown = doc_get(of, "shown"), *curves = doc_get(of, "curves"),
              *curve = doc_is_null(shown) ? NULL : doc_at(curves, (uint64_t)doc_integer_value(shown, 0));
    title("memory of a GPU, by server", "", to);
    columns_print(&(struct column_table){.columns = curves_columns, .rows = curves, .keep = "needs,most cache"}, to);
    if (curve) {
        title("caches that were simulated: one ", doc_text_value(doc_get(curve, "label"), "?"), to);
        columns_print(&(struct column_table){.columns = points_columns,
                                             .rows = doc_get(of, "candidates"),
                                             .of = of,
                                             .skip = other_curve,
                                             .keep = "cache/GPU,feat. hits,epoch"},
                      to);
    }
    next_print(of, to);
    uncertainty_print(of, to);
    provenance_print(of, to);
}

void size_print(const doc *of, bool explain, FILE *to)
{
    const doc *like = doc_get(of, "stand_in");
    const char *warning = doc_text_value(doc_get(like, "warning"), NULL);
    if (warning) terminal_print(to, "%s\n%s\n", doc_text_value(doc_get(like, "facts"), ""), warning);
    if (explain) details_print(of, to);
    map_print(of, to);
    if (explain) fputc('\n', to);
    const bool first = !notes_print(of, explain, to) && !warning && !explain && !doc_is_object(doc_get(of, "vary"));
    if (!first) fputc('\n', to);
    const bool whole = doc_bool_value(doc_path(of, "run.told"), false);
    char what[160];
    snprintf(what, sizeof what, "what can be bought (90 %% intervals; money and energy of %s)",
             whole ? "the whole training" : "one epoch; --training-epochs N: of N");
    heading(what, "", to);
    options_print(of, to);
    unknown_print(of, to);
    fputc('\n', to);
    decision_print(of, explain, to);
}

void size_say_curve(const struct call *call, const struct size_curve *c, bool explain)
{
    char have[UNIT_TEXT], lack[BYTES_TEXT];
    double batch = (double)c->of.batch / c->factor;
    if (c->missing)
        call_say(call, "%s does not fit: the smallest GPU has %s; %s are missing even without a cache", c->label,
                 units_bytes(have, c->memory), units_bytes_exact(lack, c->missing));
    if (batch < 4)
        call_say(call, "warning: %s: a mini-batch of the scaled graph has only %.2g training vertices; take %s",
                 c->label, batch, c->of.grow > 1 ? "a larger --batch, or less --grow" : "a larger --scale");
    if (!explain) return;
    call_say(call, "%s:", c->label);
    options_say_reservation(call, &c->reservation, true);
}
