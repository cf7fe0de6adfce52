/* text.h - small operations on texts. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "base/status.h"

/* What has no memory for a part of a text or document, and goes on, says so with text_note_loss. From then on
 * output_commit puts nothing in place, and main ends with ST_LIMIT. */
void text_note_loss(void);
bool text_loss_noted(void);

/* The word of a NULL-ended list that is nearest to `word`, for "did you mean"; NULL when none is near. */
const char *text_nearest(const char *word, const char *const *words);

/* Splits text at every `separator`, in place; parts: [max]. Returns the number of parts, or -1 when there are more than
 * max. Empty parts count. */
int text_split(char *text, char separator, char **parts, int max);

/* Appends to the text in a buffer of `size` bytes. What does not fit is dropped; the text stays NUL-terminated. */
void text_append(char *buffer, size_t size, const char *format, ...) PRINTF_LIKE(3, 4);

/* Appends id[0..count) as "0,1,4-7": numbers with commas, three and more consecutive ones as a range. */
void text_append_ids(char *buffer, size_t size, const int *id, int count);

/* Whether text begins with prefix; whether a and b are equal but for the case of ASCII letters. */
bool text_starts(const char *text, const char *prefix);
bool text_equal_nocase(const char *a, const char *b);

#endif
