/* smi_words.h - the vocabulary of `nvidia-smi topo -m`: device names, cells, affinity columns.
 *
 * The match functions look at the word at t, a place in a NUL-terminated line, and return its length in bytes, 0 when
 * it is no such word.
 */
#ifndef HWPROFILES_FORMATS_SMI_WORDS_H
#define HWPROFILES_FORMATS_SMI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum smi_path { SMI_NONE, SMI_SELF, SMI_NVLINK, SMI_PIX, SMI_PXB, SMI_PHB, SMI_NODE, SMI_SYS };
struct smi_cell {
    unsigned char path;  /* enum smi_path */
    unsigned char links; /* n of NV<n>, else 0 */
};

enum { SMI_DEVICES_MAX = 512 };
struct smi_device {
    bool gpu; /* else a network card */
    int id;   /* of "GPU3", "NIC0", "mlx5_2"; -1 for cards with names of their own */
    char name[32];
};

/* "GPU3", "NIC0", "mlx5_2", "mlx4_0". */
size_t smi_match_device(const char *t, struct smi_device *out);
/* A cell of topo -m. It may be glued to the next one ("PIXNODE") or to an affinity list ("SYS0-31"): what follows must
 * be such a word, too. */
size_t smi_match_cell(const char *t, struct smi_cell *out);
/* A cell of the table that topo -p2p prints. */
size_t smi_match_p2p(const char *t);
/* The column names CPU Affinity, NUMA Affinity and GPU NUMA ID: *which is 0, 1, 2. cut: the line may end inside the
 * name. */
size_t smi_match_affinity(const char *t, bool cut, int *which);

/* True for a space or a tab. */
bool smi_is_blank(char c);
/* The first place at or behind t that is no blank. */
const char *smi_skip_blanks(const char *t);
/* True when a word may begin at t: line is where the text starts, and what stands before t is no part of a word. */
bool smi_word_starts(const char *line, const char *t);
/* Number of blank-separated words in [from, to). */
int smi_count_words(const char *from, const char *to);

#endif
