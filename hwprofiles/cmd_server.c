/* hotset server - reads descriptions of machines and shows them. */
#include <stddef.h>
#include <stdio.h>
#include "base/cmd.h"
#include "base/mem.h"
#include "hwprofiles/server_commands.h"
#include "hwprofiles/server_doc.h"

/* ---- import ------------------------------------------------------------------------------------------------------------------ */

struct import_args {
    const char *out, *pcie, *name;
    uint64_t memory;
};

static const struct param import_params[] = {
    {"out", 'o', PARAM_TEXT, offsetof(struct import_args, out), "S.json", NULL, 0, 0, NULL, "Where to write the description (JSON, schema server/1)."},
    {"memory", 0, PARAM_SIZE, offsetof(struct import_args, memory), "SIZE", NULL, 0, 0, NULL,
     "Memory of each GPU whose memory the source does not say, as nvidia-smi topo -m never does: 16GiB."},
    {"pcie", 0, PARAM_TEXT, offsetof(struct import_args, pcie), "GxW", NULL, 0, 0, NULL, "PCIe generation and lanes per switch, where the source does not say them: 4x16."},
    {"name", 0, PARAM_TEXT, offsetof(struct import_args, name), "NAME", NULL, 0, 0, NULL, "Name of the server; otherwise the source's, or the file's."},
    {0}};

static enum st import_run(struct call *call, struct err *err)
{
    enum st st;
    const struct import_args *a = call->args;
    struct server_wants wants = {.memory = a->memory, .name = a->name};
    struct server *s = NULL;
    char warning[1024] = "";
    if (!a->out) FAIL(ST_USAGE, "server import needs -o S.json, the file to write");
    if (a->pcie) TRY(server_parse_pcie(a->pcie, &wants.pcie_generation, &wants.pcie_width, err));
    NEW(s, 1, "the description of a server");
    TRY(server_import(call->words[0], &wants, s, warning, sizeof warning, err));
    TRY(doc_save(s->document, a->out, err));
    if (warning[0]) call_say(call, "warning: %s", warning);
    if (a->memory && a->memory >> 20 == 0)
        call_say(call, "warning: --memory states %llu bytes per GPU; a size without a unit is in bytes, so write 24GiB if GiB were meant", (unsigned long long)a->memory);
    if (!s->gpu[0].memory_bytes) call_say(call, "the memory of the GPUs is not known; add --memory SIZE, or state budgets when you plan");
    if (call->common.json) {
        TRY(call_finish(call, doc_copy(s->document), err));
    } else {
        server_print(s, call->out);
        TRY(call_finish(call, NULL, err));
    }
done:
    if (s) server_release(s);
    mem_free(s);
    return st;
}

static const struct command import_command = {
    .name = "import",
    .summary = "read nvidia-smi topo -m text or a server profile",
    .arguments = "FILE -o S.json",
    .about = "The format is told by the content. nvidia-smi text may be indented, quoted in a log or dressed in colours; text that lost a row or a cell\n"
             "is refused, because a missing NVLink would split a clique. What the source does not say stays unknown (null) unless an option states it.",
    .examples = "  nvidia-smi topo -m >topo.txt                               # on the machine that trains\n"
                "  hotset server import topo.txt --memory 40GiB --pcie 4x16 -o S.json\n"
                "  hotset server show S.json                                  # check the cliques\n",
    .params = import_params,
    .args_size = sizeof(struct import_args),
    .words_low = 1,
    .words_high = 1,
    .run = import_run,
};

/* ---- show -------------------------------------------------------------------------------------------------------------------- */

static enum st show_run(struct call *call, struct err *err)
{
    enum st st;
    struct server *s = NULL;
    NEW(s, 1, "the description of a server");
    TRY(server_load(call->words[0], s, err));
    if (call->common.json) {
        TRY(call_finish(call, doc_copy(s->document), err));
    } else {
        server_print(s, call->out);
        TRY(call_finish(call, NULL, err));
    }
done:
    if (s) server_release(s);
    mem_free(s);
    return st;
}

static const struct command show_command = {
    .name = "show",
    .summary = "show GPUs, NVLink, cliques and PCIe tree of a server",
    .arguments = "S",
    .about = "S is a file (JSON, schema server/1) or the name of a shipped profile; hotset list servers shows the names. A clique is a group of GPUs that\n"
             "are pairwise joined by NVLink: Kc cliques of Kg GPUs. Every number says where it comes from: measured, stated by the vendor, or assumed.",
    .examples = "  hotset server show dgx-v100          # two cliques of four\n"
                "  hotset server show S.json --json     # one document for programs\n",
    .words_low = 1,
    .words_high = 1,
    .run = show_run,
};

/* ---- the group --------------------------------------------------------------------------------------------------------------- */

static const struct command *const children[] = {&import_command, &server_probe_command, &show_command, NULL};

extern const struct command cmd_server;
const struct command cmd_server = {
    .name = "server",
    .summary = "describe machines: GPUs, NVLink cliques, PCIe tree",
    .arguments = "import|probe|show ..",
    .children = children,
};
