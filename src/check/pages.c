/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/pages.h"

#include "base/os.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int pagemap = -1;                         /* const after pages_init() */
#define PRESENT ((uint64_t)1 << 63)
#define SWAPPED ((uint64_t)1 << 62)

/* As the system has it: the C library's may be another's, which would ask us. */
static bool entries(uint64_t first, unsigned n, uint64_t *out)
{
    return pagemap >= 0 && syscall(SYS_pread64, pagemap, out, n * sizeof *out, (off_t)(first / hw_page_bytes() * sizeof *out)) == (ssize_t)(n * sizeof *out);
}

void pages_init(void)
{
    uint64_t seen[2] = { 0 }, page = hw_page_bytes();
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return;
    pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    madvise(p, 2 * page, MADV_NOHUGEPAGE);
    *(volatile char *)p = 1;
    bool ok = entries((uint64_t)(uintptr_t)p, 2, seen) && (seen[0] & PRESENT) && !(seen[1] & (PRESENT | SWAPPED));
    munmap(p, 2 * page);
    if (!ok && pagemap >= 0) {
        close(pagemap);
        pagemap = -1;
    }
}

void pages_touched(uint64_t first, unsigned n, bool *out)
{
    uint64_t seen[PAGES_AT_ONCE];
    bool known = entries(first, n, seen);
    for (unsigned k = 0; k < n; k++)
        out[k] = !known || (seen[k] & (PRESENT | SWAPPED));
}
