/* SPDX-License-Identifier: Apache-2.0 */
/* Options for the host's compiler inside one of ours (-Xcompiler). nvcc preprocesses device code with that compiler too, so what says where headers
   are and which macros are defined concerns both passes. */
#include "cli/cc.h"

/* Splits at blanks, and at commas where that is said; nothing splits inside quotes or after a backslash. */
static void split(struct cli_args *to, const char *list, bool commas, const char *before_each)
{
    char *word = hw_alloc(strlen(list) + 1);
    size_t n = 0;
    char quote = 0;
    for (const char *p = list;; p++) {
        if (*p == '\\' && p[1]) {
            word[n++] = *++p;
        } else if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? 0 : *p;
        } else if ((((*p == ',' && commas) || *p == ' ') && !quote) || !*p) {
            word[n] = 0;
            if (n && before_each)
                cli_add(to, before_each);
            if (n)
                cli_add(to, word);
            n = 0;
            if (!*p)
                break;
        } else {
            word[n++] = *p;
        }
    }
    hw_free(word);
}

/* "-Wall,-O2" or "-Wall -O2" -> two words, as in nvcc. */
void cc_add_split(struct cli_args *to, const char *list, const char *before_each) { split(to, list, true, before_each); }
void cc_add_words(struct cli_args *to, const char *line) { split(to, line, false, NULL); }

/* Options of the preprocessor; their value may be a word of its own. */
static const char *preprocessor_option(const char *word)
{
    static const char *const names[] = { "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I", "-D", "-U" };
    for (size_t i = 0; i < HW_LEN(names); i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return names[i];
    return NULL;
}

static void preprocessor(struct cc_job *job, const char *name, const char *value)
{
    if (strcmp(name, "-I") == 0) {
        cc_add_user_include(job, value);
    } else if (name[2]) {
        cli_add(&job->both, name);
        cli_add(&job->both, value);
    } else {
        cli_addf(&job->both, "%s%s", name, value);
    }
}

/* Options of gcc that clang has not heard of. They ask for ways of optimising or describing code and change no result. */
static bool is_gcc_only(const char *word)
{
    static const char *const begins[] = {
        "-fopt-info", "-fabi-version=", "-fvar-tracking", "-fno-var-tracking", "-fconcepts", "-fgnu-unique", "-fno-gnu-unique", "-fipa-", "-fno-ipa-",
        "-floop-", "-fno-loop-", "-ftree-loop-", "-fno-tree-loop-", "-fcompare-debug", "-fgnu89-inline", "-fdump-", "-frandom-seed",
        "-ftree-parallelize-loops", "-fgraphite", "-fsched-", "-fno-sched-", "-fira-", "-fno-ira-", "-mno-float128", "-fchecking", "-fno-checking",
    };
    for (size_t i = 0; i < HW_LEN(begins); i++)
        if (strncmp(word, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

void cc_xcompiler(struct cc_job *job, const char *list)
{
    struct cli_args words = { 0 };
    cc_add_split(&words, list, NULL);
    for (size_t i = 0; i < words.w.n; i++) {
        const char *word = words.w.v[i], *name = preprocessor_option(word);
        const char *value = name && word[strlen(name)] ? word + strlen(name) : name && i + 1 < words.w.n ? words.w.v[++i] : NULL;
        if (name && value) {
            preprocessor(job, name, value);
        } else if (name) {
            job->xcompiler_value = name;                         /* in the next -Xcompiler: -Xcompiler -isystem -Xcompiler DIR */
        } else if (job->xcompiler_value) {
            preprocessor(job, job->xcompiler_value, word);
            job->xcompiler_value = NULL;
        } else if (strncmp(word, "-fopenmp", 8) == 0) {
            job->openmp = true;
        } else if (!is_gcc_only(word)) {
            cli_add(&job->host, word);
            cli_add(&job->link, word);
        }
    }
    cli_args_fini(&words);
}
