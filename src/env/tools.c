// The tools with their schemas (G4): env_call checks arguments against the input schemas.
#include "env/model.h"

#define ID "{\"type\":\"string\",\"pattern\":\"^[a-zA-Z0-9_:-]+$\",\"minLength\":1,\"maxLength\":128}"

// G11.5: no minimum for integers, and fractions are refused later with a specific message.
#define ACTION                                                                                                         \
    "{\"description\":\"{type, params}, words such as \\\"fold\\\", an index of game://actions, or a vector where "    \
    "the "                                                                                                             \
    "space is continuous\","                                                                                           \
    "\"anyOf\":[{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\"},\"params\":{\"type\":\"object\"}," \
    "\"index\":{\"type\":\"integer\"}}},{\"type\":\"string\"},{\"type\":\"integer\"},{\"type\":\"array\",\"items\":"   \
    "{\"type\":\"number\"}}]}"
#define TICKS "{\"type\":\"integer\",\"minimum\":1,\"maximum\":100000,\"default\":1}"

#define REGISTER                                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID                                                            \
    ",\"agent_type\":{\"type\":\"string\",\"enum\":[\"EntityBehavior\",\"ColonyManager\",\"WorldSimulation\","         \
    "\"GameMaster\",\"DialogueAgent\",\"CombatDirector\"]},"                                                           \
    "\"scope\":{\"type\":\"string\",\"enum\":[\"embodied\",\"systemic\"]},"                                            \
    "\"config\":{\"type\":\"object\",\"properties\":{\"avatar_id\":{\"type\":\"string\"},"                             \
    "\"spawn_point\":{\"type\":\"string\"},\"capabilities\":{\"type\":\"array\",\"items\":{\"type\":\"string\","       \
    "\"enum\":[\"admin\",\"narrative\",\"spawn\",\"world_modify\",\"debug\"]}},"                                       \
    "\"clock_mode\":{\"type\":\"string\",\"enum\":[\"training\",\"live\"]},"                                           \
    "\"session_type\":{\"type\":\"string\",\"enum\":[\"exclusive\",\"shared\"]},"                                      \
    "\"observation_profile\":{\"type\":\"string\",\"enum\":[\"full\",\"compact\",\"vector\"]},"                        \
    "\"vector\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2,\"default\":1},"                                     \
    "\"observation_keys\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                                       \
    "\"action_mask\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                                            \
    "\"reward_shaping\":{\"type\":\"object\",\"properties\":{\"components\":{\"type\":\"array\","                      \
    "\"items\":{\"type\":\"string\"}},\"weights\":{\"type\":\"object\",\"additionalProperties\":"                      \
    "{\"type\":\"number\",\"minimum\":-1000000000,\"maximum\":1000000000}}}},"                                         \
    "\"legal\":{\"type\":\"string\",\"enum\":[\"full\",\"mask\",\"none\"]},"                                           \
    "\"guide\":{\"type\":\"boolean\"},\"state_hash\":{\"type\":\"boolean\"},"                                          \
    "\"table\":{\"type\":[\"integer\",\"string\"]},\"team\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2},"       \
    "\"queue\":{\"type\":\"object\",\"properties\":{\"game\":{\"type\":\"string\"},\"mode\":{\"type\":\"string\"}},"   \
    "\"required\":[\"game\"]},\"api_key\":{\"type\":\"string\"},\"owner_secret\":{\"type\":\"string\"},"               \
    "\"entropy\":{\"type\":\"string\",\"pattern\":\"^[0-9A-Fa-f]+$\",\"minLength\":64,\"maxLength\":64},"              \
    "\"join_secret\":{\"description\":\"of a named table; its owner sets it, or has one made by true\","               \
    "\"anyOf\":[{\"type\":\"boolean\"},{\"type\":\"string\",\"minLength\":12,\"maxLength\":64}]}}}},"                  \
    "\"required\":[\"agent_id\",\"agent_type\"]}"

#define SPACES "\"observation_space\":{\"type\":\"object\"},\"action_space\":{\"type\":\"object\"}"

