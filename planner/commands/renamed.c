#include "planner/commands/renamed.h"

#include <stdio.h>
#include <string.h>

#include "base/cmd.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"

/* An option of the old name. now: how it is called today, or why it is refused, and what to write; behind a comma: only
 * where its value is a list. */
struct renamed_option {
    const char *was, *now;
};

#define PLAN_SEED "whose seed is the plan's; 'hotset simulate S --seed N' counts other epochs"
#define PLAN_LISTS                                                                                                     \
    "and lists are 'hotset size's: 'hotset size --graph G --server S --price 0 --host-memory LIST --ssd LIST "         \
    "--target "                                                                                                        \
    "epoch-time<=T' takes the first that is enough"

#define NODES_LISTS                                                                                                    \
    "and how many nodes with which network and memory is 'hotset size's: 'hotset size --graph G --server S --price "   \
    "0 --nodes LIST --nic-gbps LIST --host-memory LIST --target epoch-time<=T'"

extern const struct command cmd_plan; /* what all names below are now */

static const struct renamed {
    const char *was, *now;
    bool plan;                   /* its word is a plan, which today's command repeats: --like P */
    const char *sets[2];         /* an option and its value, unless it was given */
    const char *needs, *or_else; /* an option that is needed now, and one that does as well; NULL: none */
    struct renamed_option option[11];
} table[] = {
    {.was = "tiers", .now = "plan", .sets = {"--assignment", "nested"}, .option = {{"--epochs", "--simulate-epochs"}}},
    {.was = "sockets",
     .now = "plan",
     .plan = true,
     .needs = "--host-memory",
     .option = {{"--epochs", "--simulate-epochs"}, {"--how", "--socket-rows"}, {"--seed", PLAN_SEED}}},
    {.was = "nodes",
     .now = "plan",
     .needs = "--server",
     .or_else = "--cluster",
     .option = {{"--epochs", "--simulate-epochs"},
                {"--replicate", "and --host-memory says how much each node holds: copies fill what is left"},
                {"--by", "and copies are chosen by what their reads cost"},
                {"--gpus", "and --server says it: '--server dgx-v100:4' for 4 GPUs"},
                {"--nodes", "," NODES_LISTS},
                {"--nic-gbps", "," NODES_LISTS},
                {"--one-node", NODES_LISTS},
                {"--within", NODES_LISTS},
                {"--target", NODES_LISTS},
                {"--host-memory", "," NODES_LISTS}}},
    {.was = "storage",
     .now = "plan",
     .plan = true,
     .needs = "--ssd",
     .or_else = "--host-memory",
     .option = {{"--epochs", "--simulate-epochs"},
                {"--cache", "and 'hotset simulate S --cache LIST' counts rules in DRAM on its mini-batches"},
                {"--disk-order", "and rows lie on SSDs by id; 'hotset graph relabel G --by degree-out -o G2' puts "
                                 "those that are read most in front"},
                {"--within", PLAN_LISTS},
                {"--host-memory", "," PLAN_LISTS},
                {"--ssd", "," PLAN_LISTS},
                {"--seed", PLAN_SEED}}},
};

/* Whether `word` is the option, "--epochs" or "--epochs=3"; then *rest is what follows its name. */
static bool is_option(const char *word, const char *option, const char **rest)
{
    const size_t length = strlen(option);
    *rest = word + length;
    return !strncmp(word, option, length) && (!**rest || **rest == '=');
}

