/* smi.h - the parts of the reader for `nvidia-smi topo -m` text. For formats/nvidia_smi.c and tests.
 *
 * People paste, indent, log and cut this text, so it is read as words, not as positions: smi_text.c takes the dress
 * off (line ends, escape sequences), smi_words.c knows the vocabulary, smi_find.c finds the matrices among other
 * text, smi_table.c reads one, and smi_places.c draws careful conclusions about switches and sockets. The one
 * promise: a text that lost something is refused and never gives a smaller clique.
 */
#ifndef HWPROFILES_FORMATS_SMI_H
#define HWPROFILES_FORMATS_SMI_H

#include <stddef.h>
#include "hwprofiles/model/server.h"

/* ---- smi_text.c: lines without their dress ---- */

struct smi_text {
    const char *name; /* of the file, for messages; borrowed */
    char *buffer;     /* owned; the lines lie in it */
    char **line;      /* [lines], NUL-terminated; line i is line i + 1 of the file */
    int lines;
};

/* Drops byte order marks, CR, escape sequences and what is left of them when the escape byte was lost; turns odd
 * blanks into plain ones. */
enum st smi_text_init(struct smi_text *t, const char *text, size_t bytes, const char *name, struct err *err) MUST_USE;
void smi_text_release(struct smi_text *t); /* zeroed is allowed */

/* ---- smi_words.c: the vocabulary ---- */

enum smi_path { SMI_NONE, SMI_SELF, SMI_NVLINK, SMI_PIX, SMI_PXB, SMI_PHB, SMI_NODE, SMI_SYS };
struct smi_cell {
    unsigned char path, links;
}; /* links: n of NV<n>, else 0 */

enum { SMI_DEVICES_MAX = 512 };
struct smi_device {
    bool gpu;
    int id;
    char name[32];
};

/* Each returns the bytes of the word that stands at t, 0 for none. */
size_t smi_match_device(const char *t, struct smi_device *out);
/* A cell may be glued to the next one ("PIXNODE") or to an affinity list ("SYS0-31"): what follows must make sense,
 * too. */
size_t smi_match_cell(const char *t, struct smi_cell *out);
/* A cell of `topo -p2p`. */
size_t smi_match_p2p(const char *t);
/* CPU Affinity, NUMA Affinity or GPU NUMA ID (*which 0, 1, 2). cut: the line may end inside the name. */
size_t smi_match_affinity(const char *t, bool cut, int *which);

bool smi_is_blank(char c);
const char *smi_skip_blanks(const char *t);
/* True when a word may begin at t, given that line is where the text starts. */
bool smi_word_starts(const char *line, const char *t);
/* Number of blank-separated words in [from, to). */
int smi_count_words(const char *from, const char *to);

/* ---- smi_find.c: where the matrices are ---- */

struct smi_header {
    int devices, gpus;
    struct smi_device device[SMI_DEVICES_MAX]; /* columns, from left to right */
    int prefix_words;                          /* words before the first device */
    bool affinity[3];                          /* which affinity columns are there */
};

/* True when the line is a header: device names with GPU0 among them, then nothing or affinity names. */
bool smi_read_header(const char *line, struct smi_header *out);
/* Finds the device name that opens a row, with a cell word behind it. Returns the text behind the name, NULL when the
 * line is no row. */
const char *smi_find_row(const char *line, struct smi_device *out);

struct smi_block {
    int header, end; /* lines: header, and one behind the last line that may be a row */
    int gpus;
    int rows;          /* lines that are rows of GPUs */
    bool p2p;          /* the table of topo -p2p */
    bool nvlink;       /* has an NV cell */
    bool hides_nvlink; /* the legend is that of topo -mp */
};
enum { SMI_BLOCKS_MAX = 64 };
struct smi_blocks {
    int count;
    bool more;
    struct smi_block block[SMI_BLOCKS_MAX];
};

void smi_find_blocks(const struct smi_text *t, struct smi_blocks *out);

/* ---- smi_table.c: one matrix ---- */

struct smi_row {
    int line; /* of the file, from 1; 0: the device has no row */
    int cells;
    struct smi_cell cell[SMI_DEVICES_MAX];
    const char *rest; /* what stands behind the cells */
};

struct smi_table {
    struct smi_header header;
    int gpu_column[SERVER_GPUS_MAX];     /* column of GPU i */
    struct smi_row row[SMI_DEVICES_MAX]; /* by column */
};

/* Reads and checks the matrix of a block: every GPU has a row, X on the diagonal and only there, every cell equal to
 * its mirror. */
enum st smi_read_table(const struct smi_text *t, const struct smi_block *b, struct smi_table *out, struct err *err)
    MUST_USE;

/* ---- smi_places.c: switches and sockets ---- */

/* Fills pcie_switch and socket of s where the table gives evidence, -1 elsewhere. */
void smi_find_places(const struct smi_table *t, struct server *s);

#endif
