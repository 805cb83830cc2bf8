/*
 * What is reported to the sidecar about the command, on a socket that is this container's own. Nothing
 * here waits for the sidecar.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum {
  WAITING_BYTES = 64 * 1024,
  PIECE_BYTES = 12 * 1024,
  LINE_BYTES = PIECE_BYTES * 4 / 3 + 128,
  MOST_CLAIMS = 8,
  CLAIM_BYTES = 128,
  /* What the sidecar has not read yet, at most about twice of it. */
  SENT_BYTES = 64 * 1024,
  RECONNECT_MS = 500,
};

static const char *socket_path;
static int socket_fd = -1;
static long long connect_at;
static char waiting[WAITING_BYTES];
static size_t waiting_size;
static long long skipped;
static char claims[MOST_CLAIMS][CLAIM_BYTES];
static int claim_count;
static bool is_ready_to_tell;
/*
 * Begun when the one before was sent. After a lost connection all of it is sent again: the
 * sidecar takes whole lines only.
 */
static char line[LINE_BYTES];
static size_t line_size;
static size_t line_sent;

void tell_open(const char *path) {
  socket_path = path;
}

bool tells(void) {
  return socket_path != NULL;
}

static void drop_waiting(size_t size) {
  memmove(waiting, waiting + size, waiting_size - size);
  waiting_size -= size;
}

void tell_output(const char *bytes, size_t size) {
  if (size > WAITING_BYTES) {
    skipped += (long long)(size - WAITING_BYTES);
    bytes += size - WAITING_BYTES;
    size = WAITING_BYTES;
  }
  const size_t room = WAITING_BYTES - waiting_size;
  const size_t dropped = size > room ? size - room : 0;
  drop_waiting(dropped);
  skipped += (long long)dropped;
  memcpy(waiting + waiting_size, bytes, size);
  waiting_size += size;
}

void tell_claim(const char *format, ...) {
  if (!tells()) {
    return;
  }
  /* After a readiness comes an end, which says more. */
  is_ready_to_tell = false;
  if (claim_count == MOST_CLAIMS) {
    claim_count--;
    memmove(claims[0], claims[1], sizeof claims - sizeof claims[0]);
  }
  va_list values;
  va_start(values, format);
  vsnprintf(claims[claim_count++], CLAIM_BYTES, format, values);
  va_end(values);
}

void tell_ready(void) {
  is_ready_to_tell = tells();
}

static size_t encode(const unsigned char *bytes, size_t size, char *to) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *next = to;
  for (size_t at = 0; at < size; at += 3) {
    const size_t rest = size - at;
    const unsigned group = (unsigned)bytes[at] << 16 |
                           (rest > 1 ? (unsigned)bytes[at + 1] << 8 : 0) |
                           (rest > 2 ? bytes[at + 2] : 0);
    *next++ = digits[group >> 18 & 63];
    *next++ = digits[group >> 12 & 63];
    *next++ = rest > 1 ? digits[group >> 6 & 63] : '=';
    *next++ = rest > 2 ? digits[group & 63] : '=';
  }
  return (size_t)(next - to);
}

/*
 * What was written comes before how it ended. A readiness does not wait for it: there may be more of it for
 * as long as the command runs.
 */
static bool has_line(void) {
  if (line_size > 0) {
    return true;
  }
  if (waiting_size > 0 && !is_ready_to_tell) {
    const size_t size = waiting_size < PIECE_BYTES ? waiting_size : PIECE_BYTES;
    line_size = (size_t)snprintf(line, sizeof line, "{\"type\":\"output\",\"skipped_bytes\":%lld,\"base64\":\"", skipped);
    line_size += encode((const unsigned char *)waiting, size, line + line_size);
    memcpy(line + line_size, "\"}\n", 3);
    line_size += 3;
    skipped = 0;
    drop_waiting(size);
  } else if (claim_count > 0) {
    line_size = (size_t)snprintf(line, sizeof line, "%s\n", claims[0]);
    claim_count--;
    memmove(claims[0], claims[1], sizeof claims - sizeof claims[0]);
  } else if (is_ready_to_tell) {
    line_size = (size_t)snprintf(line, sizeof line, "{\"type\":\"ready\"}\n");
    is_ready_to_tell = false;
  }
  return line_size > 0;
}

static bool is_connected(void) {
  if (socket_fd < 0 && now_ms() >= connect_at) {
    connect_at = now_ms() + RECONNECT_MS;
    socket_fd = connect_once(socket_path);
    const int size = SENT_BYTES;
    if (socket_fd >= 0) {
      setsockopt(socket_fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    }
  }
  return socket_fd >= 0;
}

void tell_move(void) {
  while (tells() && has_line() && is_connected()) {
    const ssize_t count = send(socket_fd, line + line_sent, line_size - line_sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) {
      return;
    }
    if (count < 0 && errno != EINTR) {
      close(socket_fd);
      socket_fd = -1;
      line_sent = 0;
    }
    line_sent += count > 0 ? (size_t)count : 0;
    if (line_sent == line_size) {
      line_size = line_sent = 0;
    }
  }
}

bool tell_is_done(void) {
  return line_size == 0 && waiting_size == 0 && claim_count == 0 && !is_ready_to_tell;
}

struct pollfd tell_watch(void) {
  return watch(socket_fd, false, socket_fd >= 0 && !tell_is_done());
}

int tell_time_left_ms(int most_ms) {
  if (socket_fd >= 0 || tell_is_done()) {
    return most_ms;
  }
  const long long left = connect_at - now_ms();
  const int wait_ms = left < 0 ? 0 : (int)left;
  return most_ms < 0 || wait_ms < most_ms ? wait_ms : most_ms;
}
