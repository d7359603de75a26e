/* SPDX-License-Identifier: Apache-2.0 */
/* The word that was meant by a misspelt one, for "did you mean". */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

unsigned hw_word_distance(const char *a, const char *b);

/* { .word = "prfo" }, then each name that there is; name is the one that was meant, NULL: none is near. */
enum { HW_NEAREST_MOST = 3 };                    /* further away it is another word */
struct hw_nearest {
    const char *word, *name;
    unsigned distance;
};
void hw_nearest_try(struct hw_nearest *n, const char *name);

#endif
