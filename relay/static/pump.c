/* Bytes in one direction, with backpressure. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

struct pollfd watch(int descriptor, bool reads, bool writes) {
  const short events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
  return (struct pollfd){.fd = events != 0 ? descriptor : -1, .events = events};
}

void pump_open(struct pump *pump, int from, int to, enum sink sink) {
  pump->from = from;
  pump->to = to;
  pump->sink = sink;
  pump->has_source_ended = false;
  pump->is_sink_broken = false;
  pump->start = 0;
  pump->end = 0;
}

bool pump_wants_input(const struct pump *pump) {
  return !pump->has_source_ended && pump->start == pump->end;
}

bool pump_wants_output(const struct pump *pump) {
  return pump->start < pump->end;
}

bool pump_is_done(const struct pump *pump) {
  return pump->has_source_ended && pump->start == pump->end;
}

static bool is_for_later(int error) {
  return error == EAGAIN || error == EINTR;
}

static void fill(struct pump *pump) {
  const ssize_t count = read(pump->from, pump->bytes, sizeof pump->bytes);
  if (count > 0) {
    pump->start = 0;
    pump->end = (size_t)count;
  } else if (count == 0 || !is_for_later(errno)) {
    pump->has_source_ended = true;
  }
}

/*
 * A descriptor that others share stays as blocking as they left it: what poll allows
 * never blocks up to PIPE_BUF.
 */
static ssize_t write_shared(int to, const char *bytes, size_t size) {
  struct pollfd sink = {.fd = to, .events = POLLOUT};
  if (poll(&sink, 1, 0) != 1) {
    errno = EAGAIN;
    return -1;
  }
  return write(to, bytes, size < PIPE_BUF ? size : PIPE_BUF);
}

static ssize_t write_some(const struct pump *pump) {
  const char *bytes = pump->bytes + pump->start;
  const size_t size = pump->end - pump->start;
  switch (pump->sink) {
    case SINK_SOCKET: return send(pump->to, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    case SINK_SHARED: return write_shared(pump->to, bytes, size);
    default: return write(pump->to, bytes, size);
  }
}

static void empty(struct pump *pump) {
  while (pump->start < pump->end && !pump->is_sink_broken) {
    const ssize_t count = write_some(pump);
    if (count >= 0) {
      pump->start += (size_t)count;
    } else if (is_for_later(errno)) {
      return;
    } else {
      pump->is_sink_broken = true;
    }
  }
  pump->start = pump->end;
}

void pump_move(struct pump *pump, bool is_readable) {
  if (is_readable && pump_wants_input(pump)) {
    fill(pump);
  }
  empty(pump);
}
