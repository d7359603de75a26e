/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call as text. Their types are not known here: small numbers are written as such, the rest in hexadecimal. */
#include "base/args.h"

#include "base/str.h"

static void put_value(struct hw_str *out, const struct hw_arg *arg)
{
    uint64_t bits = 0;
    int64_t number;
    if (arg->bytes == 3 * sizeof(uint32_t)) {    /* a grid's or a block's shape */
        uint32_t v[3];
        memcpy(v, arg->at, sizeof v);
        hw_str_printf(out, "[%u,%u,%u]", v[0], v[1], v[2]);
        return;
    }
    if (arg->bytes > sizeof bits) {
        hw_str_printf(out, "{%zu bytes}", arg->bytes);
        return;
    }
    memcpy(&bits, arg->at, arg->bytes);
    number = arg->bytes == 4 ? (int32_t)bits : (int64_t)bits;
    if (number > -65536 && number < 0)
        hw_str_printf(out, "%lld", (long long)number);
    else if (bits < 1u << 20)
        hw_str_printf(out, "%llu", (unsigned long long)bits);
    else
        hw_str_printf(out, "0x%llx", (unsigned long long)bits);
}

char *hw_args_text(const char *names, const struct hw_arg *values)
{
    struct hw_str out = { 0 };
    hw_str_puts(&out, "");
    for (; values->at; values++) {
        size_t n = strcspn(names, ",");
        hw_str_printf(&out, "%s%.*s=", out.n ? ", " : "", (int)n, names);
        put_value(&out, values);
        names += n + strspn(names + n, ", ");
    }
    return out.s;
}
