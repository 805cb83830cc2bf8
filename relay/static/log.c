/* Our own standard error, which others share: what does not fit in it now waits here. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "relay.h"

static char pending[LOG_BYTES];
static size_t pending_size;

void log_write(const char *bytes, size_t size) {
  const size_t room = sizeof pending - pending_size;
  size = size < room ? size : room;
  memcpy(pending + pending_size, bytes, size);
  pending_size += size;
}

bool log_is_done(void) {
  return pending_size == 0;
}

struct pollfd log_watch(void) {
  return watch(STDERR_FILENO, false, pending_size > 0);
}

/* What poll allows never blocks up to PIPE_BUF. */
static size_t write_some(const char *bytes, size_t size) {
  struct pollfd found = watch(STDERR_FILENO, false, true);
  if (poll(&found, 1, 0) != 1) {
    return 0;
  }
  const ssize_t count = write(STDERR_FILENO, bytes, size < PIPE_BUF ? size : PIPE_BUF);
  /* There is no reader any more: the rest is dropped. */
  return count >= 0 ? (size_t)count : errno == EAGAIN || errno == EINTR ? 0 : size;
}

void log_move(void) {
  size_t start = 0;
  for (size_t count = 1; count > 0 && start < pending_size; start += count) {
    count = write_some(pending + start, pending_size - start);
  }
  memmove(pending, pending + start, pending_size - start);
  pending_size -= start;
}
