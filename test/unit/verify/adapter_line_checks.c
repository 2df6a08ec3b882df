// Lines of an adapter with one fault each, and the one assertion that must find it.
#include "verify/adapter_gates.h"
#include "verify/adapter_parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define EMPTY_ROW "[0,0,0,0,0,0,0,0,0,0]"
#define FIVE_ROWS EMPTY_ROW "," EMPTY_ROW "," EMPTY_ROW "," EMPTY_ROW "," EMPTY_ROW

static const char welcome[] =
    "{'type':'welcome','seq':1,'ts':5,'protocol_version':'2.1.0','client_id':1,'role':'controller','controller_id':1,"
    "'game_id':'agon','ruleset':'standard','coordinates':'cell','clock':'live','hash':'agon','table':'1',"
    "'capabilities':{'formats':['json'],'command_modes':['action','place'],'features':['hold','next'],"
    "'features_always':['next'],'features_optional':['hold'],'control_policy':{'auto_promote_on_disconnect':true,"
    "'promotion_order':'lowest_client_id','auto_promote_on_release':false}}}";

static const char observation[] =
    "{'type':'observation','seq':10,'ts':5,'playable':true,'paused':false,'game_over':false,'episode_id':3,'seed':1,"
    "'piece_id':4,'step_in_piece':0,'board':{'width':10,'height':20,'cells':[" FIVE_ROWS "," FIVE_ROWS "," FIVE_ROWS
    "," FIVE_ROWS "]},'board_id':2,'active':{'kind':'t','rotation':'north','x':4,'y':1},'ghost_y':18,'next':'i',"
    "'next_queue':['i','o','s','z','l'],'hold':null,'can_hold':true,'state_hash':'0123456789abcdef','score':0,"
    "'level':1,'lines':0,'timers':{'drop_ms':1,'lock_ms':2,'line_clear_ms':0},'logical_step':50,'controller_id':1,"
    "'events':[]}";

static const char ack[] =
    "{'type':'ack','seq':2,'ts':5,'status':'ok','correlation_seq':2,'applied_step':7,'state_hash':'0123456789abcdef'}";
static const char error[] = "{'type':'error','seq':2,'ts':5,'code':'invalid_command','message':'no'}";

static struct adapter_check check;
static struct client d;

// As after hello and one command, and an observation that was sound.
static void begin(bool own)
{
    check = (struct adapter_check){.own = own};
    check.assertions = (struct assertions){adapter_assertions, check.outcomes, ADAPTER_ASSERTIONS};
    d = (struct client){
        .target = {.version = "2.1.0"}, .stream = true, .seen_seq = 9, .seen_episode = 3, .seen_step = 50};
    d.asked[1] = (struct client_request){.seq = 1, .asked = 1};
    d.asked[2] = (struct client_request){.seq = 2, .asked = 1, .answered = 1, .command = true};
    d.observations = 2;
    d.welcome_bytes = 700;
}

// The line with its first `from` replaced by `to`.
static void look(const char *line, const char *from, const char *to)
{
    char text[4200];
    const char *at = from ? strstr(line, from) : line;
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - line), line, from ? to : "", from ? at + strlen(from) : line);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    struct span span = span_of(text);
    json_t *root = adapter_parse_message(&d.last, span);
    wire_quote(d.received, span);
    adapter_check_line(&check, &d, root, span);
    json_decref(root);
}

static void failed_alone(enum adapter_assertion id, const char *from, const char *to)
{
    for (int i = 0; i < ADAPTER_ASSERTIONS; i++)
        if ((check.outcomes[i].verdict == GATE_FAIL) != (i == (int)id))
            fail_msg("%s for %s: %s is %s: %s", to, from, adapter_assertions[i].name,
                     gate_word(check.outcomes[i].verdict), check.outcomes[i].why);
}

static void sound_lines_fail_nothing(void **unused)
{
    (void)unused;
    static const char *const lines[] = {welcome, observation, ack, error};
    begin(true);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        look(lines[i], NULL, NULL);
        failed_alone(ADAPTER_ASSERTIONS, "nothing", lines[i]);
    }
    assert_int_equal(check.outcomes[MUST_BOARD_CELLS].verdict, GATE_PASS);
    assert_int_equal(check.outcomes[MUST_ACK_STEP].verdict, GATE_PASS);
}

