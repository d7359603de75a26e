/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered set as a treap: a search tree that is also a heap by random rank. */
#include "core/mem/treap.h"

static bool less(uint64_t a, uint64_t a2, const struct treap_node *n)
{
    return a < n->key || (a == n->key && a2 < n->key2);
}

/* Splits t into what is below the key and the rest. */
static void split(struct treap_node *t, uint64_t key, uint64_t key2, struct treap_node **low, struct treap_node **high)
{
    while (t) {
        if (less(key, key2, t) || (key == t->key && key2 == t->key2)) {
            *high = t;
            high = &t->left;
            t = t->left;
        } else {
            *low = t;
            low = &t->right;
            t = t->right;
        }
    }
    *low = *high = NULL;
}

void treap_insert(struct treap_node **root, struct treap_node *node, uint64_t key, uint64_t key2)
{
    static _Atomic uint64_t seed = 88172645463325252u;
    uint64_t x = seed;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    seed = x;
    node->key = key;
    node->key2 = key2;
    node->rank = (uint32_t)(x >> 32);
    while (*root && (*root)->rank >= node->rank)
        root = less(key, key2, *root) ? &(*root)->left : &(*root)->right;
    split(*root, key, key2, &node->left, &node->right);
    *root = node;
}

void treap_remove(struct treap_node **root, struct treap_node *node)
{
    while (*root != node)
        root = less(node->key, node->key2, *root) ? &(*root)->left : &(*root)->right;
    struct treap_node *a = node->left, *b = node->right;
    while (a && b) {
        struct treap_node **up = a->rank >= b->rank ? &a : &b;
        *root = *up;
        if (up == &a) {
            root = &a->right;
            a = a->right;
        } else {
            root = &b->left;
            b = b->left;
        }
    }
    *root = a ? a : b;
    node->left = node->right = NULL;
}

struct treap_node *treap_floor(struct treap_node *t, uint64_t key, uint64_t key2)
{
    struct treap_node *best = NULL;
    while (t) {
        if (less(key, key2, t)) {
            t = t->left;
        } else {
            best = t;
            t = t->right;
        }
    }
    return best;
}

struct treap_node *treap_ceil(struct treap_node *t, uint64_t key, uint64_t key2)
{
    struct treap_node *best = NULL;
    while (t) {
        if (less(key, key2, t) || (key == t->key && key2 == t->key2)) {
            best = t;
            t = t->left;
        } else {
            t = t->right;
        }
    }
    return best;
}
