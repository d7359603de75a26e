/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random graphs, made node by node, captured from streams, or queued without a graph, against what the same steps do to plain arrays one after
 * the other. Steps that touch the same buffer are ordered by an edge or an event, the others by nothing. Between launches parameters change, nodes are switched off, graphs are
 * cloned, updated and destroyed.
 */
#include "graph_model.h"

#include <string.h>

enum { STREAMS = 3 };

static struct model model;
static CUstream streams[STREAMS];

static struct plan {
    struct fuzz_random r;
    uint64_t number;
    struct step steps[MODEL_STEPS];
    bool edge[MODEL_STEPS][MODEL_STEPS];         /* from j to i: i waits */
    bool before[MODEL_STEPS][MODEL_STEPS];       /* and what follows from it */
    unsigned n, n_edges;
} plan;

static unsigned pick(unsigned n) { return fuzz_below(&plan.r, n); }

static void add_edge(unsigned from, unsigned to)
{
    plan.n_edges += !plan.edge[from][to];
    plan.edge[from][to] = plan.before[from][to] = true;
    for (unsigned k = 0; k < from; k++)
        plan.before[k][to] |= plan.before[k][from];
}

/* As few edges as give the conflicts an order, and some more. */
static void make_plan(uint64_t number)
{
    memset(&plan, 0, sizeof plan);
    plan.r = fuzz_random(fuzz_plan.seed, number);
    plan.number = number;
    plan.n = 1 + pick(MODEL_STEPS);
    for (unsigned i = 0; i < plan.n; i++) {
        step_make(&plan.r, &plan.steps[i], 0);
        for (unsigned j = i; j-- > 0;)
            if (!plan.before[j][i] && (step_conflicts(&plan.steps[j], &plan.steps[i]) || pick(12) == 0))
                add_edge(j, i);
    }
}

static void apply_all(void)
{
    for (unsigned i = 0; i < plan.n; i++)
        step_apply(&model, &plan.steps[i]);
}

/* --- node by node --- */

/* Edges are given with the node, or later; some that nobody needs come and go. */
static bool build(CUgraph graph)
{
    bool given[MODEL_STEPS][MODEL_STEPS] = { 0 };
    for (unsigned i = 0; i < plan.n; i++) {
        CUgraphNode deps[MODEL_STEPS];
        size_t n = 0;
        for (unsigned j = 0; j < i; j++)
            if (plan.edge[j][i] && pick(3)) {
                given[j][i] = true;
                deps[n++] = plan.steps[j].node;
            }
        if (!GOOD(plan.number, step_add(&model, &plan.steps[i], graph, n ? deps : NULL, n)))
            return false;
    }
    for (unsigned i = 0; i < plan.n; i++)
        for (unsigned j = 0; j < i; j++) {
            CUgraphNode from = plan.steps[j].node, to = plan.steps[i].node;
            bool extra = !plan.edge[j][i] && pick(20) == 0;
            if (((plan.edge[j][i] && !given[j][i]) || extra) && !GOOD(plan.number, cuGraphAddDependencies_v2(graph, &from, &to, NULL, 1)))
                return false;
            if (extra && !GOOD(plan.number, cuGraphRemoveDependencies_v2(graph, &from, &to, NULL, 1)))
                return false;
        }
    return true;
}

static bool looks_right(CUgraph graph)
{
    size_t nodes = 0, edges = 0;
    if (!GOOD(plan.number, cuGraphGetNodes(graph, NULL, &nodes)) || !GOOD(plan.number, cuGraphGetEdges_v2(graph, NULL, NULL, NULL, &edges)))
        return false;
    if (nodes != plan.n || edges != plan.n_edges)
        fuzz_bad_in(plan.number, "%zu nodes and %zu edges, not %u and %u", nodes, edges, plan.n, plan.n_edges);
    return nodes == plan.n && edges == plan.n_edges;
}

static bool use_clone(CUgraph *graph)
{
    CUgraph clone;
    if (!GOOD(plan.number, cuGraphClone(&clone, *graph)))
        return false;
    for (unsigned i = 0; i < plan.n; i++)
        if (!GOOD(plan.number, cuGraphNodeFindInClone(&plan.steps[i].node, plan.steps[i].node, clone)))
            return false;
    if (!GOOD(plan.number, cuGraphDestroy(*graph)))
        return false;
    *graph = clone;
    return true;
}

static bool make_exec(CUgraph graph, CUgraphExec *out)
{
    CUDA_GRAPH_INSTANTIATE_PARAMS p = { .flags = pick(2) ? CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD : 0, .hUploadStream = streams[0] };
    return pick(2) ? GOOD(plan.number, cuGraphInstantiateWithFlags(out, graph, 0)) : GOOD(plan.number, cuGraphInstantiateWithParams(out, graph, &p));
}

static bool can_switch(const struct step *s) { return s->kind != STEP_HOST && s->kind != STEP_EMPTY && s->kind != STEP_CHILD; }

/* Something about the executable graph changes. */
static bool change(CUgraph graph, CUgraphExec exec)
{
    struct step *s = &plan.steps[pick(plan.n)];
    if (s->kind == STEP_CHILD)
        return true;
    switch (pick(3)) {
    case 0:
        if (!can_switch(s))
            return true;
        s->enabled = !s->enabled;
        return GOOD(plan.number, cuGraphNodeSetEnabled(exec, s->node, s->enabled));
    case 1:
        step_vary(&plan.r, s);
        return GOOD(plan.number, step_set_exec(&model, s, exec));
    default: {
        /* all of the graph's own parameters replace what was set before */
        CUgraphExecUpdateResultInfo info = { 0 };
        step_vary(&plan.r, s);
        for (unsigned i = 0; i < plan.n; i++)
            if (!GOOD(plan.number, step_set(&model, &plan.steps[i])))
                return false;
        return GOOD(plan.number, cuGraphExecUpdate(exec, graph, &info));
    }
    }
}

