/* SPDX-License-Identifier: Apache-2.0 */
/* Filling memory with 1-, 2- or 4-byte values, in one row or several. */
#include "core/mem/copy.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

static CUresult fill_call(CUstream hStream, CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                          size_t rows, bool async)
{
    struct stream *s;
    CUresult rc;

    if ((rc = api_stream(hStream, &s)))
        return rc;
    rc = copy_fill(s, dst, pitch, value, element, width, rows, async);
    stream_unref(s);
    return rc;
}

CUresult do_cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return fill_call(NULL, dstDevice, 0, uc, 1, N, 1, false);
}

CUresult do_cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return fill_call(NULL, dstDevice, 0, us, 2, N, 1, false);
}

CUresult do_cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return fill_call(NULL, dstDevice, 0, ui, 4, N, 1, false);
}

CUresult do_cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height)
{
    return fill_call(NULL, dstDevice, dstPitch, uc, 1, Width, Height, false);
}

CUresult do_cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height)
{
    return fill_call(NULL, dstDevice, dstPitch, us, 2, Width, Height, false);
}

CUresult do_cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height)
{
    return fill_call(NULL, dstDevice, dstPitch, ui, 4, Width, Height, false);
}

CUresult do_cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return fill_call(hStream, dstDevice, 0, uc, 1, N, 1, true);
}

CUresult do_cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return fill_call(hStream, dstDevice, 0, us, 2, N, 1, true);
}

CUresult do_cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return fill_call(hStream, dstDevice, 0, ui, 4, N, 1, true);
}

CUresult do_cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height, CUstream hStream)
{
    return fill_call(hStream, dstDevice, dstPitch, uc, 1, Width, Height, true);
}

CUresult do_cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height, CUstream hStream)
{
    return fill_call(hStream, dstDevice, dstPitch, us, 2, Width, Height, true);
}

CUresult do_cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream hStream)
{
    return fill_call(hStream, dstDevice, dstPitch, ui, 4, Width, Height, true);
}
