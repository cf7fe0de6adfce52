/* amd_smi.c - the texts of `rocm-smi --showtopo` and `amd-smi topology`: tables of weights and of link types.
 *
 * Both tables decide. "Hops" of 1 says only that no CPU is on the way. The driver adds 15 to the weight for every xGMI
 * hop, so a pair of the type XGMI has a link of its own when its weight is that of one hop; GPUs of the type PCIE, and
 * those whose xGMI path passes another GPU, are not joined. A text that lost one of the tables, or a row, is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/formats/smi_text.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"

#define AGAIN "save the whole output of: rocm-smi --showtopo, or: amd-smi topology"
enum { WORD_BYTES = 32, WEIGHT_OF_HOP = 15 };

enum kind { NOTHING, WEIGHTS, TYPES };
struct tables {
    int gpus; /* 0: no header seen yet */
    char device[SERVER_GPUS_MAX][WORD_BYTES];
    char cell[TYPES + 1][SERVER_GPUS_MAX][SERVER_GPUS_MAX][WORD_BYTES];
    int rows[TYPES + 1];
    int numa[SERVER_GPUS_MAX]; /* -1 unknown */
};

static int amd_smi_probe(const char *text, size_t bytes)
{
    (void)bytes;
    if (strstr(text, "Link Type between two GPUs") || strstr(text, "LINK TYPE TABLE")) return 90;
    if (strstr(text, "Weight between two GPUs") || strstr(text, "WEIGHT TABLE")) return 90;
    /* another table of these tools, whose refusal names the command that is needed */
    return strstr(text, "ROCm System Management Interface") || strstr(text, "(Topology) Numa Node:") ? 85 : 0;
}

/* ---- lines ---- */

/* The next word of *at into word[WORD_BYTES], cut; false at the end of the line. */
static bool next_word(const char **at, char *word)
{
    *at += strspn(*at, " ");
    size_t length = strcspn(*at, " ");
    if (!length) return false;
    snprintf(word, WORD_BYTES, "%.*s", (int)length, *at);
    *at += length;
    return true;
}

/* "GPU3", or a bus address as 0000:0c:00.0. */
static bool is_device(const char *word)
{
    if (!strncmp(word, "GPU", 3)) return word[3] && !word[3 + strspn(word + 3, "0123456789")];
    return strchr(word, ':') && strchr(word, '.') && !word[strspn(word, "0123456789abcdefABCDEF:.")];
}

/* Which table a title opens; `now` where the line is none. */
static enum kind title(const char *line, enum kind now)
{
    if (strstr(line, "Weight between") || strstr(line, "WEIGHT TABLE")) return WEIGHTS;
    if (strstr(line, "Link Type between") || strstr(line, "LINK TYPE TABLE")) return TYPES;
    return strstr(line, "===") || strstr(line, "TABLE") ? NOTHING : now;
}

/* Devices of a header line; 0: it is none. */
static int header_of(const char *line, char device[SERVER_GPUS_MAX][WORD_BYTES])
{
    char word[WORD_BYTES];
    int count = 0;
    while (next_word(&line, word)) {
        if (!is_device(word) || count == SERVER_GPUS_MAX) return 0;
        snprintf(device[count++], WORD_BYTES, "%s", word);
    }
    return count;
}

static enum st take_header(struct tables *t, const char *line, const char *name, int number, bool *was, struct err *err)
{
    char device[SERVER_GPUS_MAX][WORD_BYTES];
    int count = header_of(line, device);
    *was = count > 0;
    if (!count) return ST_OK;
    for (int i = 0; t->gpus && i < count; i++)
        if (count != t->gpus || strcmp(device[i], t->device[i]))
            return err_set(err, ST_INPUT, "%s, line %d: this table has other GPUs than the one before; %s", name,
                           number, AGAIN);
    t->gpus = count;
    memcpy(t->device, device, sizeof device);
    return ST_OK;
}

/* A row "GPU1 15 0 15": of the next GPU, a cell for each. */
static enum st take_row(struct tables *t, enum kind k, const char *line, const char *name, int number, struct err *err)
{
    char word[WORD_BYTES];
    int cells = 0;
    if (!next_word(&line, word) || !is_device(word)) return ST_OK;
    int row = t->rows[k];
    if (row == t->gpus || strcmp(word, t->device[row]))
        return err_set(err, ST_INPUT, "%s, line %d: a row of %s is expected, but %s was found; %s", name, number,
                       row < t->gpus ? t->device[row] : "no GPU", word, AGAIN);
    while (cells < t->gpus && next_word(&line, t->cell[k][row][cells])) cells++;
    if (cells < t->gpus || next_word(&line, word))
        return err_set(err, ST_INPUT, "%s, line %d: the row of %s has %s cells than there are GPUs (%d); %s", name,
                       number, t->device[row], cells < t->gpus ? "fewer" : "more", t->gpus, AGAIN);
    t->rows[k]++;
    return ST_OK;
}

/* "GPU[0] : (Topology) Numa Node: 1" */
static void take_numa(struct tables *t, const char *line)
{
    const char *gpu = strstr(line, "GPU["), *node = strstr(line, "Numa Node:");
    if (!gpu || !node) return;
    long g = strtol(gpu + 4, NULL, 10), n = strtol(node + 10, NULL, 10);
    if (g >= 0 && g < SERVER_GPUS_MAX && n >= 0 && n <= SERVER_PLACE_MAX) t->numa[g] = (int)n;
}

