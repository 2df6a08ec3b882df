#include "match/match.h"