#define REGISTERED                                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"registered\":{\"type\":\"boolean\",\"enum\":[true]},"  \
    "\"scope\":{\"type\":\"string\"},\"avatar\":{\"type\":\"object\"},\"capabilities\":{\"type\":\"array\"}," SPACES   \
    ",\"status\":{\"type\":\"string\"},\"clock\":{\"type\":\"string\"},\"observation_profile\":{\"type\":\"string\"}," \
    "\"guide\":{\"type\":\"string\"},\"table\":{\"type\":\"string\"},\"owner\":{\"type\":\"boolean\"},"                \
    "\"owner_secret\":{\"type\":\"string\"},\"join_secret\":{\"type\":\"string\"}},"                                   \
    "\"required\":[\"agent_id\",\"registered\",\"scope\",\"observation_space\",\"action_space\"]}"

#define HASH "{\"type\":\"string\",\"pattern\":\"^sha256:[a-f0-9]{64}$\"}"
#define EVENTS                                                                                                         \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\"},"               \
    "\"tick\":{\"type\":\"integer\",\"minimum\":0},\"severity\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":3},"   \
    "\"details\":{\"type\":\"object\"}},\"required\":[\"type\",\"tick\",\"severity\",\"details\"]}}"

#define STEP_PROPERTIES                                                                                                \
    "\"agent_id\":{\"type\":\"string\"},\"step_id\":{\"type\":\"integer\",\"minimum\":0},"                             \
    "\"tick\":{\"type\":\"integer\",\"minimum\":0},\"observation\":{\"type\":\"object\"},"                             \
    "\"reward\":{\"type\":\"number\"},\"reward_components\":{\"type\":\"object\",\"additionalProperties\":"            \
    "{\"type\":\"number\"}},\"done\":{\"type\":\"boolean\"},\"truncated\":{\"type\":\"boolean\"},"                     \
    "\"termination_reason\":{\"type\":\"string\",\"enum\":[\"success\",\"failure\",\"timeout\",\"external\"]},"        \
    "\"events\":" EVENTS ",\"frame_ids\":{\"type\":\"object\"},"                                                       \
    "\"available_actions\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},\"metrics\":{\"type\":\"object\"},"    \
    "\"state_hash\":" HASH ",\"seeded\":{\"type\":\"boolean\"},\"warning\":{\"type\":\"string\"},"                     \
    "\"revealed\":{\"type\":\"object\"}"
#define STEP_REQUIRED                                                                                                  \
    "\"required\":[\"agent_id\",\"step_id\",\"tick\",\"observation\",\"reward\",\"reward_components\",\"done\","       \
    "\"truncated\",\"events\"]"
#define STEP "{\"type\":\"object\",\"properties\":{" STEP_PROPERTIES "}," STEP_REQUIRED "}"

#define RESET                                                                                                          \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"seed\":{\"type\":\"integer\"},"                        \
    "\"scope\":{\"type\":\"string\",\"enum\":[\"global\",\"agent\"],\"default\":\"global\"},"                          \
    "\"scenario\":{\"type\":\"string\"},\"config\":{\"type\":\"object\",\"properties\":{"                              \
    "\"scenario\":{\"type\":\"string\"},\"initial_state\":{\"type\":\"object\"},"                                      \
    "\"domain_randomization\":{\"type\":\"object\",\"properties\":{"                                                   \
    "\"visual\":{\"type\":\"object\",\"properties\":{\"lighting_variation\":" UNIT ",\"texture_noise\":" UNIT          \
    ",\"camera_jitter\":" UNIT "}},"                                                                                   \
    "\"physics\":{\"type\":\"object\",\"properties\":{\"gravity_multiplier\":{\"type\":\"array\",\"items\":"           \
    "{\"type\":\"number\",\"minimum\":0.1,\"maximum\":20},\"minItems\":2,\"maxItems\":2},"                             \
    "\"friction_variation\":" UNIT "}},"                                                                               \
    "\"gameplay\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[{\"type\":\"number\"},"                    \
    "{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":2,\"maxItems\":2}]}}}}}}}}"
