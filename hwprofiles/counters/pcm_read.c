/* pcm_read.c - the two tables that Intel PCM prints with -csv (declared in pcm.h).
 *
 * pcm-pcie: indented definitions, then before every iteration a line "Skt,PCIRdCur,..", then one row per socket
 * ("0,123,.."); with -e three rows per socket whose last cell ends in (Total), (Miss), (Hit), of which Total counts.
 * pcm-iio: a banner, then before every iteration "[Date,Time,]Socket,[Root Port,]Name,[Part,]IB write,IB read,..",
 * then rows "Socket0,..", most of them shorter than the header.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/counters/pcm.h"

enum { CELLS_MAX = 64 };
#define SUM_MAX (UINT64_C(1) << 52) /* JSON readers keep integers up to here */

struct reader {
    struct text_lines lines;
    const char *path;
    struct pcm p;
    char separator;
    int cells;         /* of the header; 0: none seen yet */
    int socket, reads; /* columns */
    int bytes;         /* column "PCIe Rd (B)"; -1: none */
    int date;          /* column of Date, Time is the next one; -1: none */
    uint64_t rows;     /* counted in this iteration */
    bool seen[PCM_SOCKETS_MAX];
    double first_s, last_s; /* time stamps of the first rows of the first and the last iteration; NaN: none */
};

static enum st bad_line(const struct reader *r, struct err *err, const char *found)
{
    return err_set(err, ST_INPUT, "%s: line %llu: %s; expected the complete output of pcm-pcie -csv or pcm-iio -csv",
                   r->path, (unsigned long long)r->lines.number, found);
}

/* Separator of a header: the character after its first word; 0: no header. */
static char header_separator(const char *line, bool *iio)
{
    const char *words[] = {"Skt", "Socket", "Date"};
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if (!text_starts(line, words[i])) continue;
        n += strspn(line + n, " ");
        if (!line[n] || !strchr(",;|\t", line[n])) continue;
        *iio = i > 0;
        return line[n];
    }
    return 0;
}

static int column(char **cells, int count, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; i < count; i++) {
        const char *cell = cells[i] + strspn(cells[i], " ");
        if (!strncmp(cell, name, n) && (!cell[n] || cell[n] == ' ')) return i;
    }
    return -1;
}

/* The iteration that ends here must have had every socket. */
static enum st end_iteration(struct reader *r, struct err *err)
{
    int sockets = 0, last = -1;
    if (!r->cells) return ST_OK;
    for (int s = 0; s < PCM_SOCKETS_MAX; s++)
        if (r->seen[s]) {
            sockets++;
            last = s;
        }
    if (!sockets) return bad_line(r, err, "a table without rows ends here; the capture is truncated");
    if (last + 1 != sockets) return bad_line(r, err, "a socket is missing in the table that ends here");
    if (r->p.iterations && sockets != r->p.sockets)
        return bad_line(r, err,
                        "the table that ends here has other sockets than the one before; the capture is truncated");
    r->p.sockets = sockets;
    r->p.iterations++;
    memset(r->seen, 0, sizeof r->seen);
    r->rows = 0;
    return ST_OK;
}

static enum st read_header(struct reader *r, char *line, char separator, bool iio, struct err *err)
{
    char *cells[CELLS_MAX];
    PASS(end_iteration(r, err));
    if (separator == '|')
        PASS(bad_line(r, err,
                      "is the tool's default table, whose numbers are rounded to three digits; run the tool with "
                      "-csv"));
    if (r->cells && iio != r->p.iio) PASS(bad_line(r, err, "begins a table of the other PCM tool"));
    r->p.iio = iio;
    r->separator = separator;
    r->cells = text_split(line, separator, cells, CELLS_MAX);
    if (r->cells < 0) PASS(bad_line(r, err, "has more than 64 columns"));
    r->date = column(cells, r->cells, "Date");
    r->socket = column(cells, r->cells, iio ? "Socket" : "Skt");
    r->reads = column(cells, r->cells, iio ? "IB read" : "PCIRdCur");
    if (!iio && r->reads < 0) r->reads = column(cells, r->cells, "PCIeRdCur");
    r->bytes = iio ? -1 : column(cells, r->cells, "PCIe Rd (B)");
    if (r->socket < 0 || r->reads < 0)
        PASS(bad_line(r, err, iio ? "has no column \"IB read\"" : "has no column \"PCIRdCur\" or \"PCIeRdCur\""));
    return ST_OK;
}

static enum st pcm_read_add(struct reader *r, int64_t socket, uint64_t value, struct err *err)
{
    if (socket < 0 || socket >= PCM_SOCKETS_MAX) return bad_line(r, err, "names a socket beyond 15");
    r->seen[socket] = true;
    if (value > SUM_MAX - r->p.sum) return bad_line(r, err, "brings the sum above 2^52, which is not plausible");
    r->p.per_socket[socket] += value;
    r->p.sum += value;
    return ST_OK;
}

/* A cell of digits alone. */
static bool whole(const char *cell, uint64_t *out)
{
    size_t digits = strspn(cell, "0123456789");
    if (!digits || cell[digits] || digits > 18) return false;
    *out = strtoull(cell, NULL, 10);
    return true;
}

/* A difference of counters below zero, printed as an unsigned number of 64 bits. */
static bool wrapped(const char *cell)
{
    errno = 0;
    return cell[strspn(cell, "0123456789")] == '\0' && strtoull(cell, NULL, 10) > INT64_MAX && !errno;
}

