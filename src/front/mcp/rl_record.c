#include "front/mcp/rl_inside.h"

// Trajectories (G19): nothing is recorded in this build.
static bool refuse(struct rl_conn *c, struct rl_result *r)
{
    *r = rl_refuse(c->rl, -32603, "FormatNotBuilt", "This build has no trajectory format.");
    return true;
}

bool rl_save(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    (void)call, (void)arguments;
    return refuse(c, r);
}

bool rl_load(struct rl_conn *c, struct rl_parked *call, struct span arguments, struct rl_result *r)
{
    (void)call, (void)arguments;
    return refuse(c, r);
}
