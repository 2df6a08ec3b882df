// One fault of each kind that the sanitizers must find; gates.sanitizers looks for the line of each in what they print.
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shift(int by)
{
    return 1 << by; // fault: shift
}

static int overflow(int by)
{
    return INT_MAX + by; // fault: overflow
}

static int bounds(int at)
{
    static const int table[4] = {1, 2, 3, 4};
    return table[at]; // fault: bounds
}

static int divide(int by)
{
    return 7 / by; // fault: divide
}

static int null(const int *at)
{
    return *at; // fault: null
}

static int align(const char *at)
{
    return *(const int *)(const void *)at; // fault: align
}

// A size that the compiler cannot know, so that the address sanitizer is who finds out.
static int heap(int size, char *bytes)
{
    memset(bytes, 1, (size_t)size);
    return bytes[size]; // fault: heap
}

static void (*volatile give_back)(void *) = free; // the compiler would see through free itself, and warn

static int freed(char *bytes)
{
    give_back(bytes);
    return bytes[0]; // fault: freed
}

static int leak(int size)
{
    char *volatile lost = malloc((size_t)size); // fault: leak
    lost = NULL;
    return lost != NULL;
}

// Variables are guarded before any constructor of ours and after every destructor, not only in main.
static char *volatile behind;
static bool is_late;

static int variable(void)
{
    static char bytes[16];
    behind = bytes + sizeof bytes;
    return *behind; // fault: variable
}

__attribute__((constructor)) static void early(int count, char **args)
{
    static char bytes[16];
    behind = bytes + sizeof bytes;
    if (count == 3 && strcmp(args[1], "early") == 0)
        printf("%d\n", *behind); // fault: early
}

__attribute__((destructor)) static void late(void)
{
    static char bytes[16];
    behind = bytes + sizeof bytes;
    if (is_late)
        printf("%d\n", *behind); // fault: late
}

// Memory that one word of many megabytes of variables holds is no leak: cmake/sanitizer.c leaves out only pages that
// were never touched.
static bool keep(size_t n)
{
    enum { MANY = 1 << 20, FEW = 4096 };
    static void *volatile kept[MANY];
    static void *volatile set[FEW] = {(void *)&give_back};
    for (size_t i = n; i < MANY; i += MANY / 5)
        kept[i] = malloc(n);
    set[FEW - n] = malloc(n);
    return kept[n] && set[FEW - n];
}

static int plant(const char *fault, int n)
{
    static int words[2];
    if (strcmp(fault, "shift") == 0)
        return shift(n + 31);
    if (strcmp(fault, "overflow") == 0)
        return overflow(n);
    if (strcmp(fault, "bounds") == 0)
        return bounds(n + 3);
    if (strcmp(fault, "divide") == 0)
        return divide(n - 1);
    if (strcmp(fault, "null") == 0)
        return null(n ? NULL : words);
    if (strcmp(fault, "align") == 0)
        return align((const char *)words + n);
    if (strcmp(fault, "heap") == 0)
        return heap(n + 9, malloc((size_t)n + 9));
    if (strcmp(fault, "freed") == 0)
        return freed(malloc((size_t)n));
    if (strcmp(fault, "variable") == 0)
        return variable();
    is_late = strcmp(fault, "late") == 0;
    return strcmp(fault, "leak") == 0 ? leak(n + 99) : 0;
}

// planted FAULT 1: the number is an argument, so that no fault is known when this is compiled.
int main(int count, char **args)
{
    if (count != 3)
        return 0;
    int n = atoi(args[2]);
    if (!keep((size_t)n))
        return 1;
    printf("%d\n", plant(args[1], n));
    return 0;
}