#define UNIT "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}"

#define RESET_RESULT                                                                                                   \
    "{\"type\":\"object\",\"properties\":{" STEP_PROPERTIES ",\"observations\":{\"type\":\"object\"},"                 \
    "\"episode\":{\"type\":\"integer\",\"minimum\":0},\"scenario\":{\"type\":\"string\"},"                             \
    "\"domain_randomization\":{\"type\":\"object\"},\"seed\":{\"type\":\"integer\"},"                                  \
    "\"seed_commitment\":" HASH ",\"previous\":{\"type\":\"object\"},\"spaces\":{\"type\":\"object\"}}," STEP_REQUIRED \
    "}"

#define BATCH                                                                                                          \
    "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":256,\"items\":"    \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"action\":" ACTION ",\"ticks\":" TICKS                  \
    "},\"required\":[\"agent_id\",\"action\"]}},"                                                                      \
    "\"sync_mode\":{\"type\":\"string\",\"enum\":[\"barrier\",\"sequential\",\"async\"],\"default\":\"barrier\"},"     \
    "\"order\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"ticks\":" TICKS "},\"required\":[\"steps\"]}"

#define BATCH_RESULT                                                                                                   \
    "{\"type\":\"object\",\"properties\":{\"step_id\":{\"type\":\"integer\",\"minimum\":0},"                           \
    "\"tick\":{\"type\":\"integer\",\"minimum\":0},\"sync_mode\":{\"type\":\"string\"},"                               \
    "\"results\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},\"state_hash\":" HASH                            \
    "},\"required\":[\"step_id\",\"tick\",\"sync_mode\",\"results\",\"state_hash\"]}"

// G20.8: too many streams are a matter of resources, not of syntax.
#define SIDE "{\"type\":\"integer\",\"minimum\":1,\"maximum\":4096}"
#define STREAMS                                                                                                        \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"profile\":{\"type\":\"string\"},"                      \
    "\"custom\":{\"type\":\"object\",\"properties\":{\"streams\":{\"type\":\"array\",\"items\":{\"type\":\"object\","  \
    "\"properties\":{\"name\":{\"type\":\"string\",\"pattern\":\"^[a-zA-Z0-9_:-]+$\",\"minLength\":1,\"maxLength\":"   \
    "48},"                                                                                                             \
    "\"type\":{\"type\":\"string\",\"enum\":[\"rgb\",\"depth\",\"segmentation\",\"flow\"]},\"width\":" SIDE            \
    ",\"height\":" SIDE ",\"camera\":{\"type\":\"string\"}},"                                                          \
    "\"required\":[\"name\",\"type\",\"width\",\"height\"]}}},\"required\":[\"streams\"]}},\"required\":[\"agent_"     \
    "id\"]}"
