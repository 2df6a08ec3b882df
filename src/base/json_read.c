#include "base/json_read.h"

#include "base/json_escape.h"
#include "base/text.h"
#include "base/utf8.h"

enum { DEPTH_CEILING = 64 }; // one bit a level says whether it is an object

struct json_reader json_reader_of(struct span text, int max_depth)
{
    const char *at = text.size ? text.at : ""; // an empty span may be nowhere
    return (struct json_reader){
        .at = at,
        .end = at + text.size,
        .max_depth = (uint8_t)(max_depth < DEPTH_CEILING ? max_depth : DEPTH_CEILING),
        .first = true,
    };
}

void json_fail(struct json_reader *r, int error)
{
    if (r->error == OK)
        r->error = error;
    r->at = r->end; // so that every loop ends
}

void json_fail_word(struct json_reader *r, const char *const *words)
{
    if (r->error == OK)
        r->known = words;
    json_fail(r, ERR_UNKNOWN);
}

static void skip_space(struct json_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

// The next byte that is not white space, or 0 at the end (a NUL byte is no JSON either).
static char ahead(struct json_reader *r)
{
    skip_space(r);
    return r->at < r->end ? *r->at : 0;
}

static bool take_char(struct json_reader *r, char c)
{
    if (ahead(r) != c || r->at == r->end)
        return false;
    r->at++;
    return true;
}

int json_finish(struct json_reader *r)
{
    skip_space(r);
    if (r->error == OK && (r->at != r->end || r->depth != 0 || r->first))
        json_fail(r, ERR_JSON);
    return r->error;
}

// --- numbers

// A number's extent: what it is made of, checked against the grammar.
struct number {
    struct span digits; // the integer part, without sign
    struct span text;   // all of it
    bool minus, real;
};

static bool is_digit(const struct json_reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

static bool take_digits(struct json_reader *r)
{
    if (!is_digit(r))
        return false;
    while (is_digit(r))
        r->at++;
    return true;
}

static bool take_fraction(struct json_reader *r, struct number *n)
{
    if (r->at < r->end && *r->at == '.') {
        n->real = true;
        r->at++;
        if (!take_digits(r))
            return false;
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        n->real = true;
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        return take_digits(r);
    }
    return true;
}

static bool take_number(struct json_reader *r, struct number *n)
{
    *n = (struct number){.text = {r->at, 0}};
    if (r->at < r->end && *r->at == '-')
        n->minus = true, r->at++;
    const char *digits = r->at;
    if (!take_digits(r) || (*digits == '0' && r->at - digits > 1)) {
        json_fail(r, ERR_JSON);
        return false;
    }
    n->digits = (struct span){digits, (size_t)(r->at - digits)};
    if (!take_fraction(r, n)) {
        json_fail(r, ERR_JSON);
        return false;
    }
    n->text.size = (size_t)(r->at - n->text.at);
    return true;
}

// The integer part; false when it does not fit into 64 bits.
static bool magnitude(struct span digits, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned d = (unsigned)(digits.at[i] - '0');
        if (*value > (UINT64_MAX - d) / 10)
            return false;
        *value = *value * 10 + d;
    }
    return true;
}

static bool fits_int(const struct number *n, uint64_t size)
{
    return !n->minus || size <= (uint64_t)INT64_MAX + 1;
}

static enum json_type take_number_type(struct json_reader *r)
{
    struct number n;
    uint64_t size;
    if (!take_number(r, &n))
        return JSON_NONE;
    r->first = false;
    return !n.real && magnitude(n.digits, &size) && fits_int(&n, size) ? JSON_INT : JSON_REAL;
}

enum json_type json_peek(struct json_reader *r)
{
    static const struct {
        char first;
        uint8_t type;
    } starts[] = {{'"', JSON_STRING}, {'{', JSON_OBJECT}, {'[', JSON_ARRAY},
                  {'t', JSON_BOOL},   {'f', JSON_BOOL},   {'n', JSON_NULL}};
    char c = r->error ? 0 : ahead(r);
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
        if (c && c == starts[i].first)
            return starts[i].type;
    if (c != '-' && (c < '0' || c > '9'))
        return JSON_NONE;
    struct json_reader copy = *r;
    return take_number_type(&copy);
}

// A value follows: of another type than a reader wants it is ERR_TYPE, of no type at all ERR_JSON.
static bool wants(struct json_reader *r, bool right)
{
    if (r->error || right)
        return r->error == OK;
    json_fail(r, json_peek(r) == JSON_NONE ? ERR_JSON : ERR_TYPE);
    return false;
}

static bool at_number(struct json_reader *r)
{
    char c = r->error ? 0 : ahead(r);
    return c == '-' || (c >= '0' && c <= '9');
}

// An integer token; false with the error set when it is none.
static bool read_integer(struct json_reader *r, uint64_t *size, bool *minus)
{
    struct number n;
    if (!wants(r, at_number(r)) || !take_number(r, &n))
        return false;
    r->first = false;
    *minus = n.minus;
    if (n.real)
        json_fail(r, ERR_TYPE);
    else if (!magnitude(n.digits, size) || !fits_int(&n, *size))
        json_fail(r, ERR_RANGE);
    return r->error == OK;
}

int64_t json_read_int(struct json_reader *r, int64_t min, int64_t max)
{
    uint64_t size;
    bool minus;
    if (!read_integer(r, &size, &minus))
        return 0;
    if (!minus && size > (uint64_t)INT64_MAX) {
        json_fail(r, ERR_RANGE);
        return 0;
    }
    int64_t value = minus ? (int64_t)-size : (int64_t)size;
    if (value < min || value > max) {
        json_fail(r, ERR_RANGE);
        return 0;
    }
    return value;
}

uint64_t json_read_uint(struct json_reader *r, uint64_t max)
{
    uint64_t size;
    bool minus;
    if (!read_integer(r, &size, &minus))
        return 0;
    if ((minus && size) || size > max) {
        json_fail(r, ERR_RANGE);
        return 0;
    }
    return size;
}

uint64_t json_read_hex(struct json_reader *r)
{
    uint8_t bytes[8];
    uint64_t value = 0;
    struct span digits = json_read_string(r).raw;
    if (r->error)
        return 0;
    if (!text_read_hex(digits, bytes, sizeof bytes)) {
        json_fail(r, ERR_FORMAT);
        return 0;
    }
    for (unsigned i = 0; i < sizeof bytes; i++)
        value = value << 8 | bytes[i];
    return value;
}

// Digits and exponent of a checked number: value = mantissa x 10^exponent. Digits beyond 19 only shift.
static uint64_t take_mantissa(struct span s, int *exponent)
{
    uint64_t mantissa = 0;
    int digits = 0, shift = 0, power = 0;
    bool fraction = false;
    size_t i = s.at[0] == '-';
    for (; i < s.size && s.at[i] != 'e' && s.at[i] != 'E'; i++) {
        if (s.at[i] == '.') {
            fraction = true;
            continue;
        }
        bool keep = digits < 19;
        if (keep)
            mantissa = mantissa * 10 + (unsigned)(s.at[i] - '0');
        digits += keep && mantissa > 0;
        shift += (keep ? 0 : 1) - (fraction ? 1 : 0);
    }
    bool minus = false;
    for (i++; i < s.size; i++)
        if (s.at[i] == '-' || s.at[i] == '+')
            minus = s.at[i] == '-';
        else if (power < 100000)
            power = power * 10 + (s.at[i] - '0');
    *exponent = shift + (minus ? -power : power);
    return mantissa;
}

static long double scaled(long double value, int exponent)
{
    static const long double steps[] = {1e1L, 1e2L, 1e4L, 1e8L, 1e16L, 1e32L, 1e64L, 1e128L, 1e256L};
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (size >> i & 1)
            value = exponent < 0 ? value / steps[i] : value * steps[i];
    return value;
}

double json_read_real(struct json_reader *r)
{
    struct number n;
    if (!wants(r, at_number(r)) || !take_number(r, &n))
        return 0;
    r->first = false;
    int exponent;
    uint64_t mantissa = take_mantissa(n.text, &exponent);
    if (mantissa == 0 || exponent < -400)
        return 0;
    long double value = exponent > 400 ? 1e400L : scaled((long double)mantissa, exponent);
    if (value >= 0x1.fffffffffffff8p1023L) { // from here on it would round to infinity
        json_fail(r, ERR_RANGE);
        return 0;
    }
    return (double)(n.minus ? -value : value);
}

// --- strings

// Four hex digits at `at`, or -1.
static int unit_at(const char *at, const char *end)
{
    uint8_t unit[2];
    return end - at >= 4 && text_read_hex((struct span){at, 4}, unit, 2) ? unit[0] << 8 | unit[1] : -1;
}

// The escape after a backslash: its code point and how many bytes follow the backslash; -1 when it is none.
static int escape_at(const char *at, const char *end, int *size)
{
    static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (at == end)
        return -1;
    *size = 1;
    const char *found = *at ? strchr(letters, *at) : NULL;
    if (found)
        return means[found - letters];
    int high = *at == 'u' ? unit_at(at + 1, end) : -1;
    *size = 5;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - at < 7 || at[5] != '\\' || at[6] != 'u')
        return -1;
    int low = unit_at(at + 7, end);
    *size = 11;
    return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : -1;
}

