// The table test/support/http_cases.tsv, read once.
#pragma once

#include "base/span.h"

struct http_case {
    char name[64];
    int requests; // that are complete before the end
    int status;   // of a refusal; 0: none
    bool more;    // the last request is not complete
    char *bytes;
    size_t size;
};

enum { HTTP_CASES_MAX = 512 };

int http_cases_read(const char *path, struct http_case cases[HTTP_CASES_MAX]); // how many; aborts on a bad line
void http_cases_free(struct http_case *cases, int count);
