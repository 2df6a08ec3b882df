#include "front/mcp/mcp_modern.h"

#include "base/base64.h"
#include "front/mcp/mcp_session.h"

bool mcp_is_new_version(struct span header)
{
    size_t size = sizeof MCP_MODERN - 1, both = header.size < size ? header.size : size;
    if (!header.at)
        return false;
    // M2 compares bytes, so that a later revision than ours is recognised as modern and then refused by name (M5).
    int order = memcmp(header.at, MCP_MODERN, both);
    return order > 0 || (order == 0 && header.size >= size);
}

// A string member into `out`; false, the value skipped: it is none, or too long.
static bool read_text(struct json_reader *r, char *out, size_t room)
{
    out[0] = 0;
    if (json_peek(r) != JSON_STRING) {
        json_skip(r);
        return false;
    }
    return json_string_copy(json_read_string(r), out, room) >= 0;
}

static void read_member(struct mcp_meta *m, struct json_reader *r, struct json_string key)
{
    static const char *const keys[] = {MCP_PREFIX "protocolVersion",
                                       MCP_PREFIX "clientCapabilities",
                                       MCP_PREFIX "logLevel",
                                       "agon/party",
                                       "agon/table",
                                       "agon/game",
                                       NULL};
    switch (json_string_among(key, keys)) {
    case 0:
        m->claims = true;
        m->claim_is_text = json_peek(r) == JSON_STRING;
        if (m->claim_is_text && json_string_copy(json_read_string(r), m->claim, sizeof m->claim) < 0)
            memcpy(m->claim, "...", 4);
        else if (!m->claim_is_text)
            json_skip(r);
        return;
    case 1:
        m->has_capabilities = true;
        m->good_capabilities = json_peek(r) == JSON_OBJECT;
        m->capabilities = json_read_raw(r);
        return;
    case 2:
        m->bad_level = json_peek(r) != JSON_STRING;
        if (m->bad_level)
            json_skip(r);
        else
            m->bad_level = json_string_among(json_read_string(r), mcp_levels) < 0;
        return;
    case 3:
        m->bad_party = !read_text(r, m->party, sizeof m->party);
        return;
    case 4:
        read_text(r, m->table, sizeof m->table);
        return;
    case 5:
        read_text(r, m->game, sizeof m->game);
        return;
    default:
        json_skip(r);
    }
}

void mcp_meta_read(struct mcp_meta *m, struct span params)
{
    struct json_reader r = json_reader_of(params, MCP_MAX_DEPTH);
    struct json_string key;
    *m = (struct mcp_meta){0};
    if (!params.size || json_peek(&r) != JSON_OBJECT)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (!json_string_is(key, "_meta") || json_peek(&r) != JSON_OBJECT) {
            json_skip(&r);
            continue;
        }
        *m = (struct mcp_meta){.there = true};
        for (json_enter_object(&r); json_next_key(&r, &key);)
            read_member(m, &r, key);
    }
}

bool mcp_meta_is_complete(const struct mcp_meta *m)
{
    return m->claim_is_text && m->good_capabilities && !m->bad_level;
}

enum mcp_era mcp_era_of(const struct mcp_message *m, const struct mcp_meta *meta, const struct mcp_headers *h)
{
    bool newer = h && mcp_is_new_version(h->version);
    if (m->kind == MCP_RESPONSE)
        return newer ? MCP_STRAY_RESPONSE : MCP_LEGACY;
    if (m->kind == MCP_NOTIFICATION)
        return meta->claims || newer ? MCP_IS_MODERN : MCP_LEGACY;
    if (m->kind != MCP_REQUEST)
        return MCP_LEGACY;
    if (json_string_is(m->method, "initialize")) {
        if (mcp_meta_is_complete(meta) && mcp_is_new_version(span_of(meta->claim)))
            return MCP_IS_MODERN;
        return newer ? MCP_MISMATCHED : MCP_LEGACY;
    }
    if (meta->claims)
        return MCP_IS_MODERN;
    bool only = json_string_is(m->method, "server/discover") || json_string_is(m->method, "subscriptions/listen");
    return newer || only ? MCP_UNCLAIMED : MCP_LEGACY;
}

bool mcp_has_claim(struct span message)
{
    static const char claim[] = "\"" MCP_PREFIX "protocolVersion\"";
    return message.size && memmem(message.at, message.size, claim, sizeof claim - 1);
}

bool mcp_header_is(struct span header, struct json_string text)
{
    enum { MARK = 9, END = 2 }; // =?base64? ... ?=
    // A uri or name that does not fit here matches no header.
    char plain[2048];
    uint8_t bytes[1536];
    while (header.size && (header.at[0] == ' ' || header.at[0] == '\t'))
        header.at++, header.size--;
    while (header.size && (header.at[header.size - 1] == ' ' || header.at[header.size - 1] == '\t'))
        header.size--;
    int size = json_string_unescape(text, plain, sizeof plain);
    if (!header.at || size < 0)
        return false;
    if (header.size > MARK + END && memcmp(header.at, "=?base64?", MARK) == 0 &&
        memcmp(header.at + header.size - END, "?=", END) == 0) {
        struct span inside = {header.at + MARK, header.size - MARK - END};
        long n = base64_read(inside, bytes, sizeof bytes);
        // Decoded before comparing: headers cannot carry all of UTF-8, and text in the body may have escapes.
        return n == size && memcmp(bytes, plain, (size_t)size) == 0;
    }
    return header.size == (size_t)size && memcmp(header.at, plain, header.size) == 0;
}
