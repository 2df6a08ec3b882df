// snprintf, as far as stdio.h here promises it. A sign that it does not know stops the module.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sink {
    char *at;
    size_t room, size; // size counts what did not fit, too
};

struct field {
    bool left, zero;
    int width, precision; // precision -1: none
    int longs;            // of l, z and j: how many l they are worth
};

static void put(struct sink *out, char c)
{
    if (out->size + 1 < out->room)
        out->at[out->size] = c;
    out->size++;
}

static void put_padded(struct sink *out, const struct field *f, const char *text, size_t size)
{
    size_t width = f->width > 0 ? (size_t)f->width : 0, pad = width > size ? width - size : 0;
    for (size_t i = 0; !f->left && i < pad; i++)
        put(out, f->zero ? '0' : ' ');
    for (size_t i = 0; i < size; i++)
        put(out, text[i]);
    for (size_t i = 0; f->left && i < pad; i++)
        put(out, ' ');
}

static void put_number(struct sink *out, struct field f, uint64_t value, bool negative, unsigned base)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (negative && f.zero && f.width > 0) {
        put(out, '-');
        f.width--;
    } else if (negative) {
        digits[--at] = '-';
    }
    put_padded(out, &f, digits + at, sizeof digits - at);
}

static int read_count(const char **format, va_list args)
{
    int count = 0;
    if (**format == '*') {
        ++*format;
        return va_arg(args, int);
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
        count = 10 * count + (**format - '0');
    return count;
}

static struct field read_field(const char **format, va_list args)
{
    struct field f = {.precision = -1};
    for (;; ++*format)
        if (**format == '-')
            f.left = true;
        else if (**format == '0')
            f.zero = true;
        else
            break;
    f.width = read_count(format, args);
    if (**format == '.') {
        ++*format;
        f.precision = read_count(format, args);
    }
    for (;; ++*format)
        if (**format == 'l')
            f.longs++;
        else if (**format == 'j')
            f.longs = 2;
        else if (**format != 'z') // as wide as int
            break;
    return f;
}

static void put_string(struct sink *out, const struct field *f, const char *text)
{
    size_t size = 0;
    while ((f->precision < 0 || size < (size_t)f->precision) && text[size])
        size++;
    put_padded(out, f, text, size);
}

int vsnprintf(char *text, size_t room, const char *format, va_list given)
{
    struct sink out = {.at = text, .room = room};
    va_list args;
    va_copy(args, given);
    for (; *format; format++) {
        if (*format != '%' || *++format == '%') {
            put(&out, *format);
            continue;
        }
        struct field f = read_field(&format, args);
        if (*format == 's') {
            put_string(&out, &f, va_arg(args, const char *));
        } else if (*format == 'c') {
            put(&out, (char)va_arg(args, int));
        } else if (*format == 'd') {
            int64_t value = f.longs > 1 ? va_arg(args, long long) : va_arg(args, int);
            put_number(&out, f, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0, 10);
        } else if (*format == 'u' || *format == 'x') {
            uint64_t value = f.longs > 1 ? va_arg(args, unsigned long long) : va_arg(args, unsigned);
            put_number(&out, f, value, false, *format == 'x' ? 16 : 10);
        } else {
            __builtin_trap();
        }
    }
    va_end(args);
    if (room)
        out.at[out.size < room ? out.size : room - 1] = 0;
    return (int)out.size;
}

int snprintf(char *text, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, room, format, args);
    va_end(args);
    return size;
}