// One unit of a string that is not a plain character: an escape or a UTF-8 sequence.
static bool take_unit(struct json_reader *r, struct json_string *s)
{
    int size = 0;
    if (*r->at == '\\') {
        s->escaped = true;
        if (escape_at(r->at + 1, r->end, &size) < 0) {
            json_fail(r, ERR_JSON);
            return false;
        }
        r->at += 1 + size;
        return true;
    }
    size = (uint8_t)*r->at < 0x80 ? 0 : utf8_sequence(r->at, r->end);
    if (size == 0) {
        json_fail(r, (uint8_t)*r->at < 0x80 ? ERR_JSON : ERR_UTF8);
        return false;
    }
    r->at += size;
    return true;
}

// A character that stands for itself. What is above ASCII has to be looked at, whether char is signed or not.
static bool is_plain(char c)
{
    return (uint8_t)c >= 0x20 && (uint8_t)c < 0x80 && c != '"' && c != '\\';
}

// To the first byte that is not plain. What stands behind the string may be looked at too.
static const char *skip_plain(const char *at, const char *end)
{
    for (uint64_t marks; end - at >= 8; at += 8)
        if ((marks = json_escape_marks(json_escape_load(at)))) {
            at += json_escape_offset(marks);
            break;
        }
    while (at < end && is_plain(*at)) // the last few, or behind a DEL
        at++;
    return at;
}

