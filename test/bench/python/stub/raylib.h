// What PufferLib's environments need of their renderer to compile: nothing is drawn (puffer.c).
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct Color {
    unsigned char r, g, b, a;
} Color;

enum { KEY_ESCAPE, KEY_TAB };
#define BLACK ((Color){0, 0, 0, 255})
#define WHITE ((Color){255, 255, 255, 255})

#define IsKeyDown(key)     ((void)(key), false)
#define IsKeyPressed(key)  ((void)(key), false)
#define InitWindow(...)    ((void)0)
#define SetTargetFPS(fps)  ((void)0)
#define ToggleFullscreen() ((void)0)
#define BeginDrawing()     ((void)0)
#define EndDrawing()       ((void)0)
#define CloseWindow()      ((void)0)
#define ClearBackground(c) ((void)0)
#define DrawRectangle(...) ((void)0)
#define DrawText(...)      ((void)0)
#define TextFormat(...)    ""