/* The word of today's command: itself, or made for it. */
static enum st word_of(const struct renamed *r, char *word, const char *next, char **out, struct renamed_words *to,
                       struct err *err)
{
    const char *rest;
    *out = word;
    for (const struct renamed_option *o = r->option; o->was; o++) {
        if (!is_option(word, o->was, &rest)) continue;
        const bool lists = *o->now == ',';
        if (lists && !strchr(*rest ? rest : next, ',')) continue;
        if (strncmp(o->now, "--", 2))
            return err_set(err, ST_USAGE, "%s: 'hotset %s' is 'hotset %s' now, %s", o->was, r->was, r->now,
                           o->now + lists);
        const size_t size = strlen(o->now) + strlen(rest) + 1;
        MAKE(*out, size, "the words of a command");
        to->made[to->made_count++] = *out;
        snprintf(*out, size, "%s%s", o->now, rest);
    }
    return ST_OK;
}

static void say(const struct renamed *r, const struct renamed_words *renamed_words)
{
    char line[4096] = "hotset";
    for (int i = 0; i < renamed_words->count; i++)
        text_append(line, sizeof line, strpbrk(renamed_words->words[i], " '\"*;<>&|$") ? " \"%s\"" : " %s",
                    renamed_words->words[i]);
    terminal_say(stderr, TERMINAL_YELLOW, "hotset: the name '%s' goes with the next version; write: %s\n", r->was,
                 line);
}

/* Whether a word is an option of the old name or of today's command that is followed by its value. */
static bool takes_value(const struct renamed *r, const char *word)
{
    const struct param *p;
    if (*word != '-' || strchr(word, '=')) return false;
    if (word[1] != '-') return strlen(word) == 2 && word[1] != 'h';
    for (const struct renamed_option *o = r->option; o->was; o++)
        if (!strcmp(word, o->was)) return true;
    p = params_called(cmd_plan.params, word + 2);
    if (!p) p = params_called(common_params, word + 2);
    return p && p->kind != PARAM_FLAG;
}

static void renamed_add(struct renamed_words *renamed_words, const char *word)
{
    renamed_words->words[renamed_words->count++] = (char *)(uintptr_t)word;
}

static bool given(const char *option, int count, char **words)
{
    const char *rest;
    bool found = false;
    for (int i = 1; option && i < count; i++) found |= is_option(words[i], option, &rest);
    return found;
}

enum st renamed_take(int count, char **words, struct renamed_words *out, struct err *err)
{
    const struct renamed *r = NULL;
    bool liked = false;
    for (size_t i = 0; count && i < sizeof table / sizeof *table; i++)
        if (!strcmp(words[0], table[i].was)) r = &table[i];
    if (!r) return ST_OK;
    if (count > MADE_MOST)
        return err_set(err, ST_USAGE, "hotset %s: more than %d words; write 'hotset %s'", r->was, MADE_MOST, r->now);
    MAKE(out->words, count + 4, "the words of a command");
    renamed_add(out, r->now);
    for (int i = 1; i < count; i++) {
        if (r->plan && !liked && *words[i] != '-' && !(i > 1 && takes_value(r, words[i - 1]))) {
            renamed_add(out, "--like");
            liked = true;
        }
        PASS(word_of(r, words[i], i + 1 < count ? words[i + 1] : "", &out->words[out->count], out, err));
        out->count++;
    }
    if (!given(r->sets[0], count, words))
        for (int i = 0; i < 2 && r->sets[0]; i++) renamed_add(out, r->sets[i]);
    if (r->needs && !given(r->needs, count, words) && !given(r->or_else, count, words) && !given("-h", count, words) &&
        !given("--help", count, words) && !given("--help-all", count, words))
        return err_set(err, ST_USAGE, "%s: 'hotset %s' needs %s for it; 'hotset %s --help-all' explains it", r->was,
                       r->now, r->needs, r->now);
    if (!given("--quiet", count, words)) say(r, out);
    return ST_OK;
}

const char *renamed_name(const char *was)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(was, table[i].was)) return table[i].now;
    return NULL;
}

void renamed_release(struct renamed_words *renamed_words)
{
    for (int i = 0; i < renamed_words->made_count; i++) mem_free(renamed_words->made[i]);
    mem_free(renamed_words->words);
    memset(renamed_words, 0, sizeof *renamed_words);
}
