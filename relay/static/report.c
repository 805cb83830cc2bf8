/* What the relay tells the operator. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "relay.h"

void report(const char *format, ...) {
  char line[1024] = "relay: ";
  const size_t prefix = strlen(line);
  va_list values;
  va_start(values, format);
  vsnprintf(line + prefix, sizeof line - prefix - 1, format, values);
  va_end(values);
  /* One write, so that lines of several processes do not mix. */
  strcat(line, "\n");
  if (write(STDERR_FILENO, line, strlen(line)) < 0) {
    return;
  }
}

const char *error_name(int error) {
  switch (error) {
    case EACCES: return "EACCES";
    case EADDRINUSE: return "EADDRINUSE";
    case EAFNOSUPPORT: return "EAFNOSUPPORT";
    case EAGAIN: return "EAGAIN";
    case ECONNREFUSED: return "ECONNREFUSED";
    case EISDIR: return "EISDIR";
    case ELOOP: return "ELOOP";
    case ENAMETOOLONG: return "ENAMETOOLONG";
    case ENOENT: return "ENOENT";
    case ENOEXEC: return "ENOEXEC";
    case ENOMEM: return "ENOMEM";
    case ENOTDIR: return "ENOTDIR";
    case ENOTSOCK: return "ENOTSOCK";
    case EPERM: return "EPERM";
    case EPROTOTYPE: return "EPROTOTYPE";
    case EROFS: return "EROFS";
    default: return NULL;
  }
}

const char *error_text(int error) {
  static char text[128];
  const char *name = error_name(error);
  if (name == NULL) {
    return strerror(error);
  }
  snprintf(text, sizeof text, "%s (%s)", name, strerror(error));
  return text;
}

long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}
