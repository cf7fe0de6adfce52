/* advice.c - each lever alone. */
#include "reports/tables/tables.h"

#include <string.h>

const char *advice_lever_word(const char *name)
{
    static const char *const words[][2] = {{"deal", "assignment"},
                                           {"reach direct", "peer access direct"},
                                           {"reach forward", "peer access forward"},
                                           {"reach p2p", "peer access p2p"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i][0])) return words[i][1];
    return name;
}

/* In brackets what asks for another import. */
static const char *lever(const struct column_row *r, char out[COLUMN_TEXT])
{
    const bool other = doc_bool_value(doc_get(r->row, "other_import"), false);
    snprintf(out, COLUMN_TEXT, other ? "(%s)" : "%s", advice_lever_word(doc_text_value(doc_get(r->row, "name"), "")));
    return out;
}

bool advice_impossible(const struct column_row *r) { return !doc_is_object(doc_get(r->row, "alone")); }

static bool asks_shown(const struct column_row *r) { return !r->mine; }

#define SAVED CELL_FORM, .form = "%+.1f %%", .times = -100
static const char *lever_of_page(const struct column_row *r, char out[COLUMN_TEXT])
{
    (void)out;
    return advice_lever_word(doc_text_value(doc_get(r->row, "name"), ""));
}

const struct column advice_levers[] =
    {COLUMN("lever", NULL, CELL_TEXT, .text = lever, .flags = COLUMN_TERMINAL),
     COLUMN("lever", NULL, CELL_TEXT, .text = lever_of_page, .flags = COLUMN_PAGE),
     COLUMN("alone: epoch", "alone.seconds_saved", SAVED, .page = "epoch", .unit = "alone"),
     COLUMN("trans.", "alone.transactions_saved", SAVED, .page = "transactions", .unit = "alone"),
     COLUMN("reads", "alone.reads_saved", SAVED, .flags = COLUMN_TERMINAL | COLUMN_IF_ANY),
     COLUMN("accuracy", "may_change_accuracy", CELL_TEXT, .yes = "check it", .no = "the same"),
     COLUMN("what it asks for", "asks", CELL_LONG, .when = asks_shown),
     {0}};
