/* hotset server import - makes a server file from descriptions that other programs wrote. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/spool.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/commands/server_result.h"
#include "hwprofiles/formats/server_import.h"
#include "hwprofiles/model/link_rates.h"
#include "hwprofiles/model/server_like.h"

enum { SOURCES_MAX = 16 };

struct import_args {
    const char *output, *pcie, *name, *like;
    const char *gpu_memory, *host_memory;
    double host_gbps;
    int64_t gpus, sockets;
};

static const struct param import_params[] = {
    OPTION_OUTPUT(struct import_args, output, "S.json", NULL, "Server file to write (JSON, schema server/1)."),
    OPTION_TEXT("gpu-memory", 0, struct import_args, gpu_memory, "SIZE[,SIZE..]", NULL,
                "Memory of each GPU, for example 16GiB, where no source states it (nvidia-smi topo -m does not); "
                "several "
                "where GPUs differ, one for each: 32GiB,24GiB."),
    OPTION_RENAMED("memory", "gpu-memory"),
    OPTION_TEXT("pcie", 0, struct import_args, pcie, "GxW", NULL,
                "PCIe generation and lanes per switch, where no source states them, for example 4x16."),
    OPTION_INTEGER("gpus", 0, struct import_args, gpus, "N", "0", 0, SERVER_GPUS_MAX,
                   "The source's first N GPUs, or more like its last one, where none has an NVLink; 0: as the source."),
    OPTION_INTEGER("sockets", 0, struct import_args, sockets, "N", "0", 0, SERVER_GPUS_MAX,
                   "CPU sockets over which the GPUs are spread evenly, the first on the first; 0: as the source."),
    OPTION_TEXT("host-memory", 0, struct import_args, host_memory, "SIZE", NULL,
                "DRAM of all sockets, where no source states it."),
    OPTION_REAL("host-memory-gbps", 0, struct import_args, host_gbps, "GBPS", "0", 0, 100000,
                "GB/s of the DRAM of all sockets (channels times their rate, as 8 x 25.6), of servers whose "
                "description states none; 0: not given."),
    OPTION_TEXT("name", 0, struct import_args, name, "NAME", NULL,
                "Name of the server [default: the source's, else the file's]."),
    OPTION_RENAMED("like", "rates-of"),
    OPTION_PATH("rates-of", 0, struct import_args, like, "PROFILE", NULL, PATH_READ_OR_NAME,
                "A profile ('hotset list servers') of a machine like this one: its rates fill what no source states, "
                "and the provenance marks them as assumed."),
    {0},
};

/* "24GiB" for all GPUs, or "32GiB,24GiB", one for each. */
static enum st parse_memories(const struct call *call, const char *text, struct server_import_options *o,
                              struct err *err)
{
    char copy[2000], *part[SERVER_GPUS_MAX];
    if (!text) return ST_OK;
    if (strlen(text) >= sizeof copy ||
        (snprintf(copy, sizeof copy, "%s", text), (o->gpu_memories = text_split(copy, ',', part, SERVER_GPUS_MAX)) < 0))
        return err_set(err, ST_USAGE, "--gpu-memory has more than %d sizes; give one, or one for each GPU",
                       SERVER_GPUS_MAX);
    for (int i = 0; i < o->gpu_memories; i++) {
        PASS(units_size(part[i], "--gpu-memory", &o->gpu_memory[i], err));
        if (o->gpu_memory[i] && o->gpu_memory[i] >> 20 == 0)
            call_say(call,
                     "warning: --gpu-memory states %llu bytes per GPU; a size without a unit is in bytes: write 24GiB "
                     "for GiB",
                     (unsigned long long)o->gpu_memory[i]);
    }
    return ST_OK;
}

/* --rates-of fills rates; what then is lacking is said, and what it is for. */
static enum st complete(const struct call *call, const char *like, struct server *s, struct err *err)
{
    OWNED_SERVER struct server *profile = NULL;
    char lacks[600], how[400] = "";
    int filled;
    if (like) {
        MAKE(profile, 1, "the profile");
        PASS(server_load(like, profile, err));
        PASS(server_fill_like(s, profile, &filled, err));
        call_say(call, "%d kinds of numbers are taken from %s and marked as assumed; 'hotset server show' lists them",
                 filled, profile->name);
    }
    server_unanswered(s, lacks, sizeof lacks);
    if (strstr(lacks, "host_memory"))
        text_append(how, sizeof how, "; --host-memory and --host-memory-gbps state the host's");
    if (strstr(lacks, "price")) text_append(how, sizeof how, "; --price of other commands states what it costs");
    if (!like && strstr(lacks, "epoch times"))
        text_append(how, sizeof how,
                    "; --rates-of PROFILE takes rates from a profile of a machine like it ('hotset list servers')");
    if (*lacks) call_say(call, "this description does not answer: %s%s", lacks, how);
    return ST_OK;
}

