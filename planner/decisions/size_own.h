/* size_own.h - what an hour of a server costs that is bought: its price spread over the hours of some years, and the
 * electricity of the busy server. All hours count, so a server that stands idle costs more per hour of training; beside
 * it stands what renting costs, and from which share of the hours on owning is cheaper.
 */
#ifndef PLANNER_DECISIONS_SIZE_OWN_H
#define PLANNER_DECISIONS_SIZE_OWN_H

#include "planner/decisions/size_money.h"

enum { SIZE_BOUGHT_MAX = 32 };
/* What --buy says. */
struct size_buy {
    bool given, listed; /* listed: by the servers' files and prices/1 alone */
    double all;         /* of a server that is not named; NaN: none */
    int count;
    struct {
        const char *server; /* of text */
        double price;
    } of[SIZE_BOUGHT_MAX];
    double years, per_kwh; /* per_kwh: NaN: electricity is left out */
    char text[1024];
};
/* buy: "list", "250000" or "dgx-h100=250000,siton=40000"; NULL: nothing is bought. electricity: NULL: left out. *out is
 * not moved afterwards. ST_USAGE. */
enum st size_buy_read(const char *buy, double years, const char *electricity, struct size_buy *out, struct err *err)
    MUST_USE;

struct size_owned {
    double purchase, per_hour, electricity; /* of the whole server; per hour, electricity in it; NaN: not bought */
    double rent;                            /* per hour; NaN: no price */
    double cheaper_from;                    /* share of the hours; above 1: never; NaN: not known */
    char rent_source[200];
};
/* What the server s costs that is bought; *price, of renting before, becomes that of owning. Without a purchase price
 * it stays, and purchase is NaN. */
struct size_owned size_owned_of(const struct size_buy *b, const struct size_prices *p, const struct server *s,
                                const struct size_watts *watts, struct size_price *price);
/* {purchase, per_hour, electricity_per_hour, years, rent_per_hour, rent_text, cheaper_from_share}; null where it is not
 * bought. The caller frees it. */
doc *size_owned_document(const struct size_buy *b, const struct size_owned *o);

#endif
