/*
 * Pairs of connections whose bytes are copied both ways: of somebody who asks, through the sidecar, and of a
 * port or a socket that answers. Nothing here waits.
 */
#include <limits.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum {
  /* What is still asked of one who has said all is of little use. */
  LINGER_MS = 5000,
};

struct copy {
  bool is_used;
  enum copy_kind kind;
  /* Where its descriptors are watched; -1: they are not. */
  int asking_at;
  int answering_at;
  int asking_fd;
  int answering_fd;
  bool is_connected;
  /* The end of a direction was passed on. */
  bool has_asked;
  bool has_answered;
  long long give_up_at;
  struct pump to_answering;
  struct pump to_asking;
};

static struct copy copies[MOST_COPIES];

bool copy_has_place(enum copy_kind kind) {
  int count = 0;
  for (int index = 0; index < MOST_COPIES; index++) {
    count += copies[index].is_used && copies[index].kind == kind ? 1 : 0;
  }
  return count < MOST_COPIES_OF_A_KIND;
}

static struct copy *free_place(void) {
  struct copy *copy = copies;
  while (copy->is_used) {
    copy++;
  }
  return copy;
}

void copy_begin(enum copy_kind kind, int asking_fd, int answering_fd, bool is_connected) {
  struct copy *copy = free_place();
  copy->is_used = true;
  copy->kind = kind;
  copy->asking_at = copy->answering_at = -1;
  copy->asking_fd = asking_fd;
  copy->answering_fd = answering_fd;
  copy->is_connected = is_connected;
  copy->has_asked = copy->has_answered = false;
  copy->give_up_at = LLONG_MAX;
  pump_open(&copy->to_answering, asking_fd, answering_fd, SINK_SOCKET);
  pump_open(&copy->to_asking, answering_fd, asking_fd, SINK_SOCKET);
}

static void end(struct copy *copy) {
  close(copy->asking_fd);
  close(copy->answering_fd);
  copy->is_used = false;
}

static struct pollfd watch_asking(const struct copy *copy) {
  const bool reads = copy->is_connected && pump_wants_input(&copy->to_answering);
  struct pollfd watched = watch(copy->asking_fd, reads, pump_wants_output(&copy->to_asking));
  if (!copy->has_answered) {
    /* Also while nothing can be moved it is noticed that who asks has left. */
    watched.fd = copy->asking_fd;
  }
  return watched;
}

static struct pollfd watch_answering(const struct copy *copy) {
  const bool writes = !copy->is_connected || pump_wants_output(&copy->to_answering);
  return watch(copy->answering_fd, copy->is_connected && pump_wants_input(&copy->to_asking), writes);
}

/* False when nobody answers. */
static bool is_connected(struct copy *copy, short found) {
  int error = 0;
  socklen_t size = sizeof error;
  if (copy->is_connected || found == 0) {
    return true;
  }
  copy->is_connected = getsockopt(copy->answering_fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
  return copy->is_connected;
}

static void pass_ends_on(struct copy *copy) {
  if (pump_is_done(&copy->to_answering) && !copy->has_asked) {
    shutdown(copy->answering_fd, SHUT_WR);
    copy->has_asked = true;
  }
  if (pump_is_done(&copy->to_asking) && !copy->has_answered) {
    shutdown(copy->asking_fd, SHUT_WR);
    copy->has_answered = true;
    copy->give_up_at = now_ms() + LINGER_MS;
  }
}

static void move(struct copy *copy, short asking_found, short answering_found) {
  const short readable = POLLIN | POLLHUP | POLLERR;
  const bool has_left = !copy->has_answered && (asking_found & (POLLHUP | POLLERR)) != 0;
  if (has_left || !is_connected(copy, answering_found)) {
    end(copy);
    return;
  }
  if (!copy->is_connected) {
    return;
  }
  pump_move(&copy->to_answering, (asking_found & readable) != 0);
  pump_move(&copy->to_asking, (answering_found & readable) != 0);
  pass_ends_on(copy);
  const bool is_done = copy->has_answered && (copy->has_asked || now_ms() >= copy->give_up_at);
  if (is_done || copy->to_asking.is_sink_broken) {
    end(copy);
  }
}

/* As few as there are: poll(2) takes no more than the process may have descriptors. */
int watch_also(struct pollfd *watched, int *count, struct pollfd each) {
  if (each.fd < 0) {
    return -1;
  }
  watched[*count] = each;
  return (*count)++;
}

short found_at(const struct pollfd *watched, int at) {
  return at < 0 ? 0 : watched[at].revents;
}

void copy_watch(struct pollfd *watched, int *count) {
  for (int index = 0; index < MOST_COPIES; index++) {
    struct copy *copy = &copies[index];
    if (copy->is_used) {
      copy->asking_at = watch_also(watched, count, watch_asking(copy));
      copy->answering_at = watch_also(watched, count, watch_answering(copy));
    }
  }
}

void copy_move(const struct pollfd *watched) {
  for (int index = 0; index < MOST_COPIES; index++) {
    struct copy *copy = &copies[index];
    if (copy->is_used) {
      move(copy, found_at(watched, copy->asking_at), found_at(watched, copy->answering_at));
    }
  }
}

long long copy_next_at(void) {
  long long at = LLONG_MAX;
  for (int index = 0; index < MOST_COPIES; index++) {
    at = copies[index].is_used && copies[index].give_up_at < at ? copies[index].give_up_at : at;
  }
  return at;
}

bool copy_is_any(void) {
  for (int index = 0; index < MOST_COPIES; index++) {
    if (copies[index].is_used) {
      return true;
    }
  }
  return false;
}
