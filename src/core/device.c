/* SPDX-License-Identifier: Apache-2.0 */
/* The devices: all alike, one CPU behind them. */
#include "core/device.h"

#include "base/hash.h"
#include "base/options.h"
#include "base/os.h"

#include <stdio.h>

enum { MAX_DEVICES = 64 };
static struct device devices[MAX_DEVICES];
static int n_devices;

void device_init(void)
{
    const struct hw_options *o = hw_options();
    uint64_t memory = o->memory ? o->memory : hw_memory_bytes() / 2;
    int64_t n = o->devices < 0 ? 0 : o->devices > MAX_DEVICES ? MAX_DEVICES : o->devices;
    for (int i = 0; i < (int)n; i++) {
        struct device *d = &devices[i];
        struct hw_hash h;
        d->ordinal = i;
        snprintf(d->name, sizeof d->name, "hostwarp %s", hw_cpu_name());
        d->cc_major = (unsigned)o->cc / 10;
        d->cc_minor = (unsigned)o->cc % 10;
        d->memory_bytes = memory & ~((uint64_t)(2 << 20) - 1);
        hw_hash_init(&h);
        hw_hash_str(&h, d->name);
        hw_hash_u64(&h, (uint64_t)i);
        memcpy(d->uuid, &h, sizeof d->uuid);
    }
    n_devices = (int)n;
}

int device_count(void)
{
    return n_devices;
}

struct device *device_peek(int ordinal)
{
    return ordinal >= 0 && ordinal < n_devices ? &devices[ordinal] : NULL;
}

CUresult device_attribute(const struct device *dev, int attribute, int *out)
{
    switch (attribute) {
#define ATTR(number, name, value) \
    case number: *out = (value); return CUDA_SUCCESS;
#include "core/attrs.def"
#undef ATTR
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult device_pci_bus_id(const struct device *dev, char *out, size_t bytes)
{
    char text[16];
    size_t n = (size_t)snprintf(text, sizeof text, "0000:%02x:00.0", (unsigned)dev->ordinal + 1);
    if (bytes <= n)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(out, text, n + 1);
    return CUDA_SUCCESS;
}

/* "domain:bus:device.function", or without one of the outer two. */
static bool read_pci(const char *text, unsigned *domain, unsigned *bus, unsigned *device)
{
    unsigned function;
    *domain = 0;
    return sscanf(text, "%x:%x:%x.%x", domain, bus, device, &function) == 4 || (*domain = 0, sscanf(text, "%x:%x.%x", bus, device, &function) == 3)
        || sscanf(text, "%x:%x:%x", domain, bus, device) == 3;
}

bool device_pci_text(const char *text)
{
    unsigned domain, bus, device;
    return read_pci(text, &domain, &bus, &device);
}

struct device *device_by_pci_bus_id(const char *text)
{
    unsigned domain, bus, device;
    if (!read_pci(text, &domain, &bus, &device))
        return NULL;
    return domain == 0 && device == 0 && bus > 0 ? device_peek((int)bus - 1) : NULL;
}
