/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nvcc takes and clang does not:
 *   asm("mov.u32 %0, %laneid;")     a special register with one percent sign; clang wants two
 *   asm("..." :: "r"(x) "l"(y));    two operands with no comma between them
 *   __shared__ alignas(16) int x;   alignas behind an attribute; clang wants it first, but takes _Alignas there
 *   kernel << <1, 2 >> >(x);        signs of a launch with blanks between the second and the third, as some editors write them
 * A source that has such a place is compiled from a corrected copy, which a file overlay shows to clang under the source's own
 * name: messages, __FILE__ and includes stay as they are.
 */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/os.h"
#include "base/str.h"

#include <ctype.h>
#include <unistd.h>

/* What no x86 register is called: plain assembly for the host may have single signs rightly. */
static const char *const registers[] = {
    "tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "lanemask_", "clock", "clock_hi", "clock64",
    "globaltimer", "dynamic_smem_size", "total_smem_size", "clusterid", "nclusterid", "cluster_", "envreg", "pm",
};

/* Is there a special register at p, which stands behind a percent sign? A name ending in _ stands for all that begin so. */
static bool is_register(const char *p)
{
    for (size_t i = 0; i < HW_LEN(registers); i++) {
        size_t n = strlen(registers[i]);
        bool open_ended = registers[i][n - 1] == '_' || strcmp(registers[i], "globaltimer") == 0 || strcmp(registers[i], "envreg") == 0 ||
                          strcmp(registers[i], "pm") == 0;
        if (strncmp(p, registers[i], n) == 0 && (open_ended || !(isalnum((unsigned char)p[n]) || p[n] == '_')))
            return true;
    }
    return false;
}

static bool word_at(const char *start, const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && !(isalnum((unsigned char)p[n]) || p[n] == '_') &&
           (p == start || !(isalnum((unsigned char)p[-1]) || p[-1] == '_'));
}

/* Copies a string literal whose quote is at p; doubles lone signs when it belongs to assembly. Returns the place behind it. */
static const char *copy_literal(const char *p, bool in_asm, struct hw_str *out, bool *changed)
{
    char quote = *p;
    hw_str_add(out, p++, 1);
    for (; *p && *p != quote && *p != '\n'; p++) {
        if (*p == '\\' && p[1]) {
            hw_str_add(out, p++, 1);
        } else if (*p == '%' && p[1] == '%') {
            hw_str_add(out, p++, 1);
        } else if (*p == '%' && in_asm && is_register(p + 1)) {
            hw_str_add(out, "%", 1);
            *changed = true;
        }
        hw_str_add(out, p, 1);
    }
    if (*p)
        hw_str_add(out, p++, 1);
    return p;
}

/* Comments hold apostrophes, so they must be passed over as such. */
static const char *copy_comment(const char *p, struct hw_str *out)
{
    const char *end = p[1] == '/' ? strchr(p, '\n') : strstr(p + 2, "*/");
    size_t n = !end ? strlen(p) : p[1] == '/' ? (size_t)(end - p) : (size_t)(end - p) + 2;
    hw_str_add(out, p, n);
    return p + n;
}

/* Is there an alignas at p, behind a word for a memory space and nothing but blanks? */
static bool misplaced_alignas(const char *text, const char *p)
{
    static const char *const spaces[] = { "__shared__", "__constant__", "__device__", "__managed__" };
    if (!word_at(text, p, "alignas"))
        return false;
    while (p > text && isspace((unsigned char)p[-1]))
        p--;
    for (size_t i = 0; i < HW_LEN(spaces); i++) {
        size_t n = strlen(spaces[i]);
        if ((size_t)(p - text) >= n && word_at(text, p - n, spaces[i]))
            return true;
    }
    return false;
}

/* Two signs, blanks and a third at p: how many characters that is; 0: it is something else. */
static size_t loose_sign(const char *p, char sign)
{
    size_t blanks = p[0] == sign && p[1] == sign ? strspn(p + 2, " \t\r\n") : 0;
    return blanks && p[2 + blanks] == sign ? blanks + 3 : 0;
}

/* The three signs together, and the blanks behind them: what follows stays where it was. */
static const char *copy_sign(const char *p, size_t n, char sign, struct hw_str *out)
{
    char three[] = { sign, sign, sign };
    hw_str_add(out, three, 3);
    hw_str_add(out, p + 2, n - 3);
    return p + n;
}

/* Does an operand begin at p? Then there should have been a comma behind the parenthesis that ended the one before. */
static bool operand_follows(const char *p)
{
    p += strspn(p, " \t\r\n");
    return *p == '"' || (*p == '[' && strchr(p, ']'));
}

