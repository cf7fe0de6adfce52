/* stages.h - the time and memory of each stage of a command: wall time and the peak of mem.h. They are printed and
 * written only under --stamp, because they differ from run to run.
 */
#ifndef BASE_STAGES_H
#define BASE_STAGES_H

#include <stdint.h>
#include <stdio.h>
#include "base/doc.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { STAGES_MAX = 64 };
struct stage {
    char name[48];
    double seconds;
    uint64_t peak_bytes; /* of mem.h */
};
struct stages {
    struct stage list[STAGES_MAX];
    int count;
    double started;
};
/* Opens and closes a stage; stages do not nest. Stages of one name are one: times are added, the larger peak stays. */
void stage_begin(struct stages *s, const char *name);
void stage_end(struct stages *s);
/* Adds the times of one report to another's, the larger peak stays; neither has an open stage. */
void stages_add(struct stages *to, const struct stages *from);
/* Prints the stages as a table, with the peak of resident memory. */
void stages_print(const struct stages *s, FILE *to);
/* {host, cpu, device, threads, time, peak_resident_bytes, stages[]{name, seconds, peak_bytes}}, owned by the caller. */
doc *stages_document(const struct stages *s, const char *device, int threads);

#ifdef __cplusplus
}
#endif

#endif