static bool take_string(struct json_reader *r, struct json_string *s)
{
    const char *start = ++r->at; // after the quote
    *s = (struct json_string){0};
    for (;;) {
        r->at = skip_plain(r->at, r->end);
        if (r->at == r->end) {
            json_fail(r, ERR_JSON);
            return false;
        }
        if (*r->at == '"')
            break;
        if (!take_unit(r, s))
            return false;
    }
    s->raw = (struct span){start, (size_t)(r->at - start)};
    r->at++;
    return true;
}

struct json_string json_read_string(struct json_reader *r)
{
    struct json_string s = {0};
    if (!wants(r, ahead(r) == '"') || !take_string(r, &s))
        return (struct json_string){0};
    r->first = false;
    return s;
}

static int put_utf8(char *out, int point)
{
    if (point < 0x80)
        return out[0] = (char)point, 1;
    if (point < 0x800)
        return out[0] = (char)(0xc0 | point >> 6), out[1] = (char)(0x80 | (point & 0x3f)), 2;
    if (point < 0x10000)
        return out[0] = (char)(0xe0 | point >> 12), out[1] = (char)(0x80 | (point >> 6 & 0x3f)),
               out[2] = (char)(0x80 | (point & 0x3f)), 3;
    return out[0] = (char)(0xf0 | point >> 18), out[1] = (char)(0x80 | (point >> 12 & 0x3f)),
           out[2] = (char)(0x80 | (point >> 6 & 0x3f)), out[3] = (char)(0x80 | (point & 0x3f)), 4;
}

