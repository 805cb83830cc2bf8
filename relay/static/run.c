/* relay run: PID 1 of agents and siblings. relay supervise: PID 1 of the sidecar's container. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "relay.h"

enum { RESTART_PAUSE_MS = 200, KILL_AFTER_MS = 9000 };

static int finish(const struct child *child) {
  end_descendants();
  return exit_code_of(child);
}

static void pass_signals(struct child *child) {
  int number;
  while ((number = signals_next(0)) > 0) {
    if (number == SIGCHLD) {
      reap(child);
    } else if (!child->has_ended) {
      kill(child->pid, number);
    }
  }
}

/* Until something is to be done. */
static void turn(int signals_fd, struct child *child, struct output *output) {
  struct pollfd watched[2 + OUTPUT_WATCHED + FORWARD_WATCHED] = {watch(signals_fd, true, false),
                                                                 ready_watch()};
  struct pollfd *const forwarded = watched + 2 + OUTPUT_WATCHED;
  output_watch(output, watched + 2);
  const int count = 2 + OUTPUT_WATCHED + forward_watch(forwarded);
  poll(watched, (nfds_t)count, ready_time_left_ms(forward_time_left_ms(output_time_left_ms(-1))));
  pass_signals(child);
  output_move(output, watched + 2);
  forward_move(forwarded);
  ready_move(watched[1].revents);
}

/* 0, or the exit code, which was reported. */
static int open_listeners(const struct listen *listens, int count) {
  for (int index = 0; index < count; index++) {
    if (!listen_open(listens[index].port, listens[index].path)) {
      report("cannot listen on port %d: %s; the command is not run", listens[index].port, error_text(errno));
      return EXIT_NO_SOCKET;
    }
  }
  return 0;
}

int run(const struct run_options *options, char *const command[]) {
  adopt_orphans();
  const int wait_code =
      options->wait_path == NULL ? 0 : wait_for_path(options->wait_path, options->wait_limit_ms);
  if (wait_code != 0) {
    return wait_code;
  }
  const int listen_code = open_listeners(options->listens, options->listen_count);
  if (listen_code != 0) {
    return listen_code;
  }
  struct output output;
  const int signals_fd = signals_open();
  if (signals_fd < 0 || !output_pipe(&output)) {
    report("cannot watch the command: %s", error_text(errno));
    return 1;
  }
  struct child child;
  /* What it writes is for people, on both: one stream. */
  child_start(&child, command, -1, output.child_fd, output.child_fd);
  output_started(&output);
  if (child.start_error != 0) {
    report_start_error(&child, command[0]);
    output_report_end(&output, &child);
    return exit_code_of(&child);
  }
  output_report_start();
  while (!child.has_ended) {
    turn(signals_fd, &child, &output);
  }
  const int code = finish(&child);
  forward_finish();
  output_report_end(&output, &child);
  return code;
}

/* Until the child has ended. True when a stop signal came: the child was asked, and in the end made to. */
static bool watch_over(struct child *child) {
  bool is_stopping = false;
  long long kill_at = LLONG_MAX;
  while (!child->has_ended) {
    const long long left = kill_at - now_ms();
    const int number = signals_next(!is_stopping ? -1 : left > 0 ? (int)left : 0);
    if (number == SIGCHLD) {
      reap(child);
    } else if (is_stop(number)) {
      kill(child->pid, SIGTERM);
      kill_at = is_stopping ? kill_at : now_ms() + KILL_AFTER_MS;
      is_stopping = true;
    } else if (number > 0) {
      kill(child->pid, number);
    } else if (is_stopping && now_ms() >= kill_at) {
      signal_group(child, SIGKILL);
      kill_at = now_ms() + KILL_AFTER_MS;
    }
  }
  return is_stopping;
}

/* True when a stop signal came. */
static bool pause_before_restart(void) {
  const long long until = now_ms() + RESTART_PAUSE_MS;
  for (long long left = RESTART_PAUSE_MS; left > 0; left = until - now_ms()) {
    const int number = signals_next((int)left);
    if (number == SIGCHLD) {
      reap(NULL);
    } else if (is_stop(number)) {
      return true;
    }
  }
  return false;
}

int supervise(int restarts, char *const command[]) {
  adopt_orphans();
  const int no_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int restart = 1;; restart++) {
    struct child child;
    child_start(&child, command, no_input, -1, -1);
    if (child.start_error != 0) {
      report_start_error(&child, command[0]);
    }
    const bool is_stopping = watch_over(&child);
    end_descendants();
    if (is_stopping || restart > restarts) {
      return exit_code_of(&child);
    }
    report("\"%s\" ended (%s); starting it again (%d of %d)", command[0], ending_of(&child), restart, restarts);
    if (pause_before_restart()) {
      return exit_code_of(&child);
    }
  }
}
