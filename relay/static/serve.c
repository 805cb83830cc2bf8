/*
 * relay UNIX-CONNECT:<socket> -- <command>: the MCP server's side. For each connection that is
 * used, one fresh process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum {
  CONNECT_LIMIT_MS = 60000,
  KILL_AFTER_MS = 2000,
  LAST_OUTPUT_MS = 500,
  SHORTEST_PAUSE_MS = 50,
  LONGEST_PAUSE_MS = 5000,
  /* A process that ran at least this long did not crash on start. */
  STABLE_MS = 5000,
};

static const long long never = LLONG_MAX;

static struct pump to_server;
static struct pump from_server;
static bool is_stopping;

struct service {
  int signals_fd;
  int socket_fd;
  int input;
  int output;
  struct child server;
  /* Its standard error. */
  struct output errors;
  /* The process was asked to end: by the other side of the connection, or by the relay's own stop. */
  bool is_asked;
  long long terminate_at;
  long long kill_at;
  /* What the process started may hold its output open. */
  long long give_up_at;
};

static void close_once(int *descriptor) {
  if (*descriptor >= 0) {
    close(*descriptor);
    *descriptor = -1;
  }
}

static void take_signals(struct child *server) {
  int number;
  while ((number = signals_next(0)) > 0) {
    if (number == SIGCHLD) {
      reap(server);
    }
    is_stopping = is_stopping || is_stop(number);
  }
}

static void pause_for(int pause_ms) {
  const long long until = now_ms() + pause_ms;
  for (long long left = pause_ms; left > 0 && !is_stopping; left = until - now_ms()) {
    const int number = signals_next((int)left);
    if (number == SIGCHLD) {
      reap(NULL);
    }
    is_stopping = is_stop(number);
  }
}

/* Asks, and after a while insists. */
static void terminate(struct service *service) {
  service->terminate_at = never;
  if (service->kill_at == never && !service->server.has_ended) {
    signal_group(&service->server, SIGTERM);
    service->kill_at = now_ms() + KILL_AFTER_MS;
  }
}

static void terminate_as_asked(struct service *service) {
  service->is_asked = true;
  terminate(service);
}

/*
 * True when there is something to bridge; the byte stays in the socket. False when the
 * connection ended unused.
 */
static bool wait_for_first_byte(struct service *service) {
  while (!is_stopping) {
    struct pollfd watched[2 + OUTPUT_WATCHED] = {watch(service->signals_fd, true, false),
                                                 watch(service->socket_fd, true, false)};
    output_watch(&service->errors, watched + 2);
    if (poll(watched, sizeof watched / sizeof *watched, output_time_left_ms(-1)) < 0 && errno != EINTR) {
      return false;
    }
    take_signals(NULL);
    /* What could not be reported about the process before. */
    output_move(&service->errors, watched + 2);
    if (watched[1].revents != 0) {
      char byte;
      return recv(service->socket_fd, &byte, 1, MSG_PEEK) == 1;
    }
  }
  return false;
}

static void start_server(struct service *service, char *const command[]) {
  int input[2];
  int output[2];
  service->server = (struct child){.pid = -1, .has_ended = true};
  if (!output_pipe(&service->errors) || pipe2(input, O_CLOEXEC) != 0) {
    service->server.start_error = errno;
    return;
  }
  if (pipe2(output, O_CLOEXEC) != 0) {
    service->server.start_error = errno;
    close(input[0]);
    close(input[1]);
    return;
  }
  child_start(&service->server, command, input[0], output[1], service->errors.child_fd);
  output_started(&service->errors);
  close(input[0]);
  close(output[1]);
  service->input = input[1];
  service->output = output[0];
  /* Only our ends: the command finds ordinary pipes. */
  fcntl(service->input, F_SETFL, O_NONBLOCK);
  fcntl(service->output, F_SETFL, O_NONBLOCK);
  pump_open(&to_server, service->socket_fd, service->input, SINK_NONBLOCKING);
  pump_open(&from_server, service->output, service->socket_fd, SINK_SOCKET);
}

static int time_left_ms(const struct service *service) {
  long long at = service->terminate_at;
  at = service->kill_at < at ? service->kill_at : at;
  at = service->give_up_at < at ? service->give_up_at : at;
  const long long left = at - now_ms();
  return left < 0 ? 0 : left > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : (int)left;
}

static void keep_times(struct service *service) {
  const long long now = now_ms();
  if (service->server.has_ended && service->give_up_at == never) {
    service->give_up_at = now + LAST_OUTPUT_MS;
  }
  /* The end of its output is not yet the end of the process: how it ended decides what comes next. */
  if (pump_is_done(&from_server) && service->terminate_at == never && service->kill_at == never) {
    service->terminate_at = now + LAST_OUTPUT_MS;
  }
  if (now >= service->terminate_at) {
    terminate(service);
  }
  if (now >= service->kill_at) {
    signal_group(&service->server, SIGKILL);
    service->kill_at = now + KILL_AFTER_MS;
  }
}

