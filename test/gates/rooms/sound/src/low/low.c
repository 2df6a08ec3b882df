#include "low/low.h"

int low_add(int a, int b)
{
    return a + b;
}
