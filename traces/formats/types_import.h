/* types_import.h - imports folders with several node types or relations. */
#ifndef TRACES_FORMATS_TYPES_IMPORT_H
#define TRACES_FORMATS_TYPES_IMPORT_H

#include "traces/builder/columns.h"
#include "traces/formats/types_source.h"

struct types_import_options {
    const char *path, *name;           /* name NULL: that of the target */
    const struct types_format *format; /* NULL: one text */
    bool undirected;                   /* store relations within a type both ways, and add rev_NAME to the others */
    const char *train;                 /* TYPE=FILE, instead of the source's; NULL */
    double train_share; /* of the type with training vertices, or of the first one; 0: the source's own, else 0.1 */
    uint64_t seed;
    struct column_words columns; /* of one text (types_flat.h), when `format` is NULL */
    uint64_t feature_dim;        /* of every type of it; 0: none */
    const char *feature_type;    /* NULL: f32 */
    int threads;
    bool progress;
};

/* The format of a folder with several types; NULL when it is none. name: of --format, or NULL: by content. */
const struct types_format *types_format_of(const char *path, const char *name);

/* Makes the graph directory `target`; on failure there is the old one or none. ST_INPUT names the file and the entry
 * that is wrong; ST_USAGE for --train; ST_LIMIT when disk or memory is out. */
enum st types_import(const struct types_import_options *o, const char *target, struct err *err) MUST_USE;

#endif
