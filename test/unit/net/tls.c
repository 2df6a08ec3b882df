#include "net/tls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// --- certificates

struct certificate {
    const char *names;   // subjectAltName
    long from_s, till_s; // from now
};

struct files {
    char certificate[64], key[64];
};

static void write_certificate(const struct certificate *c, struct files *f)
{
    X509 *x = X509_new();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    snprintf(f->certificate, sizeof f->certificate, "/tmp/agon-tls-XXXXXX");
    snprintf(f->key, sizeof f->key, "/tmp/agon-tls-XXXXXX");
    FILE *out = fdopen(mkstemp(f->certificate), "w"), *key_out = fdopen(mkstemp(f->key), "w");
    X509_set_version(x, X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(x), c->from_s);
    X509_gmtime_adj(X509_getm_notAfter(x), c->till_s);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC, (const unsigned char *)"agon", -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, c->names);
    assert_int_equal(X509_add_ext(x, names, -1), 1);
    X509_set_pubkey(x, key);
    assert_true(X509_sign(x, key, EVP_sha256()) > 0);
    assert_int_equal(PEM_write_X509(out, x), 1);
    assert_int_equal(PEM_write_PrivateKey(key_out, key, NULL, NULL, 0, NULL, NULL), 1);
    assert_int_equal(fclose(out) | fclose(key_out), 0);
    X509_EXTENSION_free(names);
    EVP_PKEY_free(key);
    X509_free(x);
}

static void remove_files(const struct files *f)
{
    unlink(f->certificate);
    unlink(f->key);
}

static struct tls *open_server(const struct files *f)
{
    char why[256] = "";
    struct tls *t = tls_open_server(f->certificate, f->key, why, sizeof why);
    if (!t)
        fail_msg("%s", why);
    return t;
}

static const struct certificate usual = {"DNS:localhost,IP:127.0.0.1", -60, 3600};