static bool correct(const char *text, struct hw_str *out)
{
    bool changed = false, asm_seen = false, operands = false, in_launch = false;
    int depth = 0;
    for (const char *p = text; *p;) {
        size_t loose = *p == '<' ? loose_sign(p, '<') : *p == '>' && in_launch ? loose_sign(p, '>') : 0;
        in_launch = *p == ';' ? false : in_launch || strncmp(p, "<<<", 3) == 0;
        if (loose) {                                             /* << < is nothing else; >> > may end templates, too */
            in_launch = *p == '<';
            p = copy_sign(p, loose, *p, out);
            changed = true;
            continue;
        }
        if (*p == 'a' && misplaced_alignas(text, p)) {
            hw_str_puts(out, "_Alignas");
            p += strlen("alignas");
            changed = true;
            continue;
        }
        if (word_at(text, p, "asm") || word_at(text, p, "__asm__") || word_at(text, p, "__asm"))
            asm_seen = true, operands = false, depth = 0;
        if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            p = copy_comment(p, out);
            continue;
        }
        bool digit_separator = *p == '\'' && p > text && isxdigit((unsigned char)p[-1]) && isxdigit((unsigned char)p[1]);
        if ((*p == '"' || *p == '\'') && !digit_separator) {
            p = copy_literal(p, asm_seen && depth > 0 && *p == '"', out, &changed);
            continue;
        }
        depth += asm_seen && *p == '(' ? 1 : asm_seen && *p == ')' ? -1 : 0;
        operands |= depth == 1 && *p == ':';     /* before, a literal may follow a macro */
        if (asm_seen && operands && depth == 1 && *p == ')' && operand_follows(p + 1)) {
            hw_str_puts(out, "),");
            p++;
            changed = true;
            continue;
        }
        if (asm_seen && *p == ')' && depth <= 0)
            asm_seen = false;
        hw_str_add(out, p++, 1);
    }
    return changed;
}

static void add_json_string(struct hw_str *out, const char *s)
{
    hw_str_puts(out, "\"");
    for (; *s; s++)
        hw_str_printf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    hw_str_puts(out, "\"");
}

static void add_entry(struct hw_str *yaml, const char *name, const char *copy)
{
    hw_str_puts(yaml, "  { \"type\": \"file\", \"name\": ");
    add_json_string(yaml, name);
    hw_str_puts(yaml, ", \"external-contents\": ");
    add_json_string(yaml, copy);
    hw_str_puts(yaml, " },\n");
}

/* The name must be the absolute one that clang will form. It believes PWD, where that is right, about the current folder. */
bool cc_write_overlay(const char *source, const char *copy, const char *overlay)
{
    struct hw_str yaml = { 0 };
    char *cwd = get_current_dir_name();
    char *full = source[0] == '/' || !cwd ? hw_strdup(source) : hw_sprintf("%s/%s", cwd, source), *real = realpath(source, NULL);
    hw_str_puts(&yaml, "{ \"version\": 0, \"use-external-names\": false, \"roots\": [\n");
    add_entry(&yaml, full, copy);
    if (real && strcmp(real, full) != 0)
        add_entry(&yaml, real, copy);
    hw_str_puts(&yaml, "] }\n");
    bool ok = hw_file_write(overlay, yaml.s, yaml.n);
    hw_str_fini(&yaml);
    hw_free(full);
    free(real);
    free(cwd);
    return ok;
}

bool cc_asm_statement(const char *assembly, const char *out)
{
    char *text = hw_file_read(assembly, NULL);
    struct hw_str cpp = { 0 };
    hw_str_puts(&cpp, "__asm__(\"");
    for (const char *p = text; p && *p; p++)
        if (*p == '\n')
            hw_str_puts(&cpp, "\\n\"\n\"");
        else
            hw_str_printf(&cpp, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    hw_str_puts(&cpp, "\\t.text\\n\");\n");
    bool ok = text && hw_file_write(out, cpp.s, cpp.n);
    hw_str_fini(&cpp);
    hw_free(text);
    return ok;
}

bool cc_asm_overlay(const char *source, const char *corrected, const char *copy, const char *overlay)
{
    size_t n;
    char *text = hw_file_read(corrected, &n);
    if (!text || !(strstr(text, "asm") || strstr(text, "alignas") || strstr(text, "<< ")) || strlen(text) != n) {
        hw_free(text);
        return false;
    }
    struct hw_str fixed = { 0 };
    bool needed = correct(text, &fixed) && hw_file_write(copy, fixed.s, fixed.n) && cc_write_overlay(source, copy, overlay);
    hw_str_fini(&fixed);
    hw_free(text);
    return needed;
}
