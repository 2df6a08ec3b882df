#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tls {
    SSL_CTX *context;
};

struct tls_peer {
    SSL *ssl;
    int waits; // SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE or 0
};

static void format_error(char *why, size_t room, const char *what, const char *name)
{
    char text[160] = "unknown";
    unsigned long code = ERR_peek_last_error();
    if (code)
        ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    snprintf(why, room, "%s %s: %s", what, name, text);
}

static void format_pem_error(char *why, size_t room, const char *what, const char *path)
{
    char text[256];
    format_error(text, sizeof text, what, path);
    snprintf(why, room, "%s; it must be a PEM file", text);
}

// OpenSSL's message for a file that cannot be opened hides the reason.
static bool is_readable(const char *what, const char *path, char *why, size_t room)
{
    if (access(path, R_OK) == 0)
        return true;
    snprintf(why, room, "cannot read %s %s: %s", what, path, strerror(errno));
    return false;
}

static SSL_CTX *make(const SSL_METHOD *method)
{
    SSL_CTX *context = SSL_CTX_new(method);
    if (!context)
        return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // PARTIAL_WRITE makes SSL_write behave like send. MOVING_WRITE_BUFFER: a connection's output may be reallocated
    // between two attempts. RELEASE_BUFFERS: idle connections keep no buffers in OpenSSL.
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // With AUTO_RETRY one call would go on through all that TLS sends for itself, such as a million prepared key
    // updates.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    return context;
}

// Takes ownership of the context; returns NULL if it is NULL.
static struct tls *wrap_context(SSL_CTX *context)
{
    struct tls *t = context ? calloc(1, sizeof *t) : NULL;
    if (t)
        t->context = context;
    else
        SSL_CTX_free(context);
    return t;
}

// Without this OpenSSL asks at the terminal, and a server that reloads its key would wait for somebody to type.
static int refuse_pass_phrase(char *phrase, int room, int writes, void *asked)
{
    (void)phrase, (void)room, (void)writes;
    *(bool *)asked = true;
    return -1;
}

static bool load_key(SSL_CTX *context, const char *certificate, const char *key, char *why, size_t room)
{
    bool is_locked = false;
    SSL_CTX_set_default_passwd_cb(context, refuse_pass_phrase);
    SSL_CTX_set_default_passwd_cb_userdata(context, &is_locked);
    bool is_read = SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1;
    SSL_CTX_set_default_passwd_cb_userdata(context, NULL);
    // Reading compares the key with the certificate only if both are of one type, such as RSA.
    if (is_read && SSL_CTX_check_private_key(context) == 1)
        return true;
    unsigned long code = ERR_peek_last_error();
    if (is_locked)
        snprintf(why, room, "the key %s has a pass phrase; 'openssl pkey -in %s -out NEW' writes one without", key,
                 key);
    else if (is_read || (ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH))
        snprintf(why, room, "the key %s does not belong to the certificate %s", key, certificate);
    else
        format_pem_error(why, room, "cannot use the key", key);
    ERR_clear_error();
    return false;
}

static SSL_CTX *load_server(const char *certificate, const char *key, char *why, size_t room)
{
    if (!is_readable("the certificate", certificate, why, room) || !is_readable("the key", key, why, room))
        return NULL;
    SSL_CTX *context = make(TLS_server_method());
    if (!context)
        snprintf(why, room, "no memory");
    else if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        format_pem_error(why, room, "cannot use the certificate", certificate);
    else if (load_key(context, certificate, key, why, room))
        return context;
    SSL_CTX_free(context);
    return NULL;
}

struct tls *tls_open_server(const char *certificate, const char *key, char *why, size_t room)
{
    return wrap_context(load_server(certificate, key, why, room));
}

bool tls_reload(struct tls *t, const char *certificate, const char *key, char *why, size_t room)
{
    SSL_CTX *fresh = load_server(certificate, key, why, room);
    if (!fresh)
        return false;
    SSL_CTX_free(t->context); // existing connections hold references to theirs
    t->context = fresh;
    return true;
}

struct tls *tls_open_client(bool trust_anyone, char *why, size_t room)
{
    SSL_CTX *context = make(TLS_client_method());
    if (!context) {
        snprintf(why, room, "no memory");
        return NULL;
    }
    if (!trust_anyone && SSL_CTX_set_default_verify_paths(context) != 1) {
        format_error(why, room, "cannot read", "the system's certificates");
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_verify(context, trust_anyone ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    return wrap_context(context);
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->context);
    free(t);
}

struct tls_peer *tls_begin(struct tls *t, int fd, const char *host)
{
    struct tls_peer *p = calloc(1, sizeof *p);
    if (p)
        p->ssl = SSL_new(t->context);
    if (!p || !p->ssl || SSL_set_fd(p->ssl, fd) != 1) {
        tls_end(p);
        return NULL;
    }
    if (!host) {
        SSL_set_accept_state(p->ssl);
        return p;
    }
    SSL_set_connect_state(p->ssl);
    SSL_set_tlsext_host_name(p->ssl, host);
    SSL_set1_host(p->ssl, host);
    return p;
}

void tls_bye(struct tls_peer *p)
{
    if (SSL_is_init_finished(p->ssl))
        SSL_shutdown(p->ssl);
    ERR_clear_error();
}

void tls_end(struct tls_peer *p)
{
    if (!p)
        return;
    SSL_free(p->ssl);
    free(p);
}

// Translates the result of a call to that of recv and send.
static ssize_t translate_result(struct tls_peer *p, int result, size_t done)
{
    p->waits = 0;
    if (result > 0)
        return (ssize_t)done;
    // The queue of errors belongs to the thread and must be empty before each call: what one peer caused would look
    // like an error of the next.
    int error = SSL_get_error(p->ssl, result);
    ERR_clear_error();
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
        p->waits = error;
        errno = EAGAIN;
        return -1;
    }
    if (error == SSL_ERROR_ZERO_RETURN)
        return 0;
    errno = error == SSL_ERROR_SYSCALL && errno ? errno : EPROTO;
    return -1;
}

ssize_t tls_recv(struct tls_peer *p, void *out, size_t room)
{
    size_t done = 0;
    errno = 0;
    int result = SSL_read_ex(p->ssl, out, room, &done);
    return translate_result(p, result, done);
}

ssize_t tls_send(struct tls_peer *p, const void *bytes, size_t size)
{
    size_t done = 0;
    errno = 0;
    int result = SSL_write_ex(p->ssl, bytes, size, &done);
    return translate_result(p, result, done);
}

bool tls_waits_to_read(const struct tls_peer *p)
{
    return p->waits == SSL_ERROR_WANT_READ;
}

bool tls_waits_to_write(const struct tls_peer *p)
{
    return p->waits == SSL_ERROR_WANT_WRITE;
}

bool tls_has_more(const struct tls_peer *p)
{
    return SSL_has_pending(p->ssl) && SSL_pending(p->ssl) > 0;
}

const char *tls_distrust(const struct tls_peer *p)
{
    long verdict = SSL_get_verify_mode(p->ssl) == SSL_VERIFY_NONE ? X509_V_OK : SSL_get_verify_result(p->ssl);
    return verdict == X509_V_OK ? NULL : X509_verify_cert_error_string(verdict);
}
