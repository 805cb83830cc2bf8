/*
 * relay run --ready-port <number> or --ready-argument <text>...: when the command counts as ready. Asked each
 * second until it is: its port takes a connection, or another command beside it ends with 0. Told the sidecar
 * again and again from then on: one that is restarted knows nothing of it.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum { INTERVAL_MS = 1000, PORT_LIMIT_MS = 1000, COMMAND_LIMIT_MS = 10000, TELL_AGAIN_MS = 5000 };

static int asked_port;
static char *const *asked_command;
static bool is_ready;
static long long tell_at;
/* 0: nothing is asked now, and not before that time. */
static long long give_up_at;
static long long ask_at;
/* -1: no connection is tried. */
static int port_fd = -1;
static struct child probe = {.pid = -1, .has_ended = true};

void ready_open(int port, char *const command[]) {
  asked_port = port;
  asked_command = command;
  watch_other_child(&probe);
}

static bool is_asked_for(void) {
  return !is_ready && (asked_port > 0 || asked_command != NULL);
}

static void tell(void) {
  tell_ready();
  tell_move();
  tell_at = now_ms() + TELL_AGAIN_MS;
}

static void settle(bool answer) {
  if (port_fd >= 0) {
    close(port_fd);
    port_fd = -1;
  }
  give_up_at = 0;
  ask_at = now_ms() + INTERVAL_MS;
  is_ready = answer;
  if (is_ready) {
    tell();
  }
}

static void ask_port(void) {
  bool is_connected;
  port_fd = connect_to_loopback(asked_port, &is_connected);
  give_up_at = now_ms() + PORT_LIMIT_MS;
  if (port_fd < 0 || is_connected) {
    settle(port_fd >= 0);
  }
}

/* What it writes is dropped: it would stand between what the command itself says, each second. */
static void ask_command(void) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  child_start(&probe, asked_command, nothing, nothing, nothing);
  if (nothing >= 0) {
    close(nothing);
  }
  give_up_at = now_ms() + COMMAND_LIMIT_MS;
  if (probe.start_error != 0) {
    settle(false);
  }
}

static void look_at_port(short found) {
  int error = 0;
  socklen_t size = sizeof error;
  if (found != 0) {
    settle(getsockopt(port_fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0);
  } else if (now_ms() >= give_up_at) {
    settle(false);
  }
}

static void look_at_command(void) {
  if (probe.has_ended) {
    settle(exit_code_of(&probe) == 0);
  } else if (now_ms() >= give_up_at) {
    signal_group(&probe, SIGKILL);
    give_up_at = now_ms() + COMMAND_LIMIT_MS;
  }
}

struct pollfd ready_watch(void) {
  return watch(port_fd, false, true);
}

void ready_move(short found) {
  if (is_ready && now_ms() >= tell_at) {
    tell();
  }
  if (!is_asked_for()) {
    return;
  }
  if (give_up_at == 0) {
    if (now_ms() >= ask_at && asked_port > 0) {
      ask_port();
    } else if (now_ms() >= ask_at) {
      ask_command();
    }
  } else if (asked_port > 0) {
    look_at_port(found);
  } else {
    look_at_command();
  }
}

int ready_time_left_ms(int most_ms) {
  return left_until_ms(is_ready          ? tell_at
                       : !is_asked_for() ? LLONG_MAX
                       : give_up_at == 0 ? ask_at
                                         : give_up_at,
                       most_ms);
}
