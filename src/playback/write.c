#include "playback/playback.h"

// For people.
static void put_sentence(const struct playback *s, struct text *t, struct codec_table table, const struct game_event *e,
                         int count)
{
    char line[1024];
    struct text sentence = text_on(line, sizeof line);
    table.voice = CODEC_PERSON;
    s->replay->row->codec->describe_event(&sentence, &table, e, count);
    if (sentence.size)
        json_put_string(t, "text", text_span(&sentence));
}

void playback_write_events(const struct playback *s, struct text *t, seat_set viewers, bool described)
{
    const struct codec *codec = s->replay->row->codec;
    json_begin_array(t);
    for (uint32_t i = 0; i < s->happened.count;) {
        struct game_event seen[GAME_MAX_EVENTS];
        int kept = playback_take_event(s, &i, viewers, seen);
        if (!kept)
            continue;
        struct codec_table table = playback_for(s, playback_viewer_of(&seen[0]));
        json_begin_object(t);
        json_put_text(t, "type", codec->event_types[seen[0].kind]);
        if (seen[0].to != EVERYONE) {
            json_key(t, "to");
            codec_write_seats(t, &table, seen[0].to & (seat_set)(SEAT(table.seats) - 1));
        }
        codec->write_event(t, &table, seen, kept);
        if (described)
            put_sentence(s, t, table, seen, kept);
        json_end_object(t);
    }
    json_end_array(t);
}

void playback_write_view(const struct playback *s, struct text *t, int viewer)
{
    union game_view view;
    struct codec_table table = playback_for(s, viewer);
    s->replay->row->game->view(&s->run.state, viewer, &view);
    json_begin_object(t);
    s->replay->row->codec->write_view(t, &table, &view);
    json_end_object(t);
}
