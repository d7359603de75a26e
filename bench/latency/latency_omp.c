/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency: what the calls themselves cost. OpenMP queues nothing: only its parallel region, begun and waited for 1000 times,
 * can be put beside the others.
 *
 * OpenMP variant.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10, n = 0;
    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        n = 0;
        double t = omp_get_wtime();
        for (int i = 0; i < N; i++) {
#pragma omp parallel
            {
#pragma omp master
                n++;
            }
        }
        t = omp_get_wtime() - t;
        if (r > 0 && t < best)
            best = t;
    }
    printf("latency.launch_waited omp seconds=%.9f check=%d work=%d unit=Mcall/s\n", best, n, N);
    return n != N;
}
