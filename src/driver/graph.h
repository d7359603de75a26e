/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about graphs share: handles to objects, and the program's descriptions to node_params. */
#ifndef DRIVER_GRAPH_H
#define DRIVER_GRAPH_H

#include "base/base.h"
#include "core/graph/graph.h"

#include <cuda.h>

/* The nodes of handles, as references: graph_nodes_put() drops them and the array. INVALID_VALUE for an unknown one. */
CUresult graph_nodes_get(const CUgraphNode *handles, size_t n, struct node ***out);
void graph_nodes_put(struct node **nodes, size_t n);

CUresult graph_kernel_params(const CUDA_KERNEL_NODE_PARAMS *in, struct node_params *out);
CUresult graph_copy_params(const CUDA_MEMCPY3D *in, CUcontext ctx, struct node_params *out);
CUresult graph_fill_params(const CUDA_MEMSET_NODE_PARAMS *in, CUcontext ctx, struct node_params *out);
CUresult graph_event_params(CUevent event, bool record, struct node_params *out);
CUresult graph_values_params(const CUDA_BATCH_MEM_OP_NODE_PARAMS *in, struct node_params *out);
CUresult graph_any_params(CUgraphNodeParams *in, struct node_params *out);

/* graph: where the node is to go. */
CUresult graph_conditional_params(const CUDA_CONDITIONAL_NODE_PARAMS *in, CUgraph graph, struct node_params *out);

/* Takes params over. data: of the edges, NULL: plain ones. */
CUresult graph_add_node_edges(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *data, size_t n, CUresult made,
                              struct node_params *params);
CUresult graph_add_node(CUgraphNode *out, CUgraph graph, const CUgraphNode *deps, size_t n, CUresult made, struct node_params *params);
/* A node of the given type, as a reference; NULL otherwise. */
struct node *graph_node_of(CUgraphNode handle, CUgraphNodeType type);

#endif
