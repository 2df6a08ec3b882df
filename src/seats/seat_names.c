#include "seats/seat.h"

const char *const seat_call_names[SEAT_CALLS] = {"Cut",          "Negotiation", "CardPlay", "Action",
                                                 "Notification", "Create",      "Delete"};
const struct seat_dialect seat_giretra = {.omit_nulls = true, .early_result = true, .lax_cut = true};
