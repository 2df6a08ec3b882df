#include "llm/answer.h"

#include "llm/lenient_json.h"

#include <stdlib.h>
#include <strings.h>

// BARE_LINE: L65. WORK: bytes that lenient reading may look at in one answer, since a text full of brackets would take
// quadratic time. CANDIDATE: longest object.
enum { BARE_LINE = 80, MAX_KEYS = 64, WORK = 16 << 20, CANDIDATE = 65536 };

// --- reasoning in the text (L61)

static const char *find(struct span s, const char *what)
{
    return s.size ? memmem(s.at, s.size, what, strlen(what)) : NULL;
}

static const char *find_last(struct span s, const char *what)
{
    const char *last = NULL;
    for (const char *at; (at = find(s, what));) {
        last = at;
        s = (struct span){at + 1, (size_t)(s.at + s.size - at - 1)};
    }
    return last;
}

static struct span tail_from(struct span s, const char *at)
{
    return (struct span){at, (size_t)(s.at + s.size - at)};
}

static struct span trim(struct span s)
{
    while (s.size && memchr(" \t\r\n", s.at[0], 4))
        s.at++, s.size--;
    while (s.size && memchr(" \t\r\n", s.at[s.size - 1], 4))
        s.size--;
    return s;
}

struct span answer_strip(struct span text)
{
    static const char final[] = "<|channel|>final<|message|>";
    static const char *const tags[][2] = {
        {"<think>", "</think>"},         {"<thinking>", "</thinking>"},     {"<thought>", "</thought>"},
        {"<reasoning>", "</reasoning>"}, {"<reflection>", "</reflection>"}, {"<seed:think>", "</seed:think>"},
        {"[THINK]", "[/THINK]"},
    };
    const char *at = find_last(text, final);
    if (at)
        text = tail_from(text, at + sizeof final - 1);
    for (unsigned i = 0; i < sizeof tags / sizeof *tags; i++)
        if ((at = find_last(text, tags[i][1])))
            text = tail_from(text, at + strlen(tags[i][1]));
    for (unsigned i = 0; i < sizeof tags / sizeof *tags; i++)
        if ((at = find(text, tags[i][0])))
            text.size = (size_t)(at - text.at);
    return trim(text);
}

// --- one object

struct answer_reader {
    const struct codec *codec;
    const struct codec_table *table;
    const struct game_choice *choices;
    int count;
    struct llm_found *out;
};

static void read_words(const struct answer_reader *r, struct span words, struct span beside)
{
    struct action_text w;
    struct llm_found *f = r->out;
    f->cause = action_text_read(r->codec, r->table, words, beside, &w);
    memcpy(f->said, w.said, sizeof f->said);
    f->forfeit = f->cause == LLM_FINE && w.forfeit;
    f->tolerated = w.tolerated;
    if (f->cause == LLM_FINE && !f->forfeit)
        f->cause = action_text_find(r->codec, r->table, &w, r->choices, r->count, &f->action);
}

// Whether a key of the object occurs twice.
static bool has_doubles(struct span object)
{
    struct json_string keys[MAX_KEYS], key;
    int count = 0;
    struct json_reader r = json_reader_of(object, 64);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        for (int i = 0; i < count; i++)
            if (span_equals(keys[i].raw, key.raw))
                return true;
        if (count < MAX_KEYS)
            keys[count++] = key;
        json_skip(&r);
    }
    return false;
}

static bool is_string(struct span json)
{
    return json.size && json.at[0] == '"';
}

static bool is_object(struct span json)
{
    return json.size && json.at[0] == '{';
}

static void read_string(const struct answer_reader *r, struct span json, struct span beside)
{
    char words[1024];
    struct json_reader j = json_reader_of(json, 1);
    int size = json_string_unescape(json_read_string(&j), words, sizeof words);
    if (size < 0)
        r->out->cause = LLM_UNPARSABLE;
    else
        read_words(r, (struct span){words, (size_t)size}, beside);
}

// L64: {"action":"raise","amount":400}, {"action":{"type":"raise",..}}, {"type":"raise",..}.
static void read_object(const struct answer_reader *r, struct span object)
{
    struct span action = json_member(object, "action");
    if (!action.at)
        action = object;
    r->out->cause = LLM_UNPARSABLE;
    if (has_doubles(object) || (is_object(action) && has_doubles(action)))
        r->out->cause = LLM_AMBIGUOUS;
    else if (is_string(action))
        read_string(r, action, object);
    else if (is_object(action) && is_string(json_member(action, "type")))
        read_string(r, json_member(action, "type"), action);
}

static bool is_candidate(struct span object)
{
    return is_object(object) && (json_member(object, "action").at || is_string(json_member(object, "type")));
}

// L63: an array with one candidate stands for it; with more elements it is ambiguous.
static bool has_candidate(struct span array, int *items, struct span *only)
{
    bool found = false;
    struct json_reader r = json_reader_of(array, 64);
    *items = 0;
    for (json_enter_array(&r); json_next_item(&r); ++*items) {
        struct span item = json_read_raw(&r);
        if (is_candidate(item)) {
            found = true;
            *only = item;
        }
    }
    return found && json_finish(&r) == OK;
}

// --- the last object of a text

struct last {
    struct text json; // strict; empty: there is none
    const char *end;  // behind it in the text
};

