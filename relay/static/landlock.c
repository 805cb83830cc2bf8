/*
 * Containers of a Pod share a network namespace, and with it the abstract Unix sockets: Landlock keeps
 * their processes to those of their own container, and signals too. Linux 6.12 and later can; on an older
 * kernel this changes nothing.
 */
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "relay.h"

/*
 * The same number on every architecture; C libraries and headers that know them are younger
 * than kernels that need them.
 */
enum {
  LANDLOCK_CREATE_RULESET = 444,
  LANDLOCK_RESTRICT_SELF = 446,
  VERSION_FLAG = 1,
  VERSION_WITH_SCOPES = 6
};
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

struct ruleset {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};

void scope_signals_and_abstract_sockets(void) {
  if (syscall(LANDLOCK_CREATE_RULESET, NULL, 0, VERSION_FLAG) < VERSION_WITH_SCOPES) {
    return;
  }
  const struct ruleset ruleset = {.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL};
  const long descriptor = syscall(LANDLOCK_CREATE_RULESET, &ruleset, sizeof ruleset, 0);
  if (descriptor >= 0) {
    syscall(LANDLOCK_RESTRICT_SELF, descriptor, 0);
    close((int)descriptor);
  }
}
