/* Records what a process asks of one folder's files, in order: preload it (LD_PRELOAD) and read the log afterwards.
 *
 * JACKPOTD_RECORD_FOLDER: the folder, absolute, without a slash at its end. JACKPOTD_RECORD_LOG: where the log goes, in
 * another folder. What is said is recorded too, so that acknowledgements stand among the writes and syncs: to standard
 * output (SAY), to terminals and over the network (SEND; the name is the terminal's path, or the port of the other end).
 *
 * An operation is recorded once it has succeeded, what is said to standard output just before. A record is a `struct
 * head`, the name, the data. `file` is the inode; names are relative to the folder, and empty for the folder itself.
 * -shm files are left out: they are memory shared by processes that happens to have a name, and SQLite never relies on
 * their content after a crash.
 *
 * From before an operation until it is recorded no other thread begins one, so the log has the order in which things
 * were done. What could get past unrecorded ends the process: see `refuse`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { FIND = 1, CREATE, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, LINK, SAY, SEND }; /* FIND: opened, was there */

struct head {
	uint32_t kind;
	uint32_t name_bytes;
	uint64_t file;
	uint64_t offset; /* TRUNCATE: the new size */
	uint64_t data_bytes;
};

#define MOST_FILES 1024
static uint64_t tracked[MOST_FILES]; /* by descriptor: the inode, 0 where it is not ours */
static char folder[4096];
static int log_file = -1;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void begin_one(void)
{
	pthread_mutex_lock(&one_at_a_time);
}

static void end_one(void)
{
	pthread_mutex_unlock(&one_at_a_time);
}

static void refuse(const char *what)
{
	fprintf(stderr, "recorder: %s: this would go unrecorded, teach it to tests/crash/recorder.c\n", what);
	_exit(99);
}

__attribute__((constructor)) static void begin(void)
{
	const char *named = getenv("JACKPOTD_RECORD_FOLDER"), *log = getenv("JACKPOTD_RECORD_LOG");
	if (!named || !log)
		return;
	snprintf(folder, sizeof folder, "%s", named);
	log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (log_file < 0)
		refuse("the log cannot be opened");
}

static void record(enum kind kind, uint64_t file, uint64_t offset, const char *name, const void *data, size_t size)
{
	int kept = errno;
	struct head head = {kind, (uint32_t)strlen(name), file, offset, size};
	struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name_bytes}, {(void *)data, size}};
	if (syscall(SYS_writev, log_file, parts, 3) != (long)(sizeof head + head.name_bytes + size))
		refuse("the log cannot be written");
	errno = kept;
}

/* The name inside the folder, "" for the folder itself; NULL where it is not ours. */
static const char *inside(const char *path)
{
	size_t length = strlen(folder), whole = strlen(path);
	if (log_file < 0 || strncmp(path, folder, length) || (path[length] && path[length] != '/'))
		return NULL;
	if (whole > 4 && !strcmp(path + whole - 4, "-shm"))
		return NULL;
	return path[length] ? path + length + 1 : "";
}

static uint64_t ours(int file)
{
	return file >= 0 && file < MOST_FILES ? tracked[file] : 0;
}

/* -- names -- */

static int opened(int file, const char *path, int flags, int existed)
{
	const char *name = file >= 0 ? inside(path) : NULL;
	struct stat found;
	if (!name)
		return file;
	if (file >= MOST_FILES || fstat(file, &found))
		refuse("a descriptor above the table");
	tracked[file] = found.st_ino;
	record(existed ? FIND : CREATE, found.st_ino, 0, name, NULL, 0);
	if (existed && flags & O_TRUNC)
		record(TRUNCATE, found.st_ino, 0, "", NULL, 0);
	return file;
}

static int open_by(int folder_file, const char *path, int flags, mode_t mode)
{
	struct stat found;
	if ((flags & O_TMPFILE) == O_TMPFILE)
		refuse("O_TMPFILE");
	if (!inside(path))
		return (int)syscall(SYS_openat, folder_file, path, flags, mode);
	begin_one();
	int existed = !lstat(path, &found);
	int file = (int)syscall(SYS_openat, folder_file, path, flags, mode);
	file = opened(file, path, flags, existed);
	end_one();
	return file;
}