/* Sums the bytes that the row states beside its lines. */
static void add_bytes(struct reader *r, char **cells)
{
    uint64_t value;
    if (r->bytes < 0 || !whole(cells[r->bytes], &value)) return;
    r->p.stated_bytes = (isnan(r->p.stated_bytes) ? 0 : r->p.stated_bytes) + (double)value;
}

static enum st pcie_row(struct reader *r, char **cells, int count, struct err *err)
{
    uint64_t socket, value;
    char *tag = strchr(cells[count - 1], '(');
    if (count != r->cells)
        return bad_line(r, err, "has another number of cells than the header; the capture is truncated");
    if (tag) {
        if (!strcmp(tag, "(Miss)") || !strcmp(tag, "(Hit)")) { /* not counted over the same time */
            if (!r->p.wrapped && wrapped(cells[r->reads])) r->p.wrapped = r->lines.number;
            return ST_OK;
        }
        if (strcmp(tag, "(Total)")) return bad_line(r, err, "ends with a tag other than (Total), (Miss) or (Hit)");
        *tag = 0;
    }
    if (wrapped(cells[r->reads]))
        return bad_line(r, err, "has a counter of 2^64 less a few, a difference below zero; measure again");
    if (!whole(cells[r->socket], &socket) || !whole(cells[r->reads], &value))
        return bad_line(r, err, "has a cell that is not an integer");
    add_bytes(r, cells);
    if (socket < PCM_SOCKETS_MAX && r->seen[socket])
        return bad_line(r, err, "lists a socket a second time in the same table");
    return pcm_read_add(r, (int64_t)socket, value, err);
}

/* Seconds since some midnight of a "2025-11-03", "14:22:07.118"; NaN when it is something else. */
static double stamp_seconds(const char *date, const char *time)
{
    int y, mo, d, h, mi;
    double s;
    if (sscanf(date, "%4d-%2d-%2d", &y, &mo, &d) != 3 || sscanf(time, "%2d:%2d:%lf", &h, &mi, &s) != 3) return NAN;
    if (y < 1970 || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 || mi > 59 || !(s >= 0 && s < 61))
        return NAN;
    y -= mo <= 2; /* days from civil: years begin in March */
    int64_t era_day = (int64_t)y * 365 + y / 4 - y / 100 + y / 400 + (153 * (mo + (mo > 2 ? -3 : 9)) + 2) / 5 + d;
    return (double)era_day * 86400 + h * 3600 + mi * 60 + s;
}

static enum st iio_row(struct reader *r, char **cells, int count, struct err *err)
{
    uint64_t socket, value;
    if (count <= r->reads || count <= r->socket)
        return bad_line(r, err, "ends before its Socket or IB read cell; the capture is truncated");
    if (!text_starts(cells[r->socket], "Socket") || !whole(cells[r->socket] + 6, &socket) ||
        !whole(cells[r->reads], &value))
        return bad_line(r, err, "has no Socket<number>, or an IB read that is not an integer");
    if (!r->rows++ && r->date >= 0 && r->date + 1 < count) {
        r->last_s = stamp_seconds(cells[r->date], cells[r->date + 1]);
        if (!r->p.iterations) r->first_s = r->last_s;
    }
    return pcm_read_add(r, (int64_t)socket, value, err);
}

/* Rows begin with a digit (pcm-pcie), Socket<digit>, or a date; other lines between tables are messages. */
static bool is_row(const struct reader *r, const char *line)
{
    if (!r->cells) return false;
    if (r->p.iio && r->date < 0) return text_starts(line, "Socket") && line[6] >= '0' && line[6] <= '9';
    return *line >= '0' && *line <= '9';
}

static enum st read_line(struct reader *r, char *line, struct err *err)
{
    char *cells[CELLS_MAX];
    bool iio = false;
    char separator = header_separator(line, &iio);
    if (separator) return read_header(r, line, separator, iio, err);
    if (!is_row(r, line)) return ST_OK;
    int count = text_split(line, r->separator, cells, CELLS_MAX);
    if (count < 0) return bad_line(r, err, "has more than 64 cells");
    return r->p.iio ? iio_row(r, cells, count, err) : pcie_row(r, cells, count, err);
}

enum st pcm_read(const char *path, struct pcm *out, struct err *err)
{
    struct reader r = {.path = path, .first_s = NAN, .last_s = NAN, .p.stated_bytes = NAN};
    char *line = NULL;
    enum st st;
    TRY(text_lines_open(path, &r.lines, err));
    for (;;) {
        TRY(text_lines_next(&r.lines, &line, NULL, err));
        if (!line) break;
        TRY(read_line(&r, line, err));
    }
    if (!r.cells)
        FAIL(ST_INPUT,
             "%s: holds no table of PCIe counters (no line beginning with \"Skt,\" or \"Socket,\"); pcm-pcie and "
             "pcm-iio print none where the processor is not supported or the counters cannot be read (are you root?)",
             path);
    TRY(end_iteration(&r, err));
    if (r.p.iterations > 1 && r.last_s > r.first_s)
        r.p.interval_s = round(1000 * (r.last_s - r.first_s) / (double)(r.p.iterations - 1)) / 1000;
    *out = r.p;
done:
    text_lines_close(&r.lines);
    return st;
}
