#include "llm/action_text.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

// MAX_DIGITS: as many as an int64_t and a double hold exactly.
enum { TEXT = 512, MAX_DIGITS = 15 };
static const double most_whole = 1e15; // as MAX_DIGITS

// --- folding

static uint32_t read_point(const char **at, const char *end)
{
    int size = utf8_sequence(*at, end);
    const unsigned char *b = (const unsigned char *)*at;
    uint32_t point = size == 1   ? b[0]
                     : size == 2 ? (b[0] & 31u) << 6 | (b[1] & 63u)
                     : size == 3 ? (b[0] & 15u) << 12 | (b[1] & 63u) << 6 | (b[2] & 63u)
                                 : 0xFFFD;
    *at += size > 0 ? size : 1;
    return point;
}

// The few compatibility characters that occur in answers; the tables of NFKC would be larger than this room.
static uint32_t fold_point(uint32_t c)
{
    static const struct {
        uint32_t from, to;
    } rows[] = {{0xA0, ' '},   {0x3000, ' '}, {0x202F, ' '}, {0x2009, ' '}, {0x2018, '\''}, {0x2019, '\''},
                {0x201C, '"'}, {0x201D, '"'}, {0x2010, '-'}, {0x2011, '-'}, {0x2012, '-'},  {0x2013, '-'},
                {0x2014, '-'}, {0x2212, '-'}, {0x300C, '"'}, {0x300D, '"'}, {0x3002, '.'}};
    if (c >= 0xFF01 && c <= 0xFF5E)
        c -= 0xFF01 - '!';
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].from == c)
            return rows[i].to;
    return c;
}