static void move_bytes(struct service *service, const struct pollfd *socket_found,
                       const struct pollfd *output_found) {
  pump_move(&to_server, socket_found->revents & (POLLIN | POLLHUP | POLLERR));
  pump_move(&from_server, output_found->revents != 0);
  if (to_server.is_sink_broken || pump_is_done(&to_server)) {
    close_once(&service->input);
  }
  /* The sidecar closes a connection that the agent left: this process has no one to talk to any more. */
  const bool has_peer_left = to_server.has_source_ended || (socket_found->revents & (POLLHUP | POLLERR));
  if (has_peer_left || from_server.is_sink_broken || is_stopping) {
    terminate_as_asked(service);
  }
}

/* Until the process has ended and what it wrote has arrived. */
static void carry(struct service *service) {
  while (!service->server.has_ended || (!pump_is_done(&from_server) && now_ms() < service->give_up_at)) {
    struct pollfd watched[4 + OUTPUT_WATCHED] = {
        watch(service->signals_fd, true, false),
        watch(service->socket_fd, pump_wants_input(&to_server), pump_wants_output(&from_server)),
        watch(service->input, false, pump_wants_output(&to_server)),
        watch(service->output, pump_wants_input(&from_server), false),
    };
    output_watch(&service->errors, watched + 4);
    if (!service->is_asked && watched[1].fd < 0) {
      /* Also while the server is slow to read, it is noticed that its peer has disconnected. */
      watched[1].fd = service->socket_fd;
    }
    if (poll(watched, sizeof watched / sizeof *watched, output_time_left_ms(time_left_ms(service))) < 0) {
      continue;
    }
    take_signals(&service->server);
    move_bytes(service, &watched[1], &watched[3]);
    output_move(&service->errors, watched + 4);
    keep_times(service);
  }
}

/* What is still on its way to the other side may arrive; what comes from there is for nobody. */
static void close_socket(struct service *service) {
  shutdown(service->socket_fd, SHUT_WR);
  const long long deadline = now_ms() + LAST_OUTPUT_MS;
  for (long long left = LAST_OUTPUT_MS; left > 0 && !is_stopping; left = deadline - now_ms()) {
    struct pollfd watched[] = {watch(service->signals_fd, true, false),
                               watch(service->socket_fd, true, false)};
    poll(watched, 2, (int)left);
    take_signals(NULL);
    if (watched[1].revents != 0 &&
        recv(service->socket_fd, to_server.bytes, sizeof to_server.bytes, 0) <= 0) {
      return;
    }
  }
}

/* True when the command ended by itself soon after its start. */
static bool serve_connection(struct service *service, char *const command[]) {
  const long long started_ms = now_ms();
  start_server(service, command);
  if (service->server.start_error == 0) {
    carry(service);
  }
  close_once(&service->input);
  close_once(&service->output);
  end_descendants();
  /* Before the connection ends, so that the reason is known when its end is noticed. */
  output_report_end(&service->errors, &service->server);
  close_socket(service);
  if (service->server.start_error != 0) {
    report_start_error(&service->server, command[0]);
  } else if (!service->is_asked) {
    report("the server process ended by itself (%s); the next connection starts it again", ending_of(&service->server));
  }
  return !service->is_asked && now_ms() - started_ms < STABLE_MS;
}

int serve(const char *path, char *const command[]) {
  adopt_orphans();
  const int signals_fd = signals_open();
  if (signals_fd < 0) {
    report("cannot wait for signals: %s", error_text(errno));
    return 1;
  }
  int pause_ms = SHORTEST_PAUSE_MS;
  while (!is_stopping) {
    struct service service = {.signals_fd = signals_fd, .input = -1, .output = -1,
                              .errors = {.fd = -1, .child_fd = -1}};
    service.terminate_at = service.kill_at = service.give_up_at = never;
    service.socket_fd = connect_in_time(path, CONNECT_LIMIT_MS);
    if (service.socket_fd < 0) {
      return service.socket_fd == -1 ? 1 : 0;
    }
    if (!wait_for_first_byte(&service)) {
      close(service.socket_fd);
      pause_for(SHORTEST_PAUSE_MS);
      continue;
    }
    const bool has_failed_early = serve_connection(&service, command);
    close(service.socket_fd);
    pause_ms = !has_failed_early                 ? SHORTEST_PAUSE_MS
               : pause_ms < LONGEST_PAUSE_MS / 2 ? pause_ms * 2
                                                 : LONGEST_PAUSE_MS;
    pause_for(has_failed_early ? pause_ms : 0);
  }
  return 0;
}