struct fault {
    const char *from, *to;
    enum adapter_assertion id;
};

static void each_is_found(const char *line, const struct fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin(true);
        look(line, faults[i].from, faults[i].to);
        failed_alone(faults[i].id, faults[i].from, faults[i].to);
    }
}

#define EACH_IS_FOUND(line, faults) each_is_found(line, faults, sizeof(faults) / sizeof *(faults))

static void faults_of_a_welcome(void **unused)
{
    (void)unused;
    static const struct fault faults[] = {
        {"'seq':1", "'seq':2", MUST_WELCOME_SEQ},
        {"'ts':5", "'ts':5.5", MUST_MESSAGE_TS},
        {"'2.1.0'", "'2.1'", MUST_WELCOME_VERSION},
        {"'2.1.0'", "'3.0.0'", MUST_WELCOME_VERSION},
        {"'client_id':1", "'client_id':'1'", MUST_WELCOME_CLIENT_ID},
        {"'role':'controller'", "'role':'player'", MUST_WELCOME_ROLE},
        {"'controller_id':1", "'controller_id':'1'", MUST_WELCOME_CONTROLLER_ID},
        {"'controller_id':1", "'controller_id':2", MUST_WELCOME_CONTROLLER_TRUE},
        {"'controller_id':1", "'controller_id':null", MUST_WELCOME_CONTROLLER_TRUE},
        {"'game_id':'agon'", "'game_id':''", MUST_WELCOME_GAME_ID},
        {"['json']", "['xml']", MUST_WELCOME_FORMATS},
        {"['action','place']", "['action']", MUST_WELCOME_MODES},
        {"'features':['hold','next']", "'features':['hold','next',1]", MUST_WELCOME_FEATURES},
        {"'features_always':['next']", "'features_always':['other']", MUST_FEATURES_LISTED},
        {"'auto_promote_on_disconnect':true", "'auto_promote_on_disconnect':1", MUST_POLICY_DISCONNECT},
        {"'lowest_client_id'", "'random'", MUST_POLICY_ORDER},
        {"'auto_promote_on_release':false", "'auto_promote_on_release':true", MUST_POLICY_RELEASE},
        {"'table':'1'", "'desk':'1'", MUST_WELCOME_EXTRAS},
    };
    EACH_IS_FOUND(welcome, faults);
}

static void faults_of_an_observation(void **unused)
{
    (void)unused;
    static const struct fault faults[] = {
        {"'score':0", "'points':0", MUST_OBSERVATION_FIELDS},
        {"'seq':10", "'seq':9", MUST_OBSERVATION_SEQ},
        {"'can_hold':true", "'can_hold':1", MUST_OBSERVATION_FLAGS},
        {"'lines':0", "'lines':-1", MUST_OBSERVATION_NUMBERS},
        {"'active':{'kind':'t','rotation':'north','x':4,'y':1}", "'active':null", MUST_OBSERVATION_ACTIVE},
        {"'episode_id':3", "'episode_id':2", MUST_OBSERVATION_EPISODE},
        {"'logical_step':50", "'logical_step':49", MUST_OBSERVATION_EXTRAS},
        {"'width':10", "'width':9", MUST_BOARD_SHAPE},
        {EMPTY_ROW, "[0,0,0,0,0,0,0,0,0]", MUST_BOARD_SHAPE},
        {EMPTY_ROW, "[0,0,0,8,0,0,0,0,0,0]", MUST_BOARD_CELLS},
        {"['i','o','s','z','l']", "['i','o','s','z']", MUST_QUEUE_FIVE},
        {"'next':'i'", "'next':'o'", MUST_QUEUE_NEXT},
        {"'kind':'t'", "'kind':'T'", MUST_ACTIVE_KIND},
        {"'north'", "'up'", MUST_ACTIVE_ROTATION},
        {"'x':4", "'x':-1", MUST_ACTIVE_X},
        {"'y':1},'ghost_y':18", "'y':24},'ghost_y':null", MUST_ACTIVE_Y},
        {"'hold':null", "'hold':'none'", MUST_HOLD_KIND},
        {"'ghost_y':18", "'ghost_y':0", MUST_GHOST_Y},
        {"'0123456789abcdef'", "'0123456789ABCDEF'", MUST_STATE_HASH},
        {"'drop_ms':1", "'drop_ms':-1", MUST_TIMERS},
        {"'events':[]", "'events':[],'last_event':7", MUST_LAST_EVENT},
        {"'events':[]", "'events':[{}]", MUST_EVENT_LIST},
        {"'paused':false", "'paused':true", MUST_PAUSE_PLAYABLE},
        {"'game_over':false", "'game_over':true", MUST_OVER_PLAYABLE},
    };
    EACH_IS_FOUND(observation, faults);
}

