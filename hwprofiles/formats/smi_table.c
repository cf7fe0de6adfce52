/* smi_table.c - reads the rows of one matrix, then checks them against the header and each other. */
#include "hwprofiles/formats/smi_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define WORDS "X, NV1 to NV99, PIX, PXB, PHB, NODE, SYS or SOC"
#define AGAIN "save the whole output of: nvidia-smi topo -m"

/* The word at t for a message: short, printable. */
static const char *word_at(const char *t, char out[40])
{
    size_t n = 0;
    while (t[n] && !smi_is_blank(t[n]) && n < 32) n++;
    while (n > 0 && n == 32 && ((unsigned char)t[n] & 0xc0) == 0x80) n--; /* do not cut a character */
    memcpy(out, t, n);
    out[n] = 0;
    return n ? out : "the end of the line";
}

static const char *cell_name(struct smi_cell c, char out[16])
{
    static const char *const names[] = {"nothing", "X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS"};
    if (c.path == SMI_NVLINK) snprintf(out, 16, "NV%d", c.links);
    else snprintf(out, 16, "%s", names[c.path]);
    return out;
}

/* Every GPU from 0 on must have one column. */
static enum st index_header(const struct smi_text *t, int line, struct smi_table *table, struct err *err)
{
    const struct smi_header *h = &table->header;
    if (h->gpus > SERVER_GPUS_MAX)
        return err_set(err, ST_INPUT, "%s, line %d: the header names %d GPUs, but a server has at most %d; %s", t->name,
                       line, h->gpus, SERVER_GPUS_MAX, AGAIN);
    for (int i = 0; i < h->gpus; i++) table->gpu_column[i] = -1;
    for (int c = 0; c < h->devices; c++) {
        const struct smi_device *d = &h->device[c];
        if (!d->gpu) continue;
        if (d->id >= h->gpus)
            return err_set(err, ST_INPUT,
                           "%s, line %d: the header names %d GPUs including GPU%d, so some of GPU0 to GPU%d are "
                           "missing; %s",
                           t->name, line, h->gpus, d->id, d->id, AGAIN);
        if (table->gpu_column[d->id] >= 0)
            return err_set(err, ST_INPUT, "%s, line %d: the header names GPU%d twice; %s", t->name, line, d->id, AGAIN);
        table->gpu_column[d->id] = c;
    }
    return ST_OK;
}

/* Cells that a GPU's row must have: up to the last GPU's column. */
static int cells_needed(const struct smi_header *h)
{
    int last = 0;
    for (int c = 0; c < h->devices; c++)
        if (h->device[c].gpu) last = c + 1;
    return last;
}

static void read_cells(struct smi_row *row, const char *t, int columns)
{
    for (row->cells = 0; row->cells < columns; row->cells++) {
        size_t n = smi_match_cell(smi_skip_blanks(t), &row->cell[row->cells]);
        if (!n) break;
        t = smi_skip_blanks(t) + n;
    }
    row->rest = t;
}

/* What may follow a GPU's cells: an affinity list, or a remark once all cells are there. */
static enum st check_rest(const struct smi_text *t, const struct smi_header *h, const struct smi_device *d,
                          const struct smi_row *row, struct err *err)
{
    const char *next = smi_skip_blanks(row->rest);
    struct smi_cell cell;
    char word[40];
    if (row->cells < cells_needed(h)) {
        if (*next)
            return err_set(err, ST_INPUT,
                           "%s, line %d: row %s, column %s: found \"%s\" where a cell (%s) was expected; %s", t->name,
                           row->line, d->name, h->device[row->cells].name, word_at(next, word), WORDS, AGAIN);
        return err_set(err, ST_INPUT, "%s, line %d: row %s ends before column %s, but it needs %d cells; %s", t->name,
                       row->line, d->name, h->device[row->cells].name, cells_needed(h), AGAIN);
    }
    if (row->cells < h->devices && *next && !isdigit((unsigned char)*next) && !text_starts(next, "N/A"))
        return err_set(err, ST_INPUT, "%s, line %d: row %s, column %s: found \"%s\" where a cell (%s) was expected; %s",
                       t->name, row->line, d->name, h->device[row->cells].name, word_at(next, word), WORDS, AGAIN);
    if (row->cells == h->devices && smi_match_cell(next, &cell))
        return err_set(err, ST_INPUT, "%s, line %d: row %s has a cell \"%s\" after the last of %d columns; %s", t->name,
                       row->line, d->name, word_at(next, word), h->devices, AGAIN);
    return ST_OK;
}

static int column_of(const struct smi_header *h, const struct smi_device *d)
{
    for (int c = 0; c < h->devices; c++)
        if (!strcmp(h->device[c].name, d->name)) return c;
    return -1;
}

