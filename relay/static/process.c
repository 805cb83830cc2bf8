/* Starting commands, and being the parent of all that they leave behind. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "relay.h"

enum { LEFTOVER_ROUNDS = 100, LEFTOVER_ROUND_MS = 20, PATIENT_ROUNDS = 5 };

/* In the child. Does not return. */
static void become(char *const command[], const int descriptors[3], int problem) {
  setpgid(0, 0);
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
    if (descriptors[number] >= 0 && dup2(descriptors[number], number) < 0) {
      _exit(EXIT_NOT_EXECUTABLE);
    }
  }
  signals_restore();
  int error = narrow_command();
  if (error == 0) {
    execvp(command[0], command);
    error = errno;
  }
  if (write(problem, &error, sizeof error) < 0) {
    _exit(EXIT_NOT_EXECUTABLE);
  }
  _exit(EXIT_NOT_EXECUTABLE);
}

void child_start(struct child *child, char *const command[], int input, int output, int errors) {
  *child = (struct child){.pid = -1, .has_ended = true};
  /* Closed by a successful exec; until then it carries why there was none. */
  int problem[2];
  if (pipe2(problem, O_CLOEXEC) != 0) {
    child->start_error = errno;
    return;
  }
  const pid_t pid = fork();
  if (pid == 0) {
    const int descriptors[] = {input, output, errors};
    become(command, descriptors, problem[1]);
  }
  if (pid < 0) {
    child->start_error = errno;
  }
  close(problem[1]);
  int error = 0;
  if (pid > 0 && read(problem[0], &error, sizeof error) == sizeof error) {
    child->start_error = error;
    waitpid(pid, NULL, 0);
  }
  close(problem[0]);
  if (child->start_error == 0) {
    child->pid = pid;
    child->has_ended = false;
  }
}

static struct child *other_child;

void watch_other_child(struct child *child) {
  other_child = child;
}

static struct child *child_of(pid_t pid, struct child *child) {
  struct child *const known[] = {child, other_child};
  for (size_t index = 0; index < sizeof known / sizeof *known; index++) {
    if (known[index] != NULL && !known[index]->has_ended && known[index]->pid == pid) {
      return known[index];
    }
  }
  return NULL;
}

void reap(struct child *child) {
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
      return;
    }
    struct child *const ended = child_of(info.si_pid, child);
    if (ended != NULL) {
      /* As long as nobody waited for it, its number is its own. */
      kill(-ended->pid, SIGKILL);
    }
    int status = 0;
    waitpid(info.si_pid, &status, 0);
    if (ended != NULL) {
      ended->has_ended = true;
      ended->status = status;
    }
  }
}

void signal_group(const struct child *child, int signal_number) {
  if (!child->has_ended) {
    kill(-child->pid, signal_number);
  }
}

/*
 * How many children there are. What the container's runtime put beside us, like a probe, is not among them.
 */
static int kill_children(void) {
  FILE *children = fopen("/proc/thread-self/children", "re");
  if (children == NULL) {
    return 0;
  }
  int count = 0;
  int pid;
  while (fscanf(children, "%d", &pid) == 1) {
    kill(pid, SIGKILL);
    count++;
  }
  fclose(children);
  return count;
}

/* Takes no other signal: one that asks to end is left for the next wait. */
static void wait_for_a_child(int timeout_ms) {
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const struct timespec timeout = {.tv_sec = 0, .tv_nsec = timeout_ms * 1000000L};
  sigtimedwait(&child_ended, NULL, &timeout);
}

/*
 * One that forks and ends without pause has another number whenever it is looked for. As PID 1 every process
 * here is ours, and the kernel ends all of them in one step, in which none can fork: also what the runtime
 * put beside us, so only when nothing else helps.
 */
static void kill_everything(void) {
  if (getpid() == 1) {
    kill(-1, SIGKILL);
  }
}

void end_descendants(void) {
  reap(NULL);
  /* The children of a child that ends become ours, for the next round. */
  for (int round = 0; round < LEFTOVER_ROUNDS && kill_children() > 0; round++) {
    if (round >= PATIENT_ROUNDS) {
      kill_everything();
    }
    wait_for_a_child(LEFTOVER_ROUND_MS);
    reap(NULL);
  }
}

int exit_code_of(const struct child *child) {
  if (child->start_error != 0) {
    return child->start_error == ENOENT || child->start_error == ENOTDIR
               ? EXIT_NOT_FOUND
               : EXIT_NOT_EXECUTABLE;
  }
  return WIFSIGNALED(child->status) ? EXIT_SIGNAL_BASE + WTERMSIG(child->status) : WEXITSTATUS(child->status);
}

const char *signal_name(int number) {
  switch (number) {
    case SIGHUP: return "SIGHUP";
    case SIGINT: return "SIGINT";
    case SIGQUIT: return "SIGQUIT";
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGKILL: return "SIGKILL";
    case SIGUSR1: return "SIGUSR1";
    case SIGSEGV: return "SIGSEGV";
    case SIGUSR2: return "SIGUSR2";
    case SIGPIPE: return "SIGPIPE";
    case SIGALRM: return "SIGALRM";
    case SIGTERM: return "SIGTERM";
    case SIGXCPU: return "SIGXCPU";
    case SIGXFSZ: return "SIGXFSZ";
    case SIGSYS: return "SIGSYS";
    default: return strsignal(number);
  }
}

const char *ending_of(const struct child *child) {
  static char text[64];
  if (child->start_error != 0) {
    return error_text(child->start_error);
  }
  if (WIFSIGNALED(child->status)) {
    return signal_name(WTERMSIG(child->status));
  }
  snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(child->status));
  return text;
}

void report_start_error(const struct child *child, const char *command) {
  report("cannot start \"%s\": %s", command, error_text(child->start_error));
}

void adopt_orphans(void) {
  if (getpid() != 1) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  }
}
