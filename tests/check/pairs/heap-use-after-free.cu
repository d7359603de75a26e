// SPDX-License-Identifier: Apache-2.0
// A node of a list on the device heap is read after it was freed.
#include <cstdio>
struct Node { Node *next; int value; };
__global__ void list(int *out) {
    Node *head = nullptr;
    for (int i = 0; i < 4; i++) {
        Node *n = static_cast<Node *>(malloc(sizeof(Node)));
        if (!n) return;
        n->next = head;
        n->value = i;
        head = n;
    }
    int sum = 0;
    while (head) {
        sum += head->value;
#ifdef BUG
        free(head); /*THERE*/
        head = head->next; /*HERE*/
#else
        Node *next = head->next;
        free(head);
        head = next;
#endif
    }
    *out = sum;
}
int main() {
    int *out;
    cudaMalloc(&out, sizeof(int));
    list<<<1, 1>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(out);
    puts("done");
    return e != cudaSuccess;
}
