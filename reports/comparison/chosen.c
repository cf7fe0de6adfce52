/* chosen.c - the policies that a comparison shows where only some are asked for, and what they are called; see
 * comparison.h. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "reports/comparison/comparison.h"

enum { CHOSEN_BYTES = 2000 };

/* The words of a list with commas, borrowed from `copy`. Returns how many. */
static int list_split(const char *list, char copy[CHOSEN_BYTES], char *words[GRID_POLICIES_MAX])
{
    snprintf(copy, CHOSEN_BYTES, "%s", list);
    const int n = text_split(copy, ',', words, GRID_POLICIES_MAX);
    return n < 0 ? GRID_POLICIES_MAX : n;
}

/* The word that names a policy as documents, commands or pages do; count: none. */
static int place_of(char *const *words, int count, const char *policy)
{
    char mine[STYLE_NAME], other[STYLE_NAME];
    int i = 0;
    style_policy(mine, policy);
    while (i < count && strcmp(style_policy(other, words[i]), mine)) i++;
    return i;
}

enum st chosen_rows(struct result_rows *rows, const char *policies, int *left_out, struct err *err)
{
    char copy[CHOSEN_BYTES], *words[GRID_POLICIES_MAX], known[800] = "", name[STYLE_NAME];
    const char *others[GRID_POLICIES_MAX];
    bool found[GRID_POLICIES_MAX] = {false};
    uint64_t kept = 0;
    const int n = list_split(policies, copy, words);
    *left_out = 0;
    for (uint64_t i = 0; i < rows->count; i++) {
        const struct result_row row = rows->list[i];
        const int at = place_of(words, n, row.policy);
        int other = 0;
        if (at < n) {
            found[at] = true;
            rows->list[kept++] = row;
            continue;
        }
        while (other < *left_out && strcmp(others[other], row.policy)) other++;
        if (other < *left_out || other == GRID_POLICIES_MAX) continue;
        others[(*left_out)++] = row.policy;
        text_append(known, sizeof known, "%s%s", other ? ", " : "", style_policy(name, row.policy));
    }
    rows->count = kept;
    for (int i = 0; i < n; i++)
        if (!found[i])
            return err_set(err, ST_INPUT, "--policies: no row is of '%.60s'; %s%s", words[i],
                           *known ? "other policies of these documents are " : "all others are chosen", known);
    return ST_OK;
}

/* Puts `name` in the place of a policy in a label of one or several: "legion = quiver". */
static bool name_put(char label[STYLE_NAME], const char *policy, const char *name)
{
    char old[STYLE_NAME];
    const size_t length = strlen(policy);
    for (char *at = strstr(label, policy); at; at = strstr(at + 1, policy)) {
        const bool begins = at == label || (at >= label + 3 && !strncmp(at - 3, " = ", 3));
        if (!begins || (at[length] && strncmp(at + length, " = ", 3))) continue;
        memcpy(old, label, STYLE_NAME);
        snprintf(label, STYLE_NAME, "%.*s%s%s", (int)(at - label), old, name, old + (at - label) + length);
        return true;
    }
    return false;
}

enum st chosen_labels(struct grids *grids, const char *names, struct err *err)
{
    char copy[CHOSEN_BYTES], *words[GRID_POLICIES_MAX], seen[STYLE_NAME];
    const int n = list_split(names, copy, words);
    for (int i = 0; i < n; i++) {
        char *name = strrchr(words[i], '=');
        bool used = false;
        if (!name || !name[1])
            return err_set(err, ST_USAGE, "--labels: '%.60s' is no POLICY=LABEL, as hotset=Ours", words[i]);
        *name++ = '\0';
        for (int k = 0; k < i; k++)
            if (!strcmp(words[k] + strlen(words[k]) + 1, name))
                return err_set(err, ST_USAGE, "--labels: two policies are called '%.60s'; give each a name of its own",
                               name);
        for (int g = 0; g < grids->count; g++)
            for (int p = 0; p < grids->list[g].policy_count; p++)
                used |= name_put(grids->list[g].label[p], style_policy(seen, words[i]), name);
        if (!used)
            return err_set(err, ST_INPUT, "--labels: no policy that is shown is '%.60s'; its name stands in the tables",
                           words[i]);
    }
    return ST_OK;
}
