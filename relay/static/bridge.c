/* relay - UNIX-CONNECT:<socket>: the agent's side. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "relay.h"

enum { CONNECT_LIMIT_MS = 15000 };

static struct pump to_socket;
static struct pump from_socket;

static enum sink sink_of(int descriptor) {
  struct stat found;
  return fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode) ? SINK_SOCKET : SINK_SHARED;
}

/* The end of the input is passed on, and answers may still come; the end of the socket ends the relay. */
static int carry(int socket_fd) {
  bool has_passed_end_on = false;
  while (!pump_is_done(&from_socket) && !from_socket.is_sink_broken) {
    if (pump_is_done(&to_socket) && !has_passed_end_on) {
      shutdown(socket_fd, SHUT_WR);
      has_passed_end_on = true;
    }
    struct pollfd watched[] = {
        watch(STDIN_FILENO, pump_wants_input(&to_socket), false),
        watch(socket_fd, pump_wants_input(&from_socket), pump_wants_output(&to_socket)),
        watch(STDOUT_FILENO, false, pump_wants_output(&from_socket)),
    };
    if (poll(watched, sizeof watched / sizeof *watched, -1) < 0 && errno != EINTR) {
      report("cannot wait for bytes: %s", error_text(errno));
      return 1;
    }
    pump_move(&to_socket, watched[0].revents != 0);
    pump_move(&from_socket, watched[1].revents & (POLLIN | POLLHUP | POLLERR));
  }
  return 0;
}

int bridge(const char *path) {
  const int socket_fd = connect_in_time(path, CONNECT_LIMIT_MS);
  if (socket_fd < 0) {
    return 1;
  }
  /* From here on a signal ends it as it ends any program. */
  signals_restore();
  signal(SIGPIPE, SIG_IGN);
  pump_open(&to_socket, STDIN_FILENO, socket_fd, SINK_SOCKET);
  pump_open(&from_socket, socket_fd, STDOUT_FILENO, sink_of(STDOUT_FILENO));
  const int code = carry(socket_fd);
  close(socket_fd);
  return code;
}
