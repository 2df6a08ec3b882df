// Gates: named checks of something that runs elsewhere, and their results. Every verification tool is a table of them.
#pragma once

#include "base/text.h"

enum gate_verdict { GATE_NOT_RUN, GATE_PASS, GATE_FAIL };

enum { GATE_WHY = 640 };

struct gate_result {
    enum gate_verdict verdict;
    double seconds;
    char why[GATE_WHY]; // describes the failure, or why it was not run
};

const char *gate_mark(enum gate_verdict v);                             // for people
const char *gate_word(enum gate_verdict v);                             // for programs
enum gate_verdict gate_worst(enum gate_verdict a, enum gate_verdict b); // combines two verdicts
bool gate_is_asked(const char *only, const char *id);                   // `only`: "C3,C12"; NULL: all
