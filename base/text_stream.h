/* text_stream.h - a stream whose text ends in memory, and that tells when memory was out. */
#ifndef BASE_TEXT_STREAM_H
#define BASE_TEXT_STREAM_H

#include <stdio.h>

/* As open_memstream: *text and *bytes (without the 0 behind it) are set by fflush and fclose; the caller's to free().
 * NULL, with *text NULL: memory is out. Where any part was lost for want of memory, fclose returns EOF and *text is
 * NULL; glibc's own stream drops such a part and closes well. */
FILE *text_stream(char **text, size_t *bytes);

#endif
