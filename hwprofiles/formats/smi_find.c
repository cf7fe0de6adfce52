/* smi_find.c - finds the matrices in a text that may hold prompts, banners, other tables and several matrices. */
#include "hwprofiles/formats/smi_find.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* A network card with another name (roceo1, mlx5_bond_0): a letter first, a digit last, no cell word. Returns its
 * length or 0. */
static size_t other_device(const char *t, struct smi_device *out)
{
    struct smi_cell cell;
    size_t n = 0;
    if (!isalpha((unsigned char)*t) || smi_match_cell(t, &cell) || smi_match_p2p(t)) return 0;
    while (isalnum((unsigned char)t[n]) || t[n] == '_' || t[n] == '.') n++;
    if (n >= sizeof out->name || !isdigit((unsigned char)t[n - 1]) || (t[n] && !smi_is_blank(t[n]))) return 0;
    *out = (struct smi_device){.gpu = false, .id = -1};
    snprintf(out->name, sizeof out->name, "%.*s", (int)n, t);
    return n;
}

/* Reads device names and affinity names from t to the end of the line; *stop is where that ended. */
static bool read_names(const char *t, struct smi_header *h, const char **stop)
{
    bool gpu0 = false, places = false;
    h->devices = h->gpus = 0;
    memset(h->affinity, 0, sizeof h->affinity);
    while (*(t = smi_skip_blanks(t))) {
        struct smi_device d = {0};
        int which = 0;
        size_t n = smi_match_affinity(t, places || text_starts(t, "CPU"), &which);
        if (n) {
            h->affinity[which] = places = true;
            t += n;
            continue;
        }
        n = places ? 0 : smi_match_device(t, &d);
        if (!n && !places && h->gpus) n = other_device(t, &d);
        *stop = t;
        if (!n || h->devices == SMI_DEVICES_MAX) return false;
        h->device[h->devices++] = d;
        h->gpus += d.gpu;
        gpu0 = gpu0 || (d.gpu && d.id == 0);
        t += n;
    }
    *stop = t;
    return gpu0;
}

static bool holds_cell_word(const char *from, const char *to)
{
    while ((from = smi_skip_blanks(from)) < to && *from) {
        struct smi_cell cell;
        if (smi_match_cell(from, &cell)) return true;
        while (*from && !smi_is_blank(*from)) from++;
    }
    return false;
}

bool smi_read_header(const char *line, struct smi_header *out)
{
    struct smi_device d;
    const char *t = line;
    while (*t) {
        const char *stop;
        if (!strchr("GNm", *t) || !smi_word_starts(line, t) || !smi_match_device(t, &d)) {
            t++;
            continue;
        }
        if (read_names(t, out, &stop)) {
            out->prefix_words = smi_count_words(line, t);
            return !holds_cell_word(line, t);
        }
        t = stop > t ? stop : t + 1; /* a header that begins before `stop` ends there, too */
    }
    return false;
}

const char *smi_find_row(const char *line, struct smi_device *out)
{
    for (const char *t = line; *t; t++) {
        struct smi_cell cell;
        const char *behind;
        size_t n;
        if (!strchr("GNm", *t) || !smi_word_starts(line, t)) continue;
        n = smi_match_device(t, out);
        if (!n) continue;
        behind = smi_skip_blanks(t + n);
        if (smi_match_cell(behind, &cell) || smi_match_p2p(behind)) return behind;
        t += n - 1;
    }
    return NULL;
}

static bool is_legend(const char *line)
{
    const char *at = strstr(line, "Legend");
    return at && smi_word_starts(line, at);
}

/* Notes what kind of table has such cells. */
static void look_at_row(struct smi_block *b, const char *t)
{
    for (int cells = 0; cells < SMI_DEVICES_MAX && *(t = smi_skip_blanks(t)); cells++) {
        struct smi_cell cell;
        size_t n = smi_match_cell(t, &cell);
        if (!n) {
            b->p2p = b->p2p || smi_match_p2p(t);
            return;
        }
        b->nvlink = b->nvlink || cell.path == SMI_NVLINK;
        t += n;
    }
}

/* True for the legend of topo -mp: it explains PIX and has no line for NV#. */
static bool legend_hides_nvlink(const struct smi_text *t, int from, int to)
{
    bool pix = false, nv = false;
    for (int i = from; i < to; i++) {
        const char *at = strstr(t->line[i], "PIX");
        pix = pix || (at && strchr(at, '=') && strstr(at, "Connection traversing"));
        nv = nv || strstr(t->line[i], "NV#");
    }
    return pix && !nv;
}

/* Whether a header line opens a new matrix. In a matrix that is not complete yet it may be a row that lost its cells.
 */
static bool opens(const struct smi_block *open, const struct smi_header *h)
{
    return !open || open->rows >= open->gpus || h->gpus >= open->gpus;
}

enum st smi_find_blocks(const struct smi_text *t, struct smi_blocks *out, struct err *err)
{
    struct smi_block *open = NULL;
    ON_HEAP(struct smi_header, h);
    out->count = 0;
    out->more = false;
    for (int i = 0; i < t->lines; i++) {
        struct smi_device d;
        const char *line = t->line[i], *row = smi_find_row(line, &d);
        if (is_legend(line)) {
            open = NULL;
        } else if (row) {
            if (!open) continue;
            open->end = i + 1;
            open->rows += d.gpu;
            if (d.gpu) look_at_row(open, row);
        } else if (smi_read_header(line, h) && opens(open, h)) {
            if (open && open->rows == 0) out->count--;
            if (out->count == SMI_BLOCKS_MAX) {
                out->more = true;
                break;
            }
            open = &out->block[out->count++];
            *open = (struct smi_block){.header = i, .end = i + 1, .gpus = h->gpus};
        }
    }
    for (int k = 0; k < out->count; k++) {
        struct smi_block *b = &out->block[k];
        int to = k + 1 < out->count ? out->block[k + 1].header : t->lines;
        b->hides_nvlink = !b->nvlink && legend_hides_nvlink(t, b->end, to);
    }
    return ST_OK;
}
