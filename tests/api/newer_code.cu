// SPDX-License-Identifier: Apache-2.0
// run: -arch=sm_86
// A program that was compiled for newer devices than ours finds a device that it was compiled for, unless HOSTWARP_CC says which one there is.
#include "runtime_check.h"
#include <unistd.h>

__global__ void kernel(int *out) { *out = 86; }

int main(int argc, char **argv)
{
    int *out, major, minor;
    if (argc > 1) {
        NEED(cudaMalloc(&out, sizeof *out));
        kernel<<<1, 1>>>(out);
        CHECK("a_device_that_was_asked_for_stays", cudaGetLastError() == cudaErrorNoKernelImageForDevice);
        return check_failures != 0;
    }
    if (getenv("HOSTWARP_CC") || getenv("HOSTWARP_GPU"))
        return 77;
    NEED(cudaMallocManaged(&out, sizeof *out));
    NEED(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    NEED(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    CHECK("the_device_is_what_the_program_was_compiled_for", major == 8 && minor == 6);
    *out = 0;
    kernel<<<1, 1>>>(out);
    NEED(cudaDeviceSynchronize());
    CHECK("code_for_newer_devices_runs", *out == 86);
    fflush(stdout);
    if (!check_failures && setenv("HOSTWARP_CC", "80", 1) == 0)
        execl(argv[0], argv[0], "older", (char *)nullptr);
    return 1;
}
