/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that name memory that is not there, or not so much of it: copies, fills, frees. They fail; here is why, and about which memory. */
#include "check/tools.h"

#include "check/check.h"
#include "check/ledger.h"
#include "check/report.h"
#include "check/trace.h"

static void tell_memory(struct report *r, enum ledger_found found, const struct ledger_entry *e)
{
    if (found == LEDGER_NOTHING || e->variable)
        return;
    report_host(r, "made", e->made, "%s, %llu bytes", e->made_by ? e->made_by : "?", (unsigned long long)e->bytes);
    if (e->freed_by)
        report_host(r, "freed", e->freed, "%s", e->freed_by);
}

/* bytes: from the first to behind the last, as far as pitches carry it. */
void refused_copy(uint64_t addr, uint64_t bytes, bool writes)
{
    struct trace_call *call = trace_current();
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (!(check_tools & CHECK_MEMORY) || !call->name || !addr)
        return;
    enum ledger_found found = ledger_find(addr, &e);
    bool past = found == LEDGER_INSIDE && e.bytes - (addr - e.base) < bytes;
    if (found != LEDGER_FREED && !past)          /* some other memory of the host's: what it is nobody knows */
        return;
    ledger_describe(&where, &e, addr);
    report_begin(&r, found == LEDGER_FREED ? "memory.freed" : "memory.copy", "%s %s %s", call->name, writes ? "writes" : "reads",
                 past ? "past the end of an allocation" : "memory that was freed");
    if (past)
        report_host(&r, "call", call->trace, "%llu bytes from byte %llu on, %llu more than there are", (unsigned long long)bytes, (unsigned long long)(addr - e.base),
                    (unsigned long long)(bytes - (e.bytes - (addr - e.base))));
    else
        report_host(&r, "call", call->trace, "%llu bytes, %s", (unsigned long long)bytes, where.s);
    tell_memory(&r, found, &e);
    report_end(&r);
    hw_str_fini(&where);
    call->told = true;
}

void refused_free(uint64_t addr)
{
    struct trace_call *call = trace_current();
    struct ledger_entry e;
    struct hw_str where = { 0 };
    struct report r;
    if (!(check_tools & CHECK_MEMORY) || !call->name || !addr)
        return;
    enum ledger_found found = ledger_find(addr, &e);
    bool twice = found == LEDGER_FREED && e.base == addr;
    if (found == LEDGER_NEAR)
        found = LEDGER_NOTHING;
    if (found != LEDGER_NOTHING)
        ledger_describe(&where, &e, addr);
    report_begin(&r, twice ? "memory.double-free" : "memory.bad-free", "%s of %s", call->name, twice ? "memory that was freed already" : "what no allocation gave");
    report_host(&r, "call", call->trace, "address %#llx%s%s", (unsigned long long)addr, where.s ? ": " : "", where.s ? where.s : "");
    tell_memory(&r, found, &e);
    report_advice(&r, "%s", twice ? "Free it once." : "Free the first byte of an allocation, with the function that belongs to the one that made it.");
    report_end(&r);
    hw_str_fini(&where);
    call->told = true;
}
