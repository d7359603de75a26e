/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "cli/cc_lines.h"

#include "base/hash.h"
#include "base/os.h"
#include "cli/cc_work.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST = 1 << 30, DEEPEST = 64 };          /* lines from here on are numbers of chains */

/* ---- metadata of the IR ---- */

enum kind { OTHER, LOCATION, SCOPE, FILE_NAME };

/* !12 = !DILocation(line: 3, column: 12, scope: !9, inlinedAt: !22) */
struct node {
    enum kind kind;
    unsigned line, column;
    long scope, inlined_at, file;        /* numbers of nodes, -1: none */
    char *name, *folder;                 /* a function's; a file's */
};
struct nodes {
    HW_VEC(struct node) v;
};

/* What stands behind "key: ", at the top level of a node's list; strings hold commas and brackets too. */
static const char *field(const char *list, const char *key)
{
    size_t n = strlen(key);
    bool quoted = false;
    for (const char *p = list; *p && *p != '\n'; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && (p == list || p[-1] == '(' || p[-1] == ' ') && strncmp(p, key, n) == 0 && p[n] == ':')
            return p + n + 2;
    }
    return NULL;
}

static unsigned number_field(const char *list, const char *key)
{
    const char *at = field(list, key);
    return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

static long node_field(const char *list, const char *key)
{
    const char *at = field(list, key);
    return at && at[0] == '!' && isdigit((unsigned char)at[1]) ? strtol(at + 1, NULL, 10) : -1;
}

static char *string_field(const char *list, const char *key)
{
    const char *at = field(list, key);
    struct hw_str out = { 0 };
    if (!at || *at != '"')
        return NULL;
    for (at++; *at && *at != '"' && *at != '\n'; at++) {
        unsigned code;
        if (*at == '\\' && sscanf(at + 1, "%2x", &code) == 1) {          /* \22 */
            hw_str_add(&out, &(char){ (char)code }, 1);
            at += 2;
        } else {
            hw_str_add(&out, at, 1);
        }
    }
    return out.s ? out.s : hw_strdup("");
}

static struct node read_node(const char *text)
{
    struct node n = { OTHER, 0, 0, -1, -1, -1, NULL, NULL };
    text += strncmp(text, "distinct ", 9) == 0 ? 9 : 0;
    const char *list = strchr(text, '(');
    if (strncmp(text, "!DILocation(", 12) == 0)
        n.kind = LOCATION;
    else if (strncmp(text, "!DISubprogram(", 14) == 0 || strncmp(text, "!DILexicalBlock", 15) == 0)
        n.kind = SCOPE;
    else if (strncmp(text, "!DIFile(", 8) == 0)
        n.kind = FILE_NAME;
    if (n.kind == OTHER || !list)
        return n;
    list++;
    n.line = number_field(list, "line");
    n.column = number_field(list, "column");
    n.scope = node_field(list, "scope");
    n.inlined_at = node_field(list, "inlinedAt");
    n.file = node_field(list, "file");
    n.name = string_field(list, n.kind == FILE_NAME ? "filename" : "name");
    n.folder = string_field(list, "directory");
    return n;
}

/* "!12 = ..." at the start of a line: its number, and what is behind. -1: no such line. */
static long node_number(const char *line, const char **text)
{
    char *end;
    if (line[0] != '!' || !isdigit((unsigned char)line[1]))
        return -1;
    long number = strtol(line + 1, &end, 10);
    if (strncmp(end, " = ", 3) != 0 || number > 1 << 26)
        return -1;
    *text = end + 3;
    return number;
}

static const char *next_line(const char *p)
{
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

static void read_nodes(const char *ir, struct nodes *out)
{
    const char *text;
    for (const char *p = ir; *p; p = next_line(p)) {
        long number = node_number(p, &text);
        while (number >= 0 && (long)out->v.n <= number)
            hw_vec_push(&out->v, ((struct node){ OTHER, 0, 0, -1, -1, -1, NULL, NULL }));
        if (number >= 0)
            out->v.v[number] = read_node(text);
    }
}

static const struct node *node_of(const struct nodes *all, long number, enum kind kind)
{
    return number >= 0 && number < (long)all->v.n && all->v.v[number].kind == kind ? &all->v.v[number] : NULL;
}

/* ---- chains ---- */

/* The function that a scope lies in: blocks have no names. */
static const char *function_of(const struct nodes *all, long scope)
{
    const struct node *s;
    for (int depth = 0; depth < 1000 && (s = node_of(all, scope, SCOPE)); depth++, scope = s->scope)
        if (s->name)
            return s->name;
    return NULL;
}

static char *file_of(const struct nodes *all, long scope)
{
    const struct node *s = node_of(all, scope, SCOPE), *f = s ? node_of(all, s->file, FILE_NAME) : NULL;
    if (!f || !f->name)
        return NULL;
    return f->name[0] == '/' || !f->folder || !f->folder[0] ? hw_strdup(f->name) : hw_sprintf("%s/%s", f->folder, f->name);
}

static void chain_fini(struct cc_chain *c)
{
    for (size_t k = 0; k < c->frames.n; k++) {
        hw_free(c->frames.v[k].file);
        hw_free(c->frames.v[k].function);
    }
    hw_vec_fini(&c->frames);
}

void cc_chains_fini(struct cc_chains *chains)
{
    for (size_t k = 0; k < chains->all.n; k++)
        chain_fini(&chains->all.v[k]);
    hw_vec_fini(&chains->all);
}

/* Follows a location outwards. outermost: the scope of the last. False: it was inlined nowhere, or the IR is none that we know. */
static bool read_chain(const struct nodes *all, const struct node *at, struct cc_chain *c, long *outermost)
{
    for (int depth = 0; at && depth < DEEPEST; depth++) {
        const struct node *outer = node_of(all, at->inlined_at, LOCATION);
        char *file = file_of(all, at->scope);
        if (!file)
            return false;
        const char *function = outer ? function_of(all, at->scope) : NULL;
        hw_vec_push(&c->frames, ((struct cc_frame){ file, function ? hw_strdup(function) : NULL, at->line, at->column }));
        *outermost = at->scope;
        at = outer;
    }
    return !at && c->frames.n > 1;
}

/* LLVM writes the order of the uses of inline assembly, and does not read it. */
static bool is_unreadable(const char *line)
{
    return strncmp(line + strspn(line, " \t"), "uselistorder ptr asm ", 21) == 0;
}

void cc_lines_number(const char *ir, struct cc_chains *out, struct hw_str *to)
{
    struct nodes all = { 0 };
    read_nodes(ir, &all);
    for (const char *p = ir, *text, *next; *p; p = next) {
        long number = node_number(p, &text), outermost = -1;
        const struct node *at = node_of(&all, number, LOCATION);
        struct cc_chain chain = { 0 };
        next = next_line(p);
        if (is_unreadable(p))
            continue;
        if (at && at->inlined_at >= 0 && strncmp(text, "distinct", 8) != 0 && read_chain(&all, at, &chain, &outermost)) {
            hw_str_printf(to, "!%ld = !DILocation(line: %zu, column: 0, scope: !%ld)\n", number, FIRST + out->all.n, outermost);
            hw_vec_push(&out->all, chain);
        } else {
            hw_str_add(to, p, (size_t)(next - p));
            chain_fini(&chain);
        }
    }
    for (size_t k = 0; k < all.v.n; k++) {
        hw_free(all.v.v[k].name);
        hw_free(all.v.v[k].folder);
    }
    hw_vec_fini(&all.v);
}

/* ---- PTX ---- */

struct names {
    struct hw_map files;                 /* path -> its number */
    struct hw_map labels;                /* function -> 1 + the number of its label */
    size_t last_file, n_labels;
    struct hw_str new_files, strings;
};

static void read_files(const char *ptx, struct names *n)
{
    for (const char *p = ptx; *p; p = next_line(p)) {
        const char *at = p + strspn(p, " \t"), *quote, *end;
        if (strncmp(at, ".file", 5) != 0 || !(quote = strchr(at, '"')) || !(end = strchr(quote + 1, '"')))
            continue;
        size_t number = strtoul(at + 5, NULL, 10);
        hw_map_set(&n->files, quote + 1, (size_t)(end - quote - 1), (void *)(uintptr_t)number);
        n->last_file = number > n->last_file ? number : n->last_file;
    }
}

static size_t file_number(struct names *n, const char *path)
{
    size_t number = (size_t)(uintptr_t)hw_map_get_str(&n->files, path);
    if (!number) {
        number = ++n->last_file;
        hw_map_set_str(&n->files, path, (void *)(uintptr_t)number);
        hw_str_printf(&n->new_files, "\t.file\t%zu \"%s\"\n", number, path);
    }
    return number;
}

static size_t label_number(struct names *n, const char *function)
{
    size_t number = (size_t)(uintptr_t)hw_map_get_str(&n->labels, function);
    if (number)
        return number - 1;
    hw_map_set_str(&n->labels, function, (void *)(uintptr_t)++n->n_labels);
    hw_str_printf(&n->strings, "$L__info_string%zu:\n.b8 ", n->n_labels - 1);
    for (const char *c = function; *c; c++)
        hw_str_printf(&n->strings, "%u,", (unsigned char)*c);
    hw_str_puts(&n->strings, "0\n");
    return n->n_labels - 1;
}

/* From the outermost place on: each says where it is inlined, at a place that was named before it. */
static void write_chain(struct hw_str *to, struct names *n, const struct cc_chain *c)
{
    for (size_t k = c->frames.n; k > 0; k--) {
        const struct cc_frame *f = &c->frames.v[k - 1], *outer = k < c->frames.n ? &c->frames.v[k] : NULL;
        hw_str_printf(to, "\t.loc\t%zu %u %u", file_number(n, f->file), f->line, f->column);
        if (outer && f->function)
            hw_str_printf(to, ", function_name $L__info_string%zu", label_number(n, f->function));
        if (outer)
            hw_str_printf(to, ", inlined_at %zu %u %u", file_number(n, outer->file), outer->line, outer->column);
        hw_str_puts(to, "\n");
    }
}

void cc_lines_resolve(const char *ptx, const struct cc_chains *chains, struct hw_str *to)
{
    struct names n = { 0 };
    read_files(ptx, &n);
    for (const char *p = ptx, *next; *p; p = next) {
        const char *at = p + strspn(p, " \t");
        unsigned long file, line;
        next = next_line(p);
        if (strncmp(at, ".loc", 4) == 0 && sscanf(at + 4, "%lu %lu", &file, &line) == 2 && line >= FIRST && line - FIRST < chains->all.n)
            write_chain(to, &n, &chains->all.v[line - FIRST]);
        else
            hw_str_add(to, p, (size_t)(next - p));
    }
    if (n.new_files.n)
        hw_str_puts(to, n.new_files.s);
    if (n.strings.n)
        hw_str_printf(to, "\t.section\t.debug_str\n\t{\n%s\n\t}\n", n.strings.s);
    hw_map_fini(&n.files);
    hw_map_fini(&n.labels);
    hw_str_fini(&n.new_files);
    hw_str_fini(&n.strings);
}

/* ---- the pass ---- */

/* clang takes no -ffp-contract for IR; the back end has an option of its own. */
static bool contracts(const struct cc_job *job)
{
    bool on = true;
    for (size_t k = 0; k < job->device.w.n; k++)
        if (strncmp(job->device.w.v[k], "-ffp-contract=", 14) == 0)
            on = strcmp(job->device.w.v[k] + 14, "off") != 0;
    return on;
}

/* said: a file for what clang says; NULL: it is shown. */
static int make_ptx(struct cc_work *w, const char *ir, const char *ptx, const char *said)
{
    const struct cc_job *job = w->job;
    struct cli_args args = { 0 };
    cli_add(&args, w->clang);
    cli_add(&args, "--target=nvptx64-nvidia-cuda");
    cli_addf(&args, "-march=sm_%d", cc_clang_arch(job));
    cli_addf(&args, "--cuda-path=%s", cli_root());       /* the version of PTX */
    cli_add(&args, "-Wno-unknown-cuda-version");
    cli_add(&args, "-S");
    cli_add(&args, "-w");
    cli_add(&args, "-Qunused-arguments");
    cli_add(&args, job->device_debug ? "-O1" : "-O3");
    cli_add(&args, "-mllvm");
    cli_addf(&args, "-nvptx-fma-level=%d", contracts(job) ? 2 : 0);
    cc_add_wide(&args);
    cli_add(&args, "-Xclang");
    cli_add(&args, "-disable-llvm-passes");      /* the IR has seen them */
    cli_add_all(&args, &job->device);
    cli_add(&args, "-x");
    cli_add(&args, "ir");
    cli_add(&args, ir);
    cli_add(&args, "-o");
    cli_add(&args, ptx);
    if (!said || job->verbose)
        return cc_run(w, &args);
    int status = cli_spawn_said(&args, said);
    cli_args_fini(&args);
    return status;
}

/* Orders of uses only make the code the same as without lines. */
static void without_orders(struct hw_str *ir)
{
    struct hw_str out = { 0 };
    for (const char *p = ir->s ? ir->s : "", *next; *p; p = next) {
        next = next_line(p);
        if (strncmp(p + strspn(p, " \t"), "uselistorder", 12) != 0)
            hw_str_add(&out, p, (size_t)(next - p));
    }
    hw_str_fini(ir);
    *ir = out;
}

static bool rewrite(const char *path, const struct hw_str *text)
{
    bool ok = hw_file_write(path, text->s ? text->s : "", text->n);
    if (!ok)
        cli_error("cannot write %s", path);
    return ok;
}

int cc_lines_pass(struct cc_work *w, const char *ir, const char *ptx)
{
    struct cc_chains chains = { 0 };
    struct hw_str numbered = { 0 }, resolved = { 0 };
    if (w->job->dryrun)
        return make_ptx(w, ir, ptx, NULL);
    char *text = hw_file_read(ir, NULL), *made = NULL;
    if (text)
        cc_lines_number(text, &chains, &numbered);
    char *said = hw_sprintf("%s.said", ir);
    int status = text && rewrite(ir, &numbered) ? make_ptx(w, ir, ptx, said) : CLI_FAIL;
    if (text && status != CLI_OK && !cli_caught_signal()) {
        without_orders(&numbered);
        status = rewrite(ir, &numbered) ? make_ptx(w, ir, ptx, NULL) : CLI_FAIL;
    }
    hw_free(said);
    if (status == CLI_OK && chains.all.n && (made = hw_file_read(ptx, NULL))) {
        cc_lines_resolve(made, &chains, &resolved);
        status = rewrite(ptx, &resolved) ? CLI_OK : CLI_FAIL;
    }
    hw_free(text);
    hw_free(made);
    hw_str_fini(&numbered);
    hw_str_fini(&resolved);
    cc_chains_fini(&chains);
    return status;
}
