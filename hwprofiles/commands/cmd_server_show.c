/* hotset server show - prints or draws a server. */
#include <stddef.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "hwprofiles/commands/server_result.h"
#include "hwprofiles/show/server_svg.h"

struct show_args {
    const char *svg;
    bool explain;
};

static const struct param show_params[] = {
    OPTION_WRITES("svg", 0, struct show_args, svg, "FILE", NULL,
                  "Also write a drawing to this file (SVG): PCIe tree coloured by clique, and NVLink matrix."),
    OPTION_EXPLAIN(struct show_args, explain),
    {0},
};

static enum st draw(const struct server *s, const char *path, struct err *err)
{
    OWNED_BY(output_abort) struct output o = {0};
    FILE *f = NULL;
    bool bad;
    PASS(output_file(&o, path, SERVER_SVG_MARK, err));
    f = fopen(o.temporary, "w");
    if (!f) return err_set(err, ST_INPUT, "%s cannot be written; choose another folder", path);
    server_svg(s, f);
    bad = ferror(f);
    bad = fclose(f) || bad;
    if (bad) return err_set(err, ST_LIMIT, "%s cannot be written completely; is the disk full?", path);
    return output_commit(&o, err);
}

static enum st show_run(struct call *call, struct err *err)
{
    const struct show_args *a = call->args;
    OWNED_SERVER struct server *s = NULL;
    MAKE(s, 1, "the description of a server");
    PASS(server_load(call->words[0], s, err));
    if (a->svg) PASS(draw(s, a->svg, err));
    return server_result_print(call, s, a->explain, err);
}

extern const struct command cmd_server_show;
const struct command cmd_server_show = {
    .group = "server",
    .name = "show",
    .summary = "show GPUs, NVLink, cliques and PCIe tree of a server",
    .arguments = "S",
    .about = "S is a server file (JSON, schema server/1) or the name of a shipped profile (hotset list servers). A\n"
             "clique is a group of GPUs that are pairwise joined by NVLink: Kc cliques of Kg GPUs. Every number\n"
             "has a source, and a kind: measured, vendor, or assumed. --explain adds all links, the PCIe tree, NUMA\n"
             "nodes, NICs, drives, rates, and where the numbers come from.",
    .examples = "  hotset server show dgx-v100                  # two cliques of four\n"
                "  hotset server show dgx-v100:4                # its first four GPUs\n"
                "  hotset server show gb200-nvl72 --svg s.svg   # a drawing\n"
                "  hotset server show S.json --json             # one JSON document\n",
    .params = show_params,
    .args_size = sizeof(struct show_args),
    .words_low = 1,
    .words_high = 1,
    .run = show_run,
};
