/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp info --gpus`: the GPUs whose times can be computed. */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "gpu/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

static int not_hidden(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool show(const char *folder, const char *name)
{
    struct gpu_profile p;
    struct hw_str error = { 0 };
    unsigned n[GPU_SOURCE_COUNT] = { 0 };
    if (!gpu_profile_load(folder, name, &p, &error)) {
        cli_error("%s", error.s);
        hw_str_fini(&error);
        return false;
    }
    for (int k = 0; k < GPU_FIELD_COUNT; k++)
        n[p.source[k]]++;
    printf("%-10s %-26s %2.0f.%.0f %5.0f SMs %6.0f GB/s %6.1f GiB   %2u measured, %2u published, %2u assumed\n", p.id, p.name, p.cc / 10 - (double)((int)p.cc % 10) / 10,
           (double)((int)p.cc % 10), p.sms, p.dram_gbs, p.memory_mib / 1024, n[GPU_MEASURED], n[GPU_PUBLISHED], n[GPU_ASSUMED]);
    return true;
}

int info_gpus(void)
{
    struct dirent **list = NULL;
    char *folder = cli_path("share/gpus");
    bool ok = true;
    int n = scandir(folder, &list, not_hidden, alphasort);
    if (n < 0) {
        cli_error("%s: %s", folder, strerror(errno));
        hw_free(folder);
        return CLI_FAIL;
    }
    for (int i = 0; i < n; i++) {
        ok = show(folder, list[i]->d_name) && ok;
        free(list[i]);
    }
    free(list);
    printf("\nHOSTWARP_GPU=NAME, or the path of such a file, makes a program live in that card's time. The files are in %s.\n", folder);
    hw_free(folder);
    return ok ? CLI_OK : CLI_FAIL;
}
