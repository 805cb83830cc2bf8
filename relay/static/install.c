/*
 * relay install: puts the relay and the session's directories in place, for containers
 * that see them read-only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "relay.h"

enum { LIMIT_SECONDS = 10, DIRECTORY_MODE = 02770, PROGRAM_MODE = 0555, NAME_MAX_BYTES = 255 };

static bool has_mode(int directory) {
  struct stat found;
  return fstat(directory, &found) == 0 && (found.st_mode & 07777) == DIRECTORY_MODE;
}

/* Opens one directory below another, made when it is missing. It never follows a link. */
static int enter(int parent, const char *name) {
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) {
    return -1;
  }
  const int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) {
    return -1;
  }
  errno = 0;
  /* Exactly, whatever the umask. What is right already may belong to another user. */
  if (has_mode(directory) || (fchmod(directory, DIRECTORY_MODE) == 0 && has_mode(directory))) {
    return directory;
  }
  /* Without an error: the kernel leaves the group's bit out for who is not in the group. */
  errno = errno != 0 ? errno : EPERM;
  const int error = errno;
  close(directory);
  errno = error;
  return -1;
}

/* The descriptor of <root>/<path> with every directory on the way made; -1, reported. */
static int make_directory(int root, const char *path) {
  int directory = dup(root);
  for (const char *rest = path; directory >= 0 && *rest != '\0';) {
    char name[NAME_MAX_BYTES + 1];
    const size_t length = strcspn(rest, "/");
    if (length > NAME_MAX_BYTES) {
      errno = ENAMETOOLONG;
      close(directory);
      directory = -1;
      break;
    }
    memcpy(name, rest, length);
    name[length] = '\0';
    rest += length + (rest[length] == '/');
    const int next = length == 0 ? dup(directory) : enter(directory, name);
    close(directory);
    directory = next;
  }
  if (directory < 0) {
    report("cannot make the directory %s: %s", path, error_text(errno));
  }
  return directory;
}

static bool is_below_root(const char *path) {
  if (*path == '/' || *path == '\0') {
    return false;
  }
  for (const char *part = path;; part++) {
    const size_t length = strcspn(part, "/");
    if ((length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.')) {
      return false;
    }
    part += length;
    if (*part == '\0') {
      return true;
    }
  }
}

static bool copy_bytes(int from, int to) {
  struct stat found;
  if (fstat(from, &found) != 0) {
    return false;
  }
  off_t done = 0;
  while (done < found.st_size) {
    const ssize_t count = sendfile(to, from, &done, (size_t)(found.st_size - done));
    if (count <= 0 && errno != EINTR) {
      return false;
    }
  }
  return fchmod(to, PROGRAM_MODE) == 0;
}

/*
 * Under a name of its own first, so that nothing runs half of it. It must not be open for
 * writing either when it is run.
 */
static bool install_program(int directory) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  unsigned long long number = 0;
  if (from < 0 || getrandom(&number, sizeof number, 0) != sizeof number) {
    return false;
  }
  char temporary[48];
  snprintf(temporary, sizeof temporary, ".relay-%016llx", number);
  const int to = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to < 0) {
    return false;
  }
  const bool is_copied = copy_bytes(from, to);
  if (close(to) == 0 && is_copied && renameat(directory, temporary, directory, "relay") == 0) {
    return true;
  }
  const int error = errno;
  unlinkat(directory, temporary, 0);
  errno = error;
  return false;
}

int install(const char *root, char *const directories[]) {
  alarm(LIMIT_SECONDS);
  umask(0);
  for (char *const *path = directories; *path != NULL; path++) {
    if (!is_below_root(*path)) {
      report("\"%s\" is not a relative path below the root", *path);
      return EXIT_USAGE;
    }
  }
  const int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) {
    report("cannot open %s: %s", root, error_text(errno));
    return 1;
  }
  for (char *const *path = directories; *path != NULL; path++) {
    const int directory = make_directory(root_fd, *path);
    if (directory < 0) {
      return 1;
    }
    close(directory);
  }
  const int programs = make_directory(root_fd, "bin");
  if (programs < 0) {
    return 1;
  }
  if (!install_program(programs)) {
    report("cannot install the relay in %s/bin: %s", root, error_text(errno));
    return 1;
  }
  return 0;
}
