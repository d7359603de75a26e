// SPDX-License-Identifier: Apache-2.0
// Managed variables: one variable, used by name on both sides.
#include "runtime_check.h"

__managed__ int values[4] = {7, 8, 9, 10};
static __managed__ double total;
__device__ __managed__ int counter = -3;
__device__ int *where;

__global__ void work(int n)
{
    int i = threadIdx.x;
    if (i < n) {
        values[i] *= 2;
        atomicAdd(&counter, 1);
    }
    if (i == 0) {
        total = 2.5;
        where = values;
    }
}

int main()
{
    CHECK("first_values_are_there_before_any_call", values[0] == 7 && values[3] == 10 && total == 0 && counter == -3);
    values[2] = 50;
    work<<<1, 32>>>(4);
    CHECK_OK("a_kernel_uses_them", cudaDeviceSynchronize());
    CHECK("the_host_sees_what_the_kernel_wrote", values[0] == 14 && values[1] == 16 && values[3] == 20 && total == 2.5 && counter == 1);
    CHECK("the_kernel_saw_what_the_host_wrote", values[2] == 100);
    int *address = NULL;
    void *symbol = NULL;
    NEED(cudaMemcpyFromSymbol(&address, where, sizeof address));
    CHECK("it_has_one_address", address == values);
    CHECK("which_is_the_symbols", cudaGetSymbolAddress(&symbol, values) == cudaSuccess && symbol == values);
    cudaPointerAttributes a;
    CHECK("it_says_that_it_is_managed", cudaPointerGetAttributes(&a, &total) == cudaSuccess && a.type == cudaMemoryTypeManaged);
    return check_failures != 0;
}
