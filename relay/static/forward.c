/*
 * relay run --gateway|--dial <socket> --port <number>: what reaches a service or a sibling. The relay
 * keeps one idle connection to a socket of the sidecar; the first byte on it opens a connection to
 * that port of the loopback, and the next idle one. So nothing from outside reaches into the
 * container. And --listen <port>=<socket>, where what runs in the container reaches a socket of the
 * sidecar by a port of its own loopback.
 */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum {
  /* After an attempt that failed, and a connection that ended unused. */
  PAUSE_MS = 200,
  /* What an ended service wrote may still arrive. */
  LAST_BYTES_MS = 500,
  LONGEST_WAIT_MS = 60 * 60 * 1000,
  BACKLOG = 64,
};

struct listener {
  int fd;
  /* Where it is watched; -1: it is not. */
  int at;
  const char *path;
};

static const long long never = LLONG_MAX;

static const char *dialed_path;
static int dialed_port;
/* The first byte says that the connection is used, and is not passed on. */
static bool is_announced;
/* -1: none. */
static int idle_fd = -1;
static int idle_at = -1;
static long long connect_at;
static bool is_finishing;
static struct listener listeners[MOST_LISTENERS];
static int listener_count;
static long long accept_at;

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons((unsigned short)port);
  return address;
}

static int tcp_socket(void) {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static void send_at_once(int fd) {
  const int at_once = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
}

void forward_open(const char *path, int port, bool announced) {
  dialed_path = path;
  dialed_port = port;
  is_announced = announced;
}

bool listen_open(int port, const char *path) {
  const int fd = tcp_socket();
  if (fd < 0) {
    return false;
  }
  const struct sockaddr_in address = loopback(port);
  if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return false;
  }
  listeners[listener_count++] = (struct listener){.fd = fd, .at = -1, .path = path};
  return true;
}

int connect_to_loopback(int port, bool *is_connected) {
  const int fd = tcp_socket();
  if (fd < 0) {
    return -1;
  }
  send_at_once(fd);
  const struct sockaddr_in address = loopback(port);
  *is_connected = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
  if (*is_connected || errno == EINPROGRESS) {
    return fd;
  }
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static bool wants_idle(void) {
  return dialed_path != NULL && !is_finishing && idle_fd < 0 && copy_has_place(COPY_DIALED);
}

static void connect_idle(void) {
  if (!wants_idle() || now_ms() < connect_at) {
    return;
  }
  idle_fd = connect_once(dialed_path);
  connect_at = idle_fd < 0 ? now_ms() + PAUSE_MS : 0;
}

static void take_idle(void) {
  char byte;
  const ssize_t count = recv(idle_fd, &byte, 1, (is_announced ? 0 : MSG_PEEK) | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  const int asking_fd = idle_fd;
  idle_fd = -1;
  if (count != 1) {
    close(asking_fd);
    connect_at = now_ms() + PAUSE_MS;
    return;
  }
  bool is_connected;
  const int answering_fd = connect_to_loopback(dialed_port, &is_connected);
  if (answering_fd < 0) {
    connect_at = errno == ECONNREFUSED ? 0 : now_ms() + PAUSE_MS;
    close(asking_fd);
    return;
  }
  /* There was a place for it when it was opened. */
  copy_begin(COPY_DIALED, asking_fd, answering_fd, is_connected);
}

static bool takes_connections(void) {
  return listener_count > 0 && !is_finishing && copy_has_place(COPY_LISTENED);
}

/* Ends at once when nobody listens on the socket. */
static void take_connection(const struct listener *listener) {
  const int asking_fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (asking_fd < 0) {
    accept_at = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : now_ms() + PAUSE_MS;
    return;
  }
  send_at_once(asking_fd);
  const int answering_fd = connect_once(listener->path);
  if (answering_fd < 0) {
    close(asking_fd);
    return;
  }
  copy_begin(COPY_LISTENED, asking_fd, answering_fd, true);
}

int forward_watch(struct pollfd watched[FORWARD_WATCHED]) {
  int count = 0;
  const bool takes = takes_connections() && now_ms() >= accept_at;
  idle_at = watch_also(watched, &count, watch(idle_fd, true, false));
  for (int index = 0; index < listener_count; index++) {
    listeners[index].at = watch_also(watched, &count, watch(listeners[index].fd, takes, false));
  }
  copy_watch(watched, &count);
  return count;
}

void forward_move(const struct pollfd watched[FORWARD_WATCHED]) {
  copy_move(watched);
  if (idle_fd >= 0 && found_at(watched, idle_at) != 0) {
    take_idle();
  }
  for (int index = 0; index < listener_count; index++) {
    if (found_at(watched, listeners[index].at) != 0 && takes_connections()) {
      take_connection(&listeners[index]);
    }
  }
  connect_idle();
}

static long long earlier(long long one, long long other) {
  return one < other ? one : other;
}

int forward_time_left_ms(int most_ms) {
  const long long idle = wants_idle() ? connect_at : never;
  const long long accepts = takes_connections() && accept_at > now_ms() ? accept_at : never;
  return left_until_ms(earlier(earlier(idle, accepts), copy_next_at()), most_ms);
}

int left_until_ms(long long at, int most_ms) {
  if (at == never) {
    return most_ms;
  }
  const long long left = at - now_ms();
  const int wait_ms = left < 0 ? 0 : (int)(left < LONGEST_WAIT_MS ? left : LONGEST_WAIT_MS);
  return most_ms < 0 || wait_ms < most_ms ? wait_ms : most_ms;
}

void forward_finish(void) {
  const long long deadline = now_ms() + LAST_BYTES_MS;
  is_finishing = true;
  for (long long left = LAST_BYTES_MS; copy_is_any() && left > 0; left = deadline - now_ms()) {
    static struct pollfd watched[FORWARD_WATCHED];
    const int count = forward_watch(watched);
    poll(watched, (nfds_t)count, forward_time_left_ms((int)left));
    forward_move(watched);
  }
}
