#include "planner/decisions/size_own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

static const double HOURS_OF_A_YEAR = 8760;

static enum st read_price(const char *text, double *out, struct err *err)
{
    PASS(units_real(text, "--buy", out, err));
    if (*out >= 0 && *out <= 1e12) return ST_OK;
    return err_set(err, ST_USAGE, "--buy: %g is no price of a server", *out);
}

static enum st read_list(struct size_buy *b, struct err *err)
{
    char *part[SIZE_BOUGHT_MAX];
    const int n = text_split(b->text, ',', part, SIZE_BOUGHT_MAX);
    if (n < 0) return err_set(err, ST_USAGE, "--buy: more than %d prices", SIZE_BOUGHT_MAX);
    for (int i = 0; i < n; i++) {
        char *is = strrchr(part[i], '=');
        if (!is) {
            PASS(read_price(part[i], &b->all, err));
            continue;
        }
        *is = '\0';
        b->of[b->count].server = part[i];
        PASS(read_price(is + 1, &b->of[b->count++].price, err));
    }
    return ST_OK;
}

enum st size_buy_read(const char *buy, double years, const char *electricity, struct size_buy *out, struct err *err)
{
    *out = (struct size_buy){.given = buy, .all = NAN, .years = years, .per_kwh = NAN};
    if (!buy) return ST_OK;
    if (!(years >= 0.1 && years <= 100))
        return err_set(err, ST_USAGE, "--years: %g is out of range; expected 0.1 to 100", years);
    if (electricity) PASS(units_real(electricity, "--electricity", &out->per_kwh, err));
    if (electricity && !(out->per_kwh >= 0 && out->per_kwh <= 1e6))
        return err_set(err, ST_USAGE, "--electricity: %g is no price of a kWh", out->per_kwh);
    if (strlen(buy) >= sizeof out->text) return err_set(err, ST_USAGE, "--buy: the list is too long");
    strcpy(out->text, buy);
    out->listed = !strcmp(buy, "list");
    return out->listed ? ST_OK : read_list(out, err);
}

/* Its purchase price, and who says so. */
static double purchase_of(const struct size_buy *b, const struct size_prices *p, const struct server *s,
                          struct size_price *from)
{
    const double own = doc_number(s->document, "purchase_price");
    for (int i = 0; i < b->count; i++)
        if (size_same_server(s->name, b->of[i].server)) return b->of[i].price;
    if (!isnan(b->all)) return b->all;
    *from = size_purchase_listed(p, s);
    if (!isnan(from->per_hour)) return from->per_hour;
    snprintf(from->source, sizeof from->source, "purchase_price of the server's description");
    return own;
}

struct size_owned size_owned_of(const struct size_buy *b, const struct size_prices *p, const struct server *s,
                                const struct size_watts *watts, struct size_price *price)
{
    struct size_owned o = {.rent = price->per_hour};
    struct size_price from = {.source = "--buy"};
    char text[sizeof price->source] = "";
    const double kilowatts = (watts->gpu_busy + watts->host_busy) / 1000;
    o.purchase = b->given ? purchase_of(b, p, s, &from) : NAN;
    o.electricity = isnan(b->per_kwh) ? 0 : kilowatts * b->per_kwh;
    o.per_hour = o.purchase / (b->years * HOURS_OF_A_YEAR) + o.electricity;
    o.cheaper_from = o.rent > o.electricity ? (o.per_hour - o.electricity) / (o.rent - o.electricity) : NAN;
    snprintf(o.rent_source, sizeof o.rent_source, "%s", price->source);
    if (isnan(o.per_hour)) {
        o.purchase = NAN;
        return o;
    }
    text_append(text, sizeof text, "bought for %s%.9g (%.90s), over %g years of all hours", price->currency, o.purchase,
                from.source, b->years);
    if (isnan(b->per_kwh)) text_append(text, sizeof text, ", without electricity (--electricity)");
    else text_append(text, sizeof text, ", %.3g kW at %g per kWh", kilowatts, b->per_kwh);
    memcpy(price->source, text, sizeof price->source);
    snprintf(price->doubt, sizeof price->doubt, "%s", from.doubt);
    if (*from.currency) snprintf(price->currency, sizeof price->currency, "%s", from.currency);
    price->per_hour = o.per_hour;
    price->given = "--buy";
    return o;
}

doc *size_owned_document(const struct size_buy *b, const struct size_owned *o)
{
    if (isnan(o->purchase)) return doc_null();
    return DOC(IS("purchase", o->purchase), IS("per_hour", o->per_hour), IS("electricity_per_hour", o->electricity),
               IS("years", b->years), IS("rent_per_hour", o->rent),
               IS("rent_text", *o->rent_source ? o->rent_source : NULL), IS("cheaper_from_share", o->cheaper_from));
}
