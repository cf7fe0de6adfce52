/* hotset storage - what the host's memory holds and SSDs are read for, when graph and features are larger than it. */
#include <string.h>

#include "base/mem.h"
#include "planner/commands/storage_print.h"
#include "planner/commands/storage_sizes.h"
#include "planner/places/memory_args.h"
#include "planner/options/input_options.h"

static enum st answer(struct call *call, const struct kernels *k, struct storage_work *w, doc **out, struct err *err)
{
    const struct storage_args *a = call->args;
    OWNED_DOC doc *d = NULL;
    PASS(storage_work_memory(a->memory, w, err));
    PASS(storage_work_drives(a->ssd, w, err));
    PASS(storage_work_record(call, k, w, err));
    PASS(storage_work_judge(call, k, w, err));
    d = storage_document(&w->result);
    if (w->forecast.all) call_say(call, "host memory holds the whole graph and all features: no SSD is needed");
    if (a->output) PASS(storage_save(&w->result, a->output, d, err));
    if (!call->common.json) storage_print(d, call->out);
    if (a->output) call_say(call, "lists and order written to %s", a->output);
    *out = TAKE(d);
    return ST_OK;
}

static enum st run(struct call *call, struct err *err)
{
    const struct storage_args *a = call->args;
    enum st st;
    struct storage_work *w = NULL;
    OWNED_DOC doc *d = NULL;
    const struct kernels *k;
    bool several = (a->memory && strchr(a->memory, ',')) || (a->ssd && strchr(a->ssd, ','));
    if (several && (a->output || a->caches))
        FAIL(ST_USAGE, "--output and --cache are for one memory and one set of drives; without them, --host-memory and "
                       "--ssd take lists");
    NEW(w, 1, "the memories of a host");
    TRY(storage_work_open(call, w, err));
    TRY(options_kernels(call, &k, err));
    if (several) TRY(storage_sizes(call, k, w, &d, err));
    else TRY(answer(call, k, w, &d, err));
    if (several && !call->common.json) storage_sizes_print(d, call->out);
    TRY(call_finish(call, TAKE(d), err));
done:
    if (w) storage_work_release(w);
    mem_free(w);
    return st;
}

static const struct param params[] = {
    OPTION_HOST_MEMORY(struct storage_args, memory, "SIZE,..", " [default: 90 % of the server's]"),
    OPTION_SSD(struct storage_args, ssd, "DRIVES,..",
               " [default: the server's, else blocks of 4 KiB are counted, without times]"),
    OPTION_REAL("within", 0, struct storage_args, within, "SHARE", "0.1", 0, 100,
                "For lists: how much longer than with everything in DRAM an epoch may take, 0.1 for 10 %. The answer "
                "is the least memory, then the first drives of the list, that keep it."),
    OPTION_WORD("disk-order", 0, struct storage_args, order, "HOW", "auto", "auto|id|heat",
                "Order of the feature rows on the SSDs. id: as in the feature array. heat: what DRAM does not hold in "
                "front, by expected reads, so that rows that are read often share blocks. auto: whichever reads fewer "
                "blocks in an epoch of its own."),
    OPTION_TEXT("cache", 0, struct storage_args, caches, "LIST", NULL,
                "Also hold features in DRAM by these replacement rules, with as many rows; 'hotset list caches', or "
                "all."),
    OPTION_OUTPUT(struct storage_args, output, "S", NULL,
                  "Directory to write: storage.json, the rows that DRAM holds, the order on disk."),
    OPTION_GRAPH(struct storage_args, graph, PLAN_GRAPH),
    OPTION_SERVER(struct storage_args, server, "S", NULL, PLAN_SERVER),
    OPTION_PRESAMPLE_EPOCHS(struct storage_args, presample_epochs, NULL, 0, PLAN_EPOCHS),
    OPTION_HELD_OUT_EPOCHS(struct storage_args, epochs, NULL, 0, MANY_EPOCHS),
    EPOCH_PARAMS(struct storage_args, timing),
    {0},
};

static const char about[] =
    "When topology and features do not fit the memory of the host, part of them stays on SSDs. This\n"
    "command takes a plan, records what its GPUs still ask the host for, and fills the host's memory\n"
    "(DRAM) with the rows of both kinds that save most SSD reads per byte. Offsets (8 bytes per vertex)\n"
    "are always in DRAM. Then held-out epochs are simulated: which rows come from GPUs, DRAM and SSDs, and\n"
    "how many blocks the SSDs read. A mini-batch reads a block once per GPU, so the bytes read are more\n"
    "than the bytes needed where rows are small, and fewer where rows that are read together lie in one\n"
    "block.\n"
    "Seconds: blocks over the drives' reads per second and bandwidth, whichever takes longer; the epoch\n"
    "has one more pipelined stage, and is timed as the plan was where options do not say otherwise.\n"
    "GraphBolt's six published epochs on an SSD are their misses over the drive's reads per second within\n"
    "6 %.\n"
    "--cache compares replacement rules in DRAM, as GraphBolt's CPU cache has them, on the same requests.\n"
    "Lists of memories and drives answer how much memory and how many SSDs to buy.";

extern const struct command cmd_storage;
const struct command cmd_storage = {.name = "storage",
                                    .stage = COMMAND_PLAN,
                                    .rank = 8,
                                    .summary = "plan what host memory holds and SSDs are read for, when the graph is "
                                               "larger than the host",
                                    .arguments = "P --host-memory LIST [--ssd LIST] [-o S] [options]",
                                    .params = params,
                                    .usual = "host-memory ssd output within disk-order cache graph server epochs",
                                    .each_node = true,
                                    .args_size = sizeof(struct storage_args),
                                    .words_low = 1,
                                    .words_high = 1,
                                    .run = run,
                                    .about = about,
                                    .examples = "  hotset storage P --host-memory 64GiB --ssd 4xgen4 -o S\n"
                                                "  hotset storage P --host-memory 32GiB --ssd gen4 --cache "
                                                "lru,s3fifo,sieve,clock\n"
                                                "  hotset storage P --host-memory 10%,25%,50%,75% --ssd "
                                                "gen4,2xgen4,4xgen4 --within 0.05   # what to buy\n"
                                                "  hotset storage P --host-memory 32GiB --ssd 2xmy-drive.json --json"};
