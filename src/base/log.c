/* SPDX-License-Identifier: Apache-2.0 */
/* One line per message, written by one call so that threads do not mix theirs. */
#include "base/log.h"

#include "base/options.h"
#include "base/os.h"
#include "base/str.h"

#include <errno.h>
#include <unistd.h>

static const char *const level_names[] = { "error", "warn", "info", "debug" };

bool hw_log_on(enum hw_log_level level)
{
    static _Atomic int most = -1;                /* asked at every call: the word is looked up once */
    int now = most;
    if (hw_unlikely(now < 0)) {
        now = HW_LOG_WARN;
        for (size_t i = 0; i < HW_LEN(level_names); i++)
            if (strcmp(hw_options()->log, level_names[i]) == 0)
                now = (int)i;
        most = now;
    }
    return (int)level <= now;
}

bool hw_reasons_on(void) { return hw_log_on(HW_LOG_DEBUG) || hw_options()->unseen || hw_options()->check[0]; }

static _Thread_local char *reason;

void hw_reason(const char *fmt, ...)
{
    struct hw_str text = { 0 };
    va_list ap;
    if (!hw_reasons_on())
        return;
    va_start(ap, fmt);
    hw_str_vprintf(&text, fmt, ap);
    va_end(ap);
    hw_free(reason);
    reason = text.s;
}

char *hw_reason_take(void)
{
    char *text = reason;
    reason = NULL;
    return text;
}

void hw_log(enum hw_log_level level, const char *fmt, ...)
{
    if (!hw_log_on(level))
        return;
    struct hw_str line = { 0 };
    int cancel = hw_cancel_off();
    va_list ap;
    va_start(ap, fmt);
    hw_str_puts(&line, level <= HW_LOG_WARN ? "hostwarp: " : "hostwarp ");
    if (level > HW_LOG_WARN)
        hw_str_printf(&line, "%s: ", level_names[level]);
    hw_str_vprintf(&line, fmt, ap);
    va_end(ap);
    hw_str_puts(&line, "\n");
    for (size_t done = 0; done < line.n;) {
        ssize_t n = write(STDERR_FILENO, line.s + done, line.n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    hw_str_fini(&line);
    hw_cancel_on(cancel);
}
