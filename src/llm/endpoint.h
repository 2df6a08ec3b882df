// The endpoint of a model, parsed from its address llm:MODEL@URL[#KEY=VALUE,..] (L1, L2), and the file that names
// models (L4).
#pragma once

#include "base/text.h"
#include "llm/settings.h"

// Bytes of each part, with a NUL. ENDPOINT_WHY: of an error message.
enum { ENDPOINT_MODEL = 256, ENDPOINT_URL = 1024, ENDPOINT_HOST = 256, ENDPOINT_WHY = 512 };

struct llm_endpoint {
    char model[ENDPOINT_MODEL];
    char url[ENDPOINT_URL];   // address of requests
    char host[ENDPOINT_HOST]; // of it
    bool is_loopback;
    struct llm_settings settings; // api is set
};

// The contents of the models file; empty: none.
struct llm_file {
    char *at;
    size_t size;
};
bool llm_file_open(struct llm_file *f, const char *path, char why[ENDPOINT_WHY]);
void llm_file_close(struct llm_file *f);
// Calls for every name of the file, in order.
void llm_file_names(const struct llm_file *f, void (*call)(void *owner, const char *name), void *owner);

// `where` begins after "llm:". `all` are settings for every model (--llm); those of the file and of the fragment take
// precedence. Returns false and sets what would be right.
bool llm_endpoint_read(struct llm_endpoint *n, const char *where, const struct llm_file *file, struct span all,
                       bool allow_private, char why[ENDPOINT_WHY]);
