/* SPDX-License-Identifier: Apache-2.0 */
/* The disk cache of compiled kernels. One file per key: a header, the symbol names, the places of an instrumented one, the object. */
#include "jit/code/object.h"

#include "base/cache.h"
#include "base/os.h"
#include "jit/code/details_table.h"

#include <stdatomic.h>
#include <unistd.h>

enum { MAGIC = 0x4b577748, FORMAT = 19 };

struct header {
    uint32_t magic, format;
    struct hw_hash key;          /* of what it is: the file's name may have been given to another */
    struct object_facts facts;
    uint32_t n_keeps, n_symbols, symbol_bytes, details_bytes, code_bytes;
    uint64_t checksum;           /* of the whole file, with a zero here */
};

/* data: a whole file. */
static uint64_t checksum_of(const char *data, size_t bytes)
{
    struct header h;
    struct hw_hash sum;
    memcpy(&h, data, sizeof h);
    h.checksum = 0;
    hw_hash_init(&sum);
    hw_hash_add(&sum, &h, sizeof h);
    hw_hash_u64(&sum, hw_hash_bytes(data + sizeof h, bytes - sizeof h));
    return sum.a ^ sum.b;
}

void object_fini(struct object *o)
{
    for (size_t i = 0; i < o->symbols.n; i++)
        hw_free(o->symbols.v[i]);
    hw_vec_fini(&o->symbols);
    hw_vec_fini(&o->keeps);
    hw_free(o->code);
    o->code = NULL;
}

static char *path_of(const struct hw_hash *key)
{
    char *dir = hw_cache_kernels(), hex[33], *path = NULL;
    if (dir) {
        hw_hash_hex(key, hex);
        path = hw_sprintf("%s/%s", dir, hex);
    }
    hw_free(dir);
    return path;
}

static size_t keeps_bytes(size_t n) { return n * sizeof(struct kabi_keep); }

/* The lengths of the files must lead exactly to the end: link.c follows them. */
static bool files_fit(const char *code, uint64_t left)
{
    for (uint64_t bytes; left; code += sizeof bytes + bytes, left -= sizeof bytes + bytes) {
        if (left < sizeof bytes)
            return false;
        memcpy(&bytes, code, sizeof bytes);
        if (bytes > left - sizeof bytes)
            return false;
    }
    return true;
}

static bool take(const struct hw_hash *key, const char *data, size_t bytes, struct object *out)
{
    struct header h;
    if (bytes < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    const char *rest = data + sizeof h;
    if (h.magic != MAGIC || h.format != FORMAT || h.key.a != key->a || h.key.b != key->b || checksum_of(data, bytes) != h.checksum
        || bytes - sizeof h != keeps_bytes(h.n_keeps) + h.symbol_bytes + h.details_bytes + h.code_bytes || !files_fit(data + bytes - h.code_bytes, h.code_bytes)
        || (h.symbol_bytes && rest[keeps_bytes(h.n_keeps) + h.symbol_bytes - 1]))
        return false;
    struct details_table *details = h.details_bytes ? details_table_unpack(data + bytes - h.code_bytes - h.details_bytes, h.details_bytes) : NULL;
    if (h.details_bytes && !details)
        return false;
    *out = (struct object){ .facts = h.facts, .details = details };
    for (uint32_t i = 0; i < h.n_keeps; i++, rest += sizeof(struct kabi_keep)) {
        struct kabi_keep keep;
        memcpy(&keep, rest, sizeof keep);
        hw_vec_push(&out->keeps, keep);
    }
    const char *s = rest, *end = rest + h.symbol_bytes;
    for (uint32_t i = 0; i < h.n_symbols && s < end; i++) {
        hw_vec_push(&out->symbols, hw_strdup(s));
        s += strlen(s) + 1;
    }
    out->code_bytes = h.code_bytes;
    out->code = hw_alloc(h.code_bytes);
    memcpy(out->code, data + bytes - h.code_bytes, h.code_bytes);
    return true;
}

bool object_load(const struct hw_hash *key, struct object *out)
{
    char *path = path_of(key);
    size_t bytes;
    char *data = path ? hw_cache_read(path, &bytes) : NULL;
    bool ok = data && take(key, data, bytes, out);
    if (ok)
        hw_cache_used(path);
    else if (data)                               /* damaged, of another version, or somebody else's */
        unlink(path);
    hw_free(data);
    hw_free(path);
    return ok;
}

void object_forget(const struct hw_hash *key)
{
    char *path = path_of(key);
    if (path)
        unlink(path);
    hw_free(path);
}

enum { SAVES_PER_LOOK = 32 };

/* Looking at the whole folder costs more than saving one kernel. */
static void trim_now_and_then(void)
{
    static _Atomic unsigned saves;
    if (atomic_fetch_add(&saves, 1) % SAVES_PER_LOOK)
        return;
    char *dir = hw_cache_kernels();
    if (dir)
        hw_cache_trim(dir, hw_cache_kernels_limit());
    hw_free(dir);
}

void object_save(const struct hw_hash *key, const struct object *o)
{
    char *path = path_of(key);
    if (!path)
        return;
    struct header h = { .magic = MAGIC, .format = FORMAT, .key = *key, .facts = o->facts, .n_keeps = (uint32_t)o->keeps.n, .n_symbols = (uint32_t)o->symbols.n,
                        .code_bytes = (uint32_t)o->code_bytes };
    for (size_t i = 0; i < o->symbols.n; i++)
        h.symbol_bytes += (uint32_t)strlen(o->symbols.v[i]) + 1;
    struct hw_str details = { 0 };
    if (o->details)
        details_table_pack(o->details, &details);
    h.details_bytes = (uint32_t)details.n;
    size_t bytes = sizeof h + keeps_bytes(o->keeps.n) + h.symbol_bytes + h.details_bytes + h.code_bytes;
    char *data = hw_alloc(bytes), *at = data + sizeof h;
    if (o->keeps.n)
        memcpy(at, o->keeps.v, keeps_bytes(o->keeps.n));
    at += keeps_bytes(o->keeps.n);
    for (size_t i = 0; i < o->symbols.n; i++) {
        strcpy(at, o->symbols.v[i]);
        at += strlen(at) + 1;
    }
    if (details.n)
        memcpy(at, details.s, details.n);
    hw_str_fini(&details);
    if (o->code_bytes)
        memcpy(at + h.details_bytes, o->code, o->code_bytes);
    memcpy(data, &h, sizeof h);
    h.checksum = checksum_of(data, bytes);
    memcpy(data, &h, sizeof h);
    hw_cache_write(path, data, bytes);                    /* a cache that cannot be written is only slower */
    trim_now_and_then();
    hw_free(data);
    hw_free(path);
}