static enum st take_row(const struct smi_text *t, int i, struct smi_table *table, struct err *err)
{
    const struct smi_header *h = &table->header;
    struct smi_device d;
    const char *cells = smi_find_row(t->line[i], &d);
    int column;
    if (!cells) return ST_OK;
    column = column_of(h, &d);
    if (column < 0) {
        if (d.gpu)
            return err_set(err, ST_INPUT, "%s, line %d: there is a row %s, but the header has no column %s; %s",
                           t->name, i + 1, d.name, d.name, AGAIN);
        return ST_OK; /* a card that has no column says nothing about GPUs */
    }
    if (table->row[column].line) {
        if (d.gpu)
            return err_set(err, ST_INPUT, "%s, line %d: row %s was given in line %d already; %s", t->name, i + 1,
                           d.name, table->row[column].line, AGAIN);
        return ST_OK;
    }
    table->row[column].line = i + 1;
    read_cells(&table->row[column], cells, h->devices);
    if (d.gpu) PASS(check_rest(t, h, &d, &table->row[column], err));
    return ST_OK;
}

/* Finds a line that begins like the row of `d` but has no cell: probably the missing row. Returns its number, 0 for
 * none. */
static int damaged_row(const struct smi_text *t, const struct smi_block *b, const struct smi_header *h,
                       const struct smi_device *d, const char **found)
{
    for (int i = b->header + 1; i < t->lines && i < b->end + 8; i++)
        for (const char *at = strstr(t->line[i], d->name); at; at = strstr(at + 1, d->name)) {
            size_t n = strlen(d->name);
            if (!smi_word_starts(t->line[i], at) || isdigit((unsigned char)at[n]) ||
                smi_count_words(t->line[i], at) != h->prefix_words)
                continue;
            *found = smi_skip_blanks(at + n);
            return i + 1;
        }
    return 0;
}

static enum st check_rows(const struct smi_text *t, const struct smi_block *b, const struct smi_table *table,
                          struct err *err)
{
    const struct smi_header *h = &table->header;
    for (int g = 0; g < h->gpus; g++) {
        int column = table->gpu_column[g], line;
        const char *found;
        char word[40];
        if (table->row[column].line) continue;
        line = damaged_row(t, b, h, &h->device[column], &found);
        if (line)
            return err_set(err, ST_INPUT,
                           "%s, line %d: row GPU%d, column %s: found \"%s\" where a cell (%s) was expected; %s",
                           t->name, line, g, h->device[0].name, word_at(found, word), WORDS, AGAIN);
        return err_set(err, ST_INPUT,
                       "%s, line %d: the header names GPU%d, but there is no row GPU%d; the text is truncated, so %s",
                       t->name, b->header + 1, g, g, AGAIN);
    }
    return ST_OK;
}

/* Checks the cell in (row, column): the diagonal, the kinds of devices, and its mirror. */
static enum st check_cell(const struct smi_text *t, const struct smi_table *table, int row, int column, struct err *err)
{
    const struct smi_header *h = &table->header;
    const struct smi_row *r = &table->row[row], *m = &table->row[column];
    struct smi_cell a = r->cell[column], b;
    char one[16], other[16];
    if ((a.path == SMI_SELF) != (row == column))
        return err_set(err, ST_INPUT,
                       "%s, line %d: row %s, column %s: found %s, but X is expected on the diagonal and only there; a "
                       "cell is missing or repeated, so %s",
                       t->name, r->line, h->device[row].name, h->device[column].name, cell_name(a, one), AGAIN);
    if (a.path == SMI_NVLINK && !(h->device[row].gpu && h->device[column].gpu))
        return err_set(err, ST_INPUT,
                       "%s, line %d: row %s, column %s: found %s, but only GPUs have NVLink; a column is missing, so "
                       "%s",
                       t->name, r->line, h->device[row].name, h->device[column].name, cell_name(a, one), AGAIN);
    if (!m->line || m->cells <= row) return ST_OK;
    b = m->cell[row];
    if (a.path != b.path || a.links != b.links)
        return err_set(err, ST_INPUT,
                       "%s, line %d: row %s, column %s is %s, but row %s, column %s (line %d) is %s; both describe the "
                       "same path, so %s",
                       t->name, r->line, h->device[row].name, h->device[column].name, cell_name(a, one),
                       h->device[column].name, h->device[row].name, m->line, cell_name(b, other), AGAIN);
    return ST_OK;
}

enum st smi_read_table(const struct smi_text *t, const struct smi_block *b, struct smi_table *out, struct err *err)
{
    enum st st = ST_OK;
    BUG_IF(!smi_read_header(t->line[b->header], &out->header));
    TRY(index_header(t, b->header + 1, out, err));
    for (int i = b->header + 1; i < b->end; i++) TRY(take_row(t, i, out, err));
    TRY(check_rows(t, b, out, err));
    for (int r = 0; r < out->header.devices; r++)
        for (int c = 0; c < out->row[r].cells; c++)
            if (out->row[r].line) TRY(check_cell(t, out, r, c, err));
done:
    return st;
}
