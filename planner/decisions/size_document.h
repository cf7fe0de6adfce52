/* size_document.h - a size question and its answer as the document size/1.
 *
 * Its keys, with what they mean, are a table of the page that reads it (reports/sizing/sizing_fields.c), which 'hotset
 * list schemas size/1' prints.
 */
#ifndef PLANNER_DECISIONS_SIZE_DOCUMENT_H
#define PLANNER_DECISIONS_SIZE_DOCUMENT_H

#include "planner/decisions/size_sentence.h"

/* The document size/1 of a result. The caller frees it. */
doc *size_document(const struct size_result *r);

#endif
