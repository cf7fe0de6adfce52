/* doc_kinds.h - the kinds of a document's keys, in one text: what has the wrong kind is refused, never passed over.
 *
 * Members are apart by blanks: "name:text" (integer, number, text, bool, array, object; one of several: "text|array"),
 * "server{name:text cls:integer}" an object with such members, "gpus[id:integer peers:array]" an array of such objects.
 * A missing key and null are good. Keys that the text does not name are not looked at.
 */
#ifndef BASE_DOC_KINDS_H
#define BASE_DOC_KINDS_H

#include "base/doc.h"

/* where: the file's name, opens the sentence. ST_INPUT names the key by its path ("gpus[2].peers"), what it is and
 * what was expected; also when d is no object. kinds is a text of the program's own. */
enum st doc_kinds(const doc *d, const char *kinds, const char *where, struct err *err) MUST_USE;

#endif
