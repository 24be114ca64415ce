/* Loaded into the controller by LD_PRELOAD: sets its wall clock and holds its disk, as a file that is mapped says.
   The file, named by MEDDLED, has two numbers of 64 bits: seconds to add to the wall clock, and whether syncs wait. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct told {
    volatile int64_t seconds;
    volatile int64_t hold;
};

static struct told nothing;
static struct told *told = &nothing;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("MEDDLED");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof(struct told), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED)
        told = mapped;
    close(file);
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    int done = (int)syscall(SYS_clock_gettime, which, now);
    if (!done && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        now->tv_sec += told->seconds;
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int done = (int)syscall(SYS_gettimeofday, now, zone);
    if (!done)
        now->tv_sec += told->seconds;
    return done;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}

static void wait_while_held(void)
{
    while (told->hold)
        usleep(1000);
}

int fsync(int file)
{
    wait_while_held();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    wait_while_held();
    return (int)syscall(SYS_fdatasync, file);
}
