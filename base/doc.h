/* doc.h - JSON documents: in memory by jansson, which no other code calls.
 *
 * A document carries "schema": "<name>/<major>"; doc_load refuses another name or major. Objects keep the order of
 * insertion, so equal content gives equal bytes.
 *
 * Building needs no check per line. A maker returns NULL when memory runs out, and a setter marks its container as
 * broken, at any depth; doc_save and doc_print then fail with ST_LIMIT. A value that was put into a container belongs
 * to it. Reading functions that can fail name the file and the key in their sentence (ST_INPUT).
 */
#ifndef BASE_DOC_H
#define BASE_DOC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct json_t doc;

/* ---- making: values owned by the caller until they are put into a container; NULL when memory runs out ---- */
doc *doc_object(void);
doc *doc_array(void);
doc *doc_integer(int64_t v);
doc *doc_unsigned(uint64_t v);
doc *doc_index(int v);        /* null below 0 */
doc *doc_real(double v);      /* written with 9 significant digits; NaN and infinities become null */
doc *doc_text(const char *v); /* NULL becomes null */
doc *doc_bool(bool v);
doc *doc_null(void);
void doc_put(doc *object, const char *key, doc *value); /* sets a member, replacing an old one; takes value */
void doc_put_copy(doc *object, const char *key, const doc *value); /* a deep copy; null for NULL */
void doc_append(doc *array, doc *value);                           /* takes value */
/* Members one after the other: DOC_PUT(d, IS("rows", count), IS("share", 0.5)) puts them, DOC(IS(..), ..) makes an
 * object of them. The type of what stands for a value says what it becomes; a doc is taken as it is. Values are made in
 * no stated order, so two of them must not write to one buffer. */
void doc_put_each(doc *object, ...); /* pairs as IS makes them; a NULL ends them */
doc *doc_of(const char *key, ...);   /* likewise, with the first key apart */
static inline doc *doc_itself(doc *d) { return d; }
#define DOC_MAKER(v)                                                                                                   \
    _Generic((v), bool                                                                                                 \
             : doc_bool, double                                                                                        \
             : doc_real, float                                                                                         \
             : doc_real, char *                                                                                        \
             : doc_text, const char *                                                                                  \
             : doc_text, doc *                                                                                         \
             : doc_itself, default                                                                                     \
             : doc_integer)
#define IS(key, v) (const char *)(key), DOC_MAKER(v)(v)
#define DOC_PUT(d, ...) doc_put_each(d, __VA_ARGS__, (const char *)NULL)
#define DOC(...) doc_of(__VA_ARGS__, (const char *)NULL)
void doc_free(doc *d);                    /* only for values in no container; NULL is allowed */
#define OWNED_DOC OWNED_BY(doc_give_back) /* doc_free when the scope of the pointer is left */
static inline void doc_give_back(doc **d) { doc_free(*d); }
doc *doc_copy(const doc *d);  /* a deep copy, owned by the caller; NULL gives NULL */
bool doc_whole(const doc *d); /* false when memory ran out while it was made, at any depth, and for NULL */

/* ---- writing: indented by one blank, a newline at the end; ST_LIMIT when memory ran out or nothing can be written */
enum st doc_save(const doc *d, const char *path, struct err *err) MUST_USE; /* atomic: the old file or the new one */
enum st doc_print(const doc *d, FILE *to, struct err *err) MUST_USE;
/* The value as one line, without blanks and a newline; false when memory ran out, or it could not be written. */
bool doc_print_line(const doc *d, FILE *to);
/* The bytes that doc_save writes. *text: [*bytes] and a NUL, the caller's to free. */
enum st doc_dump(const doc *d, char **text, size_t *bytes, struct err *err) MUST_USE;

/* ---- reading ---- */
/* Reads a file. schema "plan/1": the document must be an object that states exactly this; NULL: any JSON object. *out
 * is owned by the caller. ST_INPUT for what is not JSON or another schema; ST_LIMIT when memory runs out. */
enum st doc_load(const char *path, const char *schema, doc **out, struct err *err) MUST_USE;
/* *has: whether `path` is a document with exactly that schema; false when it cannot be read. ST_LIMIT without memory.
 */
enum st doc_has_schema(const char *path, const char *schema, bool *has, struct err *err) MUST_USE;
/* Parses `bytes` bytes of text; keys that come twice are refused. name: opens the sentence. *out: owned by the caller.
 * ST_INPUT for what is not JSON; ST_LIMIT when memory runs out. */
enum st doc_parse(const char *text, size_t bytes, const char *name, doc **out, struct err *err) MUST_USE;

/* Kind of a value; false for NULL, which stands for a missing key. */
bool doc_is_object(const doc *d);
bool doc_is_array(const doc *d);
bool doc_is_text(const doc *d);
bool doc_is_integer(const doc *d);
bool doc_is_number(const doc *d); /* integer or real */
bool doc_is_null(const doc *d);   /* null or a missing key */

/* Members and elements. Results are borrowed from the container. */
doc *doc_get(const doc *object, const char *key); /* NULL when the key is missing or `object` is no object */
uint64_t doc_size(const doc *array_or_object);    /* elements or members; 0 for anything else */
doc *doc_at(const doc *array, uint64_t i);        /* NULL when there is no element i */
/* The member at the end of a path of keys joined by dots; NULL: there is none. */
const doc *doc_path(const doc *of, const char *path);

/* The value, or `otherwise` when d is NULL or of another kind. A text is borrowed. */
int64_t doc_integer_value(const doc *d, int64_t otherwise);
double doc_real_value(const doc *d, double otherwise); /* of any number */
double doc_number(const doc *d, const char *key);      /* the number of a member; NaN where there is none */
uint64_t doc_count(const doc *d, const char *key);     /* the integer of a member; 0 where there is none */
const char *doc_text_value(const doc *d, const char *otherwise);
bool doc_bool_value(const doc *d, bool otherwise);

/* Required members: ST_INPUT when the key is missing, of another kind or out of range. low and high are inclusive.
 * where: the file's name, opens the sentence. Texts, arrays and objects are borrowed. */
enum st doc_need_integer(const doc *object, const char *key, int64_t low, int64_t high, const char *where, int64_t *out,
                         struct err *err) MUST_USE;
enum st doc_need_real(const doc *object, const char *key, double low, double high, const char *where, double *out,
                      struct err *err) MUST_USE;
/* A rate, which others are divided by: 1e-6 to high. Missing or null: not known, and *out stays. */
enum st doc_may_rate(const doc *object, const char *key, double high, const char *where, double *out, struct err *err)
    MUST_USE;
enum st doc_need_text(const doc *object, const char *key, const char *where, const char **out, struct err *err)
    MUST_USE;
enum st doc_need_array(const doc *object, const char *key, const char *where, doc **out, struct err *err) MUST_USE;
enum st doc_need_object(const doc *object, const char *key, const char *where, doc **out, struct err *err) MUST_USE;

/* For files that a user wrote: every key must be in the NULL-ended list. ST_INPUT names the first unknown key and the
 * nearest known one. */
enum st doc_only_keys(const doc *object, const char *const *known, const char *where, struct err *err) MUST_USE;

/* Iterates over the keys of an object, in order: pass NULL first, then the key before. NULL at the end. */
const char *doc_next_key(const doc *object, const char *previous);

#ifdef __cplusplus
}
#endif

#endif