// The next piece of a checked string, taken off `rest` and unescaped into `out` (4 bytes); how many, 0 at the end.
static int next_piece(struct span *rest, char out[4])
{
    if (rest->size == 0)
        return 0;
    int taken = 1, made = 1;
    if (*rest->at != '\\') {
        out[0] = *rest->at;
    } else {
        int size = 0;
        made = put_utf8(out, escape_at(rest->at + 1, rest->at + rest->size, &size));
        taken += size;
    }
    rest->at += taken;
    rest->size -= (size_t)taken;
    return made;
}

int json_string_unescape(struct json_string s, char *out, size_t room)
{
    size_t size = 0;
    if (s.raw.size && s.raw.size < room && !memchr(s.raw.at, '\\', s.raw.size)) { // as a rule
        memcpy(out, s.raw.at, s.raw.size);
        out[s.raw.size] = 0;
        return (int)s.raw.size;
    }
    char piece[4];
    for (int n; (n = next_piece(&s.raw, piece)) > 0; size += (size_t)n) {
        if (size + (size_t)n + 1 > room)
            return -1;
        memcpy(out + size, piece, (size_t)n);
    }
    if (size + 1 > room)
        return -1;
    out[size] = 0;
    return (int)size;
}

int json_string_copy(struct json_string s, char *out, size_t room)
{
    int size = json_string_unescape(s, out, room);
    if (size >= 0 && !memchr(out, 0, (size_t)size))
        return size;
    if (room)
        out[0] = 0;
    return -1;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool same(struct json_string s, const char *text, bool nocase)
{
    char piece[4];
    for (int n; (n = next_piece(&s.raw, piece)) > 0;)
        for (int i = 0; i < n; i++, text++)
            if (*text == 0 || (nocase ? lower(*text) != lower(piece[i]) : *text != piece[i]))
                return false;
    return *text == 0;
}

bool json_string_is_spelt(struct json_string s, const char *text)
{
    return same(s, text, false);
}

// Most words differ in their first letter: no call, no length.
static inline bool is_word(struct span s, const char *word)
{
    size_t i = 0;
    while (i < s.size && word[i] == s.at[i] && word[i])
        i++;
    return i == s.size && !word[i];
}

int json_copy_text(struct span json, char *out, size_t room)
{
    struct json_reader r = json_reader_of(json, 1);
    int size = json_peek(&r) == JSON_STRING ? json_string_copy(json_read_string(&r), out, room) : -1;
    if (size < 0)
        out[0] = 0;
    return size;
}

int json_string_among(struct json_string s, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (s.escaped ? same(s, words[i], false) : is_word(s.raw, words[i]))
            return i;
    return -1;
}

int json_string_among_nocase(struct json_string s, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (same(s, words[i], true))
            return i;
    return -1;
}

// --- the rest

static bool take_word(struct json_reader *r, struct span word)
{
    if ((size_t)(r->end - r->at) < word.size || memcmp(r->at, word.at, word.size) != 0) {
        json_fail(r, ERR_JSON);
        return false;
    }
    r->at += word.size;
    r->first = false;
    return true;
}

bool json_read_bool(struct json_reader *r)
{
    char c = r->error ? 0 : ahead(r);
    if (!wants(r, c == 't' || c == 'f'))
        return false;
    return take_word(r, c == 't' ? SPAN("true") : SPAN("false")) && c == 't';
}

void json_read_null(struct json_reader *r)
{
    if (wants(r, ahead(r) == 'n'))
        take_word(r, SPAN("null"));
}

bool json_read_if_null(struct json_reader *r)
{
    if (r->error || ahead(r) != 'n')
        return false;
    return take_word(r, SPAN("null"));
}

static void enter(struct json_reader *r, char bracket)
{
    if (!wants(r, ahead(r) == bracket))
        return;
    if (r->depth == r->max_depth) {
        json_fail(r, ERR_DEPTH);
        return;
    }
    r->at++;
    r->depth++;
    r->first = true;
}

// Past the comma to the next member, or past the bracket: false.
static bool next(struct json_reader *r, char bracket)
{
    if (r->error)
        return false;
    if (take_char(r, bracket)) {
        r->depth--;
        r->first = false;
        return false;
    }
    if (!r->first && !take_char(r, ',')) {
        json_fail(r, ERR_JSON);
        return false;
    }
    return true;
}

void json_enter_object(struct json_reader *r)
{
    enter(r, '{');
}

bool json_next_key(struct json_reader *r, struct json_string *key)
{
    if (!next(r, '}'))
        return false;
    if (ahead(r) != '"') {
        json_fail(r, ERR_JSON);
        return false;
    }
    if (!take_string(r, key))
        return false;
    if (!take_char(r, ':')) {
        json_fail(r, ERR_JSON);
        return false;
    }
    r->first = false;
    return true;
}

void json_enter_array(struct json_reader *r)
{
    enter(r, '[');
}

bool json_next_item(struct json_reader *r)
{
    if (!next(r, ']'))
        return false;
    if (ahead(r) == ']') { // a comma with nothing behind it
        json_fail(r, ERR_JSON);
        return false;
    }
    return true;
}

static void skip_scalar(struct json_reader *r)
{
    struct number n;
    if (at_number(r)) {
        if (take_number(r, &n))
            r->first = false;
    } else if (ahead(r) == '"') {
        json_read_string(r);
    } else if (ahead(r) == 'n') {
        json_read_null(r);
    } else if (ahead(r) == 't' || ahead(r) == 'f') {
        json_read_bool(r);
    } else {
        json_fail(r, ERR_JSON);
    }
}

// Opens what is ahead and notes its kind, or skips it; `objects` has a bit for every open level.
static void step_in(struct json_reader *r, uint64_t *objects)
{
    char c = r->error ? 0 : ahead(r);
    if (c != '{' && c != '[') {
        skip_scalar(r);
        return;
    }
    enter(r, c);
    if (r->error)
        return;
    uint64_t bit = (uint64_t)1 << (r->depth - 1);
    *objects = c == '{' ? *objects | bit : *objects & ~bit;
}

void json_skip(struct json_reader *r)
{
    uint64_t objects = 0;
    int floor = r->depth;
    struct json_string key;
    step_in(r, &objects);
    while (!r->error && r->depth > floor) {
        bool object = objects >> (r->depth - 1) & 1;
        if (object ? json_next_key(r, &key) : json_next_item(r))
            step_in(r, &objects);
    }
}

struct span json_read_raw(struct json_reader *r)
{
    ahead(r);
    const char *start = r->at;
    json_skip(r);
    return r->error ? (struct span){0} : (struct span){start, (size_t)(r->at - start)};
}

struct json_value json_read_value(struct json_reader *r)
{
    char c = r->error ? 0 : ahead(r);
    struct json_value v = {.raw.at = r->at};
    struct json_string s;
    if (c == '"') {
        v.type = JSON_STRING;
        if (take_string(r, &s))
            v.escaped = s.escaped, r->first = false;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        v.type = take_number_type(r);
    } else {
        v.type = json_peek(r);
        json_skip(r);
    }
    v.raw.size = (size_t)(r->at - v.raw.at);
    return r->error ? (struct json_value){0} : v;
}

enum json_type json_type_of(struct span text, int max_depth)
{
    struct json_reader r = json_reader_of(text, max_depth);
    enum json_type type = json_peek(&r);
    json_skip(&r);
    return json_finish(&r) == OK ? type : JSON_NONE;
}

bool json_find_member(struct span object, const char *name, struct span *value)
{
    enum { DEPTH = 64 };
    struct json_reader r = json_reader_of(object, DEPTH);
    struct json_string key;
    struct span found = {0};
    if (json_peek(&r) != JSON_OBJECT)
        return false;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span raw = json_read_raw(&r);
        if (json_string_is(key, name))
            found = raw;
    }
    if (r.error || !found.size)
        return false;
    *value = found;
    return true;
}

struct span json_member(struct span object, const char *name)
{
    struct span value = {0};
    json_find_member(object, name, &value);
    return value;
}