static enum st take_lines(struct tables *t, const struct smi_text *text, struct err *err)
{
    enum kind now = NOTHING;
    for (int i = 0; i < text->lines; i++) {
        const char *line = text->line[i];
        bool header;
        take_numa(t, line);
        now = title(line, now);
        if (now == NOTHING) continue;
        PASS(take_header(t, line, text->name, i + 1, &header, err));
        if (!header && t->gpus) PASS(take_row(t, now, line, text->name, i + 1, err));
    }
    return ST_OK;
}

/* ---- what they say ---- */

static enum st check_whole(const struct tables *t, const char *name, struct err *err)
{
    static const char *const of[] = {"", "weights", "link types"};
    for (int k = WEIGHTS; k <= TYPES; k++)
        if (!t->gpus || t->rows[k] < t->gpus)
            return err_set(err, ST_INPUT, "%s: the table of %s %s, but both tables are needed to tell links; %s", name,
                           of[k], t->gpus && t->rows[k] ? "is cut" : "is missing", AGAIN);
    for (int i = 0; i < t->gpus; i++)
        for (int j = 0; j < i; j++)
            for (int k = WEIGHTS; k <= TYPES; k++)
                if (strcmp(t->cell[k][i][j], t->cell[k][j][i]) != 0)
                    return err_set(err, ST_INPUT, "%s: the table of %s says '%s' from %s to %s and '%s' back; %s", name,
                                   of[k], t->cell[k][i][j], t->device[i], t->device[j], t->cell[k][j][i], AGAIN);
    return ST_OK;
}

/* Joins i and j where they have a link of their own; counts pairs whose xGMI path passes other GPUs. */
static enum st join(const struct tables *t, const char *name, int i, int j, struct server *out, int *passed,
                    struct err *err)
{
    const char *type = t->cell[TYPES][i][j], *weight = t->cell[WEIGHTS][i][j];
    char *end;
    long w = strtol(weight, &end, 10);
    if (!strcmp(type, "PCIE")) return ST_OK;
    if (strcmp(type, "XGMI") != 0)
        return err_set(err, ST_INPUT, "%s: the link type of %s and %s is '%s', but XGMI or PCIE is expected; %s", name,
                       t->device[i], t->device[j], type, AGAIN);
    if (end == weight || *end || w < 1)
        return err_set(err, ST_INPUT, "%s: the weight of %s and %s is '%s', but a number above 0 is expected; %s", name,
                       t->device[i], t->device[j], weight, AGAIN);
    if (w < 2 * WEIGHT_OF_HOP) out->links[i][j] = out->links[j][i] = 1;
    else ++*passed;
    return ST_OK;
}

/* Sockets, where NUMA nodes are at most two; with more, a socket has several of them. */
static void set_sockets(const struct tables *t, const char *name, struct server *out, char *warning, size_t size)
{
    bool known = true, stated = false;
    for (int i = 0; i < t->gpus; i++) {
        known &= t->numa[i] == 0 || t->numa[i] == 1;
        stated |= t->numa[i] > 1;
    }
    for (int i = 0; known && i < t->gpus; i++) out->gpu[i].socket = t->numa[i];
    if (stated)
        text_append(warning, size,
                    "%s%s: NUMA nodes above 1 may be parts of sockets, so sockets stay unknown; add lstopo.xml as a "
                    "second FILE",
                    warning[0] ? "; " : "", name);
}

static enum st amd_smi_fill(const struct tables *t, const char *name, struct server *out, char *warning, size_t size,
                            struct err *err)
{
    int passed = 0;
    out->gpus = t->gpus;
    out->links_known = out->links_uncounted = true;
    for (int i = 0; i < t->gpus; i++) {
        out->gpu[i].id = i;
        out->gpu[i].pcie_switch = out->gpu[i].socket = -1;
        for (int j = 0; j < i; j++) PASS(join(t, name, i, j, out, &passed, err));
    }
    if (passed)
        text_append(warning, size,
                    "%s: %d pair%s of GPUs of the type XGMI have a weight of two hops or more: their path passes "
                    "another GPU, so they are not joined directly",
                    name, passed, passed == 1 ? "" : "s");
    set_sockets(t, name, out, warning, size);
    return ST_OK;
}

static enum st read_amd(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                        size_t warning_size, struct err *err)
{
    OWNED_BY(smi_text_release) struct smi_text lines = {0};
    if (warning_size) warning[0] = 0;
    PASS(smi_text_init(&lines, text, bytes, name, err));
    OWNED_NEW(struct tables, t, 1, "the tables of rocm-smi");
    for (int i = 0; i < SERVER_GPUS_MAX; i++) t->numa[i] = -1;
    PASS(take_lines(t, &lines, err));
    PASS(check_whole(t, name, err));
    PASS(amd_smi_fill(t, name, out, warning, warning_size, err));
    PASS(server_finish(out, NULL, err));
    server_provenance_add(out, "nvlinks", "measured",
                          "rocm-smi or amd-smi: pairs of the type XGMI with the weight of one hop; how many xGMI links "
                          "join a pair is not stated");
    if (out->gpu[0].socket >= 0) server_provenance_add(out, "socket", "assumed", "rocm-smi: NUMA nodes 0 and 1");
    return ST_OK;
}

const struct server_format server_format_amd_smi = {
    .name = "amd-smi",
    .summary = "text of rocm-smi --showtopo or amd-smi topology",
    .probe = amd_smi_probe,
    .read = read_amd,
};
