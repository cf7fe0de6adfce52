/* smi_table.h - reads one matrix and refuses it when its cells contradict each other. */
#ifndef HWPROFILES_FORMATS_SMI_TABLE_H
#define HWPROFILES_FORMATS_SMI_TABLE_H

#include "hwprofiles/formats/smi_find.h"
#include "hwprofiles/model/server.h"

struct smi_row {
    int line;                              /* of the file, from 1; 0: the device has no row */
    int cells;                             /* how many the row has */
    struct smi_cell cell[SMI_DEVICES_MAX]; /* by column */
    const char *rest;                      /* what stands behind the cells */
};

struct smi_table {
    struct smi_header header;
    int gpu_column[SERVER_GPUS_MAX];     /* column of GPU i */
    struct smi_row row[SMI_DEVICES_MAX]; /* by the column of its device */
};

/* Reads the matrix of a block into *out. ST_INPUT, with line, row and column, unless every GPU from 0 on has a row, X
 * stands on the diagonal and only there, and every cell equals its mirror. */
enum st smi_read_table(const struct smi_text *t, const struct smi_block *b, struct smi_table *out, struct err *err)
    MUST_USE;

#endif
