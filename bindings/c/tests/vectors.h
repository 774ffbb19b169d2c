// Reads lines of vectors/*.txt, and the bytes of their inputs (vectors/README.md).
#ifndef VECTORS_H
#define VECTORS_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8
enum { LARGEST = 1 << 20 };

// Reads the fields of the next line that is not a comment; returns their number, 0 at the end.
static int next_line(FILE *file, char *line, size_t size, char *fields[FIELDS]) {
    while (fgets(line, (int)size, file)) {
        int count = 0;
        char *at = line;
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || line[0] == 0) continue;
        while (at && count < FIELDS) {
            char *bar = strchr(at, '|');
            char *end;
            if (bar) *bar = 0;
            while (*at == ' ') at++;
            end = at + strlen(at);
            while (end > at && end[-1] == ' ') *--end = 0;
            fields[count++] = at;
            at = bar ? bar + 1 : NULL;
        }
        return count;
    }
    return 0;
}

static size_t hex_bytes(const char *digits, unsigned char *data) {
    size_t length = 0;
    unsigned byte;
    while (digits[0] && sscanf(digits, "%2x", &byte) == 1) {
        data[length++] = (unsigned char)byte;
        digits += 2;
    }
    return length;
}

// Writes the bytes of an input; returns their number, or -1 if its form is unknown.
static long input_bytes(const char *input, unsigned char *data) {
    char what[16];
    long count, start = 0, i, number;
    if (!strcmp(input, "empty")) return 0;
    if (!strncmp(input, "text:", 5)) {
        memcpy(data, input + 5, strlen(input + 5));
        return (long)strlen(input + 5);
    }
    if (!strncmp(input, "hex:", 4)) return (long)hex_bytes(input + 4, data);
    if (sscanf(input, "%*[a-z]:%15[^*]*%ld@%ld", what, &count, &start) < 2) return -1;
    if (count < 0 || count > LARGEST) return -1;
    for (i = 0; i < count; i++) {
        if (!strncmp(input, "rep:", 4)) number = strtol(what, NULL, 16);
        else if (!strncmp(input, "inc:", 4)) number = strtol(what, NULL, 16) + i;
        else if (!strncmp(input, "dec:", 4)) number = strtol(what, NULL, 16) - i;
        else if (!strncmp(input, "ramp:", 5)) number = i % strtol(what, NULL, 10);
        else if (!strncmp(input, "mul:", 4)) number = (start + i) * strtol(what, NULL, 10);
        else return -1;
        data[i] = (unsigned char)number;
    }
    return count;
}

#endif
