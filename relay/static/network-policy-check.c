/*
 * Whether the namespace is restricted, asked of its routes alone: connecting a datagram socket sends nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "relay.h"

enum { RETRY_MS = 50, DISCARD_PORT = 9 };

static const char *const private_addresses[] = {
    "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254",
};
static const char *const private_addresses_6[] = {"fd00::1", "2001:db8::1"};

static bool is_unreachable(const struct sockaddr *address, socklen_t size) {
  const int descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return errno == EAFNOSUPPORT;
  }
  const bool is_connected = connect(descriptor, address, size) == 0;
  const int error = errno;
  close(descriptor);
  return !is_connected && (error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES ||
                           error == EADDRNOTAVAIL);
}

/* The first address that a packet would leave for; NULL when the namespace is restricted. */
static const char *reachable_address(void) {
  for (size_t index = 0; index < sizeof private_addresses / sizeof *private_addresses; index++) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)};
    inet_pton(AF_INET, private_addresses[index], &address.sin_addr);
    if (!is_unreachable((struct sockaddr *)&address, sizeof address)) {
      return private_addresses[index];
    }
  }
  for (size_t index = 0; index < sizeof private_addresses_6 / sizeof *private_addresses_6; index++) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(DISCARD_PORT)};
    inet_pton(AF_INET6, private_addresses_6[index], &address.sin6_addr);
    if (!is_unreachable((struct sockaddr *)&address, sizeof address)) {
      return private_addresses_6[index];
    }
  }
  return NULL;
}

int wait_for_network_policy(int limit_ms) {
  const long long deadline = now_ms() + limit_ms;
  for (;;) {
    const char *reachable = reachable_address();
    if (reachable == NULL) {
      return 0;
    }
    if (now_ms() + RETRY_MS > deadline) {
      report("the network is not restricted: %s has a route; the command is not run", reachable);
      return EXIT_NOT_NARROWED;
    }
    const int number = signals_next(RETRY_MS);
    if (is_stop(number)) {
      return EXIT_SIGNAL_BASE + number;
    }
  }
}
