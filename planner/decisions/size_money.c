#include "planner/decisions/size_money.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "planner/decisions/size.h"

static const char *const term_words[TERMS] = {"on-demand", "1y", "3y"}, *const term_names[TERMS] = {"list price",
                                                                                                    "price reserved "
                                                                                                    "for a year",
                                                                                                    "price reserved "
                                                                                                    "for three years"};

enum size_term size_term_of(const char *word)
{
    int t = TERMS - 1;
    while (t && (!word || strcmp(word, term_words[t]))) t--;
    return (enum size_term)t;
}

enum st size_data_open(const char *name, doc **out, struct err *err)
{
    const struct size_data_file *f = size_data_files;
    while (f->name && strcmp(f->name, name)) f++;
    return doc_parse(f->text, strlen(f->text), name, out, err);
}

/* ---- prices ---- */

enum { OWN, SHIPPED, LISTS, PRICE_MONTHS = 12 };

#define PRICE(k, t, text)                                                                                              \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, FIELD_TO(struct size_price_entry, per_hour[t]), .most = 1e6, .absent = NAN,      \
        .flags = FIELD_NULL, .unit = "per hour of the whole server", .help = text                                      \
    }
#define TEXT(T, k, m, text, ...)                                                                                       \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, FIELD_TO(T, m), .help = text, __VA_ARGS__                                        \
    }
static const struct field entry_fields[] =
    {TEXT(struct size_price_entry, "server", server, "Its name, without a number of GPUs.", .flags = FIELD_NEEDED),
     TEXT(struct size_price_entry, "region", region, "Where it stands.", .flags = 0),
     TEXT(struct size_price_entry, "date", date, "When this was its price.", .flags = FIELD_NEEDED),
     TEXT(struct size_price_entry, "source", source, "Who says so.", .flags = 0),
     {.key = "note", .kind = FIELD_TEXT, .help = "What else is to be said."},
     PRICE("on_demand", TERM_ON_DEMAND, "Without a contract."),
     PRICE("reserved_1y", TERM_1Y, "Reserved for a year."),
     PRICE("reserved_3y", TERM_3Y, "Reserved for three years."),
     {.key = "purchase",
      .kind = FIELD_REAL,
      FIELD_TO(struct size_price_entry, purchase),
      .most = 1e12,
      .absent = NAN,
      .flags = FIELD_NULL,
      .unit = "of the whole server",
      .help = "Of buying it (--buy)."},
     FIELDS_END};
static const char *const schema_words[] = {"prices/1", NULL};
const struct field size_price_fields[] = {FIELD_SCHEMA(schema_words),
                                          {.key = "note", .kind = FIELD_TEXT, .help = "What is to be said of all."},
                                          TEXT(struct size_price_list, "currency", currency,
                                               "USD, or the sign of another.", .flags = FIELD_NEEDED),
                                          {.key = "prices",
                                           .kind = FIELD_LIST,
                                           FIELD_EACH(struct size_price_list, of, count),
                                           .of = entry_fields,
                                           .flags = FIELD_NEEDED,
                                           .help = "A server each; the first that fits counts."},
                                          FIELDS_END};

enum st size_prices_open(const char *file, enum size_term term, double otherwise, struct size_prices *out,
                         struct err *err)
{
    OWNED_DOC doc *shipped = NULL, *own = NULL;
    out->term = term;
    out->otherwise = otherwise;
    PASS(size_data_open("prices", &shipped, err));
    out->list = mem_array(LISTS, sizeof *out->list, "prices", err);
    if (!out->list) return err->code;
    PASS(fields_read(size_price_fields, shipped, "prices", &out->list[SHIPPED], err));
    if (!file) return ST_OK;
    PASS(doc_load(file, "prices/1", &own, err));
    return fields_read(size_price_fields, own, file, &out->list[OWN], err);
}

void size_prices_release(struct size_prices *p)
{
    mem_free(p->list);
    p->list = NULL;
}

bool size_same_server(const char *name, const char *entry)
{
    size_t length = strcspn(name, ":");
    return strlen(entry) == length && !strncmp(name, entry, length);
}

/* Months since the year 0 of "2026-11" or "2026-11-09"; -1: no such date. */
static int months_of(const char *date)
{
    int year, month;
    return sscanf(date, "%4d-%2d", &year, &month) == 2 && month >= 1 && month <= 12 ? 12 * year + month : -1;
}

/* The newest date of all prices: that of the shipped list does not change from run to run, as today's would. */
static int newest_of(const struct size_prices *p)
{
    int newest = -1;
    for (int l = 0; l < LISTS; l++)
        for (int i = 0; i < p->list[l].count; i++) {
            int m = months_of(p->list[l].of[i].date);
            newest = m > newest ? m : newest;
        }
    return newest;
}

