#include "planner/partition/deal.h"

#include <string.h>

static const struct {
    const char *word;
    enum assignment_kind kind;
} deals[] = {{"global", ASSIGNMENT_GLOBAL},
             {"clique", ASSIGNMENT_HIERARCHICAL},
             {"gpu", ASSIGNMENT_PER_GPU},
             {"nested", ASSIGNMENT_NESTED}};

enum assignment_kind deal_kind(const char *word)
{
    for (size_t i = 0; word && i < sizeof deals / sizeof *deals; i++)
        if (!strcmp(deals[i].word, word)) return deals[i].kind;
    return ASSIGNMENT_KINDS;
}

const char *deal_word(enum assignment_kind kind)
{
    for (size_t i = 0; i < sizeof deals / sizeof *deals; i++)
        if (deals[i].kind == kind) return deals[i].word;
    return assignment_name(kind);
}

int deal_candidates(const struct server *s, enum assignment_kind *out)
{
    int count = 0;
    bool singles = server_groups(s) == s->gpus;
    out[count++] = ASSIGNMENT_HIERARCHICAL;
    if (s->gpus > 1 && !singles) out[count++] = ASSIGNMENT_PER_GPU;
    if (server_groups(s) > 1 && !singles) out[count++] = ASSIGNMENT_NESTED;
    return count;
}
