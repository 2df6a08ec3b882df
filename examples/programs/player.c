// A local program that plays any game, in C: it takes the first of the legal actions.
//
//     cc -O2 -o player player.c
//     agon match coup --seat cmd:./player --seat house:rules --games 10
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *id = strstr(line, "\"id\":"); // absent: nobody waits for an answer
        if (!id)
            continue;
        printf("{\"id\":%ld,%s}\n", atol(id + 5), strstr(line, "\"op\":\"choose\"") ? "\"index\":0" : "\"ok\":true");
        fflush(stdout);
    }
    free(line);
    return 0;
}