static enum st import_run(struct call *call, struct err *err)
{
    enum st st;
    const struct import_args *a = call->args;
    struct server_import_options wants = {.name = a->name,
                                          .gpus = (int)a->gpus,
                                          .sockets = (int)a->sockets,
                                          .host_gbps = a->host_gbps};
    OWNED_SERVER struct server *s = NULL;
    struct spool inputs = {0};
    char warning[1024] = "";
    int unknown = 0;
    TRY(parse_memories(call, a->gpu_memory, &wants, err));
    if (a->host_memory) TRY(units_size(a->host_memory, "--host-memory", &wants.host_memory, err));
    if (a->host_memory)
        TRY(units_bare(a->host_memory, wants.host_memory, "--host-memory", 1 << 20, "a graph", false, err));
    if (a->pcie) TRY(link_parse_pcie(a->pcie, &wants.pcie_generation, &wants.pcie_width, err));
    TRY(output_check(a->output, "server/1", err));
    for (int i = 0; i < call->word_count; i++)
        TRY(spool_open(&inputs, call->words[i], a->output, (const char **)&call->words[i], err));
    NEW(s, 1, "the description of a server");
    TRY(server_import((const char *const *)call->words, call->word_count, &wants, s, warning, sizeof warning, err));
    TRY(complete(call, a->like, s, err));
    TRY(doc_save(s->document, a->output, err));
    if (s->pcie_doubted)
        call_say(call,
                 "warning: the GPUs lie directly below a CPU whose NUMA node or switches are not known, as in virtual "
                 "machines: PCIe %d.0 x%d is assumed, not measured; state what the hardware has with --pcie or "
                 "--rates-of",
                 s->pcie_generation, s->pcie_width);
    if (!(s->pcie_gbps > 0) && link_c2c(s->gpu[0].model))
        call_say(call,
                 "warning: %s reaches its CPU over NVLink-C2C, whose rate the source does not state (its PCIe link "
                 "only "
                 "configures it); --rates-of a profile of such a server, as gb200-tray, or NCCL's XML states it",
                 s->gpu[0].model);
    if (warning[0]) call_say(call, "warning: %s", warning);
    if (!s->links_known && s->gpus > 1)
        call_say(call, "the source does not state which GPUs are joined by NVLink; add the output of nvidia-smi topo "
                       "-m (AMD: rocm-smi --showtopo) as a second FILE");
    for (int i = 0; i < s->gpus; i++) unknown += !s->gpu[i].memory_bytes;
    if (unknown)
        call_say(call, "the memory of the GPUs is not known; add --gpu-memory SIZE, or state budgets when you plan");
    TRY(server_result_print(call, s, false, err));
done:
    spool_close(&inputs, err);
    return st;
}

extern const struct command cmd_server_import;
const struct command cmd_server_import = {
    .group = "server",
    .name = "import",
    .summary = "read nvidia-smi or rocm-smi text, NCCL or hwloc XML, or a profile",
    .arguments = "FILE.. -o S.json",
    .about = "The format is detected by content: text of nvidia-smi topo -m, of\n"
             "rocm-smi --showtopo or amd-smi topology, XML of NCCL (NCCL_TOPO_DUMP_FILE) or\n"
             "of lstopo, or a profile. Indentation, log prefixes and terminal colours are accepted. Truncated text\n"
             "is refused, because a missing NVLink would split a clique. What neither a source nor an option\n"
             "states stays unknown (null). The NCCL topology files that clouds ship list no NVLinks, even where\n"
             "the machine has them: add another source. The file - is standard input.\n\n"
             "Several sources of one machine are merged: each fills in what the others do not state, and the\n"
             "provenance names the file that stated each number. A source may also be the name of a shipped\n"
             "profile. Sources that contradict each other (GPUs, links, switches, PCIe) are refused.",
    .examples = "  nvidia-smi topo -m >topo.txt                               # on the machine that trains\n"
                "  hotset server import topo.txt --gpu-memory 40GiB --pcie 4x16 -o S.json\n"
                "  lstopo --of xml lstopo.xml                                 # has GPU models, memory, cores and the "
                "PCIe tree\n"
                "  hotset server import topo.txt lstopo.xml -o S.json         # NVLinks from topo.txt, the rest from "
                "lstopo.xml\n"
                "  hotset server import 2x4090 --gpus 4 --sockets 2 --host-memory 256GiB --host-memory-gbps 89.6 -o "
                "S.json  # of "
                "four\n"
                "  hotset server show S.json                                  # check the cliques\n",
    .params = import_params,
    .usual = "output gpu-memory pcie gpus sockets host-memory host-memory-gbps rates-of name",
    .needs = "output",
    .args_size = sizeof(struct import_args),
    .words_low = 1,
    .words_high = SOURCES_MAX,
    .run = import_run,
};
