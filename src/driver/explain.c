/* SPDX-License-Identifier: Apache-2.0 */
/* hostwarp_explain(), for `hostwarp cc --explain`. */
#include "core/module/explain.h"
#include "driver/bodies.h"

#include <hostwarp.h>

HW_EXPORT int hostwarp_explain(const char *ptx, size_t bytes, const unsigned block[3], void (*write)(void *data, const char *text), void *data)
{
    struct hw_str out = { 0 };
    struct diag diag = { 0 };
    const uint32_t ntid[3] = { block[0], block[1], block[2] };
    bool ok = explain_ptx(ptx, bytes, ntid, &out, &diag);
    const char *text = ok ? out.s : diag.text.s;
    write(data, text ? text : "");
    hw_str_fini(&out);
    diag_fini(&diag);
    return ok ? 0 : 1;
}
