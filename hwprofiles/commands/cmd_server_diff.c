/* hotset server diff - compares two servers. */
#include <stdio.h>

#include "base/cmd.h"
#include "base/mem.h"
#include "hwprofiles/show/server_diff.h"
#include "base/columns.h"

static void diff_print(const doc *d, FILE *to)
{
    const char *a = doc_text_value(doc_get(d, "a"), "a"), *b = doc_text_value(doc_get(d, "b"), "b");
    const struct column columns[] = {COLUMN("what", "what", CELL_TEXT),
                                     COLUMN(a, "a", CELL_TEXT),
                                     COLUMN(b, "b", CELL_TEXT),
                                     {0}};
    if (!columns_show(columns, doc_get(d, "differences"), NULL, to)) fprintf(to, "%s and %s are the same\n", a, b);
}

static enum st diff_run(struct call *call, struct err *err)
{
    enum st st;
    struct server *s = NULL;
    OWNED_DOC doc *d = NULL;
    uint64_t count;
    NEW(s, 2, "the descriptions of two servers");
    for (int i = 0; i < 2; i++) TRY(server_load(call->words[i], &s[i], err));
    d = server_diff(&s[0], &s[1]);
    if (!d) FAIL(ST_LIMIT, "out of memory for the differences; free some memory and try again");
    count = doc_size(doc_get(d, "differences"));
    if (call_prints(call)) diff_print(d, call->out);
    st = call_finish(call, d, err);
    d = NULL;
    if (st == ST_OK && count)
        FAIL(ST_NO, "%s and %s differ in %llu fact%s", s[0].name, s[1].name, (unsigned long long)count,
             count == 1 ? "" : "s");
done:
    for (int i = 0; i < 2 && s; i++) server_release(&s[i]);
    mem_free(s);
    return st;
}

extern const struct command cmd_server_diff;
const struct command cmd_server_diff = {
    .group = "server",
    .name = "diff",
    .summary = "compare two servers",
    .arguments = "A B",
    .about = "A and B are server files or names of shipped profiles. Prints one line per fact that differs: GPUs,\n"
             "memory, cliques, NVLinks, PCIe tree, host, price. Names, descriptions and provenance are not\n"
             "compared. Exit code: 0 when the servers are the same, 1 when they differ.",
    .examples = "  hotset server diff dgx-v100 p3.16xlarge   # the same GPUs and links in another host\n"
                "  hotset server diff S.json dgx-a100        # is this the server that was ordered?\n",
    .words_low = 2,
    .words_high = 2,
    .run = diff_run,
};
