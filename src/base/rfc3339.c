#include "base/rfc3339.h"

#include "base/json_write.h"

enum { DAY_MS = 86400000 };

static void put_digits(char *at, int64_t value, int digits)
{
    while (digits--) {
        at[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

// Days since 1970 to a date, by eras of 400 years that begin on 1 March: leap days come last.
static void put_date(char at[10], int64_t days)
{
    int64_t shifted = days + 719468, era = shifted / 146097, day = shifted % 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    put_digits(at, era * 400 + year + (month >= 10), 4);
    at[4] = at[7] = '-';
    put_digits(at + 5, month < 10 ? month + 3 : month - 9, 2);
    put_digits(at + 8, of_year - (153 * month + 2) / 5 + 1, 2);
}

static void format(char at[RFC3339_TEXT], int64_t unix_ms)
{
    enum { FIRST_DAY = -719468 }; // 1 March of the year 0
    int64_t days = unix_ms / DAY_MS, ms = unix_ms % DAY_MS;
    if (ms < 0)
        days--, ms += DAY_MS;
    put_date(at, days < FIRST_DAY ? FIRST_DAY : days);
    at[10] = 'T';
    put_digits(at + 11, ms / 3600000, 2);
    put_digits(at + 14, ms / 60000 % 60, 2);
    put_digits(at + 17, ms / 1000 % 60, 2);
    put_digits(at + 20, ms % 1000, 3);
    at[13] = at[16] = ':';
    at[19] = '.';
    at[23] = 'Z';
}

void rfc3339_write(struct text *t, int64_t unix_ms)
{
    char *at = text_reserve(t, RFC3339_TEXT);
    if (at)
        format(at, unix_ms);
}

void rfc3339_put(struct text *t, const char *key, int64_t unix_ms)
{
    char at[RFC3339_TEXT];
    format(at, unix_ms);
    json_put_string(t, key, (struct span){at, sizeof at});
}
