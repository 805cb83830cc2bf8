/* What a command may reach: decided before it runs, inherited by all that descends from it, irrevocable. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "relay.h"

enum { NETWORK_POLICY_LIMIT_MS = 10000, FIRST_INHERITED = 3, MOST_DESCRIPTORS = 65536 };

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* A descriptor that was handed down is a way out that no filter sees. */
static void close_inherited(void) {
  if (syscall(SYS_close_range, (unsigned)FIRST_INHERITED, ~0U, 0U) == 0) {
    return;
  }
  struct rlimit limit;
  const bool is_known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < MOST_DESCRIPTORS;
  const int end = is_known ? (int)limit.rlim_max : MOST_DESCRIPTORS;
  for (int descriptor = FIRST_INHERITED; descriptor < end; descriptor++) {
    close(descriptor);
  }
}

static bool is_network_socket(int descriptor) {
  int family = 0;
  socklen_t size = sizeof family;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) == 0 && family != AF_UNIX;
}

/* Some kernels and emulators accept a filter and do not apply it. */
static bool is_refused(int family) {
  const int descriptor = socket(family, SOCK_DGRAM, 0);
  if (descriptor < 0) {
    return errno == EAFNOSUPPORT;
  }
  close(descriptor);
  return false;
}

static enum network narrowed_to = NETWORK_GENERAL;

int narrow_command(void) {
  return narrowed_to == NETWORK_LISTEN ? refuse_connections() : 0;
}

int narrow_network(enum network network) {
  narrowed_to = network;
  close_inherited();
  const int policy_code =
      network == NETWORK_RESTRICTED ? wait_for_network_policy(NETWORK_POLICY_LIMIT_MS) : 0;
  if (policy_code != 0) {
    return policy_code;
  }
  const bool is_cut_off = network == NETWORK_NONE || network == NETWORK_LISTEN;
  for (int descriptor = 0; is_cut_off && descriptor < FIRST_INHERITED; descriptor++) {
    if (is_network_socket(descriptor)) {
      report("descriptor %d is a network socket: the command is not run with it", descriptor);
      return EXIT_NOT_NARROWED;
    }
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    report("cannot give up new privileges: %s; the command is not run", error_text(errno));
    return EXIT_NOT_NARROWED;
  }
  scope_signals_and_abstract_sockets();
  const int error = install_system_call_filter(network);
  if (error != 0) {
    report("cannot install the system call filter: %s; the command is not run", error_text(error));
    return EXIT_NOT_NARROWED;
  }
  if (!is_refused(is_cut_off ? AF_INET : AF_VSOCK)) {
    report("the system call filter has no effect here; the command is not run");
    return EXIT_NOT_NARROWED;
  }
  return 0;
}

int limit_file_size(long bytes) {
  const struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
    report("cannot limit the size of files: %s; the command is not run", error_text(errno));
    return EXIT_NOT_NARROWED;
  }
  /* A write beyond it fails, and does not end the command. */
  signal(SIGXFSZ, SIG_IGN);
  return 0;
}
