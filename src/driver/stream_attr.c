/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams. How to wait and what to keep in caches are hints that are remembered. */
#include "core/stream/stream.h"

#include "base/log.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "driver/bodies.h"

static CUaccessPolicyWindow window_of(struct stream *s)
{
    hw_lock(&s->ctx->mu);
    CUaccessPolicyWindow w = s->window;
    hw_unlock(&s->ctx->mu);
    return w;
}

static void set_window(struct stream *s, const CUaccessPolicyWindow *w)
{
    hw_lock(&s->ctx->mu);
    s->window = *w;
    hw_unlock(&s->ctx->mu);
}

/* A range that is not too long, a share of it from 0 to 1, and what does not hit may not stay. */
bool api_window_valid(const CUaccessPolicyWindow *w)
{
    int most = 0;
    device_attribute(ctx_current() ? ctx_current()->dev : device_peek(0), CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, &most);
    return w->num_bytes <= (size_t)most && w->hitRatio >= 0 && w->hitRatio <= 1 && w->missProp != CU_ACCESS_PROPERTY_PERSISTING;
}

CUresult do_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value)
{
    struct stream *s;
    CUresult rc;

    if (!value)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "value is NULL");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        value->priority = s->priority;
    } else if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
        int policy = s->sync_policy;
        value->syncPolicy = policy ? (CUsynchronizationPolicy)policy : CU_SYNC_POLICY_AUTO;
    } else if (attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
        value->accessPolicyWindow = window_of(s);
    } else {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "streams have no attribute %d", (int)attr);
    }
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param)
{
    struct stream *s;
    CUresult rc;

    if (!param)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "param is NULL");
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
        if (param->syncPolicy < CU_SYNC_POLICY_AUTO || param->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC)
            rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no way %d to wait", (int)param->syncPolicy);
        else
            s->sync_policy = (int)param->syncPolicy;
    } else if (attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
        if (api_window_valid(&param->accessPolicyWindow))
            set_window(s, &param->accessPolicyWindow);
        else
            rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "the access policy's window of %zu bytes is too large, its ratio is not 0 to 1, or its misses are to persist", param->accessPolicyWindow.num_bytes);
    } else if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        s->priority = stream_priority_clamped(param->priority);
    } else if (attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN || attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP) {
        hw_warn("attribute %d of streams cannot be set", (int)attr);
        rc = hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "attribute %d of streams cannot be set", (int)attr);
    } else {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "streams have no attribute %d", (int)attr);
    }
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream)
{
    struct stream *dst = NULL, *src = NULL;
    CUresult rc;

    if (!(rc = api_stream(dstStream, &dst)) && !(rc = api_stream(srcStream, &src))) {
        int policy = src->sync_policy;
        CUaccessPolicyWindow window = window_of(src);
        dst->sync_policy = policy;
        set_window(dst, &window);
    }
    stream_unref(dst);
    stream_unref(src);
    return rc;
}
