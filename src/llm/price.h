// Prices of tokens: a price file (L91, L92). Money is counted in 1e-9 of the file's unit.
#pragma once

#include "base/text.h"
#include "llm/endpoint.h"

#include <stdint.h>

// Tokens of one request (L90). -1: the server did not say.
struct llm_usage {
    int64_t input, cached, cache_write, output, reasoning;
    int64_t cost;   // reported by the server; -1: not
    bool estimated; // input and output are our estimates
};

// Doubles only until a request is priced: sums are integers (L92).
struct llm_price {
    bool known;
    double input, cached, cache_write, output, reasoning, request; // per token, per request; in 1e-9
};

struct llm_prices {
    char *at; // the file
    size_t size;
    char currency[16], updated[32];
    double per;
};

bool prices_open(struct llm_prices *p, const char *path, char why[ENDPOINT_WHY]);
void prices_close(struct llm_prices *p);
struct llm_price prices_find(const struct llm_prices *p, const char *model);
int64_t price_of(const struct llm_price *p, const struct llm_usage *u); // -1: unknown
