// The generic protocol (protocol/bot-api): neutral JSON over HTTP, and over the pipes of local programs.
#include "llm/history.h"
#include "llm/reply.h"
#include "seats/internal.h"

#include <stdlib.h>

// Most events that are kept for codecs; when it is full, the older half goes.
enum { PAST_ROOM = 256 };

static struct codec_table table_of(const struct seat *s)
{
    return (struct codec_table){.seat = s->place.names,
                                .seats = s->place.seats,
                                .viewer = s->place.seat,
                                .past = s->past,
                                .past_count = s->past_count};
}

static void generic_begin(struct seat *s)
{
    (void)s;
}

static void end(struct seat *s)
{
    (void)s;
}

static void write_create(struct seat *s, struct text *t)
{
    json_begin_object(t);
    json_put_text(t, "game", s->codec->game->name);
    json_put_int(t, "seat", s->place.seat);
    json_begin_array_at(t, "seats");
    for (int i = 0; i < s->place.seats; i++)
        json_write_text(t, s->place.names[i]);
    json_end_array(t);
    json_put_text(t, "matchId", s->place.match);
    if (s->place.has_seed)
        json_put_int(t, "seed", s->place.seed);
    json_begin_object_at(t, "rules");
    s->codec->write_rules(t, s->place.rules);
    json_end_object(t);
    json_end_object(t);
}

// The last events, which a codec may need to write a view: bids of the current round, for example.
static void keep_events(struct seat *s, const struct game_event *e, uint32_t count)
{
    uint32_t room = s->is_program ? s->past_count + count : PAST_ROOM; // a program may want the whole history in words
    if (room > s->past_room) {
        s->past_room = room < PAST_ROOM ? PAST_ROOM : 2 * room;
        if (!(s->past = realloc(s->past, s->past_room * sizeof *s->past)))
            abort();
    }
    for (uint32_t i = 0; i < count; i++) {
        if (s->past_count == PAST_ROOM && !s->is_program) {
            s->past_count /= 2;
            memmove(s->past, s->past + PAST_ROOM - s->past_count, s->past_count * sizeof *s->past);
        }
        s->past[s->past_count++] = e[i];
    }
}

static void send_events(struct seat *s, const void *view, const struct game_event *e, uint32_t count)
{
    (void)view;
    keep_events(s, e, count);
    if (s->lost || s->given_up || !s->place.notices || count == 0)
        return;
    struct codec_table table = table_of(s);
    struct job *j = seat_add_job(s, SEAT_NOTIFICATION, "notify/events", SEAT_ALL_NOTICES);
    struct text *t = &j->body;
    json_begin_object(t);
    json_begin_array_at(t, "events");
    for (uint32_t i = 0; i < count;) {
        int parts = codec_event_parts(&e[i], count - i);
        codec_write_event(s->codec, t, &table, &e[i], parts);
        i += (uint32_t)parts;
    }
    json_end_array(t);
    json_end_object(t);
}

static void put_words(struct text *t, const char *key, struct text *words)
{
    while (words->size && words->at[words->size - 1] == '\n')
        words->size--;
    json_put_string(t, key, text_span(words));
    free(words->at);
    *words = (struct text){.grow = heap_text_grow};
}

// L150: everything that a player needs who reads prose.
static void put_prose(struct seat *s, struct text *t, const void *view)
{
    struct llm_settings settings;
    struct llm_scene scene = {.codec = s->codec,
                              .settings = &settings,
                              .rules = &s->rules,
                              .table = table_of(s),
                              .view = view,
                              .choices = s->choices,
                              .count = s->choice_count};
    struct codec_table brief = scene.table;
    struct text words = {.grow = heap_text_grow};
    settings_init(&settings);
    brief.brief = true;
    s->codec->describe_rules(&words, &s->rules, s->place.seats);
    put_words(t, "rules", &words);
    speech_describe_actions(s->codec, &words);
    put_words(t, "actions", &words);
    if (s->place.is_remote)
        text_put(&words, text_span(&s->narration));
    else
        history_write(&words, s->codec, &scene.table, 0, SIZE_MAX);
    put_words(t, "history", &words);
    s->codec->describe_view(&words, &brief, view);
    put_words(t, "situation", &words);
    prompt_write_legal(&words, &scene, "- ", "\n");
    put_words(t, "legal_text", &words);
}

