#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_clear(struct err *err)
{
    err->code = ST_OK;
    err->text[0] = '\0';
}

enum st err_set(struct err *err, enum st code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    err->code = code;
    vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    return code;
}

enum st err_prefix(struct err *err, const char *format, ...)
{
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list ap;
    va_start(ap, format);
    int used = vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    if (used >= 0 && (size_t)used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - (size_t)used, "%s", old);
    return err->code;
}
