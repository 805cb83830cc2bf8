/*
 * relay run --gateway <socket> --port <number>: what reaches a service. The relay keeps one idle connection to the gateway's socket; the first byte
 * on it opens a connection to that port of the loopback, and the next idle one. So nothing from outside reaches into the container.
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
  /* What the gateway still sends to a service that has said all is of little use. */
  LINGER_MS = 5000,
  /* What an ended service wrote may still arrive. */
  LAST_BYTES_MS = 500,
};

struct forward {
  bool is_used;
  /* Where its descriptors are watched; -1: they are not. */
  int gateway_at;
  int service_at;
  int gateway_fd;
  int service_fd;
  bool is_connected;
  /* The end of a direction was passed on. */
  bool has_asked;
  bool has_answered;
  long long give_up_at;
  struct pump to_service;
  struct pump to_gateway;
};

static const long long never = LLONG_MAX;

static struct forward forwards[MOST_FORWARDS];
static const char *gateway_path;
static struct sockaddr_in service_address;
/* -1: none. */
static int idle_fd = -1;
static int idle_at = -1;
static long long connect_at;
static bool is_finishing;

void forward_open(const char *path, int port) {
  gateway_path = path;
  service_address.sin_family = AF_INET;
  service_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  service_address.sin_port = htons((unsigned short)port);
}

static struct forward *free_place(void) {
  for (int index = 0; index < MOST_FORWARDS; index++) {
    if (!forwards[index].is_used) {
      return &forwards[index];
    }
  }
  return NULL;
}

static bool wants_idle(void) {
  return gateway_path != NULL && !is_finishing && idle_fd < 0 && free_place() != NULL;
}

static void connect_idle(void) {
  if (!wants_idle() || now_ms() < connect_at) {
    return;
  }
  idle_fd = connect_once(gateway_path);
  connect_at = idle_fd < 0 ? now_ms() + PAUSE_MS : 0;
}

