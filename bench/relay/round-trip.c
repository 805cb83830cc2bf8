/*
 * round-trip <socket> <count> <bytes> <command...>: starts the command, which bridges its standard input and
 * output to the socket; behind it everything comes back. Prints the median and the 99th percentile of the
 * round trips in nanoseconds, and the command's resident memory in KiB.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UPS = 500, MOST_BYTES = 65536 };

static char message[MOST_BYTES];

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int compare(const void *left, const void *right) {
  const long long a = *(const long long *)left;
  const long long b = *(const long long *)right;
  return (a > b) - (a < b);
}

static void echo(int listener) {
  const int connection = accept(listener, NULL, NULL);
  for (ssize_t size; (size = read(connection, message, sizeof message)) > 0;) {
    if (write(connection, message, (size_t)size) != size) {
      break;
    }
  }
  _exit(0);
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, strlen(path) + 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) {
    perror(path);
    exit(1);
  }
  return listener;
}

static pid_t start(char *const command[], int *to, int *from) {
  int input[2];
  int output[2];
  if (pipe(input) != 0 || pipe(output) != 0) {
    exit(1);
  }
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    close(input[1]);
    close(output[0]);
    execvp(command[0], command);
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  *to = input[1];
  *from = output[0];
  return pid;
}

static void round_trip(int to, int from, size_t bytes) {
  if (write(to, message, bytes) != (ssize_t)bytes) {
    exit(1);
  }
  for (size_t got = 0; got < bytes;) {
    const ssize_t size = read(from, message, bytes - got);
    if (size <= 0) {
      exit(1);
    }
    got += (size_t)size;
  }
}

static long memory_kib(pid_t pid) {
  char path[48];
  char line[128];
  long kib = 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE *status = fopen(path, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    sscanf(line, "VmRSS: %ld", &kib);
  }
  return kib;
}

int main(int count, char **arguments) {
  if (count < 5) {
    return 2;
  }
  const int trips = atoi(arguments[2]);
  const size_t bytes = (size_t)atoi(arguments[3]);
  long long *took = calloc((size_t)trips, sizeof *took);
  if (trips < 1 || bytes > MOST_BYTES || took == NULL) {
    return 2;
  }
  const int listener = listen_at(arguments[1]);
  const pid_t echoing = fork();
  if (echoing == 0) {
    echo(listener);
  }
  int to;
  int from;
  const pid_t bridging = start(arguments + 4, &to, &from);
  for (int trip = -WARM_UPS; trip < trips; trip++) {
    const long long started_ns = now_ns();
    round_trip(to, from, bytes);
    if (trip >= 0) {
      took[trip] = now_ns() - started_ns;
    }
  }
  qsort(took, (size_t)trips, sizeof *took, compare);
  printf("%lld %lld %ld\n", took[trips / 2], took[trips * 99LL / 100], memory_kib(bridging));
  kill(bridging, SIGTERM);
  kill(echoing, SIGTERM);
  while (wait(NULL) > 0) {
  }
  unlink(arguments[1]);
  return 0;
}
