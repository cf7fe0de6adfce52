/* server_name.h - names of servers and GPU models that come from files and drivers: printable ASCII only. */
#ifndef HWPROFILES_MODEL_SERVER_NAME_H
#define HWPROFILES_MODEL_SERVER_NAME_H

#include <stddef.h>

/* Replaces every byte of text that is not printable ASCII by '_'. */
void server_clean_text(char *text);

/* out[size]: the file's name without folders and suffix, cleaned. Equal files get equal names wherever they lie. */
void server_default_name(const char *path, char *out, size_t size);

#endif
