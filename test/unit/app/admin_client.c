// Which data folder is meant when nobody says it.
#include "app/admin_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void make_data(const char *folder)
{
    char path[128];
    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/agon.db", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
}

static void remove_data(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/agon.db", folder);
    unlink(path);
    rmdir(folder);
}

static void the_folder_with_data_is_meant(void **state)
{
    (void)state;
    static const struct {
        bool has_home, in_usual, in_service;
        int chosen; // 0: refused; 1: the usual one; 2: the service's
    } cases[] = {
        {true, false, false, 1}, {true, true, false, 1},  {true, false, true, 2},
        {true, true, true, 0},   {false, false, true, 2}, {false, false, false, 0},
    };
    char base[] = "/tmp/agon-choose-XXXXXX", usual[64], service[64], why[256];
    assert_non_null(mkdtemp(base));
    snprintf(usual, sizeof usual, "%s/usual", base);
    snprintf(service, sizeof service, "%s/service", base);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *out = NULL;
        if (cases[i].in_usual)
            make_data(usual);
        if (cases[i].in_service)
            make_data(service);
        why[0] = 0;
        bool done = admin_client_choose_data(cases[i].has_home ? usual : NULL, service, &out, why, sizeof why);
        assert_int_equal(done, cases[i].chosen != 0);
        if (done)
            assert_string_equal(out, cases[i].chosen == 1 ? usual : service);
        else
            assert_non_null(strstr(why, "--data DIR"));
        remove_data(usual);
        remove_data(service);
    }
    rmdir(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_folder_with_data_is_meant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
