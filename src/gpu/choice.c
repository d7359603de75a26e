/* SPDX-License-Identifier: Apache-2.0 */
/* HOSTWARP_GPU: names of profiles, read once. */
#define _GNU_SOURCE
#include "gpu/choice.h"

#include "base/options.h"

#include <pthread.h>

static struct gpu_profile profiles[GPU_MOST_CHOSEN];
static size_t n_profiles;
static struct hw_str problem;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_all(void)
{
    char *names = hw_strdup(hw_options()->gpu), *folder = gpu_profile_folder(), *save = NULL;
    for (char *name = strtok_r(names, ",", &save); name && !problem.n; name = strtok_r(NULL, ",", &save)) {
        if (n_profiles == GPU_MOST_CHOSEN)
            hw_str_printf(&problem, "HOSTWARP_GPU names more than %d cards", GPU_MOST_CHOSEN);
        else if (gpu_profile_load(folder, name, &profiles[n_profiles], &problem))
            n_profiles++;
    }
    if (problem.n)
        n_profiles = 0;
    hw_free(names);
    hw_free(folder);
}

size_t gpu_chosen(const struct gpu_profile **out, const char **error)
{
    pthread_once(&once, read_all);
    *out = profiles;
    if (error)
        *error = problem.n ? problem.s : NULL;
    return n_profiles;
}
