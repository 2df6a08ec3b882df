/* Saves the newest picture of a vision stream as PNG.
 *
 *     vision NAME FILE.png
 *
 * NAME is the shm_name that configure_streams answered. To build it where agon is installed:
 *
 *     cc -o vision vision.c $(pkg-config --cflags --libs agon libpng)
 */
#include <agon_vision.h>

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Floats become shades of grey between the least and the greatest; of two floats the sizes of both count. */
static void shade(const float *from, size_t count, size_t step, png_bytep to)
{
    float low = from[0], high = from[0];
    for (size_t i = 0; i < count * step; i++) {
        low = from[i] < low ? from[i] : low;
        high = from[i] > high ? from[i] : high;
    }
    for (size_t i = 0; i < count; i++) {
        float value = from[i * step] - low + (step > 1 ? from[i * step + 1] - low : 0);
        float most = (high - low) * (float)step;
        to[i] = most > 0 ? (png_byte)(value / most * 255) : 0;
    }
}

static int save(const char *file, const struct agon_vision_info *info, const unsigned char *pixels)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = info->width, .height = info->height};
    size_t count = (size_t)info->width * info->height;
    png_bytep grey = NULL;
    const void *rows = pixels;
    if (info->pixel_format == AGON_RGB8)
        image.format = PNG_FORMAT_RGB;
    else if (info->pixel_format == AGON_RGBA8)
        image.format = PNG_FORMAT_RGBA;
    else if (info->pixel_format == AGON_BGRA8)
        image.format = PNG_FORMAT_BGRA;
    else {
        image.format = PNG_FORMAT_GRAY;
        if (!(rows = grey = malloc(count)))
            return 0;
        shade((const float *)(const void *)pixels, count, info->pixel_format == AGON_RG32F ? 2 : 1, grey);
    }
    int done = png_image_write_to_file(&image, file, 0, rows, 0, NULL);
    if (!done)
        fprintf(stderr, "vision: cannot write %s: %s\n", file, image.message);
    free(grey);
    return done;
}

int main(int count, char **words)
{
    struct agon_vision *v;
    struct agon_vision_info info;
    struct agon_frame frame;
    if (count != 3) {
        fputs("usage: vision NAME FILE.png\n", stderr);
        return 2;
    }
    int status = agon_vision_open(words[1], &v, &info);
    if (status != AGON_OK) {
        fprintf(stderr, "vision: cannot open %s: %s\n", words[1],
                status == AGON_SYSTEM ? strerror(errno) : agon_status_text(status));
        return 1;
    }
    unsigned char *pixels = malloc(info.frame_bytes);
    status = pixels ? agon_vision_latest(v, &frame, pixels, info.frame_bytes) : AGON_SYSTEM;
    agon_vision_close(v);
    if (status != AGON_OK)
        fprintf(stderr, "vision: no picture of %s: %s\n", info.stream_id, agon_status_text(status));
    int done = status == AGON_OK && save(words[2], &info, pixels);
    free(pixels);
    if (done)
        printf("%s: frame %llu, tick %llu, %u x %u\n", info.stream_id, (unsigned long long)frame.id,
               (unsigned long long)frame.tick, info.width, info.height);
    return done ? 0 : 1;
}
