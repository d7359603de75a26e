/* SPDX-License-Identifier: Apache-2.0 */
/* Is what was compiled still what would be compiled? Files are told by size and time. */
#define _GNU_SOURCE
#include "base/stamps.h"

#include "base/os.h"

#include <sys/stat.h>

void stamps_hash_identity(struct hw_hash *h, const char *path)
{
    struct stat st;
    hw_hash_str(h, path);
    if (stat(path, &st) == 0) {
        hw_hash_u64(h, (uint64_t)st.st_size);
        hw_hash_u64(h, (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec);
    }
}

static bool file_stamp(const char *path, struct hw_str *out)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    hw_str_printf(out, "%lld %lld.%09ld %s\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, path);
    return true;
}

/* "target: a.h b\ c.h \<newline> d.h" -> a stamp for each file. */
void stamps_of_depfile(const char *depfile, struct hw_str *out)
{
    char *text = hw_file_read(depfile, NULL);
    const char *p = text ? strchr(text, ':') : NULL;
    char *word = text ? hw_alloc(strlen(text) + 1) : NULL;
    for (p = p ? p + 1 : ""; *p;) {
        size_t n = 0;
        if (*p == ' ' || *p == '\n' || (*p == '\\' && p[1] == '\n')) {
            p++;
            continue;
        }
        for (; *p && *p != ' ' && *p != '\n'; p++) {
            if (*p == '\\' && (p[1] == ' ' || p[1] == '#'))
                p++;
            else if (*p == '$' && p[1] == '$')
                p++;
            word[n++] = *p;
        }
        word[n] = 0;
        file_stamp(word, out);
    }
    hw_free(word);
    hw_free(text);
}

/* True when every header still is what it was. */
bool stamps_hold(const char *list_path)
{
    char *list = hw_file_read(list_path, NULL);
    bool ok = list != NULL;
    for (char *line = list; ok && *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            break;
        *end = 0;
        char *path = strchr(line, ' ');
        path = path ? strchr(path + 1, ' ') : NULL;
        struct hw_str now = { 0 };
        ok = path && file_stamp(path + 1, &now) && strncmp(now.s, line, (size_t)(end - line)) == 0;
        hw_str_fini(&now);
        line = end + 1;
    }
    hw_free(list);
    return ok;
}
