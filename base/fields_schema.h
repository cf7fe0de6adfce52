/* fields_schema.h - what a field table says to others: a JSON Schema (draft 2020-12) for programs, a table of keys for
 * people. Both are made from the rows that fields_read checks by, so they cannot differ from it. A schema cannot say
 * what keys must be to each other, which the owner of a document checks beside its table.
 */
#ifndef BASE_FIELDS_SCHEMA_H
#define BASE_FIELDS_SCHEMA_H

#include "base/fields.h"

/* The schema of a document. name: "server/1"; summary: one sentence. Owned by the caller. */
doc *fields_schema(const struct field *f, const char *name, const char *summary);

/* A Markdown table with a line per key, by its path: "gpus[].id". */
void fields_print(const struct field *f, FILE *to);

#endif
