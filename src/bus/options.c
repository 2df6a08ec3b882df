// Compiled only with libnats.
#ifdef AGON_NATS

#include "bus/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_MS = 3000 };

natsStatus bus_first_fault(const natsStatus *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i] != NATS_OK)
            return steps[i];
    return NATS_OK;
}

// Calls return their errors. Without this handler libnats prints them as well.
static void on_error(natsConnection *c, natsSubscription *s, natsStatus err, void *owner)
{
    (void)c, (void)s, (void)err, (void)owner;
}

static natsStatus set_login(natsOptions *n, const char *login)
{
    char user[256];
    const char *colon = strchr(login, ':');
    if (!colon)
        return natsOptions_SetToken(n, login);
    snprintf(user, sizeof user, "%.*s", (int)(colon - login), login);
    return natsOptions_SetUserInfo(n, user, colon + 1);
}

// SetURL takes one address; `url` may have several, separated by commas.
static natsStatus set_servers(natsOptions *n, const char *url)
{
    enum { MOST = 16 };
    char *copy = strdup(url), *rest = copy;
    const char *list[MOST];
    int count = 0;
    for (char *one; count < MOST && (one = strsep(&rest, ",")) != NULL;)
        if (*one)
            list[count++] = one;
    natsStatus s = count ? natsOptions_SetServers(n, list, count) : NATS_INVALID_ARG;
    free(copy);
    return s;
}

natsStatus bus_set_options(natsOptions *n, const struct bus_options *o)
{
    // libnats ignores the scheme: without this, the login could be sent in clear text.
    bool secure = strstr(o->url, "tls://") != NULL;
    const natsStatus steps[] = {
        set_servers(n, o->url),
        secure ? natsOptions_SetSecure(n, true) : NATS_OK,
        natsOptions_SetName(n, o->name),
        natsOptions_SetTimeout(n, CONNECT_MS),
        natsOptions_SetMaxReconnect(n, -1),
        natsOptions_SetErrorHandler(n, on_error, NULL),
        natsOptions_SetSendAsap(n, true),
        natsOptions_SetReconnectBufSize(n, 1), // callers put unsent messages again; they are not buffered here
        o->login ? set_login(n, o->login) : NATS_OK,
        o->ca_file ? natsOptions_LoadCATrustedCertificates(n, o->ca_file) : NATS_OK,
    };
    return bus_first_fault(steps, sizeof steps / sizeof *steps);
}

void bus_explain(char why[BUS_WHY], const struct bus_options *o, natsStatus s)
{
    snprintf(why, BUS_WHY, "cannot reach the bus at %s: %s; is nats-server running there%s?", o->url,
             natsStatus_GetText(s),
             s == NATS_CONNECTION_AUTH_FAILED ? ", and is the login right (--bus-login, AGON_BUS_LOGIN)" : "");
}

#else

typedef int bus_options_are_for_libnats; // a file may not be empty

#endif
