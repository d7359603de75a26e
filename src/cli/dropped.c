/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cli/dropped.h"

#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/source_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_STEPS = 20000, MOST_READS = 24, WINDOW = 4096, LONGEST_FUNCTION = 1 << 16 };

/* ---- instructions ---- */

struct step {
    uint64_t at;
    char op[24], args[104];
};

struct code {
    const char *module;
    size_t n_module;
    struct hw_map known;         /* address -> struct step */
    unsigned reads;              /* of the disassembler */
};

static const char *objdump_program(void)
{
    static const char *const names[] = { "/usr/bin/objdump", "/usr/bin/llvm-objdump-19", "/usr/lib/llvm-19/bin/llvm-objdump" };
    for (size_t k = 0; k < HW_LEN(names); k++)
        if (access(names[k], X_OK) == 0)
            return names[k];
    return NULL;
}

/* "  401136:\tmov    %eax,-0x4(%rbp)   # 4010 <x>" */
static bool parse_step(const char *line, struct step *out)
{
    char *end;
    out->at = strtoull(line, &end, 16);
    if (end == line || *end != ':')
        return false;
    const char *p = end + 1 + strspn(end + 1, " \t");
    size_t n = 0;
    for (;;) {                                   /* prefixes are not the operation */
        static const char *const prefixes[] = { "bnd", "notrack", "data16", "lock" };
        bool prefix = false;
        n = strcspn(p, " \t\n");
        for (size_t k = 0; k < HW_LEN(prefixes); k++)
            prefix |= n == strlen(prefixes[k]) && strncmp(p, prefixes[k], n) == 0;
        if (!prefix)
            break;
        p += n + strspn(p + n, " \t");
    }
    snprintf(out->op, sizeof out->op, "%.*s", (int)n, p);
    p += n + strspn(p + n, " \t");
    snprintf(out->args, sizeof out->args, "%.*s", (int)strcspn(p, "#<\n"), p);
    for (size_t k = strlen(out->args); k && isspace((unsigned char)out->args[k - 1]); k--)
        out->args[k - 1] = 0;
    return out->op[0] != 0;
}

static void read_code(struct code *c, uint64_t from)
{
    const char *program = objdump_program();
    char line[1024];
    if (!program || c->reads++ >= MOST_READS || memchr(c->module, '\'', c->n_module))
        return;
    char *command = hw_sprintf("%s -d --no-show-raw-insn --start-address=%#llx --stop-address=%#llx '%.*s' 2>/dev/null", program, (unsigned long long)from,
                               (unsigned long long)from + WINDOW, (int)c->n_module, c->module);
    FILE *in = popen(command, "r");
    struct step s, *last = NULL;
    while (in && fgets(line, sizeof line, in))
        if (parse_step(line, &s)) {
            last = hw_alloc(sizeof *last);
            *last = s;
            hw_map_set(&c->known, &s.at, sizeof s.at, last);
        }
    if (last && last->at + 16 > from + WINDOW)   /* it may be cut off */
        hw_map_del(&c->known, &last->at, sizeof last->at);
    if (in)
        pclose(in);
    hw_free(command);
}

static const struct step *step_at(struct code *c, uint64_t at)
{
    const struct step *s = hw_map_get(&c->known, &at, sizeof at);
    if (!s) {
        read_code(c, at);
        s = hw_map_get(&c->known, &at, sizeof at);
    }
    return s;
}

/* The instruction behind this one: its length is not told, so it is the next that is known. */
static uint64_t behind(struct code *c, uint64_t at)
{
    for (int round = 0; round < 2; round++) {
        for (uint64_t k = at + 1; k <= at + 15; k++)
            if (hw_map_get(&c->known, &k, sizeof k))
                return k;
        read_code(c, at);
    }
    return 0;
}

/* ---- what an instruction does with the answer ---- */

enum effect { NOTHING, READS, WRITES, ENDS, RETURNS, JUMPS, BRANCHES };

static bool is_answer(const char *p)
{
    static const char *const names[] = { "%rax", "%eax", "%ax", "%al", "%ah" };
    for (size_t k = 0; k < HW_LEN(names); k++) {
        size_t n = strlen(names[k]);
        if (strncmp(p, names[k], n) == 0 && !isalnum((unsigned char)p[n]))
            return true;
    }
    return false;
}

