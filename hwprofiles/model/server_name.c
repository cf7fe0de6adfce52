#include "hwprofiles/model/server_name.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

void server_clean_text(char *text)
{
    for (char *c = text; *c; c++)
        if ((signed char)*c < 32 || *c == 127) *c = '_'; /* bytes beyond ASCII, too: a cut may have split a character */
}

void server_default_name(const char *path, char *out, size_t size)
{
    snprintf(out, size, "%.*s", (int)size - 1, path_base(path));
    char *dot = strrchr(out, '.');
    if (dot && dot != out) *dot = 0;
    server_clean_text(out);
}