void action_text_fold(struct text *out, struct span s)
{
    for (const char *at = s.at, *end = s.at + s.size; at < end;) {
        const char *begin = at;
        uint32_t c = fold_point(read_point(&at, end));
        if (c < 0x80)
            text_put_char(out, (char)(c >= 'A' && c <= 'Z' ? c + 32 : c == '\t' || c == '\n' || c == '\r' ? ' ' : c));
        else
            text_put(out, (struct span){begin, (size_t)(at - begin)});
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_letter(c) || is_digit(c);
}

static bool is_gap(char c)
{
    return c == ' ' || c == '-' || c == '_';
}

static struct span trim(struct span s)
{
    static const char edges[] = " \"'`*_[]<>()";
    while (s.size && memchr(edges, s.at[0], sizeof edges - 1))
        s.at++, s.size--;
    while (s.size && (memchr(edges, s.at[s.size - 1], sizeof edges - 1) || memchr(".!,;", s.at[s.size - 1], 4)))
        s.size--;
    return s;
}

// --- names

// Returns how many bytes of the text match the name, 0 if it does not begin with it. Any gap (space, - or _) matches
// any other.
static size_t match_name(struct span text, const char *name)
{
    size_t at = 0;
    for (; *name; name++) {
        if (is_gap(*name)) {
            if (at < text.size && is_gap(text.at[at]))
                while (at < text.size && is_gap(text.at[at]))
                    at++;
            continue; // aliases distinguish "allin" and "all in"; "foreignaid" is understood
        }
        if (at == text.size || text.at[at] != (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name))
            return 0;
        at++;
    }
    return at < text.size && is_word(text.at[at]) ? 0 : at;
}

static size_t find_name(const struct codec *c, struct span text, struct action_text *out)
{
    struct speech_phrase p;
    size_t best = 0;
    const struct speech_alias *a = speech_of(c)->aliases;
    for (int i = 0; speech_phrase_at(c, i, &p); i++) {
        size_t size = match_name(text, p.type);
        if (size > best) {
            best = size;
            out->phrase = p;
        }
    }
    for (; a && a->words; a++) {
        size_t size = match_name(text, a->words);
        if (size > best && speech_find_phrase(c, a->type, &p)) {
            best = size;
            out->phrase = p;
        }
    }
    // L83: in every game, though no list names it.
    if (match_name(text, "forfeit") > best) {
        out->forfeit = true;
        return text.size;
    }
    return best;
}

// L66: skips "I choose to", "I'll", "play". Longer ones stand before those that they begin with.
static bool skip_lead(struct span *text)
{
    static const char *const leads[] = {"i choose to", "i choose", "my action is", "i will", "i'll",
                                        "i",           "play",     "to",           NULL};
    for (int i = 0; leads[i]; i++) {
        size_t size = match_name(*text, leads[i]);
        if (size && size < text->size) {
            *text = trim((struct span){text->at + size, text->size - size});
            return true;
        }
    }
    return false;
}

// --- parameters

struct reading {
    const struct codec_table *table;
    struct action_text *out;
    enum llm_cause cause;
    struct span left;
    int numbers; // read so far
};

static int find_slot(const struct reading *r, unsigned kinds)
{
    for (int i = 0; i < SPEECH_SLOTS && r->out->phrase.slot[i].kind; i++)
        if (kinds >> r->out->phrase.slot[i].kind & 1 && !r->out->value[i][0])
            return i;
    return -1;
}

static int count_slots(const struct reading *r, int kind)
{
    int count = 0;
    for (int i = 0; i < SPEECH_SLOTS; i++)
        count += r->out->phrase.slot[i].kind == kind;
    return count;
}

static void set_cause(struct reading *r, enum llm_cause cause)
{
    if (r->cause == LLM_FINE)
        r->cause = cause;
}

static void skip_bytes(struct reading *r, size_t size)
{
    r->left.at += size;
    r->left.size -= size;
}

// 1200, 1,200, 1_200, 1 200. Spaces group only where one number is wanted.
static size_t scan_number(struct span s, bool spaces, char digits[MAX_DIGITS + 1])
{
    size_t at = 0, count = 0, group = 0;
    while (at < s.size && is_digit(s.at[at]) && count < MAX_DIGITS)
        digits[count++] = s.at[at++];
    group = count;
    while (group <= 3 && at + 3 < s.size && (s.at[at] == ',' || s.at[at] == '_' || (spaces && s.at[at] == ' ')) &&
           is_digit(s.at[at + 1]) && is_digit(s.at[at + 2]) && is_digit(s.at[at + 3]) &&
           (at + 4 == s.size || !is_digit(s.at[at + 4])) && count + 3 <= MAX_DIGITS) {
        memcpy(digits + count, s.at + at + 1, 3);
        count += 3;
        at += 4;
    }
    digits[count] = 0;
    return at;
}

static void put_number(struct reading *r, const char *digits)
{
    long long value = strtoll(digits, NULL, 10);
    int slot = find_slot(r, 1u << SPEECH_NUMBER | 1u << SPEECH_PAIR);
    r->numbers++;
    if (slot < 0) {
        // L67: with one number too many it is unclear which is meant. L68: after an action without parameters
        // ("call 200") a number is ignored.
        bool wanted = count_slots(r, SPEECH_NUMBER) + count_slots(r, SPEECH_PAIR) > 0;
        if (wanted)
            set_cause(r, LLM_AMBIGUOUS);
        else if (r->out->phrase.slot[0].kind)
            set_cause(r, LLM_UNPARSABLE);
        else
            r->out->tolerated = true;
        return;
    }
    char *value_at = r->out->value[slot];
    if (r->out->phrase.slot[slot].kind == SPEECH_NUMBER) {
        snprintf(value_at, ACTION_TEXT_VALUE, "%lld", value);
    } else if (r->numbers == 1) { // the first of a pair waits for the second
        r->out->value[slot][0] = 0;
        snprintf(value_at + 1, ACTION_TEXT_VALUE - 1, "%lld", value);
    } else {
        char first[ACTION_TEXT_VALUE];
        snprintf(first, sizeof first, "%s", value_at + 1);
        snprintf(value_at, ACTION_TEXT_VALUE, "[%.20s,%lld]", first, value);
    }
}

static void read_number(struct reading *r)
{
    char digits[MAX_DIGITS + 1];
    bool one = count_slots(r, SPEECH_NUMBER) == 1 && count_slots(r, SPEECH_PAIR) == 0;
    size_t size = scan_number(r->left, one || !r->out->phrase.slot[0].kind, digits);
    char next = size < r->left.size ? r->left.at[size] : ' ';
    char after = size + 1 < r->left.size ? r->left.at[size + 1] : ' ';
    // L67: a value is read as it stands or not at all, so no "1.2k" and no decimals; "400-800" has two.
    if (is_digit(next) || is_letter(next) || next == '%' || (next == '.' && is_digit(after)))
        set_cause(r, LLM_BAD_VALUE);
    else if (next == '-' || next == '/')
        set_cause(r, LLM_AMBIGUOUS);
    else
        put_number(r, digits);
    skip_bytes(r, size);
}

static bool put_text(struct reading *r, int slot, const char *word)
{
    snprintf(r->out->value[slot], ACTION_TEXT_VALUE, "\"%.60s\"", word);
    return true;
}

// Each of the next functions reads a seat, a word of the game, a flag or a card at the beginning of what is left, and
// returns its size; 0: there is none.
static size_t read_seat(struct reading *r)
{
    int slot = find_slot(r, 1u << SPEECH_SEAT);
    for (int i = 0; slot >= 0 && i < r->table->seats; i++) {
        size_t size = match_name(r->left, r->table->seat[i]);
        if (size && put_text(r, slot, r->table->seat[i]))
            return size;
    }
    return 0;
}

// Any word: the codec says whether it is one of the game's.
static size_t read_text(struct reading *r)
{
    int slot = find_slot(r, 1u << SPEECH_TEXT);
    size_t size = 0;
    char word[ACTION_TEXT_VALUE];
    while (size < r->left.size && (is_word(r->left.at[size]) || r->left.at[size] == '_'))
        size++;
    if (slot < 0 || !size || size >= sizeof word)
        return 0;
    memcpy(word, r->left.at, size);
    word[size] = 0;
    put_text(r, slot, word);
    return size;
}

static size_t read_word(struct reading *r)
{
    for (int i = 0; i < SPEECH_SLOTS && r->out->phrase.slot[i].kind; i++) {
        const struct speech_slot *s = &r->out->phrase.slot[i];
        if ((s->kind != SPEECH_WORD && s->kind != SPEECH_FLAG) || r->out->value[i][0])
            continue;
        size_t best = 0;
        const char *found = NULL;
        for (const char *const *w = s->words; *w; w++) {
            size_t size = match_name(r->left, *w);
            if (size > best) {
                best = size;
                found = *w;
            }
        }
        if (!found)
            continue;
        if (s->kind == SPEECH_FLAG)
            snprintf(r->out->value[i], ACTION_TEXT_VALUE, "true");
        else
            put_text(r, i, found);
        return best;
    }
    return 0;
}

static size_t read_card(struct reading *r)
{
    static const char ranks[] = "23456789tjqka", suits[] = "cdhs", shown[] = "23456789TJQKA";
    int slot = find_slot(r, 1u << SPEECH_CARD);
    bool ten = r->left.size > 2 && memcmp(r->left.at, "10", 2) == 0;
    size_t size = ten ? 3 : 2;
    if (slot < 0 || r->left.size < size || (r->left.size > size && is_word(r->left.at[size])))
        return 0;
    const char *rank = ten ? ranks + 8 : memchr(ranks, r->left.at[0], sizeof ranks - 1);
    char suit = r->left.at[size - 1];
    if (!rank || !memchr(suits, suit, sizeof suits - 1))
        return 0;
    put_text(r, slot, (char[]){shown[rank - ranks], suit, 0});
    return size;
}

// Words that say nothing, and the names of parameters.
static size_t skip_filler(struct reading *r)
{
    static const char *const words[] = {"to",       "from",    "on",    "with",  "the", "a", "as",
                                        "claiming", "against", "chips", "coins", "at",  "x", NULL};
    for (int i = 0; i < SPEECH_SLOTS && r->out->phrase.slot[i].kind; i++) {
        size_t size = match_name(r->left, r->out->phrase.slot[i].name);
        if (size)
            return size;
    }
    for (int i = 0; words[i]; i++) {
        size_t size = match_name(r->left, words[i]);
        if (size)
            return size;
    }
    return 0;
}

static void read_part(struct reading *r)
{
    // L67: "raise by 400" is not "raise to 400", and which is meant cannot be known.
    static const char *const doubts[] = {"by", "or", "either", "between", NULL}, *const vague[] = {"half",  "pot",
                                                                                                   "min",   "max",
                                                                                                   "third", NULL};
    char c = r->left.at[0];
    size_t size;
    for (int i = 0; doubts[i]; i++)
        if (match_name(r->left, doubts[i])) {
            set_cause(r, LLM_AMBIGUOUS);
            return;
        }
    for (int i = 0; vague[i]; i++)
        if (match_name(r->left, vague[i])) {
            set_cause(r, count_slots(r, SPEECH_NUMBER) ? LLM_BAD_VALUE : LLM_UNPARSABLE);
            return;
        }
    if ((size = read_seat(r)) || (size = read_word(r)) || (size = read_card(r)) || (size = skip_filler(r)) ||
        (size = is_digit(c) ? 0 : read_text(r)))
        skip_bytes(r, size);
    else if (is_digit(c))
        read_number(r);
    else if (c == '-' && r->left.size > 1 && is_digit(r->left.at[1]))
        set_cause(r, LLM_BAD_VALUE);
    else if (is_word(c))
        set_cause(r, LLM_UNPARSABLE);
    else
        skip_bytes(r, 1);
}

static enum llm_cause read_parameters(struct reading *r)
{
    while (r->left.size && r->cause == LLM_FINE)
        read_part(r);
    return r->cause;
}

// --- parameters beside the action

// Values of other types than wanted stay unread: the codec says what is missing.
static void read_member(struct reading *r, int slot, struct span value)
{
    struct json_reader j = json_reader_of(value, 4);
    enum json_type type = json_peek(&j);
    char word[ACTION_TEXT_VALUE];
    if (type == JSON_STRING) {
        struct json_string s = json_read_string(&j);
        int size = json_string_unescape(s, word, sizeof word);
        char folded[2 * ACTION_TEXT_VALUE];
        struct text t = text_on(folded, sizeof folded);
        if (size < 0) {
            set_cause(r, LLM_BAD_VALUE);
            return;
        }
        action_text_fold(&t, (struct span){word, (size_t)size});
        r->left = trim(text_span(&t));
        read_parameters(r);
    } else if (type == JSON_REAL) {
        double number = json_read_real(&j);
        bool fits = number > -most_whole && number < most_whole; // before it is converted
        if (!fits || number != (double)(int64_t)number)
            set_cause(r, LLM_BAD_VALUE);
        else
            snprintf(r->out->value[slot], ACTION_TEXT_VALUE, "%lld", (long long)number);
    } else if (value.size < ACTION_TEXT_VALUE && type != JSON_NULL) {
        snprintf(r->out->value[slot], ACTION_TEXT_VALUE, "%.*s", (int)value.size, value.at);
    }
}

static void read_beside(struct reading *r, struct span object)
{
    for (int i = 0; i < SPEECH_SLOTS && r->out->phrase.slot[i].kind; i++) {
        struct span value = json_member(object, r->out->phrase.slot[i].name);
        if (value.at && !r->out->value[i][0])
            read_member(r, i, value);
    }
}

enum llm_cause action_text_read(const struct codec *c, const struct codec_table *table, struct span words,
                                struct span beside, struct action_text *out)
{
    char folded[TEXT];
    struct text t = text_on(folded, sizeof folded);
    *out = (struct action_text){0};
    utf8_copy_shown(out->said, sizeof out->said, words, false);
    if (words.size > TEXT / 2)
        return LLM_UNPARSABLE;
    action_text_fold(&t, words);
    struct span text = trim(text_span(&t));
    size_t size = find_name(c, text, out);
    while (!size && skip_lead(&text))
        size = find_name(c, text, out);
    if (!size)
        return LLM_UNPARSABLE;
    if (out->forfeit)
        return LLM_FINE;
    struct reading r = {.table = table, .out = out, .left = {text.at + size, text.size - size}};
    if (read_parameters(&r) == LLM_FINE && beside.size)
        read_beside(&r, beside);
    return r.cause;
}

// --- the action

static void write_action(struct text *t, const struct action_text *w)
{
    json_begin_object(t);
    json_put_text(t, "type", w->phrase.type);
    for (int i = 0; i < SPEECH_SLOTS && w->phrase.slot[i].kind; i++)
        if (w->value[i][0]) {
            json_put_raw(t, w->phrase.slot[i].name, span_of(w->value[i]));
        }
    json_end_object(t);
}

enum llm_cause action_text_find(const struct codec *c, const struct codec_table *table, const struct action_text *w,
                                const struct game_choice *choices, int count, struct game_action *action)
{
    char json[TEXT];
    struct text t = text_on(json, sizeof json);
    write_action(&t, w);
    struct json_reader r = json_reader_of(text_span(&t), 4);
    int err = codec_read_action(c, &r, table, false, action);
    if (err == ERR_MISSING)
        return LLM_UNPARSABLE;
    if (err != OK)
        return err == ERR_JSON ? LLM_BAD_VALUE : LLM_ILLEGAL;
    for (int i = 0; i < count && !w->phrase.slot[0].kind; i++)
        if (choices[i].first.kind == action->kind) { // "call" is one whatever it costs
            *action = choices[i].first;
            return LLM_FINE;
        }
    return game_has_choice(choices, count, *action) ? LLM_FINE : LLM_ILLEGAL;
}
