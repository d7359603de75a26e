/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing and the open-addressing map. */
#include "base/hash.h"

#include <stdio.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

void hw_hash_init(struct hw_hash *h)
{
    h->a = 0x243f6a8885a308d3u;
    h->b = 0x13198a2e03707344u;
}

void hw_hash_u64(struct hw_hash *h, uint64_t x)
{
    h->a = mix(h->a ^ x) + 0x9e3779b97f4a7c15u;
    h->b = mix(h->b + x * 0xff51afd7ed558ccdu) ^ h->a;
}

void hw_hash_add(struct hw_hash *h, const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t word;
    hw_hash_u64(h, n);
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        hw_hash_u64(h, word);
    }
    word = 0;
    if (n)
        memcpy(&word, p, n);
    hw_hash_u64(h, word);
}

void hw_hash_str(struct hw_hash *h, const char *s)
{
    hw_hash_add(h, s, strlen(s));
}

void hw_hash_hex(const struct hw_hash *h, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)h->a, (unsigned long long)h->b);
}

uint64_t hw_hash_bytes(const void *data, size_t n)
{
    struct hw_hash h;
    hw_hash_init(&h);
    hw_hash_add(&h, data, n);
    return h.a;
}

struct hw_map_entry {
    void *key;                   /* NULL: free slot */
    size_t n;
    uint64_t hash;
    void *value;
};

static struct hw_map_entry *find(const struct hw_map *map, const void *key, size_t n, uint64_t hash)
{
    for (size_t i = hash & (map->cap - 1);; i = (i + 1) & (map->cap - 1)) {
        struct hw_map_entry *e = &map->entries[i];
        if (!e->key || (e->hash == hash && e->n == n && memcmp(e->key, key, n) == 0))
            return e;
    }
}

static void grow(struct hw_map *map)
{
    struct hw_map old = *map;
    map->cap = old.cap ? old.cap * 2 : 16;
    map->entries = hw_alloc(map->cap * sizeof(*map->entries));
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].key)
            *find(map, old.entries[i].key, old.entries[i].n, old.entries[i].hash) = old.entries[i];
    hw_free(old.entries);
}

void hw_map_set(struct hw_map *map, const void *key, size_t n, void *value)
{
    if (map->n * 2 >= map->cap)
        grow(map);
    uint64_t hash = hw_hash_bytes(key, n);
    struct hw_map_entry *e = find(map, key, n, hash);
    if (!e->key) {
        e->key = hw_strndup(key, n);
        e->n = n;
        e->hash = hash;
        map->n++;
    }
    e->value = value;
}

void *hw_map_get(const struct hw_map *map, const void *key, size_t n)
{
    return map->cap ? find(map, key, n, hw_hash_bytes(key, n))->value : NULL;
}

const void *hw_map_key(const struct hw_map *map, const void *key, size_t n)
{
    return map->cap ? find(map, key, n, hw_hash_bytes(key, n))->key : NULL;
}

void *hw_map_del(struct hw_map *map, const void *key, size_t n)
{
    if (!map->cap)
        return NULL;
    struct hw_map_entry *e = find(map, key, n, hw_hash_bytes(key, n));
    if (!e->key)
        return NULL;
    void *value = e->value;
    hw_free(e->key);
    memset(e, 0, sizeof *e);
    map->n--;
    /* Entries behind the hole may have probed across it: put each back in its place. */
    for (size_t i = (size_t)(e - map->entries + 1) & (map->cap - 1); map->entries[i].key; i = (i + 1) & (map->cap - 1)) {
        struct hw_map_entry moved = map->entries[i];
        memset(&map->entries[i], 0, sizeof moved);
        *find(map, moved.key, moved.n, moved.hash) = moved;
    }
    return value;
}

void hw_map_fini(struct hw_map *map)
{
    for (size_t i = 0; i < map->cap; i++)
        hw_free(map->entries[i].key);
    hw_free(map->entries);
    memset(map, 0, sizeof *map);
}
