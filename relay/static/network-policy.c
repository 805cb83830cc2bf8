/*
 * relay network-policy: holds a network namespace for others, from which private networks, the host and
 * metadata services cannot be reached. Routes say so to every ordinary socket. A socket that binds itself to
 * a device would pass them by, for the kernel then takes any address for a neighbour: a rule sends what it
 * says back into the namespace.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "network-policy.h"
#include "relay.h"

bool report_failure(const char *what, int error) {
  if (error != 0) {
    report("the network is not restricted: cannot %s: %s", what, error_text(error));
  }
  return error == 0;
}

/* From here on it can change nothing any more, even if compromised. */
static bool drop_capabilities(void) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    /* Needs a capability of its own, and is only a second lock. */
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capset, &header, none) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    report("cannot drop capabilities: %s", error_text(errno));
    return false;
  }
  return true;
}

static bool are_addresses(char *const servers[]) {
  for (; *servers != NULL; servers++) {
    struct in_addr address;
    if (inet_pton(AF_INET, *servers, &address) != 1) {
      report("the name server %s is not an IPv4 address", *servers);
      return false;
    }
  }
  return true;
}

bool parse_destination(const char *text, struct destination *destination) {
  char address[INET_ADDRSTRLEN] = "";
  unsigned port = 0;
  int length = 0;
  if (sscanf(text, "%15[0-9.]:%5u%n", address, &port, &length) != 2 || text[length] != '\0' || port == 0 ||
      port > UINT16_MAX || inet_pton(AF_INET, address, &destination->address) != 1) {
    return false;
  }
  destination->port = (uint16_t)port;
  return true;
}

static bool are_destinations(char *const destinations[]) {
  struct destination ignored;
  for (; *destinations != NULL; destinations++) {
    if (!parse_destination(*destinations, &ignored)) {
      report("%s is not an IPv4 address with a port, such as 10.1.2.3:443", *destinations);
      return false;
    }
  }
  return true;
}

static bool build_network_policy(int netlink, char *const dns_servers[], char *const destinations[]) {
  return look_around(netlink) && close_ipv6(netlink) && harden_devices(netlink) &&
         close_bound_sockets(netlink) && remove_routes(netlink) && add_default_route(netlink) &&
         open_reports(netlink) && open_dns(netlink, dns_servers) &&
         open_destinations(netlink, destinations) && close_gateway(netlink) && close_ranges(netlink);
}

static void hold(void) {
  for (int number = 0; !is_stop(number);) {
    number = signals_next(-1);
    reap(NULL);
  }
}

int apply_network_policy(char *const dns_servers[], char *const destinations[]) {
  if (!are_addresses(dns_servers) || !are_destinations(destinations)) {
    return EXIT_USAGE;
  }
  const int netlink = netlink_open();
  if (netlink < 0) {
    report_failure("ask the kernel", errno);
    return 1;
  }
  if (!build_network_policy(netlink, dns_servers, destinations) || wait_for_network_policy(0) != 0 ||
      !drop_capabilities()) {
    return 1;
  }
  close(netlink);
  puts("restricted");
  if (fflush(stdout) != 0) {
    return 1;
  }
  hold();
  return 0;
}