#define STREAMS_RESULT                                                                                                 \
    "{\"type\":\"object\",\"properties\":{\"agent_id\":{\"type\":\"string\"},\"profile\":{\"type\":\"string\"},"       \
    "\"streams\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"stream_id\":{\"type\":"          \
    "\"string\"},"                                                                                                     \
    "\"width\":" SIDE ",\"height\":" SIDE ",\"pixel_format\":{\"type\":\"string\",\"enum\":[\"rgba8\",\"bgra8\","      \
    "\"rgb8\",\"r32f\",\"rg32f\"]},\"ring_count\":{\"type\":\"integer\",\"minimum\":2},"                               \
    "\"transport\":{\"type\":\"object\"},\"sync\":{\"type\":\"object\"}},\"required\":[\"stream_id\",\"width\","       \
    "\"height\","                                                                                                      \
    "\"pixel_format\",\"ring_count\",\"transport\"]}}},\"required\":[\"agent_id\",\"streams\"]}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define FILE_NAME                                                                                                      \
    "{\"type\":\"string\",\"description\":\"a file name: letters, digits, _ - : ., at most 100; .json .jsonl "         \
    ".msgpack "                                                                                                        \
    ".mpk .h5 .hdf5 or no suffix\",\"minLength\":1,\"maxLength\":1000}"
#define SAVE                                                                                                           \
    "{\"type\":\"object\",\"properties\":{\"path\":" FILE_NAME ","                                                     \
    "\"overwrite\":{\"type\":\"boolean\",\"default\":false},"                                                          \
    "\"agent_ids\":{\"type\":\"array\",\"items\":" ID "},"                                                             \
    "\"include_observations\":{\"type\":\"boolean\",\"default\":true},"                                                \
    "\"include_frames\":{\"type\":\"boolean\",\"default\":false},"                                                     \
    "\"format\":{\"type\":\"string\",\"enum\":[\"json\",\"msgpack\",\"hdf5\"],\"default\":\"msgpack\"},"               \
    "\"table\":" COUNT "},\"required\":[\"path\"]}"
#define SAVED                                                                                                          \
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"format\":{\"type\":\"string\"},"            \
    "\"episodes\":" COUNT ",\"steps\":" COUNT ",\"agents\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"      \
    "\"bytes\":" COUNT ",\"sha256\":" HASH ",\"partial\":{\"type\":\"boolean\"},\"verified\":{\"type\":\"boolean\"}}," \
    "\"required\":[\"path\",\"format\",\"episodes\",\"steps\",\"agents\",\"bytes\",\"sha256\"]}"
#define LOAD                                                                                                           \
    "{\"type\":\"object\",\"properties\":{\"path\":" FILE_NAME ","                                                     \
    "\"playback_mode\":{\"type\":\"string\",\"enum\":[\"instant\",\"realtime\",\"step\"],\"default\":\"instant\"},"    \
    "\"verify_determinism\":{\"type\":\"boolean\",\"default\":true},\"table\":" COUNT "},\"required\":[\"path\"]}"
#define LOADED                                                                                                         \
    "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},\"format\":{\"type\":\"string\"},"            \
    "\"episodes\":" COUNT ",\"steps\":" COUNT ",\"playback_mode\":{\"type\":\"string\"},"                              \
    "\"verified\":{\"type\":\"boolean\"},\"mismatches\":{\"type\":\"array\",\"maxItems\":16,\"items\":"                \
    "{\"type\":\"object\",\"properties\":{\"episode\":" COUNT ",\"step\":" COUNT                                       \
    ",\"expected\":{\"type\":\"string\"},"                                                                             \
    "\"actual\":{\"type\":\"string\"},\"component\":{\"type\":\"string\"}}}},\"final_tick\":" COUNT                    \
    ",\"final_state_hash\":" HASH ",\"cursor\":" COUNT ",\"remaining\":" COUNT                                         \
    ",\"entries\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}},"                                              \
    "\"required\":[\"path\",\"format\",\"episodes\",\"steps\",\"playback_mode\",\"mismatches\",\"final_tick\","        \
    "\"final_state_hash\"]}"

const struct env_tool env_tools[] = {
    {"register_agent", "Register an agent",
     "Takes a seat (EntityBehavior) or another role at the table and tells the spaces and how to play. A table named "
     "by "
     "config.table is shared; whoever names it first owns it and is told owner_secret. Example: "
     "{\"agent_id\":\"me\",\"agent_type\":\"EntityBehavior\"}",
     REGISTER, REGISTERED, false, false, true, NULL},
    {"deregister_agent", "Deregister an agent",
     "Gives the agent's seat back to the house. Example: {\"agent_id\":\"me\"}",
     "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID "},\"required\":[\"agent_id\"]}",
     "{\"type\":\"object\",\"properties\":{\"agent_id\":{\"type\":\"string\"},\"deregistered\":{\"type\":\"boolean\"}},"
     "\"required\":[\"agent_id\",\"deregistered\"]}",
     false, true, false, NULL},
    {"sim_step", "Act and step",
     "Performs an action and advances the simulation; answers observation, reward and whether the episode is over. "
     "Example: {\"agent_id\":\"me\",\"action\":{\"type\":\"wait\"},\"ticks\":1}",
     "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"action\":" ACTION ",\"ticks\":" TICKS
     ",\"mode\":{\"type\":\"string\",\"enum\":[\"training\",\"live\",\"inference\"]},"
     "\"async\":{\"type\":\"boolean\",\"default\":false}},\"required\":[\"agent_id\",\"action\"]}",
     STEP, false, true, false, NULL},
    {"reset", "Begin an episode",
     "Begins a new episode for all agents of the table (scope global) or puts one agent back (scope agent). At a "
     "shared "
     "table only the owner may choose a seed, and the episode is then marked: seeded, not for contests. Example: "
     "{\"seed\":42,\"config\":{}}",
     RESET, RESET_RESULT, false, true, false, NULL},
    {"get_state_hash", "Hash of the state",
     "Hash of the table's state, or with agent_id of what that agent sees. Example: {\"include_rng\":true}",
     "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID ",\"include_rng\":{\"type\":\"boolean\",\"default\":true},"
     "\"table\":{\"type\":\"integer\",\"minimum\":0}}}",
     "{\"type\":\"object\",\"properties\":{\"hash\":" HASH ",\"tick\":{\"type\":\"integer\",\"minimum\":0},"
     "\"components\":{\"type\":\"object\"}},\"required\":[\"hash\",\"tick\",\"components\"]}",
     true, false, true, NULL},
    {"save_trajectory", "Save the recording",
     "Writes what was recorded at the table into a file of the server's folder of trajectories; a file of that name is "
     "replaced only with overwrite. Example: "
     "{\"path\":\"run.msgpack\",\"format\":\"msgpack\"}",
     SAVE, SAVED, false, false, true, NULL},
    {"load_trajectory", "Play a recording again",
     "Plays a saved trajectory again, compares every recorded hash, and leaves the table at its last state. Example: "
     "{\"path\":\"run.msgpack\",\"verify_determinism\":true}",
     LOAD, LOADED, false, true, false, NULL},
    {"configure_streams", "Configure vision streams",
     "Pictures of what the agent sees, in shared memory: a profile of game://manifest or streams of its own; an empty "
     "list removes them. Example: {\"agent_id\":\"me\",\"profile\":\"policy_fast\"}",
     STREAMS, STREAMS_RESULT, false, false, true, NULL},
    {"batch_step", "Step several agents",
     "Performs the actions of several agents together (barrier), one after the other (sequential) or without waiting "
     "for others (async). Example: {\"steps\":[{\"agent_id\":\"me\",\"action\":0}]}",
     BATCH, BATCH_RESULT, false, true, false, NULL},
    {"send_message", "Send a message",
     "Talks to another agent or to all; they find it in the events of their next step. Example: "
     "{\"from_agent\":\"me\",\"content\":{\"text\":\"hello\"}}",
     "{\"type\":\"object\",\"properties\":{\"from_agent\":" ID ",\"to_agent\":{\"type\":\"string\"},"
     "\"channel\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64,\"default\":\"table\"},"
     "\"content\":{\"type\":\"object\"}},\"required\":[\"from_agent\",\"content\"]}",
     "{\"type\":\"object\",\"properties\":{\"delivered\":{\"type\":\"boolean\"},\"message_id\":{\"type\":\"integer\"},"
     "\"recipients\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
     "\"required\":[\"delivered\",\"message_id\",\"recipients\"]}",
     false, false, false, NULL},
    {"observe", "Look without acting",
     "The agent's step object of this moment; nothing advances. Example: {\"agent_id\":\"me\"}",
     "{\"type\":\"object\",\"properties\":{\"agent_id\":" ID "},\"required\":[\"agent_id\"]}", STEP, true, false, true,
     NULL},
    {0},
    // --- of players (M52)
    {"join", "Join a game",
     "Take a seat and start a game. Returns your seat handle, the rules, the situation and your legal moves. House "
     "bots "
     "play the empty seats. The seat is given up after 30 minutes without a call.",
     "{\"type\":\"object\",\"properties\":{\"game\":{\"type\":\"string\"},\"scenario\":{\"type\":\"string\"},"
     "\"table\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":64},\"seed\":{\"type\":\"integer\"},"
     "\"seat\":{\"type\":\"string\"}}}",
     NULL, false, false, false,
     "{\"type\":\"object\",\"properties\":{\"game\":{\"type\":\"string\",\"enum\":[@G],\"description\":\"Which game. "
     "May "
     "be omitted if the server offers only one.\"},\"scenario\":{\"type\":\"string\",\"description\":\"Variant of the "
     "game, for example players_4 or heads_up. Omit for the usual one; an unknown name returns the list.\"},"
     "\"table\":{\"type\":\"string\",\"description\":\"Name of a table to share with other players. Omit for a private "
     "table against house bots.\"},\"seed\":{\"type\":\"integer\",\"description\":\"Repeats the same deal. Private "
     "tables only. Omit for a new random deal.\"},\"seat\":{\"type\":\"string\",\"description\":\"Your handle, to play "
     "another game at the same table.\"}}}"},
    {"act", "Make a move",
     "Make one move. Returns what happened up to your next decision, the situation, and your legal moves. An illegal "
     "move changes nothing: the answer says why and lists what is legal.",
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\"},\"move\":{\"anyOf\":[{\"type\":\"string\"},"
     "{\"type\":\"object\"}],\"description\":\"one of the legal moves of the last answer\"}},\"required\":[\"move\"]}",
     NULL, false, false, false,
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\",\"description\":\"Your seat handle from "
     "join.\"},\"move\":{\"type\":\"string\",\"description\":\"One of the legal moves of the last answer, written as "
     "there, with a value filled in: @M.\"}},\"required\":[\"seat\",\"move\"]}"},
    {"look", "Look at the table",
     "Show the situation and your legal moves without moving. Use it when it is not your turn: with wait it answers as "
     "soon as it is.",
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\"},\"wait\":{\"type\":\"integer\",\"minimum\":0,"
     "\"maximum\":25},\"show\":{\"type\":\"string\",\"enum\":[\"text\",\"rules\",\"image\"]}}}",
     NULL, true, false, true,
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\",\"description\":\"Your seat handle from "
     "join.\"},\"wait\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":25,\"description\":\"Seconds to wait for your "
     "turn. Default "
     "0.\"},\"show\":{\"type\":\"string\",\"enum\":[\"text\",\"rules\",\"image\"],\"description\":\"text: "
     "the situation (default). rules: the complete rules. image: a picture of the table as well.\"}},"
     "\"required\":[\"seat\"]}"},
    {"leave", "Leave the table", "Give up your seat. A house bot takes over. Only needed to free a shared table early.",
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\"}}}", NULL, false, true, false,
     "{\"type\":\"object\",\"properties\":{\"seat\":{\"type\":\"string\",\"description\":\"Your seat handle from "
     "join.\"}},\"required\":[\"seat\"]}"},
    {0},
};

enum { FULL_TOOLS = 11 }; // before the {0} that ends them
const struct env_tool *const env_player_tools = &env_tools[FULL_TOOLS + 1];

const struct env_resource env_resources[] = {
    {"game://manifest", "manifest", "What this environment is and can do.", "application/json"},
    {"game://agents", "agents", "The agents of the table.", "application/json"},
    {"game://world", "world", "Tick, episode, phase and hash of the table.", "application/json"},
    {"game://actions", "actions", "The numbered actions of a seat.", "application/json"},
    {"game://rules", "rules", "The game and how to play it here.", "text/markdown"},
    {"game://agents/{agent_id}", "agent", "One agent of the table.", "application/json"},
    {"game://agents/{agent_id}/observation", "observation", "What an own agent sees now.", "application/json"},
    {"game://tables/{n}", "table", "A numbered table, as game://world.", "application/json"},
    {0},
};
