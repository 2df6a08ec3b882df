// One received JSON-RPC message (G2): its kind, id and method. Parsed once.
#pragma once

#include "base/json_read.h"
#include "base/text.h"

enum {
    MCP_MAX_DEPTH = 64,               // G2.2
    MCP_MAX_ID = 256,                 // G2.4: bytes of a string id
    MCP_ID_TEXT = 6 * MCP_MAX_ID + 2, // as JSON, every byte escaped
    MCP_PARSE_ERROR = -32700,         // G9.1
    MCP_INVALID_REQUEST = -32600,
    MCP_UNKNOWN_METHOD = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL = -32603,
    MCP_NO_RESOURCE = -32002,
    MCP_EXHAUSTED = -32004,
};

// An id or a progress token: JSON with one spelling per value, so that equal ones have equal bytes.
struct mcp_id {
    uint16_t size; // 0: none
    char at[MCP_ID_TEXT];
};

enum { MCP_KEYS = 12 };

// The params of a tools/call, and of anything else with members of these names.
struct mcp_call_params {
    bool is_object;     // false: the rest is not set
    bool named;         // name is a string
    bool bad_arguments; // they are not an object
    struct json_string name;
    struct span arguments; // raw; {} if absent or null
    // Kept so that unknown arguments can be named without reading them again (M54).
    int key_count; // of the arguments; beyond MCP_KEYS only counted
    struct json_string key[MCP_KEYS];
    struct mcp_id token; // _meta.progressToken
};

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE, MCP_INVALID };

struct mcp_message {
    enum mcp_kind kind;
    struct json_string method;
    struct span params;          // raw; empty if absent or null
    struct mcp_call_params call; // the same, parsed
    struct span answer;          // the result of a response, raw; empty: none
    const char *fault;           // MCP_INVALID: what is wrong
    struct mcp_id id;            // of a request or response; of an invalid message if usable
};

// OK, or why the text is not JSON: then only a parse error can be sent.
int mcp_message_read(struct mcp_message *m, struct span text);
void mcp_call_params_read(struct mcp_call_params *p, struct json_reader *r); // the value ahead
const char *mcp_parse_name(int err);                                         // data.name of that parse error

// Reads a string or an integer (G2.4, G2.7); returns false, skipping the value, if it is neither.
bool mcp_id_read(struct mcp_id *id, struct json_reader *r);
bool mcp_id_equals(const struct mcp_id *a, const struct mcp_id *b);

static inline struct span mcp_id_span(const struct mcp_id *id)
{
    return id->size ? (struct span){id->at, id->size} : SPAN("null");
}
