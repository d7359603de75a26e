/* SPDX-License-Identifier: Apache-2.0 */
/* Times and sizes as nvprof writes them; text for CSV and JSON. */
#include "cli/prof.h"

/* Eight characters with the unit: 5.7688ms, 291.24ms, 222ns, 1.15640s. */
const char *prof_time_text(double ns, char out[32])
{
    static const struct { double ns; const char *unit; int digits; } units[] = {
        { 1e9, "s", 6 }, { 1e6, "ms", 5 }, { 1e3, "us", 5 },
    };
    for (size_t i = 0; i < HW_LEN(units); i++) {
        double value = ns / units[i].ns;
        if (value < 0.9999995)
            continue;
        int whole = 1;
        for (double x = value; x >= 9.99995 && whole < units[i].digits; x /= 10)
            whole++;
        snprintf(out, 32, "%.*f%s", units[i].digits - whole, value, units[i].unit);
        return out;
    }
    snprintf(out, 32, "%.0fns", ns);
    return out;
}

const char *prof_bytes_text(double bytes, const char *tail, char out[32])
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB" };
    size_t u = 0;
    while (bytes >= 1024 && u + 1 < HW_LEN(units))
        bytes /= 1024, u++;
    int whole = bytes >= 1000 ? 4 : bytes >= 100 ? 3 : bytes >= 10 ? 2 : 1;
    snprintf(out, 32, "%.*f%s%s", u ? 5 - whole : 0, bytes, units[u], tail);
    return out;
}

void prof_csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void prof_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == '<' || c == '>')                   /* < and >: the text may stand in a page */
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}
