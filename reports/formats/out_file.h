/* out_file.h - a file below the folder of a report, open for writing.
 *
 * Writers print into the stream without checking; out_file_close tells what went wrong.
 */
#ifndef REPORTS_FORMATS_OUT_FILE_H
#define REPORTS_FORMATS_OUT_FILE_H

#include <stdio.h>
#include "base/status.h"

/* Opens folder/name ("plots/x.gp") for writing; the folder of the file must be there. *out belongs to the caller, who
 * ends it with out_file_close, or with fclose after a failure. ST_INPUT: the path is too long; ST_LIMIT: the file
 * cannot be made. */
enum st out_file_open(const char *folder, const char *name, FILE **out, struct err *err) MUST_USE;
/* Closes *file and sets it to NULL, whatever the result; NULL is allowed. name: for the sentence. ST_LIMIT: something
 * was not written (the disk is full). */
enum st out_file_close(FILE **file, const char *name, struct err *err) MUST_USE;

#endif