static bool run_graph(CUgraph graph, bool changes)
{
    CUgraphExec exec;
    unsigned launches = 1 + pick(3);
    bool early = pick(3) == 0, good = make_exec(graph, &exec);
    if (!good)
        return false;
    if (early && !GOOD(plan.number, cuGraphDestroy(graph)))
        return false;
    for (unsigned k = 0; k < launches && good; k++) {
        CUstream s = pick(4) ? streams[pick(STREAMS)] : NULL;
        if (k && changes && !early)
            for (unsigned n = pick(3); n && good; n--)
                good = change(graph, exec);
        good = good && GOOD(plan.number, cuGraphLaunch(exec, s));
        apply_all();
    }
    good = GOOD(plan.number, cuGraphExecDestroy(exec)) && good;
    if (!early)
        good = GOOD(plan.number, cuGraphDestroy(graph)) && good;
    return GOOD(plan.number, cuCtxSynchronize()) && good;
}

static bool graph_case(void)
{
    CUgraph graph;
    if (!GOOD(plan.number, cuGraphCreate(&graph, 0)) || !build(graph) || !looks_right(graph))
        return false;
    if (pick(3) == 0 && !use_clone(&graph))
        return false;
    return run_graph(graph, true);
}

/* --- streams --- */

/* Every step in some stream; events make the edges. Captured when `capture`. */
static bool queue_all(bool capture, CUgraph *out)
{
    CUevent events[MODEL_STEPS], begin, end[STREAMS];
    unsigned in[MODEL_STEPS], main_stream = pick(STREAMS);
    bool good = true, joined[STREAMS] = { 0 };
    NEED(cuEventCreate(&begin, CU_EVENT_DISABLE_TIMING));
    if (capture)
        good = GOOD(plan.number, cuStreamBeginCapture(streams[main_stream], CU_STREAM_CAPTURE_MODE_RELAXED));
    good = good && GOOD(plan.number, cuEventRecord(begin, streams[main_stream]));
    joined[main_stream] = true;
    for (unsigned i = 0; i < plan.n && good; i++) {
        CUstream s = streams[in[i] = pick(STREAMS)];
        NEED(cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING));
        if (!joined[in[i]])
            good = GOOD(plan.number, cuStreamWaitEvent(s, begin, 0));
        joined[in[i]] = true;
        for (unsigned j = 0; j < i && good; j++)
            if (plan.edge[j][i] && in[j] != in[i])
                good = GOOD(plan.number, cuStreamWaitEvent(s, events[j], 0));
        good = good && GOOD(plan.number, step_queue(&model, &plan.steps[i], s)) && GOOD(plan.number, cuEventRecord(events[i], s));
    }
    for (unsigned k = 0; k < STREAMS && good; k++) {
        NEED(cuEventCreate(&end[k], CU_EVENT_DISABLE_TIMING));
        if (k != main_stream && joined[k])
            good = GOOD(plan.number, cuEventRecord(end[k], streams[k])) && GOOD(plan.number, cuStreamWaitEvent(streams[main_stream], end[k], 0));
    }
    if (capture && good)
        good = GOOD(plan.number, cuStreamEndCapture(streams[main_stream], out));
    for (unsigned i = 0; i < plan.n && good; i++)
        good = GOOD(plan.number, cuEventDestroy(events[i]));
    for (unsigned k = 0; k < STREAMS && good; k++)
        good = GOOD(plan.number, cuEventDestroy(end[k]));
    return good && GOOD(plan.number, cuEventDestroy(begin));
}

static bool capture_case(void)
{
    CUgraph graph;
    return queue_all(true, &graph) && run_graph(graph, false);
}

static bool stream_case(void)
{
    bool good = true;
    for (unsigned times = 1 + pick(3); times && good; times--) {
        good = queue_all(false, NULL);
        apply_all();
        if (pick(2))
            good = good && GOOD(plan.number, cuCtxSynchronize());
        else                                     /* what comes next waits for all of them */
            for (unsigned k = 0; k < STREAMS; k++)
                good = good && GOOD(plan.number, cuStreamSynchronize(streams[k]));
    }
    return good && GOOD(plan.number, cuCtxSynchronize());
}

/* --- cases --- */

static void before(void)
{
    driver_start();
    model_init(&model);
    for (unsigned k = 0; k < STREAMS; k++)
        NEED(cuStreamCreate(&streams[k], k ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT));
}

static void one(uint64_t number)
{
    static const char *const names[] = { "a graph", "a captured graph", "streams" };
    make_plan(number);
    model_reset(&model);
    unsigned kind = number % 4 == 3 ? 2 : number % 4 == 2;
    if (kind == 0 ? graph_case() : kind == 1 ? capture_case() : stream_case())
        model_same(&model, number, names[kind]);
    fuzz_count(plan.n);
}

int main(int argc, char **argv)
{
    driver_settings(argv);
    fuzz_begin((struct fuzz_plan){ .name = "graphs", .seed = 1, .seconds = 3, .things = "steps" }, argc, argv, NULL);
    return fuzz_cases(before, one, 200, 2);
}
