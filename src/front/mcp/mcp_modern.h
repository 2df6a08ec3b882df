// Revision 2026-07-28 (M1-M19): no handshake; every request is self-contained.
#pragma once

#include "front/mcp/mcp_message.h"

#define MCP_MODERN "2026-07-28"
#define MCP_PREFIX "io.modelcontextprotocol/"

enum {
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
    MCP_MAX_PARTY = 128,
};

// Of an HTTP request; at is NULL if a header is absent.
struct mcp_headers {
    struct span version, method, name, party;
};

// The relevant part of params._meta.
struct mcp_meta {
    bool there;                 // it is an object
    bool claims, claim_is_text; // it has a protocolVersion, which is a string
    bool has_capabilities, good_capabilities, bad_level, bad_party;
    // A longer one becomes "...", which is no version, so M5 refuses it.
    char claim[40];
    struct span capabilities; // of the client, raw
    char party[MCP_MAX_PARTY + 1], table[65], game[65];
};

// The kind of a message, by the table of M2. Rows 1, 5, 9, 11, 13: LEGACY; 3, 6, 10: IS_MODERN; 7, 8: UNCLAIMED;
// 4: MISMATCHED; 12: STRAY_RESPONSE. Row 2 is decided where arrays are read.
enum mcp_era { MCP_LEGACY, MCP_IS_MODERN, MCP_UNCLAIMED, MCP_MISMATCHED, MCP_STRAY_RESPONSE };

void mcp_meta_read(struct mcp_meta *m, struct span params);
bool mcp_meta_is_complete(const struct mcp_meta *m); // what M4 wants is there and well formed
enum mcp_era mcp_era_of(const struct mcp_message *m, const struct mcp_meta *meta, const struct mcp_headers *h);
bool mcp_is_new_version(struct span header); // present and not older than the modern one
// Whether a header's value, which may be encoded, is this text (M34).
bool mcp_header_is(struct span header, struct json_string text);
bool mcp_has_claim(struct span message); // in any message of an array
