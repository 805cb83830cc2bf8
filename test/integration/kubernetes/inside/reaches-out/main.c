/* Says under which name it was started and whether it can have a network socket, and stays. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  printf("%s: %s\n", count > 0 ? arguments[0] : "", descriptor >= 0 ? "a network socket" : strerror(errno));
  fflush(stdout);
  for (;;) {
    pause();
  }
}
