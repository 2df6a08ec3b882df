#pragma once

int low_add(int a, int b);