// P4.4: the vector of a policy, and the numbers it may answer.
static void put_row(const struct seat_row *row, struct text *t)
{
    json_begin_array_at(t, "vector");
    for (uint32_t i = 0; i < row->size; i++)
        json_write_decimal(t, (double)row->vector[i], 6);
    json_end_array(t);
    json_begin_array_at(t, "numbers");
    for (int i = 0; i < GAME_MAX_FLAT; i++)
        if (row->legal[i / 64] >> i % 64 & 1)
            json_write_int(t, i);
    json_end_array(t);
}

static struct job *ask(struct seat *s, const void *view)
{
    struct codec_table table = table_of(s);
    struct job *j = seat_add_job(s, SEAT_ACTION, "choose-action", 0);
    struct text *t = &j->body;
    json_begin_object(t);
    json_put_text(t, "phase", s->codec->phases[codec_phase(s->codec, view)]);
    json_begin_object_at(t, "view");
    s->codec->write_view(t, &table, view);
    json_end_object(t);
    json_begin_array_at(t, "legal");
    for (int i = 0; i < s->choice_count; i++)
        codec_write_choice(s->codec, t, &table, s->choices[i]);
    json_end_array(t);
    if (s->wants_prose)
        put_prose(s, t, view);
    if (s->vector && s->row)
        put_row(s->row, t);
    json_end_object(t);
    return j;
}

// {"text":"I call. Answer: call"}, as a language model would write it.
static int read_words(const struct seat *s, const struct codec_table *table, struct span json, struct game_action *a)
{
    struct text words = {.grow = heap_text_grow};
    struct llm_found found;
    reply_add_string(&words, json);
    answer_read(&(struct llm_said){.text = text_span(&words)}, s->codec, table, s->choices, s->choice_count, &found);
    free(words.at);
    *a = found.action;
    return found.cause == LLM_FINE && !found.forfeit ? OK : found.cause == LLM_ILLEGAL ? ERR_ACTION : ERR_UNKNOWN;
}

static int read_number(const struct seat *s, int64_t number, struct game_action *a)
{
    if (number < 0 || number >= GAME_MAX_FLAT || !(s->row->legal[number / 64] >> number % 64 & 1))
        return ERR_ACTION;
    *a = s->row->action[number];
    return OK;
}

// An action, its index in the legal list ({"index":2}), or its number (P4.4: {"number":17}).
static int read_answer(struct seat *s, enum seat_call call, struct span reply, struct game_action *a)
{
    (void)call;
    struct codec_table table = table_of(s);
    struct json_reader r = json_reader_of(reply, 32), ahead = r;
    struct json_string key;
    int index = -1;
    int64_t number = -1;
    bool typed = false;
    for (json_enter_object(&ahead); json_next_key(&ahead, &key);)
        if (json_string_is(key, "index")) {
            index = (int)json_read_int(&ahead, 0, s->choice_count - 1);
        } else if (s->vector && s->row && json_string_is(key, "number")) {
            number = json_read_int(&ahead, INT64_MIN, INT64_MAX);
        } else {
            typed |= json_string_is(key, "type");
            json_skip(&ahead);
        }
    int err = json_finish(&ahead);
    if (err != OK)
        return err;
    if (!typed && index < 0 && number >= 0)
        return read_number(s, number, a);
    struct span text = json_member(reply, "text");
    if (!typed && index < 0 && s->is_program && text.at && text.at[0] == '"')
        return read_words(s, &table, text, a);
    if (!typed && index >= 0) {
        *a = s->choices[index].first;
        return OK;
    }
    err = codec_read_action(s->codec, &r, &table, false, a);
    return err != OK ? err : game_has_choice(s->choices, s->choice_count, *a) ? OK : ERR_ACTION;
}

const struct seat_protocol protocol_generic = {generic_begin, end, write_create, send_events, ask, read_answer};
