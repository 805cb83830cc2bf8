/* Signals are held back and taken one by one: PID 1 gets none that it neither holds nor handles. */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "relay.h"

static sigset_t held;
static sigset_t found;

void signals_hold(void) {
  const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
  sigemptyset(&held);
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    sigaddset(&held, numbers[index]);
  }
  sigprocmask(SIG_BLOCK, &held, &found);
  signal(SIGPIPE, SIG_IGN);
  /* Inherited as ignored, it would have the kernel reap our children, and their exit codes would be lost. */
  signal(SIGCHLD, SIG_DFL);
}

void signals_restore(void) {
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &found, NULL);
}

int signals_open(void) {
  return signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_next(int timeout_ms) {
  const struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};
  for (;;) {
    const int number = sigtimedwait(&held, NULL, timeout_ms < 0 ? NULL : &timeout);
    if (number > 0) {
      return number;
    }
    if (errno != EINTR) {
      return 0;
    }
  }
}

bool is_stop(int signal_number) {
  return signal_number == SIGTERM || signal_number == SIGINT;
}
