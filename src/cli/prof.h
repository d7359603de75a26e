/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `hostwarp prof` share: the records of a process, put in order. */
#ifndef CLI_PROF_H
#define CLI_PROF_H

#include "base/str.h"
#include "base/vec.h"
#include "prof/record.h"

#include <stdio.h>

/* Something a device did. */
struct prof_act {
    const struct prof_record *r;
    const char *name;            /* as the tables have it: demangled, or [CUDA memcpy HtoD] */
    uint64_t start, end;         /* end: when the process ended, for what was not finished */
    uint64_t real_start, real_end;               /* beside predicted times: when it ran on this machine; 0: it did not, or times are real ones anyway */
    uint32_t stream;             /* index into streams */
    bool unfinished;
};

/* A call, a range or a mark of a host thread. */
struct prof_span {
    const struct prof_record *r;
    const char *name;
    uint64_t start, end;
    bool unfinished;
};

struct prof_stream {
    uint64_t id;
    unsigned flags;              /* enum prof_flag */
    unsigned device;
};

/* Activity `to` could not begin before `from` had ended; both are indices into acts, of different streams. */
struct prof_edge {
    uint32_t from, to;
    bool legacy;                 /* the rule of the legacy stream, not an event of the program */
    bool graph;                  /* an edge of a graph, or its beginning or end */
};

/*
 * One process.
 * Lifetime  prof_load() to prof_unload(); names and records live in the mapped file or are owned here.
 */
struct prof_data {
    const struct prof_header *header;
    const struct prof_record *slots;
    uint64_t n_slots;
    size_t map_bytes;
    char **names;                /* by id; NULL: not written */
    uint32_t n_names;
    HW_VEC(struct prof_act) acts;                /* by order of queueing: kernels, copies, fills, host functions */
    HW_VEC(struct prof_span) calls;              /* by start */
    HW_VEC(struct prof_span) ranges;             /* and marks */
    HW_VEC(const struct prof_record *) memory, mapped;
    HW_VEC(const struct prof_site *) sites;      /* of instrumented kernels */
    HW_VEC(struct prof_stream) streams;
    HW_VEC(struct prof_edge) edges;
    uint64_t first_ns, last_ns;  /* of everything that has a time */
};

/* Times together and apart: what the overlap figures are made of. */
struct prof_overlap {
    uint64_t span_ns;            /* first start to last end of kernels, copies and fills */
    uint64_t any_ns, copy_ns, kernel_ns, both_ns;
    uint64_t engine_ns[PROF_ENGINE_COUNT];
};

bool prof_load(const char *path, struct prof_data *out);         /* false after saying why */
void prof_unload(struct prof_data *d);
const char *prof_name(const struct prof_data *d, uint32_t id);   /* "" for none */
const char *prof_place_name(unsigned place);
void prof_overlap(const struct prof_data *d, struct prof_overlap *out);
/* The call that queued an activity, or NULL. */
const struct prof_record *prof_call_of(const struct prof_data *d, const struct prof_record *r);
/* "file.cu:12" of a place "program+0x1234", or the place itself. hw_free it. */
char *prof_source_line(const char *place);

/* What HOSTWARP_CLOCK_OUT wrote: predicted times, side by side. False: there is none. */
bool prof_print_gpus(const char *path, const struct prof_data *d, FILE *out);

/* A time as nvprof writes it: eight characters, five digits, its unit behind it. */
const char *prof_time_text(double ns, char out[32]);

enum prof_format { PROF_TEXT, PROF_CSV, PROF_JSON };
void prof_print_summary(const struct prof_data *d, enum prof_format format, FILE *out);
void prof_print_gpu_trace(const struct prof_data *d, enum prof_format format, FILE *out);
void prof_print_api_trace(const struct prof_data *d, enum prof_format format, FILE *out);
/* What instrumented kernels did (--kernel-details): tables, or a member "kernels" of the JSON object. */
void prof_print_details(const struct prof_data *d, enum prof_format format, FILE *out);
void prof_json_details(const struct prof_data *d, FILE *out);
const char *prof_bytes_text(double bytes, const char *tail, char out[32]);
void prof_csv_text(FILE *out, const char *text);
void prof_print_json(const struct prof_data *d, FILE *out);      /* everything the tables say, and overlap and advice */
void prof_json_string(FILE *out, const char *text);

/* For the writers of pictures. */
extern const char *const prof_engine_names[PROF_ENGINE_COUNT];
void prof_stream_name(const struct prof_stream *s, char out[48]);
bool prof_write_trace(const struct prof_data *d, const char *path);
bool prof_write_timeline(const struct prof_data *d, const char *gpu, const char *path);    /* gpu: whose times they are, NULL: this machine's */

/* Plain words about what could be better, one per rule at most. */
struct prof_advice {
    const char *rule;            /* short name, for tests and scripts */
    char *text;
    char *place;                 /* NULL: none */
};
struct prof_advices {
    HW_VEC(struct prof_advice) v;
};
void prof_advise(const struct prof_data *d, struct prof_advices *out);
void prof_advices_fini(struct prof_advices *a);

#endif