static void faults_of_replies(void **unused)
{
    (void)unused;
    static const struct fault of_ack[] = {
        {"'ok'", "'fine'", MUST_ACK_STATUS},
        {"'correlation_seq':2", "'correlation_seq':3", MUST_ACK_CORRELATION},
        {"'applied_step':7", "'applied_step':'7'", MUST_ACK_STEP},
        {"'type':'ack'", "'type':'okay'", MUST_MESSAGE_TYPE},
        {"{'type'", "{'type':1", MUST_MESSAGE_JSON},
    };
    static const struct fault of_error[] = {
        {"'seq':2", "'seq':2.5", MUST_MESSAGE_SEQ},
        {"'invalid_command'", "'mystery'", MUST_ERROR_CODE},
        {"'invalid_command'", "'snapshot_required'", MUST_SNAPSHOT_REQUIRED},
        {"'message':'no'", "'message':''", MUST_ERROR_MESSAGE},
        {"'invalid_command'", "'backpressure'", MUST_BURST_RETRY_AFTER},
        {"'message':'no'", "'message':'no','retry_after_ms':0", MUST_BURST_RETRY_AFTER},
    };
    EACH_IS_FOUND(ack, of_ack);
    EACH_IS_FOUND(error, of_error);
}

static void a_reply_comes_once_and_to_a_question(void **unused)
{
    (void)unused;
    begin(true);
    d.asked[2].answered = 2;
    look(ack, NULL, NULL);
    failed_alone(MUST_REPLY_ONCE, "an answer", "two");
    begin(true);
    d.stray = true;
    look(error, NULL, NULL);
    failed_alone(MUST_REPLY_SEQ, "a seq", "another");
}

static void what_was_said_before_is_kept(void **unused)
{
    (void)unused;
    begin(true);
    d.stream = false;
    look(observation, NULL, NULL);
    failed_alone(MUST_OBSERVATION_OFF, "no stream", "one");
    begin(true);
    d.observations = 1;
    d.welcome_bytes = 3900;
    look(observation, NULL, NULL);
    failed_alone(MUST_WELCOME_SIZE, "a small welcome", "a large one");
    begin(true);
    d.observations = 1;
    look(observation, "'score':0,", "");
    failed_alone(MUST_SNAPSHOT_FIRST, "a snapshot", "half of it");
    begin(true);
    d.capabilities = json_pack("{s:[s]}", "features_always", "garbage");
    look(observation, NULL, NULL);
    failed_alone(MUST_FEATURES_ALWAYS, "a feature", "none");
    json_decref(d.capabilities);
}

// Of another adapter only what the standard has is asked.
static void others_may_leave_out_what_is_ours(void **unused)
{
    (void)unused;
    static const struct fault faults[] = {
        {"'logical_step':50,'controller_id':1,", "", ADAPTER_ASSERTIONS},
        {"'0123456789abcdef'", "'any text'", ADAPTER_ASSERTIONS},
        {"'events':[]", "'last_event':null", ADAPTER_ASSERTIONS},
        {"'next':'i'", "'next':'o'", MUST_QUEUE_NEXT},
    };
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
        begin(false);
        look(observation, faults[i].from, faults[i].to);
        failed_alone(faults[i].id, faults[i].from, faults[i].to);
    }
    begin(false);
    look(welcome, "'table':'1'", "'desk':'1'");
    look(error, "'invalid_command'", "'snapshot_required'");
    failed_alone(ADAPTER_ASSERTIONS, "ours", "theirs");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_lines_fail_nothing),
        cmocka_unit_test(faults_of_a_welcome),
        cmocka_unit_test(faults_of_an_observation),
        cmocka_unit_test(faults_of_replies),
        cmocka_unit_test(a_reply_comes_once_and_to_a_question),
        cmocka_unit_test(what_was_said_before_is_kept),
        cmocka_unit_test(others_may_leave_out_what_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
