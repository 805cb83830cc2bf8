/*
 * What the command writes to standard error: without its secrets to our own, and to the sidecar; and
 * how it started and ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "relay.h"

/* Another process may hold the output open, or read slowly: then the rest of it is left. */
enum { LAST_OUTPUT_MS = 500 };

/* Whether it goes through us; else it stays the command's own. */
static bool is_output_taken;

void output_open(const char *path, bool is_taken, char *const secrets[]) {
  is_output_taken = is_taken;
  /*
   * The command is of the same user: without this it could attach to us, or open our own output in /proc, and
   * write there past the redaction.
   */
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  tell_open(path);
  redaction_open(secrets);
}

bool output_pipe(struct output *output) {
  *output = (struct output){.fd = -1, .child_fd = -1};
  int ends[2];
  if (!is_output_taken || pipe2(ends, O_CLOEXEC) != 0) {
    return !is_output_taken;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *output = (struct output){.fd = ends[0], .child_fd = ends[1]};
  return true;
}

static void show(const char *bytes, size_t size) {
  log_write(bytes, size);
  tell_output(bytes, size);
}

static void read_some(struct output *output) {
  static char bytes[REDACTION_TEXT_BYTES - REDACTION_KEPT_BYTES];
  const ssize_t count = read(output->fd, bytes, sizeof bytes);
  if (count > 0) {
    redaction_push(bytes, (size_t)count, show);
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    output_close(output);
  }
}

void output_watch(const struct output *output, struct pollfd watched[OUTPUT_WATCHED]) {
  /* When our own is not read, the command has to wait, as it would without us. */
  watched[0] = watch(output->fd, output->fd >= 0 && log_is_done(), false);
  watched[1] = log_watch();
  watched[2] = tell_watch();
}

void output_move(struct output *output, const struct pollfd watched[OUTPUT_WATCHED]) {
  if (output->fd >= 0 && watched[0].fd >= 0 && watched[0].revents != 0) {
    read_some(output);
  }
  log_move();
  tell_move();
}

int output_time_left_ms(int most_ms) {
  return tell_time_left_ms(most_ms);
}

void output_started(struct output *output) {
  if (output->child_fd >= 0) {
    close(output->child_fd);
    output->child_fd = -1;
  }
}

void output_close(struct output *output) {
  output_started(output);
  if (output->fd >= 0) {
    close(output->fd);
    output->fd = -1;
    redaction_end(show);
  }
}

/* False when nothing comes any more, or the deadline is over. */
static bool has_moved(struct output *output, long long deadline) {
  struct pollfd watched[OUTPUT_WATCHED];
  output_watch(output, watched);
  const long long left = deadline - now_ms();
  /* What is in the pipe still, and no more. */
  const int most_ms = left <= 0 || watched[0].fd >= 0 ? 0 : (int)left;
  poll(watched, OUTPUT_WATCHED, output_time_left_ms(most_ms));
  const bool is_silent = watched[0].fd >= 0 && watched[0].revents == 0;
  output_move(output, watched);
  return left > 0 && !is_silent;
}

void output_report_start(void) {
  tell_claim("{\"type\":\"started\"}");
  tell_move();
}

static void claim_end(const struct child *child) {
  const char *name = WIFSIGNALED(child->status) ? signal_name(WTERMSIG(child->status)) : NULL;
  if (child->start_error != 0) {
    const char *error = error_name(child->start_error);
    tell_claim("{\"type\":\"not_started\",\"error\":\"%s\"}", error == NULL ? "EIO" : error);
  } else if (name != NULL && strncmp(name, "SIG", 3) == 0) {
    tell_claim("{\"type\":\"ended\",\"exit_code\":null,\"signal\":\"%s\"}", name);
  } else {
    tell_claim("{\"type\":\"ended\",\"exit_code\":%d,\"signal\":null}", exit_code_of(child));
  }
}

void output_report_end(struct output *output, const struct child *child) {
  const long long deadline = now_ms() + LAST_OUTPUT_MS;
  while (output->fd >= 0 && has_moved(output, deadline)) {
  }
  output_close(output);
  claim_end(child);
  tell_move();
  while (!(log_is_done() && tell_is_done()) && has_moved(output, deadline)) {
  }
}
