/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered set of nodes inside other structs, by a pair of numbers. All operations take O(log n) on average. */
#ifndef CORE_TREAP_H
#define CORE_TREAP_H

#include "base/base.h"

struct treap_node {
    struct treap_node *left, *right;
    uint64_t key, key2;          /* compared in this order; unique as a pair */
    uint32_t rank;               /* random: keeps the tree flat */
};

void treap_insert(struct treap_node **root, struct treap_node *node, uint64_t key, uint64_t key2);
void treap_remove(struct treap_node **root, struct treap_node *node);
struct treap_node *treap_floor(struct treap_node *root, uint64_t key, uint64_t key2);    /* the greatest <= */
struct treap_node *treap_ceil(struct treap_node *root, uint64_t key, uint64_t key2);     /* the least >= */

#endif
