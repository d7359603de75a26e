/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of streams. The priority is what it was made with; how to wait is a hint that is remembered. */
#include "core/stream.h"

#include "base/log.h"
#include "driver/bodies.h"

CUresult do_cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value)
{
    struct stream *s;
    CUresult rc;

    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
        value->priority = s->priority;
    } else if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
        int policy = s->sync_policy;
        value->syncPolicy = policy ? (CUsynchronizationPolicy)policy : CU_SYNC_POLICY_AUTO;
    } else {
        rc = CUDA_ERROR_INVALID_VALUE;
    }
    stream_unref(s);
    return rc;
}

CUresult do_cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param)
{
    struct stream *s;
    CUresult rc;

    if (!param)
        return CUDA_ERROR_INVALID_VALUE;
    if ((rc = api_stream(hStream, &s)))
        return rc;
    if (attr == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
        if (param->syncPolicy < CU_SYNC_POLICY_AUTO || param->syncPolicy > CU_SYNC_POLICY_BLOCKING_SYNC)
            rc = CUDA_ERROR_INVALID_VALUE;
        else
            s->sync_policy = (int)param->syncPolicy;
    } else if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY || attr == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
               || attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN || attr == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP) {
        hw_warn("attribute %d of streams cannot be set", (int)attr);
        rc = CUDA_ERROR_NOT_SUPPORTED;
    } else {
        rc = CUDA_ERROR_INVALID_VALUE;
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
        dst->sync_policy = policy;
    }
    stream_unref(dst);
    stream_unref(src);
    return rc;
}
