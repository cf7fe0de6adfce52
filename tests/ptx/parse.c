/* parse.c - PTX text to kernels (ptx.h). What nvcc does not write for integer kernels is not read: it stops. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/ptx/ops.h"
#include "tests/ptx/ptx.h"

struct module *modules;

enum { SYMBOLS_MAX = 4096, LABELS_MAX = 8192, NAME_MAX_ = 512 };
enum symbol_kind { REG, REG_RANGE, SYM_SHARED, SYM_LOCAL, SYM_PARAM };
struct symbol {
    char *name;
    enum symbol_kind kind;
    u32 count, width; /* width 0: predicate */
    s64 at;
};

struct parser {
    const char *at, *end;
    u32 line;
    struct module *m;
    struct kernel *k;
    struct symbol symbol[SYMBOLS_MAX];
    u32 symbols;
    struct {
        char *name;
        u32 at;
    } label[LABELS_MAX];
    u32 labels;
    u32 loc;
    u32 scope[64], scopes;
    char *goal[LABELS_MAX]; /* names of branch targets; op.target indexes it until the end of the kernel */
    u32 goals;
};

static void __attribute__((noreturn, format(printf, 2, 3))) stop(const struct parser *p, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    fprintf(stderr, "ptx: line %u%s%s: ", p->line, p->k ? " of kernel " : "", p->k ? p->k->name : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    _Exit(FAULT_CODE);
}

static void *grown(void *at, u32 count, u32 *room, size_t size)
{
    if (count < *room) return at;
    *room = *room ? 2 * *room : 64;
    at = realloc(at, *room * size);
    if (!at) abort();
    return at;
}

/* ---- words ---- */

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end) {
        if (*p->at == '\n') p->line++, p->at++;
        else if (isspace((unsigned char)*p->at)) p->at++;
        else if (p->at + 1 < p->end && p->at[0] == '/' && p->at[1] == '/')
            while (p->at < p->end && *p->at != '\n') p->at++;
        else if (p->at + 1 < p->end && p->at[0] == '/' && p->at[1] == '*') {
            for (p->at += 2; p->at + 1 < p->end && (p->at[0] != '*' || p->at[1] != '/'); p->at++)
                p->line += *p->at == '\n';
            p->at += 2;
        } else break;
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* The next word; "" where there is none. */
static char *word(struct parser *p, char *out)
{
    size_t n = 0;
    skip_blanks(p);
    while (p->at < p->end && is_word(*p->at) && n < NAME_MAX_ - 1) out[n++] = *p->at++;
    out[n] = 0;
    return out;
}

static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at >= p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static void need(struct parser *p, char c)
{
    if (!take(p, c)) stop(p, "'%c' is missing before '%.20s'", c, p->at);
}

static s64 number_of(struct parser *p, const char *text)
{
    if (text[0] == '0' && (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D'))
        return (s64)strtoull(text + 2, NULL, 16);
    char *rest;
    s64 value = text[0] == '-' ? strtoll(text, &rest, 0) : (s64)strtoull(text, &rest, 0);
    if (rest == text || (*rest && strcmp(rest, "U"))) stop(p, "'%s' is no number", text);
    return value;
}

static u64 number(struct parser *p)
{
    char text[NAME_MAX_];
    return (u64)number_of(p, word(p, text));
}

static void skip_statement(struct parser *p, char end)
{
    while (p->at < p->end && *p->at != end) p->line += *p->at++ == '\n';
}

/* ---- symbols, registers, constants ---- */

static struct symbol *add_symbol(struct parser *p, const char *name, enum symbol_kind kind, s64 at)
{
    if (p->symbols == SYMBOLS_MAX) stop(p, "more than %d names", SYMBOLS_MAX);
    struct symbol *s = &p->symbol[p->symbols++];
    *s = (struct symbol){strdup(name), kind, 0, 0, at};
    return s;
}

static struct symbol *find_symbol(struct parser *p, const char *name, u32 *index)
{
    for (u32 i = p->symbols; i-- > 0;) {
        struct symbol *s = &p->symbol[i];
        *index = 0;
        if (s->kind != REG_RANGE) {
            if (!strcmp(s->name, name)) return s;
            continue;
        }
        size_t n = strlen(s->name);
        char *rest;
        if (strncmp(s->name, name, n) || !isdigit((unsigned char)name[n])) continue;
        *index = (u32)strtoul(name + n, &rest, 10);
        if (!*rest && *index < s->count) return s;
    }
    return NULL;
}

static u32 type_width(struct parser *p, const char *type)
{
    if (!strcmp(type, ".pred")) return 0;
    int bits = atoi(type + 2);
    if (!strchr("busf", type[1]) || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) stop(p, "type %s", type);
    return (u32)bits / 8;
}

static u32 reg_width(u32 width) { return width == 1 ? 2 : width; }
static u32 reg_bytes(u32 width) { return width ? reg_width(width) * LANES : 4; }

static s32 new_register(struct parser *p, u32 width, u32 count)
{
    u32 align = width ? 64 : 4, at = (p->k->reg_bytes + align - 1) / align * align;
    p->k->reg_bytes = at + count * reg_bytes(width);
    return (s32)at;
}

static void declare_registers(struct parser *p)
{
    char type[NAME_MAX_], name[NAME_MAX_];
    u32 width = type_width(p, word(p, type));
    do {
        u32 count = 1;
        word(p, name);
        bool range = take(p, '<');
        if (range) {
            count = (u32)number(p);
            need(p, '>');
        }
        struct symbol *s = add_symbol(p, name, range ? REG_RANGE : REG, new_register(p, width, count));
        s->width = reg_width(width);
        s->count = count;
    } while (take(p, ','));
    need(p, ';');
}

/* A constant in every lane; width 0: of predicates. */
static s32 constant(struct parser *p, u32 width, u64 value)
{
    struct kernel *k = p->k;
    u32 bytes = reg_bytes(width);
    u64 lanes[LANES] = {0};
    if (!width) memset(lanes, value ? 0xff : 0, 4);
    for (u32 i = 0; width && i < LANES; i++) memcpy((u8 *)lanes + i * width, &value, width);
    for (u32 at = 0; at + bytes <= k->pool_bytes; at += 64)
        if (!memcmp(k->pool + at, lanes, bytes)) return ~(s32)at;
    if (k->pool_bytes + 256 > k->pool_room) {
        k->pool_room = k->pool_room ? 2 * k->pool_room : 4096;
        u8 *more = aligned_alloc(64, k->pool_room);
        memcpy(more, k->pool ? k->pool : (u8 *)"", k->pool_bytes);
        free(k->pool);
        k->pool = more;
    }
    s32 at = (s32)k->pool_bytes;
    memset(k->pool + at, 0, (bytes + 63) / 64 * 64);
    memcpy(k->pool + at, lanes, bytes);
    k->pool_bytes += (bytes + 63) / 64 * 64;
    return ~at;
}

static const char *const special_names[] = {"%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",
                                            "%ntid.y",      "%ntid.z",      "%ctaid.x",     "%ctaid.y",
                                            "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
                                            "%laneid",      "%warpid",      "%lanemask_eq", "%lanemask_lt",
                                            "%lanemask_le", "%lanemask_gt", "%lanemask_ge"};

/* The register that holds a special one; -1: the name is none. */
static s32 special_register(struct parser *p, const char *name)
{
    struct kernel *k = p->k;
    for (u32 i = 0; i < sizeof special_names / sizeof *special_names; i++) {
        if (strcmp(name, special_names[i])) continue;
        for (u32 j = 0; j < k->specials; j++)
            if (k->special[j].which == i) return k->special[j].at;
        s32 at = new_register(p, 4, 1);
        k->special[k->specials++] = (struct special){at, i};
        return at;
    }
    return -1;
}

/* ---- operands ---- */

enum operand_kind { NONE_, AT_REG, IMMEDIATE, MEMORY, NAME };
struct operand {
    enum operand_kind kind;
    s32 reg;
    u32 width;
    s64 value;    /* immediate; memory: the offset; a symbol's address */
    bool address; /* a symbol's: 64 bits */
    enum symbol_kind symbol;
    bool negated;
    char text[NAME_MAX_];
};
struct operands {
    struct operand of[10];
    u32 count, braces; /* braces: bit i: operand i is in braces */
};

static bool global_address(struct parser *p, const char *name, s64 *out)
{
    for (u32 i = 0; i < p->m->globals; i++)
        if (!strcmp(p->m->global[i].name, name)) return *out = (s64)p->m->global[i].at, true;
    return false;
}

static void resolve(struct parser *p, struct operand *o, const char *text)
{
    u32 index;
    s32 special;
    struct symbol *s = find_symbol(p, text, &index);
    if (s && (s->kind == REG || s->kind == REG_RANGE)) {
        o->kind = AT_REG;
        o->width = s->width;
        o->reg = (s32)(s->at + index * reg_bytes(s->width));
    } else if (s) {
        o->kind = IMMEDIATE, o->address = true, o->symbol = s->kind, o->value = s->at;
    } else if (text[0] == '%' && (special = special_register(p, text)) >= 0) {
        o->kind = AT_REG, o->width = 4, o->reg = special;
    } else if (isdigit((unsigned char)text[0]) || text[0] == '-') {
        o->kind = IMMEDIATE, o->value = number_of(p, text);
    } else if (!strcmp(text, "WARP_SZ")) {
        o->kind = IMMEDIATE, o->value = LANES;
    } else if (global_address(p, text, &o->value)) {
        o->kind = IMMEDIATE, o->address = true, o->symbol = REG;
    } else {
        o->kind = NAME;
    }
    snprintf(o->text, sizeof o->text, "%s", text);
}

static void signed_word(struct parser *p, char *text)
{
    bool minus = take(p, '-');
    text[0] = '-';
    word(p, text + minus);
}

static void read_operand(struct parser *p, struct operands *all, bool braces)
{
    char text[NAME_MAX_ + 1];
    if (all->count == 10) stop(p, "too many operands");
    struct operand *o = &all->of[all->count];
    memset(o, 0, sizeof *o);
    if (take(p, '[')) {
        signed_word(p, text);
        resolve(p, o, text);
        s64 more = 0;
        if (take(p, '+')) {
            signed_word(p, text);
            more = number_of(p, text);
        }
        need(p, ']');
        if (o->kind == IMMEDIATE) { /* the address is a constant */
            o->reg = constant(p, 8, (u64)o->value);
            o->width = 8;
        } else if (o->kind != AT_REG) stop(p, "address '%s'", o->text);
        o->kind = MEMORY;
        o->value = more;
    } else {
        o->negated = take(p, '!');
        signed_word(p, text);
        bool negated = o->negated;
        resolve(p, o, text);
        o->negated = negated;
    }
    if (braces) all->braces |= 1u << all->count;
    all->count++;
}

static void read_operands(struct parser *p, struct operands *all)
{
    all->count = all->braces = 0;
    skip_blanks(p);
    while (*p->at != ';') {
        if (take(p, '{')) {
            do read_operand(p, all, true);
            while (take(p, ','));
            need(p, '}');
        } else read_operand(p, all, false);
        if (!take(p, ',') && !take(p, '|')) break;
    }
    need(p, ';');
}

/* Operand i as a source of `width` bytes. */
static s32 source(struct parser *p, struct operands *o, u32 i, u32 width)
{
    struct operand *x = &o->of[i];
    if (i >= o->count) stop(p, "an operand is missing");
    if (x->kind == IMMEDIATE) return constant(p, width, (u64)x->value);
    if (x->kind != AT_REG) stop(p, "operand '%s'", x->text);
    if (x->width != width) stop(p, "operand '%s' has %u bytes, not %u", x->text, x->width, width);
    return x->reg;
}

static s32 destination(struct parser *p, struct operands *o, u32 i, u32 width)
{
    struct operand *x = &o->of[i];
    if (i < o->count && !strcmp(x->text, "_")) return new_register(p, width, 1);
    if (i >= o->count || x->kind != AT_REG) stop(p, "operand %u is no register", i);
    if (x->width != width) stop(p, "operand '%s' has %u bytes, not %u", x->text, x->width, width);
    return x->reg;
}

/* ---- instructions ---- */

struct entry {
    const char *name;
    u16 code;
    u8 count, width[5]; /* operands: the first is written */
};
#define ROW1(code, name, D, A, e) {name, OP_##code, 2, {sizeof(D), sizeof(A)}},
#define ROW2(code, name, D, A, B, e) {name, OP_##code, 3, {sizeof(D), sizeof(A), sizeof(B)}},
#define ROW3(code, name, D, A, B, C, e) {name, OP_##code, 4, {sizeof(D), sizeof(A), sizeof(B), sizeof(C)}},
#define ROW_COMPARE(code, name, T, e) {name, OP_##code, 3, {0, sizeof(T), sizeof(T)}},
#define ROW_SELECT(code, name, T) {name, OP_##code, 4, {sizeof(T), sizeof(T), sizeof(T), 0}},
#define ROW_PREDICATE(code, name, n, e) {name, OP_##code, n + 1, {0}},
#define ROW_CARRY(code, name, T, W, n, r, w, e) {name, OP_##code, n + 1, {sizeof(T), sizeof(T), sizeof(T), sizeof(T)}},
static const struct entry entries[] = {
    PTX_UNARY(ROW1) PTX_BINARY(ROW2) PTX_TERNARY(ROW3) PTX_COMPARE(ROW_COMPARE) PTX_SELECT(ROW_SELECT)
        PTX_PREDICATE(ROW_PREDICATE) PTX_CARRY(ROW_CARRY){"bfi.b32", OP_bfi_32, 5, {4, 4, 4, 4, 4}},
    {"bfi.b64", OP_bfi_64, 5, {8, 8, 8, 4, 4}},
};

static const struct entry *entry_named(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!strcmp(entries[i].name, name)) return &entries[i];
    return NULL;
}

/* By the name as it is, then with its types as bits or without sign. */
static const struct entry *find_entry(const char *mnemonic)
{
    char name[NAME_MAX_];
    const struct entry *found = entry_named(mnemonic);
    snprintf(name, sizeof name, "%s", mnemonic);
    char *last = strrchr(name, '.');
    if (found || !last) return found;
    bool floats = strstr(name, ".f32") || strstr(name, ".f64");
    if (floats && strncmp(name, "mov", 3) && strncmp(name, "selp", 4)) return NULL;
    if (!strncmp(name, "cvt", 3)) {
        /* what narrows, or widens a type without sign, only copies bits */
        char *to = name + 4, *from = last + 1;
        if (to[0] == 's' && from[0] == 's' && atoi(to + 1) > atoi(from + 1)) return NULL;
        if (from[0] == 's' && atoi(to + 1) > atoi(from + 1)) return NULL;
        to[0] = from[0] = 'u';
        return entry_named(name);
    }
    last[1] = 'b';
    return entry_named(name);
}

static struct op *new_op(struct parser *p, u16 code)
{
    struct kernel *k = p->k;
    k->op = grown(k->op, k->ops, &k->room, sizeof *k->op);
    struct op *op = &k->op[k->ops++];
    memset(op, 0, sizeof *op);
    op->code = code;
    op->guard = -1;
    op->line = p->line;
    op->loc = p->loc;
    return op;
}

/* Whether `word` is a part of the mnemonic between dots. */
static bool has(const char *mnemonic, const char *part)
{
    size_t n = strlen(part);
    for (const char *at = mnemonic; (at = strstr(at, part)); at++)
        if ((at == mnemonic || at[-1] == '.') && (!at[n] || at[n] == '.')) return true;
    return false;
}

static enum space space_of(const char *mnemonic)
{
    return has(mnemonic, "global")   ? GLOBAL
           : has(mnemonic, "shared") ? SHARED
           : has(mnemonic, "local")  ? LOCAL
           : has(mnemonic, "param")  ? PARAM
           : has(mnemonic, "const")  ? GLOBAL
                                     : GENERIC;
}

static void set_memory(struct parser *p, struct op *op, const char *mnemonic, const struct operand *address)
{
    const char *type = strrchr(mnemonic, '.');
    if (address->kind != MEMORY) stop(p, "%s: no address", mnemonic);
    op->space = space_of(mnemonic);
    op->size = (u8)type_width(p, type);
    op->is_signed = type[1] == 's';
    op->strong = has(mnemonic, "volatile") || has(mnemonic, "relaxed") || has(mnemonic, "acquire") ||
                 has(mnemonic, "release");
    op->base = (u8)address->width;
    op->offset = address->value;
    op->r[4] = address->reg;
    if (op->size < 4 && (op->space == SHARED || op->space == GENERIC)) p->k->shared_shift = 0;
}

/* Loads and stores: up to four registers of one width, an address. */
static void emit_access(struct parser *p, const char *mnemonic, struct operands *o, bool load)
{
    u32 first = load ? 0 : 1, count = o->count - 1;
    if (o->count < 2 || count > 4) stop(p, "%s: operands", mnemonic);
    struct op *op = new_op(p, load ? OP_load : OP_store);
    set_memory(p, op, mnemonic, &o->of[load ? count : 0]);
    op->count = (u8)count;
    op->width = op->size < 2 ? 2 : op->size;
    for (u32 i = 0; i < count; i++)
        if (o->of[first + i].kind == AT_REG) op->width = (u8)o->of[first + i].width;
    for (u32 i = 0; i < count; i++) {
        s32 at = load ? destination(p, o, first + i, op->width) : source(p, o, first + i, op->width);
        p->k->op[p->k->ops - 1].r[i] = at;
    }
}

static void emit_atomic(struct parser *p, const char *mnemonic, struct operands *o)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    bool returns = !strncmp(mnemonic, "atom", 4);
    struct op *op = new_op(p, OP_atomic);
    u32 mode = 0, at = returns ? 1 : 0;
    while (mode < sizeof names / sizeof *names && !has(mnemonic, names[mode])) mode++;
    if (mode == sizeof names / sizeof *names || strstr(mnemonic, ".f") || o->count < at + 2)
        stop(p, "unknown opcode %s", mnemonic);
    set_memory(p, op, mnemonic, &o->of[at]);
    op->mode = (u8)mode;
    op->strong = true;
    op->count = 1;
    op->width = op->size;
    u32 width = op->size;
    s32 d = returns ? destination(p, o, 0, width) : new_register(p, width, 1), b = source(p, o, at + 1, width),
        c = mode == ATOM_CAS ? source(p, o, at + 2, width) : b;
    op = &p->k->op[p->k->ops - 1];
    op->r[0] = d, op->r[1] = b, op->r[2] = c;
}

/* shfl.sync.up.b32 d|p, a, b, c, members: the predicate may be left out. */
static void emit_shuffle(struct parser *p, const char *mnemonic, struct operands *o)
{
    bool both = o->count == 6;
    if (o->count != 5 && !both) stop(p, "%s: operands", mnemonic);
    u32 at = both ? 2 : 1;
    s32 r[6] = {destination(p, o, 0, 4), both ? destination(p, o, 1, 0) : new_register(p, 0, 1),
                source(p, o, at, 4),     source(p, o, at + 1, 4),
                source(p, o, at + 2, 4), source(p, o, at + 3, 4)};
    struct op *op = new_op(p, OP_shfl);
    memcpy(op->r, r, sizeof r);
    op->mode = has(mnemonic, "up")     ? SHFL_UP
               : has(mnemonic, "down") ? SHFL_DOWN
               : has(mnemonic, "idx")  ? SHFL_IDX
                                       : SHFL_BFLY;
}

/* A predicate as a source, perhaps negated into a register of its own. */
static s32 predicate(struct parser *p, struct operands *o, u32 i)
{
    s32 at = source(p, o, i, 0);
    if (!o->of[i].negated) return at;
    s32 to = new_register(p, 0, 1);
    struct op *op = new_op(p, OP_not_pred);
    op->r[0] = to, op->r[1] = at;
    return to;
}

static void emit_vote(struct parser *p, const char *mnemonic, struct operands *o)
{
    bool ballot = has(mnemonic, "ballot");
    s32 d = destination(p, o, 0, ballot ? 4 : 0), a = predicate(p, o, 1), members = source(p, o, 2, 4);
    struct op *op = new_op(p, OP_vote);
    op->r[0] = d, op->r[1] = a, op->r[5] = members;
    op->mode = ballot ? VOTE_BALLOT : has(mnemonic, "all") ? VOTE_ALL : has(mnemonic, "any") ? VOTE_ANY : VOTE_UNI;
}

static void emit_barrier(struct parser *p, const char *mnemonic, struct operands *o)
{
    bool red = has(mnemonic, "red");
    u32 id = red ? 1 : 0;
    if (o->count != (red ? 3u : 1u) || o->of[id].kind != IMMEDIATE || o->of[id].value)
        stop(p, "%s: only barrier 0 of all threads", mnemonic);
    s32 d = 0, a = 0;
    if (red) {
        bool count = has(mnemonic, "popc");
        d = destination(p, o, 0, count ? 4 : 0);
        a = predicate(p, o, 2);
    }
    struct op *op = new_op(p, red ? OP_bar_red : OP_bar_sync);
    op->r[0] = d, op->r[1] = a;
    op->mode = has(mnemonic, "or") ? RED_OR : has(mnemonic, "and") ? RED_AND : RED_POPC;
}

static void emit_match(struct parser *p, const char *mnemonic, struct operands *o)
{
    u32 width = has(mnemonic, "b64") ? 8 : 4;
    s32 d = destination(p, o, 0, 4), a = source(p, o, 1, width), members = source(p, o, 2, 4);
    struct op *op = new_op(p, OP_match_any);
    op->r[0] = d, op->r[1] = a, op->r[5] = members;
    op->width = (u8)width;
}

static void emit_cvta(struct parser *p, const char *mnemonic, struct operands *o)
{
    static const u64 windows[] = {0, 0, SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW};
    u64 by = windows[space_of(mnemonic)];
    s32 d = destination(p, o, 0, 8), a = source(p, o, 1, 8), b = constant(p, 8, has(mnemonic, "to") ? 0 - by : by);
    struct op *op = new_op(p, OP_add_64);
    op->r[0] = d, op->r[1] = a, op->r[2] = b;
}

static void emit_branch(struct parser *p, struct operands *o)
{
    if (o->count != 1 || o->of[0].kind != NAME || p->goals == LABELS_MAX) stop(p, "bra: operands");
    struct op *op = new_op(p, OP_bra);
    op->target = p->goals;
    p->goal[p->goals++] = strdup(o->of[0].text);
}

static void emit_pack(struct parser *p, struct operands *o, bool pack)
{
    u32 narrow = pack ? 1 : 0, wide = pack ? 0 : 2;
    s32 half[2], whole = pack ? destination(p, o, wide, 8) : source(p, o, wide, 8);
    for (u32 i = 0; i < 2; i++) half[i] = pack ? source(p, o, narrow + i, 4) : destination(p, o, narrow + i, 4);
    struct op *op = new_op(p, pack ? OP_pack_2x32 : OP_unpack_2x32);
    op->r[0] = pack ? whole : half[0];
    op->r[1] = pack ? half[0] : half[1];
    op->r[2] = pack ? half[1] : whole;
}

static void emit_table(struct parser *p, const struct entry *e, struct operands *o, const char *mnemonic)
{
    s32 r[5] = {0};
    if (o->count != e->count) stop(p, "%s: %u operands, not %u", mnemonic, o->count, e->count);
    r[0] = destination(p, o, 0, e->width[0]);
    for (u32 i = 1; i < e->count; i++) {
        if (e->width[i]) r[i] = source(p, o, i, e->width[i]);
        else r[i] = predicate(p, o, i);
    }
    struct op *op = new_op(p, e->code);
    memcpy(op->r, r, sizeof r);
}

static void emit_one_word(struct parser *p, u16 code, struct operands *o, u32 slot)
{
    s32 at = slot ? source(p, o, 0, 4) : destination(p, o, 0, 4);
    new_op(p, code)->r[slot] = at;
}

static void emit(struct parser *p, const char *mnemonic, struct operands *o)
{
    static const char *const ignored[] = {"membar", "fence", "nanosleep", "prefetch", "prefetchu"};
    char base[NAME_MAX_];
    const struct entry *e;
    snprintf(base, sizeof base, "%s", mnemonic);
    if (strchr(base, '.')) *strchr(base, '.') = 0;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (!strcmp(base, ignored[i])) {
            new_op(p, OP_nothing);
            return;
        }
    if (!strcmp(base, "ld") || !strcmp(base, "ldu")) emit_access(p, mnemonic, o, true);
    else if (!strcmp(base, "st")) emit_access(p, mnemonic, o, false);
    else if (!strcmp(base, "atom") || !strcmp(base, "red")) emit_atomic(p, mnemonic, o);
    else if (!strncmp(mnemonic, "shfl.sync.", 10)) emit_shuffle(p, mnemonic, o);
    else if (!strcmp(base, "vote") && has(mnemonic, "sync")) emit_vote(p, mnemonic, o);
    else if (!strncmp(mnemonic, "match.any.sync.", 15)) emit_match(p, mnemonic, o);
    else if (!strcmp(mnemonic, "bar.warp.sync")) emit_one_word(p, OP_warp_sync, o, 5);
    else if (!strcmp(mnemonic, "activemask.b32")) emit_one_word(p, OP_activemask, o, 0);
    else if (!strcmp(base, "bar") || !strcmp(base, "barrier")) emit_barrier(p, mnemonic, o);
    else if (!strcmp(base, "cvta")) emit_cvta(p, mnemonic, o);
    else if (!strcmp(base, "bra")) emit_branch(p, o);
    else if (!strcmp(base, "ret") || !strcmp(base, "exit")) new_op(p, OP_ret);
    else if (!strcmp(base, "trap")) new_op(p, OP_trap);
    else if (!strcmp(base, "mov") && o->braces && o->count == 3) emit_pack(p, o, o->braces & 4);
    else if (o->braces) stop(p, "unknown opcode %s with braces", mnemonic);
    else if ((e = find_entry(mnemonic))) emit_table(p, e, o, mnemonic);
    else stop(p, "unknown opcode %s", mnemonic);
}

static void read_instruction(struct parser *p, char *mnemonic)
{
    struct operands o;
    s32 guard = -1;
    bool negate = false;
    u32 from = p->k->ops, index;
    if (take(p, '@')) {
        negate = take(p, '!');
        struct symbol *s = find_symbol(p, word(p, mnemonic), &index);
        if (!s || s->width) stop(p, "@%s is no predicate", mnemonic);
        guard = (s32)(s->at + index * 4);
        word(p, mnemonic);
    }
    read_operands(p, &o);
    emit(p, mnemonic, &o);
    for (u32 i = from; i < p->k->ops; i++) {
        p->k->op[i].guard = guard;
        p->k->op[i].negate = negate;
    }
}

/* ---- directives ---- */

/* .loc FILE LINE COLUMN[, function_name NAME, inlined_at FILE LINE COLUMN] */
static void read_loc(struct parser *p)
{
    struct module *m = p->m;
    const char *end = memchr(p->at, '\n', (size_t)(p->end - p->at));
    char text[NAME_MAX_];
    struct loc l = {0};
    snprintf(text, sizeof text, "%.*s", (int)(end - p->at), p->at);
    sscanf(text, "%u %u", &l.file, &l.line);
    const char *from = strstr(text, "inlined_at");
    if (from) sscanf(from, "inlined_at %u %u", &l.from_file, &l.from_line);
    m->loc = grown(m->loc, m->locs + 1, &m->loc_room, sizeof *m->loc);
    m->locs++;
    m->loc[m->locs] = l;
    p->loc = m->locs;
    p->at = end;
}

/* .align N .b8 NAME[COUNT]: bytes and name; the alignment is returned. */
static u32 read_object(struct parser *p, char *name, u32 *bytes)
{
    u32 align = 0, width = 0;
    for (;;) {
        word(p, name);
        if (!strcmp(name, ".align")) align = (u32)number(p);
        else if (!strcmp(name, ".ptr") || !strcmp(name, ".global") || !strcmp(name, ".const")) continue;
        else if (name[0] == '.') width = type_width(p, name);
        else break;
    }
    *bytes = width;
    if (take(p, '[')) {
        skip_blanks(p);
        u64 count = *p->at == ']' ? 0 : number(p);
        *bytes = (u32)(width * count);
        need(p, ']');
    }
    return align ? align : width;
}

enum { SHARED_GAP = 64 };
static void read_shared(struct parser *p)
{
    char name[NAME_MAX_];
    u32 bytes, align = read_object(p, name, &bytes), at = (p->k->shared_bytes + SHARED_GAP + align - 1) / align * align;
    need(p, ';');
    add_symbol(p, name, SYM_SHARED, at);
    if (p->k->shared_objects == 64) stop(p, "too many shared objects");
    p->k->shared_object[p->k->shared_objects].from = at;
    p->k->shared_object[p->k->shared_objects++].to = at + bytes;
    p->k->shared_bytes = at + bytes;
}

static void read_local(struct parser *p)
{
    char name[NAME_MAX_];
    u32 bytes, align = read_object(p, name, &bytes), at = (p->k->local_bytes + align - 1) / align * align;
    need(p, ';');
    add_symbol(p, name, SYM_LOCAL, at);
    p->k->local_bytes = at + bytes;
}

static void read_body(struct parser *p)
{
    char text[NAME_MAX_];
    need(p, '{');
    for (;;) {
        skip_blanks(p);
        if (take(p, '{')) {
            p->scope[p->scopes++] = p->symbols;
            continue;
        }
        if (take(p, '}')) {
            if (!p->scopes) break;
            p->symbols = p->scope[--p->scopes];
            continue;
        }
        if (take(p, ';')) continue;
        word(p, text);
        if (!strcmp(text, ".reg")) declare_registers(p);
        else if (!strcmp(text, ".loc")) read_loc(p);
        else if (!strcmp(text, ".shared")) read_shared(p);
        else if (!strcmp(text, ".local")) read_local(p);
        else if (!strcmp(text, ".pragma")) skip_statement(p, ';');
        else if (text[0] == '.') stop(p, "directive %s", text);
        else if (take(p, ':')) {
            if (p->labels == LABELS_MAX) stop(p, "too many labels");
            p->label[p->labels].name = strdup(text);
            p->label[p->labels++].at = p->k->ops;
        } else read_instruction(p, text);
    }
}

static void read_parameters(struct parser *p)
{
    char name[NAME_MAX_];
    struct kernel *k = p->k;
    need(p, '(');
    while (!take(p, ')')) {
        u32 bytes;
        word(p, name);
        if (strcmp(name, ".param")) stop(p, "parameter %s", name);
        u32 align = read_object(p, name, &bytes), at = (k->param_bytes + align - 1) / align * align;
        add_symbol(p, name, SYM_PARAM, at);
        k->param[k->params].at = at;
        k->param[k->params++].bytes = bytes;
        k->param_bytes = at + bytes;
        take(p, ',');
    }
}

static void bind_labels(struct parser *p)
{
    struct kernel *k = p->k;
    for (u32 i = 0; i < k->ops; i++) {
        if (k->op[i].code != OP_bra) continue;
        u32 l = 0;
        while (l < p->labels && strcmp(p->label[l].name, p->goal[k->op[i].target])) l++;
        if (l == p->labels) stop(p, "label %s", p->goal[k->op[i].target]);
        k->op[i].target = p->label[l].at;
    }
    for (u32 l = 0; l < p->labels; l++) k->op[p->label[l].at].leader = true;
    for (u32 i = 0; i + 1 < k->ops; i++)
        if (k->op[i].code == OP_bra) k->op[i + 1].leader = true;
}

static void read_kernel(struct parser *p)
{
    char text[NAME_MAX_];
    struct kernel *k = calloc(1, sizeof *k);
    u32 symbols = p->symbols;
    k->module = p->m;
    k->name = strdup(word(p, text));
    k->shared_shift = 2;
    p->k = k;
    p->labels = p->goals = p->loc = 0;
    skip_blanks(p);
    if (*p->at == '(') read_parameters(p);
    for (skip_blanks(p); *p->at == '.'; skip_blanks(p)) { /* .maxntid 256, 1, 1 and the like */
        bool most = !strcmp(word(p, text), ".maxntid");
        u32 all = 1;
        do all *= (u32)number(p);
        while (take(p, ','));
        if (most) k->max_threads = all;
    }
    read_body(p);
    new_op(p, OP_ret);
    bind_labels(p);
    k->runs = calloc(k->ops, sizeof *k->runs);
    k->lanes = calloc(k->ops, sizeof *k->lanes);
    k->next = p->m->kernels;
    p->m->kernels = k;
    p->symbols = symbols;
    p->k = NULL;
}

static void read_global(struct parser *p)
{
    char name[NAME_MAX_];
    u32 bytes;
    (void)read_object(p, name, &bytes);
    if (p->m->globals == GLOBALS_MAX) stop(p, "too many variables");
    u8 *init = NULL;
    if (take(p, '=')) {
        u32 n = 0;
        bool list = take(p, '{');
        init = calloc(1, bytes ? bytes : 1);
        do {
            u64 value = number(p);
            if (n < bytes) init[n++] = (u8)value; /* nvcc writes arrays as bytes */
        } while (list && take(p, ','));
        if (list) need(p, '}');
    }
    need(p, ';');
    p->m->global[p->m->globals].name = strdup(name);
    p->m->global[p->m->globals].bytes = bytes;
    p->m->global[p->m->globals].init = init;
    p->m->global[p->m->globals++].at = memory_make(MEMORY_DEVICE, 0, bytes ? bytes : 1);
}

static void read_file(struct parser *p)
{
    u64 number_ = number(p);
    skip_blanks(p);
    const char *from = ++p->at;
    while (*p->at != '"') p->at++;
    if (number_ >= FILES_MAX) stop(p, "more than %d files", FILES_MAX);
    p->m->file[number_] = strndup(from, (size_t)(p->at - from));
    skip_statement(p, '\n');
}

static void read_section(struct parser *p)
{
    skip_statement(p, '}');
    p->at++;
}

struct module *parse_module(const char *text, size_t bytes)
{
    struct parser *p = calloc(1, sizeof *p);
    char name[NAME_MAX_];
    p->at = text;
    p->end = text + bytes;
    p->line = 1;
    p->m = calloc(1, sizeof *p->m);
    for (skip_blanks(p); p->at < p->end && *p->at; skip_blanks(p)) {
        word(p, name);
        if (!strcmp(name, ".visible") || !strcmp(name, ".weak") || !strcmp(name, ".extern")) continue;
        else if (!strcmp(name, ".entry")) read_kernel(p);
        else if (!strcmp(name, ".global") || !strcmp(name, ".const")) read_global(p);
        else if (!strcmp(name, ".file")) read_file(p);
        else if (!strcmp(name, ".section")) read_section(p);
        else if (!strcmp(name, ".version") || !strcmp(name, ".target") || !strcmp(name, ".address_size"))
            skip_statement(p, '\n');
        else stop(p, "directive '%s' before '%.20s'", name, p->at);
    }
    struct module *m = p->m;
    m->next = modules;
    modules = m;
    free(p);
    return m;
}

struct kernel *kernel_named(struct module *m, const char *name)
{
    for (struct kernel *k = m->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) return k;
    return NULL;
}

#define NAME_OF(code, ...) #code,
const char *op_name(u32 code)
{
    static const char *const names[] = {PTX_UNARY(NAME_OF) PTX_BINARY(NAME_OF) PTX_TERNARY(NAME_OF) PTX_COMPARE(
        NAME_OF) PTX_SELECT(NAME_OF) PTX_PREDICATE(NAME_OF) PTX_CARRY(NAME_OF) PTX_OTHER(NAME_OF)};
    return code < OP_CODES ? names[code] : "?";
}
