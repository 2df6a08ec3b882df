// The page: one file, with the host's own address in it.
#include "front/arena/embedded.h"
#include "front/arena/rest_parts.h"

static void put_escaped(struct text *t, struct span s)
{
    static const struct {
        char c;
        const char *as;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < s.size; i++) {
        const char *as = NULL;
        for (unsigned k = 0; k < sizeof marks / sizeof *marks; k++)
            if (s.at[i] == marks[k].c)
                as = marks[k].as;
        if (as)
            text_puts(t, as);
        else
            text_put_char(t, s.at[i]);
    }
}

static void put_word(struct rest_call *c, struct span word)
{
    char url[512];
    struct text value = text_on(url, sizeof url);
    if (span_is(word, "base") || span_is(word, "host"))
        rest_write_base(c, &value, false);
    else if (span_is(word, "ws"))
        rest_write_base(c, &value, true);
    else if (span_is(word, "version"))
        text_puts(&value, AGON_VERSION);
    else if (span_is(word, "terms"))
        text_puts(&value, c->rest->options.terms_version);
    else if (span_is(word, "privacy"))
        text_puts(&value, c->rest->options.privacy_version);
    struct span shown = text_span(&value);
    const char *slashes = span_is(word, "host") ? memmem(shown.at, shown.size, "://", 3) : NULL;
    if (slashes)
        shown = (struct span){slashes + 3, shown.size - (size_t)(slashes + 3 - shown.at)};
    put_escaped(&c->out, shown);
}

void rest_page(struct rest_call *c)
{
    struct span rest = {embedded_page_html, embedded_page_html_size};
    for (const char *open; (open = memmem(rest.at, rest.size, "{{", 2));) {
        const char *close = memmem(open, (size_t)(rest.at + rest.size - open), "}}", 2);
        text_put(&c->out, (struct span){rest.at, (size_t)(open - rest.at)});
        put_word(c, (struct span){open + 2, (size_t)(close - open - 2)});
        rest = (struct span){close + 2, (size_t)(rest.at + rest.size - close - 2)};
    }
    text_put(&c->out, rest);
    c->type = "text/html; charset=utf-8";
    http_add_header(c->r, "Referrer-Policy", "no-referrer"); // tokens of challenges and claims stand in the address
    http_add_header(c->r, "Content-Security-Policy",
                    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
                    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}
