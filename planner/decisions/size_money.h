/* size_money.h - what a server costs per hour and how many watts it draws: data, with their sources.
 *
 * prices/1: {schema, currency, note, prices[]{server, region, date, source, on_demand, reserved_1y, reserved_3y,
 * purchase}}, per hour of the whole server, or of buying it; null: not known. Shipped ones are in
 * planner/decisions/data/prices.json; a file of one's own
 * (--prices) goes before them, and its entries may leave out what is not known. A server's own description
 * (price_per_hour) goes before both, --price stands for servers that have none.
 * power/1: planner/decisions/data/power.json. A GPU draws its idle watts and, in the share of the time that it samples
 * and computes, up to its busy ones; a host's busy watts count while rows are moved. That is an estimate: the energy's
 * interval reaches from all parts idle to all busy but the GPUs' computing.
 */
#ifndef PLANNER_DECISIONS_SIZE_MONEY_H
#define PLANNER_DECISIONS_SIZE_MONEY_H

#include "base/fields.h"
#include "hwprofiles/model/server.h"

/* The files of planner/decisions/data as texts; ended by one without a name. Written by the Makefile. */
struct size_data_file {
    const char *name, *text;
};
extern const struct size_data_file size_data_files[];

/* The file of that name, parsed. ST_INPUT where it is not valid. */
enum st size_data_open(const char *name, doc **out, struct err *err) MUST_USE;

enum size_term { TERM_ON_DEMAND, TERM_1Y, TERM_3Y, TERMS };
#define SIZE_TERM_WORDS "on-demand|1y|3y"
enum size_term size_term_of(const char *word); /* TERM_ON_DEMAND for NULL */

/* One server of prices/1; "": not stated, NaN: not known. */
struct size_price_entry {
    char server[64], region[64], date[32], source[200];
    double per_hour[TERMS], purchase;
};
enum { SIZE_PRICES_MOST = 512 };
struct size_price_list {
    char currency[12];
    int count;
    struct size_price_entry of[SIZE_PRICES_MOST];
};
extern const struct field size_price_fields[]; /* of a size_price_list (base/fields.h) */

struct size_prices {
    struct size_price_list *list; /* [2] owned: a file of one's own, empty without one, and what is shipped */
    enum size_term term;
    double otherwise; /* of servers without a price; NaN: none */
};
/* file: NULL or prices/1. Release *out, zeroed before, with size_prices_release. ST_INPUT names file and entry. */
enum st size_prices_open(const char *file, enum size_term term, double otherwise, struct size_prices *out,
                         struct err *err) MUST_USE;
void size_prices_release(struct size_prices *p);

struct size_price {
    double per_hour;   /* NaN: no price */
    char currency[12]; /* "$" for USD; "" where the server's own description states a bare number */
    char source[200];  /* "list price, as of 2024-01, us-east-1, ..": "" without a price */
    char doubt[100];   /* "of 2024-01, over a year older than the newest price, unconfirmed"; "" */
    const char *given; /* "profile", "--price", "prices", NULL */
};
struct size_price size_price_of(const struct size_prices *p, const struct server *s);

/* What prices/1 says of buying it, in per_hour; NaN: nothing. */
struct size_price size_purchase_listed(const struct size_prices *p, const struct server *s);
/* "p3.16xlarge" of "p3.16xlarge:4", too: a part of a server costs all of it. */
bool size_same_server(const char *name, const char *entry);

struct size_watts {
    double gpu_busy, gpu_idle;     /* of all GPUs */
    double host_busy, host_idle;   /* of the host */
    double drive_busy, drive_idle; /* of one SSD */
    char source[300];              /* "" when a GPU's is not known: then all NaN */
};
/* given: watts of the whole busy server (--power), NaN: from the data. */
enum st size_watts_of(const struct server *s, double given, struct size_watts *out, struct err *err) MUST_USE;
/* {gpus_busy, gpus_idle, host_busy, host_idle, source}; null where they are not known. The caller frees it. */
doc *size_watts_document(const struct size_watts *w);

#endif
