/* hotset server - reads descriptions of machines and shows them. */
#include <stddef.h>
#include <stdio.h>
#include "base/cmd.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/diff.h"
#include "hwprofiles/server_commands.h"
#include "hwprofiles/server_doc.h"
#include "hwprofiles/svg.h"

enum st server_show_result(struct call *call, const struct server *s, struct err *err)
{
    if (call->common.json) return call_finish(call, doc_copy(s->document), err);
    server_print(s, call->out);
    return call_finish(call, NULL, err);
}

/* ---- import ------------------------------------------------------------------------------------------------------------------ */

enum { SOURCES_MAX = 16 };

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
    int unknown = 0;
    if (!a->out) FAIL(ST_USAGE, "server import needs -o S.json, the file to write");
    if (a->pcie) TRY(server_parse_pcie(a->pcie, &wants.pcie_generation, &wants.pcie_width, err));
    NEW(s, 1, "the description of a server");
    TRY(server_import((const char *const *)call->words, call->word_count, &wants, s, warning, sizeof warning, err));
    TRY(doc_save(s->document, a->out, err));
    if (warning[0]) call_say(call, "warning: %s", warning);
    if (a->memory && a->memory >> 20 == 0)
        call_say(call, "warning: --memory states %llu bytes per GPU; a size without a unit is in bytes, so write 24GiB if GiB were meant", (unsigned long long)a->memory);
    if (!s->links_known && s->gpus > 1)
        call_say(call, "the source does not say which GPUs NVLink joins; add the output of nvidia-smi topo -m as a second FILE");
    for (int i = 0; i < s->gpus; i++) unknown += !s->gpu[i].memory_bytes;
    if (unknown) call_say(call, "the memory of the GPUs is not known; add --memory SIZE, or state budgets when you plan");
    TRY(server_show_result(call, s, err));
done:
    if (s) server_release(s);
    mem_free(s);
    return st;
}

static const struct command import_command = {
    .name = "import",
    .summary = "read nvidia-smi text, NCCL or hwloc XML, or a profile",
    .arguments = "FILE.. -o S.json",
    .about = "The format is told by the content: nvidia-smi topo -m text (it may be indented, quoted in a log or dressed in colours), the XML that NCCL\n"
             "writes with NCCL_TOPO_DUMP_FILE, the XML of lstopo, or a profile. Text that lost a row, a cell or its end is refused, because a missing\n"
             "NVLink would split a clique. What the source does not say stays unknown (null) unless an option states it: an NCCL template of a cloud\n"
             "lists no NVLink, which does not mean that there is none.\n\n"
             "Several sources of one machine are merged: what one leaves open the next fills in, and the provenance says which file said what. A name\n"
             "of a shipped profile counts as a source, too. Sources that contradict each other (GPUs, links, switches, PCIe) are refused.",
    .examples = "  nvidia-smi topo -m >topo.txt                               # on the machine that trains\n"
                "  hotset server import topo.txt --memory 40GiB --pcie 4x16 -o S.json\n"
                "  lstopo --of xml lstopo.xml                                 # knows models, memory, cores and the PCIe tree\n"
                "  hotset server import topo.txt lstopo.xml -o S.json         # links of the one, the rest of the other\n"
                "  hotset server show S.json                                  # check the cliques\n",
    .params = import_params,
    .args_size = sizeof(struct import_args),
    .words_low = 1,
    .words_high = SOURCES_MAX,
    .run = import_run,
};

/* ---- show -------------------------------------------------------------------------------------------------------------------- */

struct show_args { const char *svg; };

static const struct param show_params[] = {
    {"svg", 0, PARAM_TEXT, offsetof(struct show_args, svg), "FILE", NULL, 0, 0, NULL, "Also draw the machine into this file (SVG): PCIe tree coloured by clique, NVLink matrix."},
    {0}};

