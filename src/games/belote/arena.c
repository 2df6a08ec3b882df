// Belote on the arena's wire (F6.B): the codec's neutral JSON with pids.
#include "games/belote/arena.h"
#include "games/belote/codec.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

// --- rules

static void write_actions(struct text *t)
{
    json_begin_object_at(t, "available_actions");
    json_put_text(t, "cut", "Cut the deck: lift `position` (6 to 26) cards, from the top unless `from_top` is false.");
    json_put_text(t, "announce", "Announce a `mode` higher than the current one.");
    json_put_text(t, "accept", "Accept what was announced.");
    json_put_text(t, "double", "Double the opponents' `mode`.");
    json_put_text(t, "redouble", "Redouble your own side's `mode` after it was doubled.");
    json_put_text(t, "play_card", "Play the `card`.");
    json_end_object(t);
}

static void write_rules(struct text *t, const void *rules, int seats)
{
    static const char *const phases[] = {"cut: the deck is cut", "bid: a mode is negotiated",
                                         "play: eight tricks are played", NULL};
    (void)seats;
    const struct belote_rules *r = rules;
    char line[320];
    struct text sentence = text_on(line, sizeof line);
    codec_write(
        &sentence,
        "Malagasy Belote for two partnerships, p0 and p2 against p1 and p3, with 32 cards. The sides negotiate a "
        "mode, play eight tricks and score; the first side to reach %d match points wins.",
        r->target);
    json_put_string(t, "summary", text_span(&sentence));
    json_put_texts(t, "phases", phases);
    write_actions(t);
    json_begin_array_at(t, "key_rules");
    json_write_text(t, "Modes from low to high: ColourClubs, ColourDiamonds, ColourHearts, ColourSpades, NoTrumps, "
                       "AllTrumps. In a Colour mode that suit is trump.");
    json_write_text(t, "Trumps rank J 9 A T K Q 8 7, other suits A T K Q J 9 8 7; in AllTrumps every suit ranks like "
                       "trumps.");
    json_write_text(t, "Five cards are dealt before the negotiation and three after it.");
    json_write_text(t, "Cards must follow the suit led; legal_actions lists what may be played.");
    json_write_text(t, "The last trick adds 10 points. A double counts twice, a redouble four times.");
    json_write_text(t, "A side that takes all eight tricks in a Colour mode wins the match at once.");
    json_write_text(t, "A player who is dropped loses the match for both partners.");
    json_end_array(t);
}

// F6.B3.
static void write_config(struct text *t, const void *rules)
{
    const struct belote_rules *r = rules;
    json_put_text(t, "ruleset", "standard");
    json_put_int(t, "target", r->target);
}

// --- state (F6.B6)

static int team_of(int seat)
{
    return belote_team(seat) + 1;
}

static void put_own(struct text *t, const struct belote_view *v)
{
    if (v->viewer >= BELOTE_SEATS)
        return;
    json_put_text(t, "your_player_id", dialect_pids[v->viewer]);
    json_put_int(t, "your_team", team_of(v->viewer));
    json_begin_array_at(t, "hand");
    for (int i = 0; i < v->cards; i++)
        json_write_text(t, belote_card_name(v->hand[i]));
    json_end_array(t);
}

static void write_state(struct text *t, const struct arena_observation *seen)
{
    const struct belote_view *v = seen->view;
    struct belote_view gallery = *v; // G28.2 but hand and team, which have names of their own here
    gallery.viewer = GAME_SPECTATOR;
    json_put_text(t, "phase", belote_codec.phases[v->phase]);
    if (v->turn != BELOTE_NONE)
        json_put_text(t, "current_player_id", dialect_pids[v->turn]);
    belote_codec.write_view(t, &seen->table, &gallery);
    put_own(t, v);
}

static void write_player(struct text *t, const struct arena_observation *seen, int seat)
{
    const struct belote_view *v = seen->view;
    json_put_text(t, "status", seat == v->left ? "left" : "active");
    json_begin_object_at(t, "data");
    json_put_int(t, "team", team_of(seat));
    json_put_int(t, "cards", v->held[seat]);
    json_put_bool(t, "dealer", seat == v->dealer);
    json_end_object(t);
}

// --- actions (F6.B4)

static void write_params(struct text *t, const struct arena_observation *seen, struct game_choice c)
{
    enum { MIDDLE = 16 };
    if (c.first.kind != BELOTE_CUT) {
        belote_codec.write_params(t, &seen->table, c.first);
        return;
    }
    json_put_int(t, "position", MIDDLE);
    json_put_bool(t, "from_top", true);
    json_put_int(t, "min_position", BELOTE_CUT_MIN);
    json_put_int(t, "max_position", BELOTE_CUT_MAX);
}

static int read_cut(struct json_reader *r, struct game_action *a)
{
    int64_t position = 0;
    bool from_top = true;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "position"))
            position = dialect_read_whole(r);
        else if (json_string_is(key, "from_top"))
            from_top = json_read_bool(r);
        else
            json_skip(r);
    if (r->error || position < BELOTE_CUT_MIN || position > BELOTE_CUT_MAX)
        return ERR_RANGE;
    a->amount = (int32_t)position;
    a->arg[0] = from_top;
    return OK;
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    return a->kind == BELOTE_CUT ? read_cut(r, a) : belote_codec.read_params(r, table, a);
}

// --- events (F6.B5)

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    int mode = e->kind == BELOTE_BID ? belote_word_mode(e->data[0]) : BELOTE_NONE;
    switch (e->kind) {
    case BELOTE_CUT_DONE:
        json_put_int(t, "position", e->amount);
        json_put_bool(t, "from_top", e->data[0]);
        return;
    case BELOTE_BID:
        json_put_text(t, "type", belote_word_types[belote_word_type(e->data[0])]);
        json_put_text(t, "mode", mode < BELOTE_MODES ? belote_mode_names[mode] : NULL);
        return;
    case BELOTE_CARD_PLAYED:
        json_put_text(t, "card", belote_card_name(e->data[0]));
        return;
    default:
        belote_codec.write_event(t, table, e, count);
    }
}

static const char *const open_rules[] = {"target", NULL};

const struct arena_dialect belote_arena = {
    .title = "Belote",
    .events_of_seat = 1u << BELOTE_CUT_DONE | 1u << BELOTE_BID | 1u << BELOTE_CARD_PLAYED | 1u << BELOTE_DISCONNECTED,
    .write_rules = write_rules,
    .write_config = write_config,
    .write_state = write_state,
    .write_player = write_player,
    .write_params = write_params,
    .write_event = write_event,
    .read_params = read_params,
    .open_rules = open_rules,
    .gated = true,
    .reader = &belote_arena_reader,
};