static void open_pair(int ends[2])
{
    int size = 4 << 20;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

// --- a server and a client of OpenSSL itself, which does what ours never does

struct far_client {
    struct files files;
    struct tls *tls;
    struct tls_peer *near;
    SSL_CTX *context;
    SSL *ssl;
    int ends[2];
};

static int begin_far(void **state)
{
    struct far_client *f = calloc(1, sizeof *f);
    write_certificate(&usual, &f->files);
    f->tls = open_server(&f->files);
    open_pair(f->ends);
    f->near = tls_begin(f->tls, f->ends[1], NULL);
    f->context = SSL_CTX_new(TLS_client_method());
    f->ssl = SSL_new(f->context);
    SSL_set_fd(f->ssl, f->ends[0]);
    SSL_set_connect_state(f->ssl);
    *state = f;
    return 0;
}

static int end_far(void **state)
{
    struct far_client *f = *state;
    tls_end(f->near);
    tls_close(f->tls);
    SSL_free(f->ssl);
    SSL_CTX_free(f->context);
    close(f->ends[0]);
    close(f->ends[1]);
    remove_files(&f->files);
    free(f);
    return 0;
}

static void shake_hands(struct far_client *f)
{
    char byte;
    for (int i = 0; SSL_do_handshake(f->ssl) != 1; i++) {
        assert_true(i < 10);
        assert_int_equal(tls_recv(f->near, &byte, 1), -1);
        assert_int_equal(errno, EAGAIN);
    }
    assert_int_equal(tls_recv(f->near, &byte, 1), -1); // its last message
    assert_int_equal(errno, EAGAIN);
}

static int unread(int fd)
{
    int bytes = 0;
    assert_int_equal(ioctl(fd, FIONREAD, &bytes), 0);
    return bytes;
}

// Each is some work for us, and a peer can prepare a million of them: one call must not do them all.
static void one_call_takes_one_message_of_tls(void **state)
{
    enum { MESSAGES = 200 };
    struct far_client *f = *state;
    char out[16];
    shake_hands(f);
    for (int i = 0; i < MESSAGES; i++) {
        assert_int_equal(SSL_key_update(f->ssl, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
        assert_int_equal(SSL_do_handshake(f->ssl), 1);
    }
    assert_int_equal(SSL_write(f->ssl, "done", 4), 4);
    int calls = 0;
    for (int before = unread(f->ends[1]), each = before / MESSAGES, now; before; before = now, calls++) {
        ssize_t n = tls_recv(f->near, out, sizeof out);
        now = unread(f->ends[1]);
        assert_int_equal(n, now ? -1 : 4);
        assert_true(!now || tls_waits_to_read(f->near));
        assert_true(before - now <= 2 * each);
    }
    assert_true(calls > MESSAGES);
}

// --- what is no client

static void what_is_no_handshake_ends_the_connection(void **state)
{
    static const char hello[] = "\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03"; // the beginning of one
    static const struct {
        const char *bytes;
        size_t size; // then the peer ends
    } rows[] = {
        {"GET / HTTP/1.1\r\n\r\n", 18},
        {"\0\0\0\0\0\0\0\0\0\0\0\0", 12},
        {"\x16\x03\x01\xff\xff\x01\xff\xff\xff", 9},
        {"\x15\x03\x01\x00\x02\x02\x28", 7}, // an alert
        {"\x17\x03\x03\x00\x05hello", 10},
        {hello, sizeof hello - 1},
        {hello, 3},
        {hello, 0},
    };
    (void)state;
    struct files files;
    write_certificate(&usual, &files);
    struct tls *t = open_server(&files);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int ends[2];
        char out[16];
        open_pair(ends);
        struct tls_peer *p = tls_begin(t, ends[1], NULL);
        assert_int_equal(write(ends[0], rows[i].bytes, rows[i].size), rows[i].size);
        shutdown(ends[0], SHUT_WR);
        assert_int_equal(tls_recv(p, out, sizeof out), -1);
        if (errno != EPROTO)
            fail_msg("row %zu: %s", i, strerror(errno));
        tls_bye(p);
        tls_end(p);
        close(ends[0]);
        close(ends[1]);
    }
    tls_close(t);
    remove_files(&files);
}

// --- whom our clients trust

static const char *distrust_of(const struct certificate *c, const char *host, bool is_known)
{
    static char found[160];
    char why[256] = "", byte;
    struct files files;
    int ends[2];
    write_certificate(c, &files);
    setenv("SSL_CERT_FILE", is_known ? files.certificate : "/dev/null", 1);
    setenv("SSL_CERT_DIR", "/nonexistent", 1);
    struct tls *server = open_server(&files), *client = tls_open_client(false, why, sizeof why);
    assert_non_null(client);
    open_pair(ends);
    struct tls_peer *near = tls_begin(client, ends[0], host), *far = tls_begin(server, ends[1], NULL);
    ssize_t sent = -1;
    for (int i = 0; i < 10 && sent < 0; i++) {
        sent = tls_send(near, "x", 1);
        tls_recv(far, &byte, 1);
    }
    const char *text = tls_distrust(near);
    assert_int_equal(sent, text ? -1 : 1); // nothing is sent to whom we do not trust
    snprintf(found, sizeof found, "%s", text ? text : "");
    tls_end(near);
    tls_end(far);
    tls_close(client);
    tls_close(server);
    close(ends[0]);
    close(ends[1]);
    remove_files(&files);
    return found;
}

static void a_client_trusts_a_known_valid_certificate_of_that_name(void **state)
{
    static const struct {
        struct certificate certificate;
        const char *host;
        bool is_known;
        const char *distrust;
    } rows[] = {
        {{"DNS:localhost", -60, 3600}, "localhost", true, ""},
        {{"DNS:localhost", -60, 3600}, "LocalHost", true, ""},
        {{"IP:127.0.0.1", -60, 3600}, "127.0.0.1", true, ""},
        {{"DNS:*.example.org", -60, 3600}, "a.example.org", true, ""},
        {{"DNS:localhost", -60, 3600}, "localhost", false, "self-signed certificate"},
        {{"DNS:localhost", -7200, -3600}, "localhost", true, "certificate has expired"},
        {{"DNS:localhost", 3600, 7200}, "localhost", true, "certificate is not yet valid"},
        {{"DNS:localhost", -60, 3600}, "example.org", true, "hostname mismatch"},
        {{"DNS:localhost", -60, 3600}, "127.0.0.1", true, "IP address mismatch"},
        {{"DNS:127.0.0.1", -60, 3600}, "127.0.0.1", true, "IP address mismatch"},
        {{"DNS:*.example.org", -60, 3600}, "a.b.example.org", true, "hostname mismatch"},
        {{"DNS:*", -60, 3600}, "localhost", true, "hostname mismatch"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = distrust_of(&rows[i].certificate, rows[i].host, rows[i].is_known);
        if (strcmp(found, rows[i].distrust) != 0)
            fail_msg("row %zu: %s", i, found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_call_takes_one_message_of_tls, begin_far, end_far),
        cmocka_unit_test(what_is_no_handshake_ends_the_connection),
        cmocka_unit_test(a_client_trusts_a_known_valid_certificate_of_that_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