static enum st draw(const struct server *s, const char *path, struct err *err)
{
    enum st st;
    struct output o = {0};
    FILE *f = NULL;
    TRY(output_file(&o, path, err));
    f = fopen(o.temporary, "w");
    if (!f) FAIL(ST_INPUT, "%s cannot be written; choose another folder", path);
    server_svg(s, f);
    if (fclose(f) != 0) FAIL(ST_LIMIT, "%s cannot be written to its end; is the disk full?", path);
    TRY(output_commit(&o, err));
done:
    output_abort(&o);
    return st;
}

static enum st show_run(struct call *call, struct err *err)
{
    enum st st;
    const struct show_args *a = call->args;
    struct server *s = NULL;
    NEW(s, 1, "the description of a server");
    TRY(server_load(call->words[0], s, err));
    if (a->svg) TRY(draw(s, a->svg, err));
    TRY(server_show_result(call, s, err));
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
    .examples = "  hotset server show dgx-v100                  # two cliques of four\n"
                "  hotset server show dgx-v100:4                # its first four GPUs\n"
                "  hotset server show gb200-nvl72 --svg s.svg   # a picture for paper or browser\n"
                "  hotset server show S.json --json             # one document for programs\n",
    .params = show_params,
    .args_size = sizeof(struct show_args),
    .words_low = 1,
    .words_high = 1,
    .run = show_run,
};

/* ---- diff -------------------------------------------------------------------------------------------------------------------- */

static void print_diff(const doc *d, FILE *to)
{
    const char *headers[] = {"what", doc_text_value(doc_get(d, "a"), "a"), doc_text_value(doc_get(d, "b"), "b"), NULL};
    const doc *list = doc_get(d, "differences");
    struct table *t;
    if (!doc_size(list)) {
        fprintf(to, "%s and %s are the same machine\n", headers[1], headers[2]);
        return;
    }
    t = table_new(headers);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        table_add(t, "%s", doc_text_value(doc_get(doc_at(list, i), "what"), ""));
        table_add(t, "%s", doc_text_value(doc_get(doc_at(list, i), "a"), ""));
        table_add(t, "%s", doc_text_value(doc_get(doc_at(list, i), "b"), ""));
    }
    table_print(t, to);
    table_free(t);
}

static enum st diff_run(struct call *call, struct err *err)
{
    enum st st;
    struct server *s = NULL;
    doc *d = NULL;
    uint64_t count;
    NEW(s, 2, "the descriptions of two servers");
    for (int i = 0; i < 2; i++) TRY(server_load(call->words[i], &s[i], err));
    d = server_diff(&s[0], &s[1]);
    if (!d) FAIL(ST_LIMIT, "out of memory for the differences; free some memory and try again");
    count = doc_size(doc_get(d, "differences"));
    if (!call->common.json) print_diff(d, call->out);
    st = call_finish(call, d, err);
    d = NULL;
    if (st == ST_OK && count)
        FAIL(ST_NO, "%s and %s differ in %llu fact%s", s[0].name, s[1].name, (unsigned long long)count, count == 1 ? "" : "s");
done:
    for (int i = 0; i < 2 && s; i++) server_release(&s[i]);
    mem_free(s);
    doc_free(d);
    return st;
}

static const struct command diff_command = {
    .name = "diff",
    .summary = "what differs between two servers",
    .arguments = "A B",
    .about = "A and B are files or shipped profiles, as in server show. One line per fact that differs: GPUs, memory, cliques, NVLinks, PCIe tree, host, price.\n"
             "Names, descriptions and provenance are not compared. Exit code as of diff: 0 when the machines are the same, 1 when they differ.",
    .examples = "  hotset server diff dgx-v100 p3.16xlarge   # the same GPUs and links in another host\n"
                "  hotset server diff S.json dgx-a100        # is this machine what it was sold as?\n",
    .words_low = 2,
    .words_high = 2,
    .run = diff_run,
};

/* ---- the group --------------------------------------------------------------------------------------------------------------- */

static const struct command *const children[] = {&import_command, &server_probe_command, &show_command, &diff_command, NULL};

extern const struct command cmd_server;
const struct command cmd_server = {
    .name = "server",
    .summary = "describe machines: GPUs, NVLink cliques, PCIe tree",
    .arguments = "import|probe|show|diff ..",
    .children = children,
};
