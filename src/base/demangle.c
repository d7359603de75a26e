/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as the source has them: the language's own library reads them, where it is installed. */
#define _GNU_SOURCE
#include "base/os.h"

#include <dlfcn.h>
#include <pthread.h>

static char *(*demangle)(const char *, char *, size_t *, int *);

static void find(void)
{
    void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);        /* stays for the life of the process */
    if (lib)
        *(void **)&demangle = dlsym(lib, "__cxa_demangle");
}

char *hw_demangle(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = 1;
    if (strncmp(name, "_Z", 2) != 0)
        return hw_strdup(name);
    pthread_once(&once, find);
    /* static kernels have a name that is unique in the program: clang adds something to the mangled one */
    const char *added = strstr(name, "__intern__");
    char *mangled = hw_strndup(name, added ? (size_t)(added - name) : strlen(name));
    char *plain = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    hw_free(mangled);
    return plain && status == 0 ? plain : hw_strdup(name);
}