static bool mentions(const char *args, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (args[k] == '%' && is_answer(args + k))
            return true;
    return false;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static bool is_one_of(const char *op, const char *const *list, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (begins(op, list[k]))
            return true;
    return false;
}

/* The last operand, at the top level. */
static size_t last_operand(const char *args)
{
    size_t at = 0;
    int depth = 0;
    for (size_t k = 0; args[k]; k++) {
        depth += args[k] == '(' ? 1 : args[k] == ')' ? -1 : 0;
        if (args[k] == ',' && depth == 0)
            at = k + 1;
    }
    return at;
}

static enum effect effect_of(const struct step *s)
{
    /* they use it without naming it */
    static const char *const silent[] = { "cltq", "cltd", "cqto", "cwtl", "cbtw", "cwtd", "cdqe", "mul", "div", "idiv", "imul", "cmpxchg", "stos", "scas", "lods", "xlat", "cpuid", "syscall", "sysenter",
                                          "lahf", "sahf", "in", "out", "int", "rep", "xgetbv", "rdtsc", "rdmsr", "wrmsr" };
    /* they write their last operand and do not read it */
    static const char *const writers[] = { "mov", "lea", "pop", "set", "cvt", "vmov", "vcvt", "bsf", "bsr", "popcnt", "lzcnt", "tzcnt", "pextr", "pmovmskb", "vpextr", "vpmovmskb" };
    size_t last = last_operand(s->args);
    bool before = mentions(s->args, last), there = mentions(s->args + last, strlen(s->args + last));
    if (begins(s->op, "call"))
        return there ? READS : WRITES;
    if (begins(s->op, "ret"))
        return RETURNS;
    if (begins(s->op, "ud2") || begins(s->op, "hlt") || begins(s->op, "int3"))
        return ENDS;
    if (begins(s->op, "jmp"))
        return s->args[0] != '*' ? JUMPS : there ? READS : strstr(s->args, "(%rip)") ? WRITES : READS;       /* through a table of functions: a call at the end */
    if (s->op[0] == 'j' || begins(s->op, "loop"))
        return BRANCHES;
    if ((begins(s->op, "xor") || begins(s->op, "sub")) && there && before && strncmp(s->args, s->args + last, last - 1) == 0 && strlen(s->args + last) == last - 1)
        return WRITES;
    bool two = last > 0;
    if (is_one_of(s->op, silent, HW_LEN(silent)) && !(two && begins(s->op, "imul")) && !begins(s->op, "insert"))
        return begins(s->op, "rep") && strstr(s->args, "movs") ? NOTHING : READS;
    if ((!before && !there) || begins(s->op, "nop") || begins(s->op, "cs") || strcmp(s->args, "%ax,%ax") == 0)
        return NOTHING;
    return !before && s->args[last] == '%' && is_one_of(s->op, writers, HW_LEN(writers)) ? WRITES : READS;
}

/* ---- a variable that the answer is put into ---- */

/*
 * Code that is not optimised puts the answer into a variable of the function, and every use of that is an access to -0x14(%rbp). So it can be followed too: the
 * answer is dropped if the variable is written again, or the function left, before it is read. rbp must be the frame's pointer for that: the function
 * begins with push %rbp, mov %rsp,%rbp. Programs without symbols do not show where it begins.
 */
static bool has_frame_pointer(struct code *c, uint64_t at)
{
    const char *program = objdump_program();
    char line[1024];
    struct step s, first = { 0 }, second = { 0 };
    uint64_t from = at > LONGEST_FUNCTION ? at - LONGEST_FUNCTION : 0;
    bool any = false;
    char *command = hw_sprintf("%s -d --no-show-raw-insn --start-address=%#llx --stop-address=%#llx '%.*s' 2>/dev/null", program, (unsigned long long)from, (unsigned long long)at,
                               (int)c->n_module, c->module);
    FILE *in = popen(command, "r");
    while (in && fgets(line, sizeof line, in)) {
        if (isxdigit((unsigned char)line[0]) && strstr(line, ">:")) {        /* 0000000000001139 <main>: */
            first = second = (struct step){ 0 };
            any = true;
        } else if (any && parse_step(line, &s) && !begins(s.op, "endbr")) {
            if (!first.op[0])
                first = s;
            else if (!second.op[0])
                second = s;
        }
    }
    if (in)
        pclose(in);
    hw_free(command);
    return begins(first.op, "push") && strcmp(first.args, "%rbp") == 0 && begins(second.op, "mov") && strcmp(second.args, "%rsp,%rbp") == 0;
}

/* "mov %eax,-0x14(%rbp)": the operand's text, NULL: it is something else. */
static const char *variable_of(const struct step *s)
{
    size_t last = last_operand(s->args);
    const char *to = s->args + last;
    return begins(s->op, "mov") && last == 5 && strncmp(s->args, "%eax,", 5) == 0 && to[0] == '-' && strstr(to, "(%rbp)") && !strchr(to, ',') ? to : NULL;
}

/* What an instruction does with the variable. */
static enum effect variable_effect(const struct step *s, const char *variable)
{
    size_t last = last_operand(s->args), n = strlen(variable);
    const char *at = strstr(s->args, variable);
    if (at && at > s->args && at[-1] != ',' && at[-1] != '*')    /* -0x114(%rbp) ends in 14(%rbp), but a variable begins with - */
        at = NULL;
    if (!at)
        return NOTHING;
    bool whole = begins(s->op, "movl") || (begins(s->op, "mov") && s->op[3] == 0 && strncmp(s->args, "%e", 2) == 0) || begins(s->op, "movq");
    return whole && (size_t)(at - s->args) == last && strlen(at) == n ? WRITES : READS;
}

/* ---- the ways ---- */

/* Where the answer is on a way: in eax, in a variable, or both. */
struct way {
    uint64_t at;
    uint64_t in_eax, in_variable;
};

struct walk {
    struct code *code;
    HW_VEC(struct way) todo;
    struct hw_map seen;
    char variable[104];          /* "": none yet */
    bool returns;
};

/* One instruction; false: somebody may look at the answer. Adds what comes behind. */
static bool walk_step(struct walk *w, struct way way, const struct step *s)
{
    enum effect e = effect_of(s), v = way.in_variable ? variable_effect(s, w->variable) : NOTHING;
    const char *variable = way.in_eax ? variable_of(s) : NULL;
    bool flows = e != ENDS && e != RETURNS && e != JUMPS && !(begins(s->op, "jmp"));
    if (v == READS || (e == READS && begins(s->op, "jmp")))
        return false;
    if (v == WRITES)
        way.in_variable = 0;
    if (variable && (!w->variable[0] || strcmp(w->variable, variable) == 0)) {
        if (!w->variable[0] && !has_frame_pointer(w->code, way.at))
            return false;
        snprintf(w->variable, sizeof w->variable, "%s", variable);
        way.in_variable = 1;
    } else if (e == READS && way.in_eax) {
        return false;
    } else if (e == WRITES) {
        way.in_eax = 0;
    }
    w->returns |= e == RETURNS && way.in_eax;
    if ((e == JUMPS || e == BRANCHES) && (way.in_eax || way.in_variable)) {
        struct way there = { strtoull(s->args, NULL, 16), way.in_eax, way.in_variable };
        hw_vec_push(&w->todo, there);
    }
    if (!flows || (!way.in_eax && !way.in_variable))
        return true;
    way.at = behind(w->code, way.at);
    hw_vec_push(&w->todo, way);
    return way.at != 0;
}

/* Every way from here: is the answer dropped? *returns: on some way the function returns with it. */
static bool dropped_from(struct code *c, uint64_t from, bool *returns)
{
    struct walk w = { .code = c };
    bool good = true;
    hw_vec_push(&w.todo, ((struct way){ from, 1, 0 }));
    for (unsigned n = 0; good && w.todo.n; n++) {
        struct way way = w.todo.v[--w.todo.n];
        if (hw_map_get(&w.seen, &way, sizeof way))
            continue;
        hw_map_set(&w.seen, &way, sizeof way, c);
        const struct step *s = n < MOST_STEPS ? step_at(c, way.at) : NULL;
        good = s && walk_step(&w, way, s);
    }
    hw_vec_fini(&w.todo);
    hw_map_fini(&w.seen);
    *returns = w.returns;
    return good;
}

bool dropped_answer(const char *stack, const char *caller)
{
    const char *plus = NULL, *end;
    bool started = false;
    for (const char *p = stack; (end = source_entry_end(p, &plus)); p = end + strspn(end, " ")) {
        size_t n = (size_t)(end - p), m = (size_t)(plus - p);
        started |= caller[0] ? strlen(caller) == n && strncmp(caller, p, n) == 0 : !source_is_library(p, m);
        if (!started)
            continue;
        struct code c = { .module = p, .n_module = m };
        bool returns = false, dropped = dropped_from(&c, strtoull(plus + 1, NULL, 16) + 1, &returns);
        hw_map_fini(&c.known);
        if (!dropped || !returns)
            return dropped;
    }
    return false;
}
