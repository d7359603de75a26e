/* SPDX-License-Identifier: Apache-2.0 */
/* There may be more than a million objects, and each is still the one that its handle names. */
#include "driver_check.h"

enum { N = 1200000 };

int main(void)
{
    CUevent *events = malloc(N * sizeof *events);
    int made = 0, wrong = 0;

    check_start();
    while (made < N && !cuEventCreate(&events[made], CU_EVENT_DISABLE_TIMING))
        made++;
    check_value("so many events can be made", made, N);
    for (int i = 0; i < made; i += 997)
        wrong += cuEventQuery(events[i]) != CUDA_SUCCESS;
    check_value("all can be used", wrong, 0);
    for (int i = 0; i < made; i++)
        wrong += cuEventDestroy(events[i]) != CUDA_SUCCESS;
    check_value("and destroyed", wrong, 0);
    check_true("and are gone then", cuEventQuery(events[0]) != CUDA_SUCCESS && cuEventQuery(events[made - 1]) != CUDA_SUCCESS);
    free(events);
    return n_failed != 0;
}
