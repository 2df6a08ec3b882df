// Writes the tables of CRC-32 (polynomial 0xEDB88320): row k is what a byte does k bytes later.
#include <stdint.h>
#include <stdio.h>

int main(int count, char **words)
{
    uint32_t table[8][256];
    FILE *out = count == 2 ? fopen(words[1], "w") : NULL;
    if (!out)
        return 1;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        table[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    fputs("#include <stdint.h>\n\nextern const uint32_t vision_crc32_table[8][256];\n"
          "const uint32_t vision_crc32_table[8][256] = {\n",
          out);
    for (int k = 0; k < 8; k++) {
        fputs("    {", out);
        for (int i = 0; i < 256; i++)
            fprintf(out, "0x%08xu,%s", table[k][i], i % 8 == 7 && i < 255 ? "\n     " : i < 255 ? " " : "");
        fputs("},\n", out);
    }
    fputs("};\n", out);
    return fclose(out) != 0;
}
