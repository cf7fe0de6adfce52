/* document.h - members of a document that may be absent, null or of another type.
 *
 * A report draws old and foreign documents. What is not there is NaN or "", and NaN is never drawn. Any thread may
 * call.
 */
#ifndef REPORTS_FORMATS_DOCUMENT_H
#define REPORTS_FORMATS_DOCUMENT_H

#include "base/doc.h"

/* A member as a number; NaN when `of` is no object, or the member is absent or no number. */
double document_number(const doc *of, const char *key);
/* The same for bytes, counts and seconds: NaN also when the number is negative or at least 1e300. */
double document_count(const doc *of, const char *key);
/* A member as a text, borrowed from the document; "" when it is absent or no text. */
const char *document_text(const doc *of, const char *key);

/* ST_INPUT for a document that no page draws: says what it is, by its schema, and what to type instead. */
enum st document_refuse(const char *schema, const char *path, struct err *err) MUST_USE;

#endif