#define MODE(flags, last)                                                                                              \
	mode_t mode = 0;                                                                                               \
	if ((flags) & O_CREAT) {                                                                                       \
		va_list rest;                                                                                          \
		va_start(rest, last);                                                                                  \
		mode = va_arg(rest, mode_t);                                                                           \
		va_end(rest);                                                                                          \
	}

int open(const char *path, int flags, ...)
{
	MODE(flags, flags)
	return open_by(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	MODE(flags, flags)
	return open_by(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder_file, const char *path, int flags, ...)
{
	MODE(flags, flags)
	return open_by(folder_file, path, flags, mode);
}

int openat64(int folder_file, const char *path, int flags, ...)
{
	MODE(flags, flags)
	return open_by(folder_file, path, flags | O_LARGEFILE, mode);
}

int creat(const char *path, mode_t mode)
{
	return open_by(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode)
{
	return creat(path, mode);
}

int close(int file)
{
	if (ours(file))
		tracked[file] = 0;
	return (int)syscall(SYS_close, file);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	const char *was = inside(from), *is = inside(to);
	struct stat found;
	if (!was != !is || ((was || is) && lstat(from, &found)))
		refuse("a rename across the folder");
	begin_one();
	int failed = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
	if (!failed && was)
		record(RENAME, found.st_ino, 0, was, is, strlen(is));
	end_one();
	return failed;
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int folder_file, const char *path, int flags)
{
	const char *name = inside(path);
	begin_one();
	int failed = (int)syscall(SYS_unlinkat, folder_file, path, flags);
	if (!failed && name)
		record(UNLINK, 0, 0, name, NULL, 0);
	end_one();
	return failed;
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int remove(const char *path)
{
	return unlink(path);
}

int link(const char *from, const char *to)
{
	const char *name = inside(to);
	struct stat found;
	begin_one();
	int failed = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
	if (!failed && name && !lstat(to, &found))
		record(LINK, found.st_ino, 0, name, NULL, 0);
	end_one();
	return failed;
}

/* -- what is said -- */

/* The inode of a terminal or of a connection over the network, and its name; 0 for anything else. Signal handlers get
 * here, by the socket with which they wake a loop: nothing may be held before it is known that this is not one. */
static uint64_t heard(int file, char *name, size_t size)
{
	struct stat found;
	struct sockaddr_storage other;
	socklen_t length = sizeof other;
	char link[64];
	if (log_file < 0 || file <= STDERR_FILENO || fstat(file, &found))
		return 0;
	if (S_ISSOCK(found.st_mode) && !getpeername(file, (struct sockaddr *)&other, &length)) {
		if (other.ss_family != AF_INET && other.ss_family != AF_INET6)
			return 0;
		in_port_t port = other.ss_family == AF_INET ? ((struct sockaddr_in *)&other)->sin_port
							    : ((struct sockaddr_in6 *)&other)->sin6_port;
		snprintf(name, size, "%u", ntohs(port));
		return found.st_ino;
	}
	if (!S_ISCHR(found.st_mode) || !isatty(file))
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t read = readlink(link, name, size - 1);
	if (read < 0)
		refuse("a terminal without a name");
	name[read] = 0;
	return found.st_ino;
}

static void record_sent(uint64_t to, const char *name, const struct iovec *parts, size_t count, ssize_t sent)
{
	for (size_t part = 0; part < count && sent > 0; part++) {
		size_t size = parts[part].iov_len < (size_t)sent ? parts[part].iov_len : (size_t)sent;
		if (size)
			record(SEND, to, 0, name, parts[part].iov_base, size);
		sent -= (ssize_t)size;
	}
}

ssize_t sendto(int file, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length)
{
	char name[256];
	struct iovec part = {(void *)data, size};
	uint64_t other = heard(file, name, sizeof name);
	if (!other)
		return syscall(SYS_sendto, file, data, size, flags, to, length);
	begin_one();
	ssize_t sent = syscall(SYS_sendto, file, data, size, flags, to, length);
	record_sent(other, name, &part, 1, sent);
	end_one();
	return sent;
}

ssize_t send(int file, const void *data, size_t size, int flags)
{
	return sendto(file, data, size, flags, NULL, 0);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
	char name[256];
	uint64_t other = heard(file, name, sizeof name);
	if (!other)
		return syscall(SYS_sendmsg, file, message, flags);
	begin_one();
	ssize_t sent = syscall(SYS_sendmsg, file, message, flags);
	record_sent(other, name, message->msg_iov, message->msg_iovlen, sent);
	end_one();
	return sent;
}

int sendmmsg(int file, struct mmsghdr *messages, unsigned count, int flags)
{
	char name[256];
	if (heard(file, name, sizeof name))
		refuse("sendmmsg");
	return (int)syscall(SYS_sendmmsg, file, messages, count, flags);
}

/* -- contents -- */

ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
	if (!ours(file))
		return syscall(SYS_pwrite64, file, data, size, offset);
	begin_one();
	ssize_t written = syscall(SYS_pwrite64, file, data, size, offset);
	if (written > 0)
		record(WRITE, ours(file), (uint64_t)offset, "", data, (size_t)written);
	end_one();
	return written;
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset)
{
	return pwrite(file, data, size, offset);
}

ssize_t write(int file, const void *data, size_t size)
{
	char name[256];
	struct iovec part = {(void *)data, size};
	uint64_t other = ours(file) ? 0 : heard(file, name, sizeof name);
	int said = file == STDOUT_FILENO && log_file >= 0;
	if (!ours(file) && !other && !said)
		return syscall(SYS_write, file, data, size);
	begin_one();
	if (said) /* beforehand: who hears it may end this process at once */
		record(SAY, 0, 0, "", data, size);
	ssize_t written = syscall(SYS_write, file, data, size);
	if (written > 0 && ours(file)) /* where the position was: also right for O_APPEND */
		record(WRITE, ours(file), (uint64_t)(lseek(file, 0, SEEK_CUR) - written), "", data, (size_t)written);
	if (other)
		record_sent(other, name, &part, 1, written);
	end_one();
	return written;
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
	char name[256];
	if (ours(file))
		refuse("writev");
	uint64_t other = heard(file, name, sizeof name);
	if (!other)
		return syscall(SYS_writev, file, parts, count);
	begin_one();
	ssize_t written = syscall(SYS_writev, file, parts, count);
	record_sent(other, name, parts, (size_t)count, written);
	end_one();
	return written;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset)
{
	if (ours(file))
		refuse("pwritev");
	return syscall(SYS_pwritev, file, parts, count, offset, 0);
}

int ftruncate(int file, off_t size)
{
	if (!ours(file))
		return (int)syscall(SYS_ftruncate, file, size);
	begin_one();
	int failed = (int)syscall(SYS_ftruncate, file, size);
	if (!failed)
		record(TRUNCATE, ours(file), (uint64_t)size, "", NULL, 0);
	end_one();
	return failed;
}

int ftruncate64(int file, off64_t size)
{
	return ftruncate(file, size);
}

int fallocate(int file, int mode, off_t offset, off_t size)
{
	if (ours(file))
		refuse("fallocate");
	return (int)syscall(SYS_fallocate, file, mode, offset, size);
}

int posix_fallocate(int file, off_t offset, off_t size)
{
	if (ours(file))
		refuse("posix_fallocate");
	return syscall(SYS_fallocate, file, 0, offset, size) ? errno : 0;
}

static int synced(long call, int file)
{
	if (!ours(file))
		return (int)syscall(call, file);
	begin_one();
	int failed = (int)syscall(call, file);
	if (!failed)
		record(SYNC, ours(file), 0, "", NULL, 0);
	end_one();
	return failed;
}

int fsync(int file)
{
	return synced(SYS_fsync, file);
}

int fdatasync(int file)
{
	return synced(SYS_fdatasync, file);
}

int sync_file_range(int file, off64_t offset, off64_t size, unsigned flags)
{
	/* Promises nothing about a power cut, so it is as if it had not been called. */
	return (int)syscall(SYS_sync_file_range, file, offset, size, flags);
}

/* -- copies of descriptors -- */

int dup(int file)
{
	int copy = (int)syscall(SYS_dup, file);
	if (ours(file))
		refuse("dup");
	return copy;
}

int dup2(int file, int copy)
{
	if (ours(file) || ours(copy))
		refuse("dup2");
	return file == copy ? copy : (int)syscall(SYS_dup3, file, copy, 0);
}
