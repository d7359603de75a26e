/* SPDX-License-Identifier: Apache-2.0 */
/* Hashing, and a map from strings or pointers to pointers. */
#ifndef HW_HASH_H
#define HW_HASH_H

#include "base/base.h"

/* 128 bits, good enough to name a cache entry; not for secrets. */
struct hw_hash {
    uint64_t a, b;
};
void hw_hash_init(struct hw_hash *h);
void hw_hash_add(struct hw_hash *h, const void *data, size_t n);
void hw_hash_str(struct hw_hash *h, const char *s);
void hw_hash_u64(struct hw_hash *h, uint64_t x);
void hw_hash_hex(const struct hw_hash *h, char out[33]);
uint64_t hw_hash_bytes(const void *data, size_t n);

/* Keys are copied. Not thread-safe by itself. */
struct hw_map {
    struct hw_map_entry *entries;
    size_t n, cap;
};
void hw_map_set(struct hw_map *map, const void *key, size_t n, void *value);
void *hw_map_get(const struct hw_map *map, const void *key, size_t n);         /* NULL when absent */
void *hw_map_del(struct hw_map *map, const void *key, size_t n);               /* the removed value, or NULL */
static inline void hw_map_set_str(struct hw_map *map, const char *key, void *value) { hw_map_set(map, key, strlen(key), value); }
static inline void *hw_map_get_str(const struct hw_map *map, const char *key) { return hw_map_get(map, key, strlen(key)); }
static inline void hw_map_set_ptr(struct hw_map *map, const void *key, void *value) { hw_map_set(map, &key, sizeof key, value); }
static inline void *hw_map_get_ptr(const struct hw_map *map, const void *key) { return hw_map_get(map, &key, sizeof key); }
static inline void *hw_map_del_ptr(struct hw_map *map, const void *key) { return hw_map_del(map, &key, sizeof key); }
const void *hw_map_key(const struct hw_map *map, const void *key, size_t n);   /* the map's own copy of it, with a 0 behind; NULL when absent */
void hw_map_fini(struct hw_map *map);

#endif
