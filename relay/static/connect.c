/* Connecting to a socket that another process creates, perhaps later. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "relay.h"

enum { RETRY_MS = 20, INTERRUPTED = -2 };

int connect_once(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_fd < 0) {
    return -1;
  }
  if (connect(socket_fd, (struct sockaddr *)&address, sizeof address) == 0) {
    return socket_fd;
  }
  const int error = errno;
  close(socket_fd);
  errno = error;
  return -1;
}

/* Nobody listens (yet, or for the moment), or who made the socket has still to open it to the group. */
static bool is_worth_waiting(int error) {
  return error == ENOENT || error == ECONNREFUSED || error == EAGAIN || error == EACCES;
}

/* False when a stop signal came, which is then in `stop`. */
static bool pause_before_retry(int *stop) {
  const int signal_number = signals_next(RETRY_MS);
  if (signal_number == SIGCHLD) {
    reap(NULL);
  }
  *stop = signal_number;
  return !is_stop(signal_number);
}

int connect_in_time(const char *path, int limit_ms) {
  const long long deadline = now_ms() + limit_ms;
  for (;;) {
    const int socket_fd = connect_once(path);
    if (socket_fd >= 0) {
      return socket_fd;
    }
    const int error = errno;
    if (!is_worth_waiting(error) || now_ms() + RETRY_MS > deadline) {
      report("cannot connect to %s: %s", path, error_text(error));
      return -1;
    }
    int stop;
    if (!pause_before_retry(&stop)) {
      return INTERRUPTED;
    }
  }
}

/* 0, or the errno of what is missing. */
static int try_path(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) {
    return errno;
  }
  if (!S_ISSOCK(found.st_mode)) {
    return 0;
  }
  const int socket_fd = connect_once(path);
  if (socket_fd < 0) {
    return errno;
  }
  close(socket_fd);
  return 0;
}

int wait_for_path(const char *path, int limit_ms) {
  const long long deadline = now_ms() + limit_ms;
  for (;;) {
    const int error = try_path(path);
    if (error == 0) {
      return 0;
    }
    if (now_ms() + RETRY_MS > deadline) {
      report("waited %d ms for %s: %s", limit_ms, path, error_text(error));
      return EXIT_NO_SOCKET;
    }
    int stop;
    if (!pause_before_retry(&stop)) {
      return EXIT_SIGNAL_BASE + stop;
    }
  }
}