static bool price_in(const struct size_prices *prices, int which, const struct server *s, bool bought,
                     struct size_price *out)
{
    const struct size_price_list *list = &prices->list[which];
    const enum size_term term = prices->term;
    for (int i = 0; i < list->count; i++) {
        const struct size_price_entry *p = &list->of[i];
        const int months = months_of(p->date);
        const double price = bought ? p->purchase : p->per_hour[term];
        if (isnan(price) || !size_same_server(s->name, p->server)) continue;
        out->per_hour = price;
        snprintf(out->currency, sizeof out->currency, "%s", strcmp(list->currency, "USD") ? list->currency : "$");
        snprintf(out->source, sizeof out->source, "%s, as of %s, %s, %s", bought ? "price" : term_names[term], p->date,
                 *p->region ? p->region : "region not stated", *p->source ? p->source : "source not stated");
        out->given = "prices";
        if (months >= 0 && newest_of(prices) - months > PRICE_MONTHS)
            snprintf(out->doubt, sizeof out->doubt, "of %s, over a year older than the newest price", p->date);
        if (strstr(p->source, "unconfirmed"))
            text_append(out->doubt, sizeof out->doubt, "%sunconfirmed", *out->doubt ? ", " : "");
        return true;
    }
    return false;
}

struct size_price size_purchase_listed(const struct size_prices *p, const struct server *s)
{
    struct size_price out = {.per_hour = NAN};
    for (int l = 0; p->list && l < LISTS; l++)
        if (price_in(p, l, s, true, &out)) break;
    return out;
}

struct size_price size_price_of(const struct size_prices *p, const struct server *s)
{
    struct size_price out = {.per_hour = NAN};
    double own = doc_number(s->document, "price_per_hour");
    if (!p->list || price_in(p, OWN, s, false, &out)) return out;
    if (!isnan(own)) {
        out = (struct size_price){.per_hour = own, .given = "profile"};
        snprintf(out.source, sizeof out.source, "price_per_hour of the server's description");
        return out;
    }
    if (price_in(p, SHIPPED, s, false, &out) || isnan(p->otherwise)) return out;
    out = (struct size_price){.per_hour = p->otherwise, .given = "--price"};
    snprintf(out.source, sizeof out.source, "--price");
    return out;
}

/* ---- watts ---- */

static const doc *of_gpu(const doc *power, const char *model)
{
    const doc *list = doc_get(power, "gpus");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const char *name = doc_text_value(doc_get(doc_at(list, i), "model"), "?");
        if (!strncmp(model, name, strlen(name))) return doc_at(list, i);
    }
    return NULL;
}

static void host_watts(const doc *power, const struct server *s, struct size_watts *out, const char **source)
{
    const doc *list = doc_get(power, "hosts"), *other = doc_get(power, "other_hosts"),
              *socket = doc_get(other, "per_socket"), *gib = doc_get(other, "per_gib");
    for (uint64_t i = 0; i < doc_size(list); i++) {
        const doc *h = doc_at(list, i);
        if (!size_same_server(s->name, doc_text_value(doc_get(h, "server"), ""))) continue;
        out->host_busy = doc_number(h, "busy");
        out->host_idle = doc_number(h, "idle");
        *source = doc_text_value(doc_get(h, "source"), "?");
        return;
    }
    double sockets = s->sockets ? s->sockets : 1, memory = (double)s->host_memory_bytes / (1 << 30),
           more = 1 + doc_number(other, "share");
    out->host_busy = more * (sockets * doc_number(socket, "busy") + memory * doc_number(gib, "busy"));
    out->host_idle = more * (sockets * doc_number(socket, "idle") + memory * doc_number(gib, "idle"));
    *source = doc_text_value(doc_get(other, "source"), "?");
}

enum st size_watts_of(const struct server *s, double given, struct size_watts *out, struct err *err)
{
    OWNED_DOC doc *power = NULL;
    const char *host = "?", *gpu = "?";
    *out = (struct size_watts){0};
    PASS(size_data_open("power", &power, err));
    for (int i = 0; i < s->gpus; i++) {
        const doc *g = of_gpu(power, s->gpu[i].model);
        out->gpu_busy += doc_number(g, "busy");
        out->gpu_idle += doc_number(g, "idle");
        gpu = doc_text_value(doc_get(g, "source"), "?");
    }
    host_watts(power, s, out, &host);
    out->drive_busy = doc_number(doc_get(power, "drive"), "busy");
    out->drive_idle = doc_number(doc_get(power, "drive"), "idle");
    if (!isnan(given)) { /* of the whole server: the host's part is what the GPUs leave */
        double gpus = isnan(out->gpu_busy) ? 0.7 * given : fmin(out->gpu_busy, given);
        *out =
            (struct size_watts){gpus, 0.1 * gpus, given - gpus, 0.5 * (given - gpus), out->drive_busy, out->drive_idle,
                                ""};
        snprintf(out->source, sizeof out->source, "--power");
    } else if (!isnan(out->gpu_busy)) {
        snprintf(out->source, sizeof out->source, "%s %s; host: %.180s", s->gpu[0].model, gpu, host);
    }
    return ST_OK;
}

doc *size_watts_document(const struct size_watts *w)
{
    if (isnan(w->gpu_busy)) return doc_null();
    return DOC(IS("gpus_busy", w->gpu_busy), IS("gpus_idle", w->gpu_idle), IS("host_busy", w->host_busy),
               IS("host_idle", w->host_idle), IS("source", w->source));
}

double size_point_watts(const struct size_curve *c, const struct size_point *p)
{
    double longest = 0, busy = p->stage[STAGE_SAMPLE] + p->stage[STAGE_PROPAGATE];
    for (int i = 0; i < EPOCH_STAGES; i++) longest = fmax(longest, p->stage[i]);
    double share = longest > 0 ? fmin(1, busy / longest) : 0;
    const struct size_watts *w = &c->watts;
    return w->gpu_idle + share * (w->gpu_busy - w->gpu_idle) + w->host_busy;
}
