/* Loaded before the C library: every fsync and fdatasync takes SYNC_NANOSECONDS, whatever the disk does.
   Sleeps most of it and spins the rest, so that the timer's slack does not show; and counts what it did. */
#include <stdlib.h>
#include <time.h>

#define SPUN 120000L

long slow_syncs = 0;     /* so often */
long slow_sync_cpu = 0;  /* nanoseconds of processor time that waiting took: not the writer's own */

static long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int wait_for_disk(void) {
    static long latency = -1;
    long used = now(CLOCK_PROCESS_CPUTIME_ID), end = now(CLOCK_MONOTONIC);
    if (latency < 0) {
        const char *text = getenv("SYNC_NANOSECONDS");
        latency = text ? atol(text) : 0;
    }
    end += latency;
    if (latency > SPUN) {
        struct timespec t = {(latency - SPUN) / 1000000000L, (latency - SPUN) % 1000000000L};
        nanosleep(&t, NULL);
    }
    while (now(CLOCK_MONOTONIC) < end) {
    }
    slow_syncs++;
    slow_sync_cpu += now(CLOCK_PROCESS_CPUTIME_ID) - used;
    return 0;
}

int fsync(int descriptor) {
    (void)descriptor;
    return wait_for_disk();
}

int fdatasync(int descriptor) {
    (void)descriptor;
    return wait_for_disk();
}
