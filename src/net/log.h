// The server's log for its operator: one line per event on standard error, as JSON or as text. It must not contain
// secrets: no keys, no tokens, no cards.
//
//     struct log_line l;
//     log_begin(&l, LOG_LEVEL_INFO, "agent.registered");
//     log_put_text(&l, "name", name);
//     log_end(&l);
#pragma once

#include "base/text.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR, LOG_LEVEL_OFF };

struct log_line {
    char bytes[1024]; // what does not fit is left out
    struct text t;
    bool on; // its level is logged
};

void log_open(bool as_json, enum log_level least); // of the whole process; default: text, from warnings on
int log_find_level(const char *name);              // "debug", "info", "warning", "error", "off"; -1: unknown

void log_begin(struct log_line *l, enum log_level level, const char *event);
void log_put_text(struct log_line *l, const char *key, const char *value);
void log_put_int(struct log_line *l, const char *key, int64_t value);
void log_end(struct log_line *l); // one write
