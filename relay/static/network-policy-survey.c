/* What a network namespace has before it is restricted. */
#include <errno.h>
#include <net/if.h>
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "network-policy.h"
#include "relay.h"

enum { DOOMED_BYTES = 256 * 1024 };

struct found found;

/* Routes to delete: as the kernel gave them, with only their type changed. */
static struct {
  size_t size;
  char bytes[DOOMED_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
} doomed;

static void take_interface(const struct nlmsghdr *message, void *context) {
  (void)context;
  const struct ifinfomsg *interface = NLMSG_DATA(message);
  if (interface->ifi_flags & IFF_LOOPBACK) {
    found.loopback = (unsigned)interface->ifi_index;
  } else if (found.interface_count < MOST_INTERFACES) {
    found.interfaces[found.interface_count++] = (unsigned)interface->ifi_index;
  } else {
    found.has_too_much = true;
  }
}

static void take_address(const struct nlmsghdr *message, void *context) {
  (void)context;
  const struct ifaddrmsg *address = NLMSG_DATA(message);
  const struct in_addr *value = attribute_of(message, sizeof *address, IFA_ADDRESS, sizeof *value);
  if (address->ifa_index == found.loopback || value == NULL) {
    return;
  }
  if (found.subnet_count == MOST_SUBNETS) {
    found.has_too_much = true;
    return;
  }
  const uint32_t mask = address->ifa_prefixlen == 0 ? 0 : htonl(~0U << (32 - address->ifa_prefixlen));
  found.subnets[found.subnet_count++] = (struct range){{value->s_addr & mask}, address->ifa_prefixlen};
}

static void take_default_route(const struct nlmsghdr *message) {
  const struct rtmsg *route = NLMSG_DATA(message);
  const struct in_addr *gateway = attribute_of(message, sizeof *route, RTA_GATEWAY, sizeof *gateway);
  const unsigned *interface = attribute_of(message, sizeof *route, RTA_OIF, sizeof *interface);
  const uint32_t *metric = attribute_of(message, sizeof *route, RTA_PRIORITY, sizeof *metric);
  const uint32_t value = metric == NULL ? 0 : *metric;
  const bool is_better = found.gateway_interface == 0 || value < found.gateway_metric;
  if (gateway != NULL && interface != NULL && is_better) {
    found.gateway = *gateway;
    found.gateway_interface = *interface;
    found.gateway_metric = value;
  }
}

/* Whatever leads out of the namespace is doomed: also to broadcast addresses, which are neighbours too. */
static void take_route(const struct nlmsghdr *message, void *context) {
  (void)context;
  const struct rtmsg *route = NLMSG_DATA(message);
  const unsigned *interface = attribute_of(message, sizeof *route, RTA_OIF, sizeof *interface);
  const bool leads_out = route->rtm_type == RTN_UNICAST || route->rtm_type == RTN_BROADCAST ||
                         route->rtm_type == RTN_ANYCAST || route->rtm_type == RTN_MULTICAST;
  if (!leads_out || (interface != NULL && *interface == found.loopback)) {
    return;
  }
  if (route->rtm_family == AF_INET && route->rtm_table == RT_TABLE_MAIN && route->rtm_dst_len == 0) {
    take_default_route(message);
  }
  const size_t size = NLMSG_ALIGN(message->nlmsg_len);
  if (size > sizeof(struct request) || doomed.size + size > sizeof doomed.bytes) {
    found.has_too_much = true;
    return;
  }
  memcpy(doomed.bytes + doomed.size, message, message->nlmsg_len);
  doomed.size += size;
}

bool look_around(int netlink) {
  const int no_routes_6 = netlink_list(netlink, RTM_GETROUTE, AF_INET6, take_route, NULL);
  if (!report_failure("list the interfaces", netlink_list(netlink, RTM_GETLINK, AF_UNSPEC, take_interface, NULL)) ||
      !report_failure("list the addresses", netlink_list(netlink, RTM_GETADDR, AF_INET, take_address, NULL)) ||
      !report_failure("list the routes", netlink_list(netlink, RTM_GETROUTE, AF_INET, take_route, NULL)) ||
      !report_failure("list the IPv6 routes", no_routes_6 == EAFNOSUPPORT || no_routes_6 == EOPNOTSUPP ? 0 : no_routes_6)) {
    return false;
  }
  if (found.has_too_much) {
    report("the network is not restricted: it has more interfaces, addresses or routes than the network policy knows to handle");
  } else if (found.gateway_interface == 0) {
    report("the network is not restricted: there is no default route through a gateway");
  }
  return !found.has_too_much && found.gateway_interface != 0;
}

bool remove_routes(int netlink) {
  for (size_t at = 0; at < doomed.size;) {
    struct request request = {0};
    const struct nlmsghdr *message = (const struct nlmsghdr *)(doomed.bytes + at);
    memcpy(&request, message, message->nlmsg_len);
    at += NLMSG_ALIGN(message->nlmsg_len);
    request.header.nlmsg_type = RTM_DELROUTE;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    const int error = request_send(netlink, &request);
    /* One that was removed with another is removed as well. */
    if (error != ESRCH && !report_failure("remove a route", error)) {
      return false;
    }
  }
  return true;
}