static void find_candidate(struct span text, struct last *out)
{
    char *room = malloc(CANDIDATE), *kept = malloc(CANDIDATE);
    size_t work = WORK;
    if (!room || !kept)
        abort();
    out->json = text_on(kept, CANDIDATE);
    for (const char *at = text.at, *end = text.at + text.size; at < end;) {
        struct text t = text_on(room, CANDIDATE);
        size_t size = *at == '{' || *at == '[' ? lenient_json_read(tail_from(text, at), &t, &work) : 0;
        int items;
        struct span only, json = text_span(&t);
        // L63: after a failure go on one character further, since an object may stand inside broken text.
        if (!size || json_type_of(json, 64) == JSON_NONE) {
            at++;
            continue;
        }
        if (json.at[0] == '{' ? is_candidate(json) : has_candidate(json, &items, &only)) {
            out->json.size = 0;
            text_put(&out->json, json);
            out->end = at + size;
        }
        at += size;
    }
    free(room);
}

static void read_json(const struct answer_reader *r, struct span json)
{
    struct span only = json;
    int items = 1;
    if (json.at[0] == '[')
        has_candidate(json, &items, &only);
    if (items > 1)
        r->out->cause = LLM_AMBIGUOUS;
    else
        read_object(r, only);
}

// --- lines (L65)

static struct span strip_box(struct span s)
{
    static const char box[] = "\\boxed{";
    const char *at = find(s, box);
    if (!at)
        return s;
    struct span inner = tail_from(s, at + sizeof box - 1);
    const char *close = inner.size ? memchr(inner.at, '}', inner.size) : NULL;
    if (close)
        inner.size = (size_t)(close - inner.at);
    return inner;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Finds the text after a label that begins here.
static const char *behind_label(struct span s)
{
    static const char *const labels[] = {"final answer", "answer", "action", "move"};
    for (unsigned i = 0; i < sizeof labels / sizeof *labels; i++) {
        size_t size = strlen(labels[i]);
        if (s.size < size || strncasecmp(s.at, labels[i], size) != 0)
            continue;
        const char *at = s.at + size, *end = s.at + s.size;
        while (at < end && memchr("*_ ", *at, 3))
            at++;
        if (at == end || (*at != ':' && *at != '='))
            continue;
        return at + 1;
    }
    return NULL;
}

static bool find_label(struct span text, struct span *out)
{
    bool found = false;
    for (const char *at = text.at, *end = text.at + text.size; at < end; at++) {
        if (!is_letter(*at) || (at > text.at && is_letter(at[-1])))
            continue;
        const char *value = behind_label(tail_from(text, at));
        if (!value)
            continue;
        const char *stop = memchr(value, '\n', (size_t)(end - value));
        *out = (struct span){value, (size_t)((stop ? stop : end) - value)};
        found = true;
    }
    return found;
}

static void read_line(const struct answer_reader *r, struct span text)
{
    struct span line;
    if (find_label(text, &line))
        read_words(r, strip_box(line), (struct span){0});
    else if (text.size <= BARE_LINE && !memchr(text.at, '\n', text.size))
        read_words(r, strip_box(text), (struct span){0});
    else
        r->out->cause = LLM_UNPARSABLE;
}

// --- tool calls (L62)

static void read_calls(const struct answer_reader *r, const struct llm_said *said, bool *found)
{
    struct span first = {0};
    for (int i = 0; i < said->call_count; i++) {
        struct span arguments = said->calls[i].arguments.size ? said->calls[i].arguments : SPAN("{}");
        if (!span_is(said->calls[i].name, "act"))
            continue;
        if (*found && !span_equals(first, arguments)) {
            r->out->cause = LLM_AMBIGUOUS;
            return;
        }
        first = arguments;
        *found = true;
    }
    if (!*found)
        return;
    char *room = malloc(CANDIDATE);
    size_t work = WORK;
    if (!room)
        abort();
    struct text t = text_on(room, CANDIDATE);
    first = trim(first);
    size_t size = lenient_json_read(first, &t, &work);
    if (size && trim(tail_from(first, first.at + size)).size == 0 && json_type_of(text_span(&t), 64) == JSON_OBJECT)
        read_object(r, text_span(&t));
    else
        r->out->cause = said->cut ? LLM_CUT : LLM_UNPARSABLE;
    free(room);
}

// Whether only a fence follows the last object of an answer that was cut off: then the decision is complete.
static bool is_closed(struct span rest)
{
    for (size_t i = 0; i < rest.size; i++)
        if (!memchr(" \t\r\n`", rest.at[i], 5))
            return false;
    return true;
}

static void read_text(const struct answer_reader *r, const struct llm_said *said, struct span text, bool is_long)
{
    struct last last = {0};
    find_candidate(text, &last);
    if (last.json.size && (!said->cut || is_closed(tail_from(text, last.end))))
        read_json(r, text_span(&last.json));
    else if (said->cut)
        r->out->cause = LLM_CUT;
    else if (is_long)
        r->out->cause = LLM_TOO_LONG;
    else
        read_line(r, text);
    free(last.json.at);
}

void answer_read(const struct llm_said *said, const struct codec *c, const struct codec_table *table,
                 const struct game_choice *choices, int count, struct llm_found *out)
{
    struct answer_reader r = {c, table, choices, count, out};
    // The order is L60: what is tried first decides.
    bool called = false, is_long = said->text.size > ANSWER_TEXT;
    *out = (struct llm_found){.cause = LLM_FINE};
    if (said->refused) {
        out->cause = LLM_REFUSED;
        return;
    }
    read_calls(&r, said, &called);
    if (called)
        return;
    struct span text = answer_strip((struct span){said->text.at, is_long ? ANSWER_TEXT : said->text.size});
    if (text.size == 0)
        out->cause = said->cut ? LLM_CUT : LLM_EMPTY;
    else
        read_text(&r, said, text, is_long);
}
