/*
 * Says under which name it was started, whether it can have a network socket, and what is mounted at
 * its arguments; and stays.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell_mount(const char *path) {
  FILE *mounts = fopen("/proc/self/mountinfo", "r");
  char line[4096], source[4096], target[4096];
  while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
    if (sscanf(line, "%*d %*d %*s %4095s %4095s", source, target) == 2 && strcmp(target, path) == 0) {
      printf("%s is %s\n", path, source);
    }
  }
}

int main(int count, char **arguments) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  printf("%s: %s\n", count > 0 ? arguments[0] : "", descriptor >= 0 ? "a network socket" : strerror(errno));
  for (int index = 1; index < count; index++) {
    tell_mount(arguments[index]);
  }
  fflush(stdout);
  for (;;) {
    pause();
  }
}
