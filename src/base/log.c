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
    const char *wanted = hw_options()->log;
    for (size_t i = 0; i < HW_LEN(level_names); i++)
        if (strcmp(wanted, level_names[i]) == 0)
            return (size_t)level <= i;
    return level <= HW_LOG_WARN;
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
