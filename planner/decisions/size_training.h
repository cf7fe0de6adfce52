/* size_training.h - the options that say how long is trained, for how much, and on what; read into a size question. */
#ifndef PLANNER_DECISIONS_SIZE_TRAINING_H
#define PLANNER_DECISIONS_SIZE_TRAINING_H

#include "planner/decisions/size.h"
#include "planner/places/memory_args.h"

struct size_training_args {
    const char *epochs, *start_up, *within, *price, *prices, *term, *power, *buy, *electricity, *cases;
    double storage_gbps, host_gbps, years;
};

/* Rows of these options, but for those that other commands share. */
#define SIZE_TRAINING_PARAMS(type, member)                                                                             \
    OPTION_RENAMED("epochs", "training-epochs"),                                                                       \
        OPTION_TEXT("training-epochs", 0, type, member.epochs, "N|LIST", "1",                                          \
                    "Epochs of the training, which may end within one (0.85); by global mini-batch (batch x GPUs x "   \
                    "servers; k: 1024) 0.85@16k,0.95@32k, between linear in its logarithm; or mlperf: as R-GAT "       \
                    "needed in "                                                                                       \
                    "published runs. Time, money and energy are of the whole."),                                       \
        OPTION_TEXT("start-up", 0, type, member.start_up, "TIME", NULL,                                                \
                    "Time before the first epoch, as 30s, or published: of MLPerf's runs [default: published, where "  \
                    "--evaluate or --storage-gbps asks for the whole run, else left out]."),                           \
        OPTION_REAL("storage-gbps", 0, type, member.storage_gbps, "GBPS", "0", 0, 100000,                              \
                    "GB/s at which a server loads graph and rows before it trains, from disks or a network; 0: not "   \
                    "given, and loading is what it was in published start-ups, or left out."),                         \
        OPTION_TEXT("within", 0, type, member.within, "TIME", NULL,                                                    \
                    "The whole training must end within this time, as 24h: the target training-time<=24h."),           \
        OPTION_TEXT("price", 0, type, member.price, "PER_HOUR", NULL,                                                  \
                    "Price per hour of servers that have none; 0 for servers of your own [default: no price; they "    \
                    "are not ranked by money]."),                                                                      \
        OPTION_PATH("prices", 0, type, member.prices, "FILE", NULL, PATH_READ,                                         \
                    "Your prices (prices/1, planner/decisions/data/prices.json is a pattern), before those that are "  \
                    "shipped."),                                                                                       \
        OPTION_WORD("term", 0, type, member.term, "TERM", "on-demand", SIZE_TERM_WORDS,                                \
                    "Which price: on demand, or reserved for one or three years."),                                    \
        OPTION_TEXT("power", 0, type, member.power, "WATTS", NULL,                                                     \
                    "Watts of each busy server [default: data sheets, planner/decisions/data/power.json]."),           \
        OPTION_TEXT("buy", 0, type, member.buy, "PRICE|LIST", NULL,                                                    \
                    "Buy servers: the price of one, of several NAME=PRICE,.., or list: what their files "              \
                    "(purchase_price) and --prices (purchase) state. An hour then costs its part of --years and the "  \
                    "electricity; what has no such price is rented."),                                                 \
        OPTION_REAL("years", 0, type, member.years, "N", "3", 0, 0,                                                    \
                    "Years over whose hours the price of a server that is bought is spread."),                         \
        OPTION_TEXT("electricity", 0, type, member.electricity, "PER_KWH", NULL,                                       \
                    "Price of a kWh, for servers that are bought [default: electricity is left out]."),                \
        OPTION_HOST_GBPS(type, member.host_gbps)

/* evaluate: how often, and on what (--evaluate); NULL. Sets what of the question these options say, errors of times
 * included; adds the target of --within. ST_USAGE for words that are none of theirs; ST_INPUT for files that cannot be
 * read. */
enum st size_training_ask(const struct size_training_args *a, const char *evaluate, const struct study_args *study,
                          struct size_question *q, struct err *err) MUST_USE;

#endif
