#include "planner/exports/export_loader.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "planner/exports/export_clique.h"

static const char read_ids[] = "\n"
                               "\n"
                               "def ids(name):\n"
                               "    \"\"\"An .npy of ids beside this file, as a tensor.\"\"\"\n"
                               "    import numpy\n"
                               "    import torch\n"
                               "    return torch.from_numpy(numpy.load(os.path.join(FOLDER, name)))\n"
                               "\n"
                               "\n"
                               "def train_ids(device):\n"
                               "    \"\"\"The training vertices that the plan gives to a GPU.\"\"\"\n"
                               "    return ids('gpu%d_train.npy' % device)\n"
                               "\n"
                               "\n";

static const char per_clique[] = "def clique_of(device):\n"
                                 "    \"\"\"The number of the clique that a device belongs to.\"\"\"\n"
                                 "    for number, devices in enumerate(CLIQUES):\n"
                                 "        if device in devices:\n"
                                 "            return number\n"
                                 "    raise ValueError('GPU %d is not in the plan, which has %s' % (device, CLIQUES))\n"
                                 "\n"
                                 "\n"
                                 "def load_rows(features):\n"
                                 "    \"\"\"features: the path of an .npy of shape (VERTICES, DIM), which is mapped; "
                                 "or such an array.\"\"\"\n"
                                 "    import numpy\n"
                                 "    rows = numpy.load(features, mmap_mode='r') if isinstance(features, str) else "
                                 "features\n"
                                 "    if rows.shape != (VERTICES, DIM):\n"
                                 "        raise ValueError('the features have shape %s, expected %s' % (rows.shape, "
                                 "(VERTICES, DIM)))\n"
                                 "    return rows\n"
                                 "\n"
                                 "\n";

enum { STATED_BYTES = 2000 };

/* What the plan states, as Python's constants. */
static void append_stated(const struct export_input *in, bool cliques, char *text, size_t size)
{
    const struct workload *w = &in->plan->workload;
    char of[1200];
    if (cliques) {
        export_cliques_text(&in->plan->assignment, of, sizeof of);
        text_append(text, size, "CLIQUES = %s\n", of);
    }
    text_append(text, size, "VERTICES = %" PRIu64 "\nDIM = %" PRIu64 "\nFANOUT = [", in->graph->n,
                in->graph->feature_dim);
    for (int h = 0; h < w->hops; h++) text_append(text, size, "%s%u", h ? ", " : "", w->fanout[h]);
    text_append(text, size, "]\nBATCH = %" PRIu64 "\n", w->batch);
}

enum st export_loader_write(const struct export_input *in, struct export_folder *to, const struct export_loader *own,
                            struct err *err)
{
    enum st st;
    char *text = NULL;
    size_t size = strlen(own->about) + strlen(own->constants) + strlen(own->functions) + sizeof read_ids +
                  sizeof per_clique + STATED_BYTES;
    NEW(text, size, "the text of a script");
    text_append(text, size, "\"\"\"%s\"\"\"\nimport os\n\n", own->about);
    text_append(text, size, "FOLDER = os.path.dirname(os.path.abspath(__file__))\n");
    append_stated(in, own->cliques, text, size);
    text_append(text, size, "%s%s%s%s", own->constants, read_ids, own->cliques ? per_clique : "", own->functions);
    TRY(export_text(to, own->name, own->what, text, err));
done:
    mem_free(text);
    return st;
}
