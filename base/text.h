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

/* Bytes of the UTF-8 character (RFC 3629) at `text`, of which `room` bytes are there; 0: no whole one is. */
int text_utf8_bytes(const char *text, size_t room);

/* Writes text[bytes] to out[size] so that a terminal obeys none of it. What would move its cursor, change its colours
 * or turn the direction of its letters (control characters but newline and tab, U+202A to 202E, U+2066 to 2069) becomes
 * \u001b, which is also how JSON writes it; a byte that is no UTF-8 becomes \xff. Everything else stays. Returns the
 * bytes written, at most 6 for one, before the NUL. *taken: bytes of the text that had room; may be NULL. */
size_t text_visible(char *out, size_t size, const char *text, size_t bytes, size_t *taken);

/* Whether text begins with prefix; whether a and b are equal but for the case of ASCII letters. */
bool text_starts(const char *text, const char *prefix);
bool text_equal_nocase(const char *a, const char *b);

#endif
