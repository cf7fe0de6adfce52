/* smi_find.h - finds the matrices in a text that may also hold prompts, banners and other tables. */
#ifndef HWPROFILES_FORMATS_SMI_FIND_H
#define HWPROFILES_FORMATS_SMI_FIND_H

#include <stdbool.h>
#include "hwprofiles/formats/smi_text.h"
#include "hwprofiles/formats/smi_words.h"

struct smi_header {
    int devices, gpus;
    struct smi_device device[SMI_DEVICES_MAX]; /* columns, from left to right */
    int prefix_words;                          /* words before the first device */
    bool affinity[3];                          /* which affinity columns the table has */
};

/* Reads a header line: device names with GPU0 among them, then nothing or affinity names. False when it is none. */
bool smi_read_header(const char *line, struct smi_header *out);
/* Finds the device name that opens a row: one with a cell behind it. Returns the text behind the name (borrowed from
 * line); NULL when the line is no row. */
const char *smi_find_row(const char *line, struct smi_device *out);

/* One matrix: a header and its rows. */
struct smi_block {
    int header, end;   /* lines: the header, and one behind the last line that may be a row */
    int gpus;          /* columns of GPUs */
    int rows;          /* rows of GPUs */
    bool p2p;          /* the table of topo -p2p */
    bool nvlink;       /* has an NV cell */
    bool hides_nvlink; /* the legend is that of topo -mp, which shows PCIe paths only */
};
enum { SMI_BLOCKS_MAX = 64 };
struct smi_blocks {
    int count;
    bool more; /* the text holds more matrices than fit */
    struct smi_block block[SMI_BLOCKS_MAX];
};

/* Fills *out with the matrices in the order of the text; count 0 when there is none. ST_LIMIT: memory is
 * out. */
enum st smi_find_blocks(const struct smi_text *t, struct smi_blocks *out, struct err *err) MUST_USE;

#endif
