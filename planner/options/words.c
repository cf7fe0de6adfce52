#include "planner/options/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

#define MODEL "planner/model/"

const struct word words[] =
    {{"alpha", NULL,
      "the share of a budget that goes to topology; the rest goes to features (Legion, section 4.3). Policies that "
      "sweep "
      "take the alpha with the fewest predicted transactions.",
      MODEL "legion.md"},
     {"assignment", NULL,
      WORD_ASSIGNMENT ". Two GPUs that read the same row read it twice, so vertices that draw the same ones had better "
                      "train together.",
      MODEL "assignment.md"},
     {"budget", NULL,
      "bytes of each GPU's memory for cached rows (--budget). 5% is that share of the graph's topology and feature "
      "bytes, 5%V the feature rows of 5 % of the vertices. Without it all is taken that training leaves (reservation).",
      MODEL "vocabulary.md"},
     {"clique", NULL,
      "GPUs that all read each other's memory: with peer access direct, GPUs that are pairwise joined by NVLink. A GPU "
      "that reads no other is a clique of its own.",
      MODEL "cliques.md"},
     {"CSLP", "complete sharing with local preference",
      "complete sharing with local preference (Legion, ATC'23): a clique holds each row once, the hottest first, on "
      "that "
      "of its GPUs that reads it most and has room.",
      MODEL "legion.md"},
     {"draw", NULL, "one neighbour that the sampler chose from the row of a vertex.", MODEL "sampling.md"},
     {"fan-out", "fanout|num-neighbors",
      "how many neighbours the sampler draws of a vertex in each hop, from the training vertices on (--fanout 25,10).",
      MODEL "sampling.md"},
     {"feature row", NULL, "the features of one vertex: their dimension times the bytes of an element.",
      MODEL "vocabulary.md"},
     {"held-out epoch", "held-out|held out|unseen epoch",
      "a simulated epoch whose random seed planning did not use. What a plan costs is counted there, and not in the "
      "epochs that it was made from.",
      MODEL "replay.md"},
     {"hit rate", "hit",
      "the share of reads that a GPU's own memory or a peer serves: of feature rows, or of topology visits.",
      MODEL "vocabulary.md"},
     {"hotness", NULL,
      "how often a row is read: of topology the draws from it, of features the mini-batches in which its vertex "
      "appears. "
      "It is counted in some epochs of pre-sampling, or estimated; 'hotset list hotness' has the ways.",
      MODEL "hotness.md"},
     {"interval", "confidence interval",
      "where the true number lies. That of a simulated count, 95 %, is from the spread of mini-batches; that of a "
      "time, "
      "90 %, from how far predictions were off in the measured cases of 'hotset lab validate'.",
      MODEL "replay.md"},
     {"knee", NULL,
      "the cache behind which a curve is flat: where it has gained most, as a share of all that can be gained, over "
      "the "
      "share of the memory that it takes ('hotset size', 'hotset lab curve').",
      "planner/GUIDE.md"},
     {"left of uncached", "uncached",
      "the share that is left of the transactions that the same assignment makes with nothing cached.",
      MODEL "vocabulary.md"},
     {"NVLink neighbour", "NVLink neighbor|NVLink|peer",
      "a GPU that an NVLink, or a switch of them, joins to another. They read each other's memory without PCIe and the "
      "host.",
      MODEL "cliques.md"},
     {"oracle", NULL,
      "a static plan made from the very epochs that are simulated, which no runtime knows in advance. It holds a row "
      "once per clique, and GPUs read inside cliques, so a plan whose GPUs forward rows, or one for the shortest "
      "epoch, "
      "may be better.",
      MODEL "policies.md"},
     {"peer access", "reach", WORD_PEER_ACCESS ".", MODEL "cliques.md"},
     {"pre-sampling", "presampling|presample|presample epoch",
      "epochs that are drawn before planning, as training would draw them, to count what is read "
      "(--presample-epochs).",
      MODEL "sampling.md"},
     {"reservation", "reserve",
      "what training takes of a GPU's memory: model, activations, mini-batches, work space, context and a margin. "
      "--explain-budget prints its terms.",
      MODEL "vocabulary.md"},
     {"topology row", "topology",
      "the list of neighbours that a vertex draws from: 4 bytes for each, and 8 for where the list begins.",
      MODEL "vocabulary.md"},
     {"transaction", NULL,
      "one read of host memory over PCIe, of the server's line size: 64 bytes where its profile says nothing else.",
      MODEL "transactions.md"},
     {"visit", NULL, "one vertex of which the sampler draws neighbours, in one hop of one mini-batch.",
      MODEL "sampling.md"},
     {0}};

/* Whether name is this one, until its end or '|': also as several, behind an s. */
static bool is_called(const char *name, const char *known)
{
    for (; *known && *known != '|' && *name; known++, name++)
        if (tolower((unsigned char)*name) != tolower((unsigned char)*known) &&
            !((*name == '-' || *name == ' ') && (*known == '-' || *known == ' ')))
            return false;
    return (!*known || *known == '|') && (!*name || (tolower((unsigned char)*name) == 's' && !name[1]));
}

const struct word *word_find(const char *name)
{
    for (const struct word *w = words; w->name; w++) {
        if (is_called(name, w->name)) return w;
        for (const char *other = w->others; other && *other;) {
            if (is_called(name, other)) return w;
            while (*other && *other != '|') other++;
            if (*other) other++;
        }
    }
    return NULL;
}
