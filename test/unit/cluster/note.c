// What a matchmaker and other nodes say to each other, as bytes (S21 to S25), and what is refused.
#include "cluster/note.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct note full_note(void)
{
    struct note n = {.kind = ENTRY_ORDER,
                     .why = 3,
                     .flags = NOTE_BY_REQUEST | NOTE_GAME_RL,
                     .capabilities = 0x80000001,
                     .term = 1ull << 40,
                     .conn = 77,
                     .number = 5,
                     .host = UINT64_MAX,
                     .age_ms = 123456789,
                     .players = NOTE_PLAYERS,
                     .waiting = 2,
                     .houses = 1,
                     .bots = NOTE_BOTS};
    memset(n.agent.byte, 0xa1, UUID_BYTES);
    memset(n.id.byte, 0xb2, UUID_BYTES);
    memset(n.challenge.byte, 0xc3, UUID_BYTES);
    memset(n.game, 'g', sizeof n.game - 1);
    memset(n.mode, 'm', sizeof n.mode - 1);
    memset(n.say, 's', sizeof n.say - 1);
    for (int i = 0; i < NOTE_BOTS; i++)
        memset(n.bot[i], 'a' + i, NOTE_BOT - 1);
    for (int i = 0; i < NOTE_PLAYERS; i++) {
        memset(n.player[i].agent.byte, 0x10 + i, UUID_BYTES);
        n.player[i].gateway = (uint64_t)i + 1;
        n.player[i].flags = (uint8_t)i;
    }
    return n;
}

// The longest there is, and each kind with nothing in it.
static void what_is_written_is_read(void **state)
{
    char room[NOTE_MOST];
    struct entry e;
    struct note n = full_note(), back;
    (void)state;
    note_write(&n, room, &e);
    assert_true(e.payload.size < NOTE_MOST);
    assert_int_equal(note_read(&e, &back), OK);
    assert_memory_equal(&n, &back, sizeof n);
    for (int kind = ENTRY_JOIN; kind <= ENTRY_REFUSED; kind++) {
        memset(&n, 0, sizeof n);
        n.kind = (uint8_t)kind;
        note_write(&n, room, &e);
        assert_int_equal(note_read(&e, &back), OK);
        assert_memory_equal(&n, &back, sizeof n);
    }
}

// Of a question only the number of players travels.
static void players_travel_with_orders_alone(void **state)
{
    char room[NOTE_MOST];
    struct entry e;
    struct note n = full_note(), back;
    (void)state;
    n.kind = ENTRY_CONFIRM;
    note_write(&n, room, &e);
    assert_int_equal(note_read(&e, &back), OK);
    assert_int_equal(back.players, NOTE_PLAYERS);
    assert_int_equal(back.player[0].gateway, 0);
}

static void what_is_cut_or_too_long_is_refused(void **state)
{
    char room[NOTE_MOST + 1];
    struct entry e;
    struct note n = full_note(), back;
    (void)state;
    note_write(&n, room, &e);
    const size_t whole = e.payload.size;
    for (size_t size = 0; size < whole; size++) {
        e.payload.size = size;
        assert_int_equal(note_read(&e, &back), ERR_FORMAT);
    }
    e.payload.size = whole + 1;
    assert_int_equal(note_read(&e, &back), ERR_FORMAT);
}

static void numbers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        int at;
        uint8_t value;
    } cases[] = {
        {62, 0x80},             // a time before now
        {61, 0x7f},             // one that no clock counts to
        {63, NOTE_PLAYERS + 1}, // players
        {64, NOTE_PLAYERS + 1}, // waiting
        {65, NOTE_PLAYERS + 1}, // house bots
        {66, NOTE_BOTS + 1},    // named ones
        {67, NOTE_NAME},        // the length of a name
        {68, 0},                // a zero within it
    };
    char room[NOTE_MOST];
    struct entry e;
    struct note n = full_note(), back;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        note_write(&n, room, &e);
        room[cases[i].at] = (char)cases[i].value;
        if (note_read(&e, &back) != ERR_FORMAT)
            fail_msg("row %zu", i);
    }
    note_write(&n, room, &e);
    e.kind = ENTRY_FRAME;
    assert_int_equal(note_read(&e, &back), ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(players_travel_with_orders_alone),
        cmocka_unit_test(what_is_cut_or_too_long_is_refused),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
