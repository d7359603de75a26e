/* SPDX-License-Identifier: Apache-2.0 */
/* What hostwarp says on standard error; HOSTWARP_LOG chooses how much. */
#ifndef HW_LOG_H
#define HW_LOG_H

#include "base/base.h"

enum hw_log_level { HW_LOG_ERROR, HW_LOG_WARN, HW_LOG_INFO, HW_LOG_DEBUG };

bool hw_log_on(enum hw_log_level level);
void hw_log(enum hw_log_level level, const char *fmt, ...) HW_PRINTF(2, 3);

#define hw_error(...) hw_log(HW_LOG_ERROR, __VA_ARGS__)
#define hw_warn(...) hw_log(HW_LOG_WARN, __VA_ARGS__)
#define hw_info(...) hw_log(HW_LOG_INFO, __VA_ARGS__)
#define hw_debug(...)                            \
    do {                                         \
        if (hw_unlikely(hw_log_on(HW_LOG_DEBUG))) \
            hw_log(HW_LOG_DEBUG, __VA_ARGS__);   \
    } while (0)

/*
 * Why the call that this thread is in will be refused. The deepest function that knows says it; whoever leaves the call takes the text, tells it with the
 * error, and frees it. Nothing is kept unless somebody wants it: HOSTWARP_LOG=debug, HOSTWARP_UNSEEN, a checker.
 *     return hw_refuse(CUDA_ERROR_INVALID_VALUE, "%zu bytes are more than there are", bytes);
 */
void hw_reason(const char *fmt, ...) HW_PRINTF(1, 2);
char *hw_reason_take(void);                      /* NULL: none was given; hw_free it */
bool hw_reasons_on(void);
#define hw_refuse(rc, ...) (hw_reasons_on() ? (hw_reason(__VA_ARGS__), (rc)) : (rc))

#endif