/* False with errno when the service takes no connections. */
static bool begin(struct forward *forward, int gateway_fd) {
  const int service_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (service_fd < 0) {
    return false;
  }
  const int at_once = 1;
  setsockopt(service_fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  const bool is_connected = connect(service_fd, (struct sockaddr *)&service_address, sizeof service_address) == 0;
  if (!is_connected && errno != EINPROGRESS) {
    const int error = errno;
    close(service_fd);
    errno = error;
    return false;
  }
  forward->is_used = true;
  forward->gateway_at = forward->service_at = -1;
  forward->gateway_fd = gateway_fd;
  forward->service_fd = service_fd;
  forward->is_connected = is_connected;
  forward->has_asked = forward->has_answered = false;
  forward->give_up_at = never;
  pump_open(&forward->to_service, gateway_fd, service_fd, SINK_SOCKET);
  pump_open(&forward->to_gateway, service_fd, gateway_fd, SINK_SOCKET);
  return true;
}

static void take_idle(void) {
  char byte;
  const ssize_t count = recv(idle_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  const int gateway_fd = idle_fd;
  idle_fd = -1;
  if (count != 1) {
    close(gateway_fd);
    connect_at = now_ms() + PAUSE_MS;
    return;
  }
  /* There was a place for it when it was opened. */
  if (!begin(free_place(), gateway_fd)) {
    connect_at = errno == ECONNREFUSED ? 0 : now_ms() + PAUSE_MS;
    close(gateway_fd);
  }
}

static void end(struct forward *forward) {
  close(forward->gateway_fd);
  close(forward->service_fd);
  forward->is_used = false;
}

static struct pollfd watch_gateway(const struct forward *forward) {
  const bool reads = forward->is_connected && pump_wants_input(&forward->to_service);
  struct pollfd watched = watch(forward->gateway_fd, reads, pump_wants_output(&forward->to_gateway));
  if (!forward->has_answered) {
    /* Also while nothing can be moved it is noticed that the visitor has left. */
    watched.fd = forward->gateway_fd;
  }
  return watched;
}

static struct pollfd watch_service(const struct forward *forward) {
  const bool writes = !forward->is_connected || pump_wants_output(&forward->to_service);
  return watch(forward->service_fd, forward->is_connected && pump_wants_input(&forward->to_gateway), writes);
}

/* False when there is no connection to the service. */
static bool is_connected(struct forward *forward, short found) {
  int error = 0;
  socklen_t size = sizeof error;
  if (forward->is_connected || found == 0) {
    return true;
  }
  forward->is_connected = getsockopt(forward->service_fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  return forward->is_connected;
}

static void pass_ends_on(struct forward *forward) {
  if (pump_is_done(&forward->to_service) && !forward->has_asked) {
    shutdown(forward->service_fd, SHUT_WR);
    forward->has_asked = true;
  }
  if (pump_is_done(&forward->to_gateway) && !forward->has_answered) {
    shutdown(forward->gateway_fd, SHUT_WR);
    forward->has_answered = true;
    forward->give_up_at = now_ms() + LINGER_MS;
  }
}

static void move(struct forward *forward, short gateway_found, short service_found) {
  const short readable = POLLIN | POLLHUP | POLLERR;
  const bool has_left = !forward->has_answered && (gateway_found & (POLLHUP | POLLERR)) != 0;
  if (has_left || !is_connected(forward, service_found)) {
    end(forward);
    return;
  }
  if (!forward->is_connected) {
    return;
  }
  pump_move(&forward->to_service, (gateway_found & readable) != 0);
  pump_move(&forward->to_gateway, (service_found & readable) != 0);
  pass_ends_on(forward);
  const bool is_done = forward->has_answered && (forward->has_asked || now_ms() >= forward->give_up_at);
  if (is_done || forward->to_gateway.is_sink_broken) {
    end(forward);
  }
}

/* As few as there are: poll(2) takes no more than the process may have descriptors. */
static int add(struct pollfd *watched, int *count, struct pollfd each) {
  if (each.fd < 0) {
    return -1;
  }
  watched[*count] = each;
  return (*count)++;
}

int forward_watch(struct pollfd watched[FORWARD_WATCHED]) {
  int count = 0;
  idle_at = add(watched, &count, watch(idle_fd, true, false));
  for (int index = 0; index < MOST_FORWARDS; index++) {
    struct forward *forward = &forwards[index];
    if (forward->is_used) {
      forward->gateway_at = add(watched, &count, watch_gateway(forward));
      forward->service_at = add(watched, &count, watch_service(forward));
    }
  }
  return count;
}

static short found(const struct pollfd *watched, int at) {
  return at < 0 ? 0 : watched[at].revents;
}

void forward_move(const struct pollfd watched[FORWARD_WATCHED]) {
  for (int index = 0; index < MOST_FORWARDS; index++) {
    struct forward *forward = &forwards[index];
    if (forward->is_used) {
      move(forward, found(watched, forward->gateway_at), found(watched, forward->service_at));
    }
  }
  if (idle_fd >= 0 && found(watched, idle_at) != 0) {
    take_idle();
  }
  connect_idle();
}

int forward_time_left_ms(int most_ms) {
  long long at = wants_idle() ? connect_at : never;
  for (int index = 0; index < MOST_FORWARDS; index++) {
    at = forwards[index].is_used && forwards[index].give_up_at < at ? forwards[index].give_up_at : at;
  }
  if (at == never) {
    return most_ms;
  }
  const long long left = at - now_ms();
  const int wait_ms = left < 0 ? 0 : (int)(left < LINGER_MS ? left : LINGER_MS);
  return most_ms < 0 || wait_ms < most_ms ? wait_ms : most_ms;
}

static bool is_any_used(void) {
  for (int index = 0; index < MOST_FORWARDS; index++) {
    if (forwards[index].is_used) {
      return true;
    }
  }
  return false;
}

void forward_finish(void) {
  const long long deadline = now_ms() + LAST_BYTES_MS;
  is_finishing = true;
  for (long long left = LAST_BYTES_MS; is_any_used() && left > 0; left = deadline - now_ms()) {
    static struct pollfd watched[FORWARD_WATCHED];
    const int count = forward_watch(watched);
    poll(watched, (nfds_t)count, forward_time_left_ms((int)left));
    forward_move(watched);
  }
}
