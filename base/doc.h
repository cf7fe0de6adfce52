/* doc.h - JSON documents: the only door to jansson.
 *
 * A document carries "schema": "<name>/<major>"; doc_load refuses another name or major. Objects keep the order of
 * insertion, so equal content gives equal bytes. Makers return NULL when memory is out and setters then do nothing
 * but remember, at any depth: doc_save and doc_print report it (ST_LIMIT), so that building a document needs no check
 * per line. Reading functions name the file and the key in their sentence (ST_INPUT). A value that was set into a
 * parent belongs to the parent.
 */
#ifndef BASE_DOC_H
#define BASE_DOC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

typedef struct json_t doc;

/* ---- making ---- */
doc *doc_object(void);
doc *doc_array(void);
doc *doc_integer(int64_t v);
doc *doc_real(double v);      /* written with 9 significant digits; NaN and infinities become null */
doc *doc_text(const char *v); /* NULL becomes null */
doc *doc_bool(bool v);
doc *doc_null(void);
void doc_put(doc *object, const char *key, doc *value); /* takes value */
void doc_append(doc *array, doc *value);                /* takes value */
void doc_free(doc *d);                                  /* only for roots; NULL is allowed */
doc *doc_copy(const doc *d);                            /* deep */

/* ---- writing: indented, a newline at the end ---- */
enum st doc_save(const doc *d, const char *path, struct err *err) MUST_USE; /* atomic */
enum st doc_print(const doc *d, FILE *to, struct err *err) MUST_USE;

/* ---- reading ---- */
/* Reads a file. schema "plan/1": the document must be an object that says exactly so; NULL: any JSON object. */
enum st doc_load(const char *path, const char *schema, doc **out, struct err *err) MUST_USE;
enum st doc_parse(const char *text, size_t bytes, const char *name, doc **out, struct err *err) MUST_USE;

bool doc_is_object(const doc *d);
bool doc_is_array(const doc *d);
bool doc_is_text(const doc *d);
bool doc_is_integer(const doc *d);
bool doc_is_number(const doc *d);
bool doc_is_null(const doc *d);                   /* also true for NULL, a missing key */
doc *doc_get(const doc *object, const char *key); /* borrowed; NULL when missing */
uint64_t doc_size(const doc *array_or_object);    /* 0 for anything else */
doc *doc_at(const doc *array, uint64_t i);        /* borrowed */
int64_t doc_integer_value(const doc *d, int64_t otherwise);
double doc_real_value(const doc *d, double otherwise);
const char *doc_text_value(const doc *d, const char *otherwise); /* borrowed */
bool doc_bool_value(const doc *d, bool otherwise);

/* Required members; `where` (file name) opens the sentence. low and high are inclusive. */
enum st doc_need_integer(const doc *object, const char *key, int64_t low, int64_t high, const char *where, int64_t *out,
                         struct err *err) MUST_USE;
enum st doc_need_real(const doc *object, const char *key, double low, double high, const char *where, double *out,
                      struct err *err) MUST_USE;
enum st doc_need_text(const doc *object, const char *key, const char *where, const char **out, struct err *err)
    MUST_USE; /* borrowed */
enum st doc_need_array(const doc *object, const char *key, const char *where, doc **out, struct err *err)
    MUST_USE; /* borrowed */
enum st doc_need_object(const doc *object, const char *key, const char *where, doc **out, struct err *err)
    MUST_USE; /* borrowed */

/* For files a user wrote: every key must be in the NULL-ended list; otherwise ST_INPUT with a did-you-mean. */
enum st doc_only_keys(const doc *object, const char *const *known, const char *where, struct err *err) MUST_USE;

/* Iterates over an object: pass NULL first. Returns the next key, NULL at the end. */
const char *doc_next_key(const doc *object, const char *previous);

#endif
