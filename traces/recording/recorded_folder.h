/* recorded_folder.h - what a running job counted: a folder with gpu<id>-<epochs>.npy for each GPU, one-dimensional
 * uint32 arrays of reads of each vertex's feature row over that many epochs (simulator/lib/hotset/recorder.py writes
 * it). */
#ifndef TRACES_RECORDING_RECORDED_FOLDER_H
#define TRACES_RECORDING_RECORDED_FOLDER_H

#include "base/status.h"

#include <stdint.h>

/* Reads the newest file of every GPU id[gpus]. value: [gpus][n]. *epochs: of all of them. ST_INPUT: a GPU has none, n
 * differs, or GPUs have recorded different numbers of epochs. */
enum st recorded_folder_read(const char *folder, const int *id, int gpus, uint64_t n, uint64_t *value, uint64_t *epochs,
                             struct err *err) MUST_USE;

#endif
