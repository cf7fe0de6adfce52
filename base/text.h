/* text.h - tables for people, and words. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/status.h"

/* A table of text cells. Columns whose header starts with '>' are aligned to the right. Errors are remembered and
 * reported by table_print. */
struct table;
struct table *table_new(const char *const *headers); /* NULL-ended; headers must outlive the table */
void table_add(struct table *t, const char *format, ...) PRINTF_LIKE(2, 3); /* next cell; rows follow each other */
/* Two blanks between columns, a rule under the header; widths count UTF-8 characters. Where a table would be wider
 * than 120 characters and its last column is aligned to the left, that column goes on in further lines. */
void table_print(const struct table *t, FILE *to);
void table_free(struct table *t);

/* The word of a NULL-ended list that is nearest to `word`, or NULL when none is near: for did-you-mean. */
const char *text_nearest(const char *word, const char *const *words);

/* Splits at `separator` in place; returns the number of parts, or -1 when there are more than max. Empty parts are
 * kept. */
int text_split(char *text, char separator, char **parts, int max);

/* Appends to a fixed buffer; a text that does not fit is cut at the end and stays NUL-terminated. */
void text_append(char *buffer, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

/* Appends "0,1,4-7": numbers with commas, three and more that count up by one as a range. */
void text_append_ids(char *buffer, size_t size, const int *id, int count);

bool text_starts(const char *text, const char *prefix);
bool text_equal_nocase(const char *a, const char *b);

#endif
