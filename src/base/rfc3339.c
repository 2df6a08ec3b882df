#include "base/rfc3339.h"

#include "base/json_write.h"

enum { DAY_MS = 86400000 };

// Numbers of 32 bits, for a division of 64 takes twice as long.
static void put_pair(char at[2], uint32_t value)
{
    at[0] = (char)('0' + value / 10);
    at[1] = (char)('0' + value % 10);
}

// Days since 1 March of the year 0 to a date, by eras of 400 years that begin on that day: leap days come last.
static void put_date(char at[10], uint32_t days)
{
    uint32_t era = days / 146097, day = days % 146097;
    uint32_t of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    uint32_t of_year = day - (365 * of_era + of_era / 4 - of_era / 100), month = (5 * of_year + 2) / 153;
    uint32_t year = era * 400 + of_era + (month >= 10);
    put_pair(at, year / 100 % 100);
    put_pair(at + 2, year % 100);
    put_pair(at + 5, month < 10 ? month + 3 : month - 9);
    put_pair(at + 8, of_year - (153 * month + 2) / 5 + 1);
    at[4] = at[7] = '-';
}

static void format(char at[RFC3339_TEXT], int64_t unix_ms)
{
    enum { FIRST_DAY = -719468 }; // 1 March of the year 0
    int64_t days = unix_ms / DAY_MS, rest = unix_ms % DAY_MS;
    if (rest < 0)
        days--, rest += DAY_MS;
    uint32_t ms = (uint32_t)rest;
    put_date(at, days < FIRST_DAY ? 0 : (uint32_t)(days - FIRST_DAY));
    put_pair(at + 11, ms / 3600000);
    put_pair(at + 14, ms / 60000 % 60);
    put_pair(at + 17, ms / 1000 % 60);
    at[20] = (char)('0' + ms / 100 % 10);
    put_pair(at + 21, ms % 100);
    at[10] = 'T';
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
    char *at = json_put_space(t, key, RFC3339_TEXT);
    if (at)
        format(at, unix_ms);
}
