/* smi_text.h - `nvidia-smi topo -m` as lines: without colours, carriage returns and odd blanks.
 *
 * People paste, indent, log and cut this text, so it is read as words, not as positions. The steps: smi_text cleans it
 * and cuts it into lines, smi_words knows the vocabulary, smi_find finds the matrices among other text, smi_table reads
 * one, smi_locality concludes which GPUs share a switch or socket. The promise of all of them: a text that lost
 * something is refused; it never gives a smaller clique.
 */
#ifndef HWPROFILES_FORMATS_SMI_TEXT_H
#define HWPROFILES_FORMATS_SMI_TEXT_H

#include <stddef.h>
#include "base/status.h"

struct smi_text {
    const char *name; /* of the file, for messages; borrowed */
    char *buffer;     /* owned; the lines lie in it */
    char **line;      /* [lines], NUL-terminated; line i is line i + 1 of the file */
    int lines;
};

/* Cuts text[bytes] into lines. Dropped: byte order marks, CR, control and escape sequences, also those whose escape
 * byte was lost; all kinds of blanks become plain ones. Release with smi_text_release. ST_LIMIT when memory is out. */
enum st smi_text_init(struct smi_text *t, const char *text, size_t bytes, const char *name, struct err *err) MUST_USE;
/* Frees what t owns; a zeroed struct is allowed. */
void smi_text_release(struct smi_text *t);

#endif
