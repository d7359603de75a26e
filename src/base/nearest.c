/* SPDX-License-Identifier: Apache-2.0 */
/* The word that was meant by a misspelt one. */
#include "base/nearest.h"

#include <string.h>

/* The number of letters to insert, remove or exchange (neighbours count once), as far as it matters. */
unsigned hw_word_distance(const char *a, const char *b)
{
    enum { MOST = 48 };
    unsigned row[3][MOST + 1];
    size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *before = row[(i - 1) % 3], *earlier = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = best < before[j] + 1 ? best : before[j] + 1;
            best = best < now[j - 1] + 1 ? best : now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

void hw_nearest_try(struct hw_nearest *n, const char *name)
{
    unsigned d = hw_word_distance(n->word, name);
    if (d <= HW_NEAREST_MOST && 2 * d < strlen(name) && (!n->name || d < n->distance)) {
        n->name = name;
        n->distance = d;
    }
}
