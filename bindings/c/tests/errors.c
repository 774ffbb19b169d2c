// Tests of the text of residue_last_error: at a constant address, of bounded length, of whole
// characters, one per thread. Also run under AddressSanitizer.
#define _POSIX_C_SOURCE 200809L
#include <residue.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS 200
// The size of the text, including its terminating zero byte.
#define LONGEST 1024

static unsigned failures;

static void expect(int good, const char *what, int line) {
    if (!good) {
        failures++;
        printf("FAILED: line %d: %s\n", line, what);
    }
}

#define EXPECT(condition) expect((condition) ? 1 : 0, #condition, __LINE__)

// The arguments of a call are evaluated in any order: the failure may come before the pointer is
// taken, or after.
static void in_one_expression(void) {
    char line[2 * LONGEST];
    uint64_t value;
    residue_wide wider;
    const char *kept;
    residue_code *wide = residue_code_new("crc-82/darc");
    snprintf(line, sizeof line, "%d %s", (int)residue_value(NULL, "a", 1, &value),
        residue_last_error());
    EXPECT(strncmp(line, "1 ", 2) == 0 && strlen(line) < LONGEST + 2);
    snprintf(line, sizeof line, "%s %d", residue_last_error(),
        (int)residue_value(wide, "a", 1, &value));
    snprintf(line, sizeof line, "%d %s %s", (int)residue_value(NULL, "a", 1, &value),
        residue_last_error(),
             residue_code_new("no such code") == NULL ? residue_last_error() : "");
    residue_value(wide, "a", 1, &value);
    kept = residue_last_error();
    EXPECT(strstr(kept, "82 bits") != NULL);
    residue_value(NULL, "a", 1, &value);
    EXPECT(kept == residue_last_error() && strstr(kept, "null") != NULL);
    // Success does not change the text.
    EXPECT(residue_value_wide(wide, "a", 1, &wider) == RESIDUE_OK);
    EXPECT(kept == residue_last_error() && strstr(kept, "null") != NULL);
    residue_code_free(wide);
}

// Names of any length, of characters of one to four bytes: the text is cut between two characters.
static void long_texts(void) {
    static const char *const characters[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x92\xbe"};
    char name[4 * LONGEST + 8];
    size_t kind, lead, i;
    for (kind = 0; kind < 4; kind++) {
        size_t size = strlen(characters[kind]);
        for (lead = 0; lead < 5; lead++) {
            const char *text;
            size_t length, end;
            memset(name, 'x', lead);
            for (i = 0; i < LONGEST; i++) memcpy(name + lead + i * size, characters[kind], size);
            name[lead + LONGEST * size] = 0;
            EXPECT(residue_code_new(name) == NULL);
            text = residue_last_error();
            length = strlen(text);
            EXPECT(length < LONGEST && length >= LONGEST - 4);
            // The last character is whole.
            for (end = length - 1; end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80; end--) {}
            EXPECT(length - end == size);
        }
    }
}

static void *fails(void *number) {
    char name[32];
    int i;
    for (i = 0; i < ROUNDS; i++) {
        const char *text = residue_last_error();
        snprintf(name, sizeof name, "thread-%d-%d", *(int *)number, i);
        if (residue_code_new(name) != NULL || strstr(text, name) == NULL) return NULL;
    }
    return number;
}

static void every_thread_has_its_own(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS], i, round;
    for (round = 0; round < 3; round++) {
        residue_code_new("main thread");
        for (i = 0; i < THREADS; i++) {
            numbers[i] = i;
            EXPECT(pthread_create(&threads[i], NULL, fails, &numbers[i]) == 0);
        }
        for (i = 0; i < THREADS; i++) {
            void *good = NULL;
            EXPECT(pthread_join(threads[i], &good) == 0 && good == &numbers[i]);
        }
        EXPECT(strstr(residue_last_error(), "main thread") != NULL);
    }
}

// The environment is read once: each value is tested in its own process. The first three are good.
static void unknown_names_are_reported(const char *variable, const char *const masks[6],
                                       const char *names) {
    size_t i;
    char start[32];
    snprintf(start, sizeof start, "%s=", variable);
    for (i = 0; i < 6; i++) {
        int status = 0;
        pid_t child;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            const char *text;
            failures = 0;
            unsetenv("RESIDUE_CPU");
            unsetenv("RESIDUE_PROFILE");
            if (masks[i] != NULL) setenv(variable, masks[i], 1);
            text = residue_cpu_mask_error();
            if (i < 3) EXPECT(text[0] == 0);
            else
                EXPECT(strstr(text, start) != NULL && strstr(text, names) != NULL);
            if (i == 3) EXPECT(strstr(text, "bogus") != NULL);
            EXPECT(text == residue_cpu_mask_error() && residue_last_error()[0] == 0);
            EXPECT(residue_crc32c("123456789", 9) == 0xe3069283);
            fflush(stdout);
            _exit(failures != 0);
        }
        EXPECT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
}

static void unknown_masks_are_reported(void) {
    static const char *const tiers[] = {NULL, "", "portable", "bogus", "AVX2", "\xff"};
    static const char *const profiles[] = {NULL, "", "zen5", "bogus", "Zen5", "\xff"};
    unknown_names_are_reported("RESIDUE_CPU", tiers, "portable, sse2");
    unknown_names_are_reported("RESIDUE_PROFILE", profiles, "zen3, zen4");
}

int main(void) {
    unknown_masks_are_reported();
    in_one_expression();
    long_texts();
    every_thread_has_its_own();
    return failures != 0;
}
