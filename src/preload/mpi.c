/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded on request: what an MPI library is asked about device pointers. Device memory is memory of the process here, so every MPI can send from it and receive into it, also one that was
 * built without CUDA and says no. Programs that ask, and then copy through the host or refuse to run, take the other way with this.
 */
#define EXPORT __attribute__((visibility("default")))

EXPORT int MPIX_Query_cuda_support(void);
EXPORT int MPIX_GPU_query_support(int kind, int *out);

/* Open MPI, MVAPICH, Spectrum MPI. */
int MPIX_Query_cuda_support(void)
{
    return 1;
}

/* MPICH: 0 is CUDA, others are other makers' GPUs. The result is MPI_SUCCESS. */
int MPIX_GPU_query_support(int kind, int *out)
{
    *out = kind == 0;
    return 0;
}
