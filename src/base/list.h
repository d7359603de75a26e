/* SPDX-License-Identifier: Apache-2.0 */
/* A doubly linked list through a member of the items. An empty list points at itself. */
#ifndef HW_LIST_H
#define HW_LIST_H

#include "base/base.h"

struct hw_list {
    struct hw_list *next, *prev;
};

static inline void hw_list_init(struct hw_list *l) { l->next = l->prev = l; }
static inline bool hw_list_empty(const struct hw_list *l) { return l->next == l; }
static inline void hw_list_add_before(struct hw_list *at, struct hw_list *item)
{
    item->prev = at->prev;
    item->next = at;
    at->prev->next = item;
    at->prev = item;
}
static inline void hw_list_push_back(struct hw_list *l, struct hw_list *item) { hw_list_add_before(l, item); }
static inline void hw_list_del(struct hw_list *item)
{
    item->prev->next = item->next;
    item->next->prev = item->prev;
    item->next = item->prev = item;
}

#define hw_list_item(node, type, member) hw_container_of(node, type, member)
#define hw_list_for(it, list) for (struct hw_list *it = (list)->next; it != (list); it = it->next)
#define hw_list_for_safe(it, list) \
    for (struct hw_list *it = (list)->next, *it##_next = it->next; it != (list); it = it##_next, it##_next = it->next)

#endif
