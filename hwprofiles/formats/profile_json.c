/* profile_json.c - a server profile (the document server/1), perhaps written by hand. */
#include <string.h>
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/server_read.h"

static int profile_json_probe(const char *text, size_t bytes)
{
    size_t at = strspn(text, " \t\r\n");
    if (at >= bytes || text[at] != '{') return 0;
    return strstr(text, "server/") ? 95 : 60;
}

static enum st read_profile(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                            size_t warning_size, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    const char *schema;
    if (warning_size) warning[0] = 0;
    PASS(doc_parse(text, bytes, name, &d, err));
    if (!doc_is_object(d))
        return err_set(err, ST_INPUT,
                       "%s is no JSON object, but a server profile (schema server/1) is expected; see hotset server "
                       "show dgx-v100 --json",
                       name);
    PASS(doc_need_text(d, "schema", name, &schema, err));
    if (strcmp(schema, "server/1"))
        return err_set(err, ST_INPUT,
                       "%s has the schema \"%.80s\", but server/1 is expected; see hotset server show dgx-v100 --json "
                       "for an example",
                       name, schema);
    PASS(server_read(d, name, out, err));
    out->document = TAKE(d);
    return ST_OK;
}

const struct server_format server_format_profile_json = {
    .name = "profile-json",
    .summary = "server profile (JSON, schema server/1)",
    .probe = profile_json_probe,
    .read = read_profile,
};
