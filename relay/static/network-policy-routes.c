/* The rules and routes that restrict a network namespace. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ip.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "network-policy.h"
#include "relay.h"
#include "special-ranges.h"

#ifndef IPPROTO_L2TP
#define IPPROTO_L2TP 115
#endif

enum { BOUND_TABLE = 100, GATEWAY_TABLE = 101, BOUND_RULE = 10, OPEN_RULE = 20, REPORTS_RULE = 25,
       GATEWAY_RULE = 30, DNS_PORT = 53 };

struct route {
  struct range to;
  unsigned char type;
  uint32_t table;
  unsigned interface;
  bool is_via_gateway;
};

static const struct range everything = {{0}, 0};

static unsigned char scope_of(struct route route) {
  if (route.type == RTN_LOCAL) {
    return RT_SCOPE_HOST;
  }
  return route.type == RTN_UNICAST && !route.is_via_gateway ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
}

static int add_route(int netlink, struct route route) {
  const struct rtmsg header = {
      .rtm_family = AF_INET,
      .rtm_dst_len = route.to.bits,
      .rtm_protocol = RTPROT_STATIC,
      .rtm_scope = scope_of(route),
      .rtm_type = route.type,
      .rtm_flags = route.is_via_gateway ? RTNH_F_ONLINK : 0,
  };
  struct request request;
  request_start(&request, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, &header, sizeof header);
  request_add(&request, RTA_DST, &route.to.network, sizeof route.to.network);
  request_add_u32(&request, RTA_TABLE, route.table);
  if (route.interface != 0) {
    request_add_u32(&request, RTA_OIF, route.interface);
  }
  if (route.type == RTN_LOCAL) {
    /* One for each interface beside the other, instead of in its place. */
    request_add_u32(&request, RTA_PRIORITY, route.interface);
  }
  if (route.is_via_gateway) {
    request_add(&request, RTA_GATEWAY, &found.gateway, sizeof found.gateway);
  }
  return request_send(netlink, &request);
}

/* The gateway is the next hop of everything that is not closed. */
static int add_default_route_to(int netlink, uint32_t table) {
  return add_route(netlink, (struct route){.to = everything,
                                           .type = RTN_UNICAST,
                                           .table = table,
                                           .interface = found.gateway_interface,
                                           .is_via_gateway = true});
}

bool add_default_route(int netlink) {
  return report_failure("replace the default route", add_default_route_to(netlink, RT_TABLE_MAIN));
}

static int make_unreachable(int netlink, struct range range) {
  return add_route(netlink, (struct route){.to = range, .type = RTN_UNREACHABLE, .table = RT_TABLE_MAIN});
}

static int send_rule(int netlink, struct request *request, uint32_t priority, uint32_t table) {
  request_add_u32(request, FRA_PRIORITY, priority);
  if (table != 0) {
    request_add_u32(request, FRA_TABLE, table);
  }
  const int error = request_send(netlink, request);
  return error == EEXIST ? 0 : error;
}

static void start_rule(struct request *request, struct fib_rule_hdr header) {
  request_start(request, RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, &header, sizeof header);
}

/* The value of a setting in /proc/sys/net/ipv4/conf/<interface>, which is read-only in a container. */
static int set_device(int netlink, unsigned interface, uint16_t setting, uint32_t value) {
  const struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = (int)interface};
  struct {
    struct rtattr settings;
    struct rtattr setting;
    uint32_t value;
  } family = {
      {.rta_len = sizeof family, .rta_type = IFLA_INET_CONF},
      {.rta_len = RTA_LENGTH(sizeof value), .rta_type = setting},
      value,
  };
  struct {
    struct rtattr ipv4;
    char settings[sizeof family];
  } families = {.ipv4 = {.rta_len = sizeof families, .rta_type = AF_INET}};
  memcpy(families.settings, &family, sizeof family);
  struct request request;
  request_start(&request, RTM_SETLINK, 0, &header, sizeof header);
  request_add(&request, IFLA_AF_SPEC, &families, sizeof families);
  return request_send(netlink, &request);
}

/* Nothing comes in from where nothing may go out to, and the gateway does not point to neighbours. */
bool harden_devices(int netlink) {
  int error = 0;
  for (size_t index = 0; error == 0 && index < found.interface_count; index++) {
    error = set_device(netlink, found.interfaces[index], IPV4_DEVCONF_RP_FILTER, 1);
    error =
        error == 0 ? set_device(netlink, found.interfaces[index], IPV4_DEVCONF_ACCEPT_REDIRECTS, 0) : error;
  }
  return report_failure("set up a device", error);
}

/* What a socket that is bound to a device sends stays in the namespace. */
bool close_bound_sockets(int netlink) {
  for (size_t index = 0; index < found.interface_count; index++) {
    char name[IF_NAMESIZE];
    const unsigned interface = found.interfaces[index];
    if (if_indextoname(interface, name) == NULL) {
      return report_failure("name an interface", errno);
    }
    struct request rule;
    start_rule(&rule, (struct fib_rule_hdr){.family = AF_INET, .action = FR_ACT_TO_TBL});
    request_add(&rule, FRA_OIFNAME, name, strlen(name) + 1);
    const int error = add_route(netlink, (struct route){.to = everything,
                                                        .type = RTN_LOCAL,
                                                        .table = BOUND_TABLE,
                                                        .interface = interface});
    /* A device that is down takes no route, and sends nothing. */
    if ((error != ENETDOWN && !report_failure("close the devices", error)) ||
        !report_failure("add a rule for devices", send_rule(netlink, &rule, BOUND_RULE, BOUND_TABLE))) {
      return false;
    }
  }
  return true;
}

/* No IPv6 beyond the namespace, whatever a router will announce. */
bool close_ipv6(int netlink) {
  struct request rule;
  start_rule(&rule, (struct fib_rule_hdr){.family = AF_INET6, .action = FR_ACT_UNREACHABLE});
  const int error = send_rule(netlink, &rule, BOUND_RULE, 0);
  return report_failure("close IPv6", error == EAFNOSUPPORT || error == EOPNOTSUPP ? 0 : error);
}

/*
 * Routers on the way tell how large a packet may be, and have private addresses: a kernel that
 * filters by the reverse path hears only whom it could answer. The relay refuses its command the
 * sockets that would use this way out.
 */
bool open_reports(int netlink) {
  struct request rule;
  const unsigned char protocol = IPPROTO_ICMP;
  start_rule(&rule, (struct fib_rule_hdr){.family = AF_INET, .action = FR_ACT_TO_TBL});
  request_add(&rule, FRA_IP_PROTO, &protocol, sizeof protocol);
  return report_failure("add the route of what is open", add_default_route_to(netlink, GATEWAY_TABLE)) &&
         report_failure("let reports in", send_rule(netlink, &rule, REPORTS_RULE, GATEWAY_TABLE));
}

/* One port of an address that may be private is reached through the gateway, and nothing else of it. */
static int open_port(int netlink, struct in_addr address, unsigned char protocol, uint16_t port) {
  const struct fib_rule_port_range ports = {.start = port, .end = port};
  struct request rule;
  start_rule(&rule, (struct fib_rule_hdr){.family = AF_INET, .dst_len = 32, .action = FR_ACT_TO_TBL});
  request_add(&rule, FRA_DST, &address, sizeof address);
  request_add(&rule, FRA_IP_PROTO, &protocol, sizeof protocol);
  request_add(&rule, FRA_DPORT_RANGE, &ports, sizeof ports);
  return send_rule(netlink, &rule, OPEN_RULE, GATEWAY_TABLE);
}

bool open_dns(int netlink, char *const servers[]) {
  const unsigned char protocols[] = {IPPROTO_UDP, IPPROTO_TCP};
  for (; *servers != NULL; servers++) {
    struct in_addr address;
    inet_pton(AF_INET, *servers, &address);
    for (size_t index = 0; index < sizeof protocols; index++) {
      if (!report_failure("add a rule for name servers", open_port(netlink, address, protocols[index], DNS_PORT))) {
        return false;
      }
    }
  }
  return true;
}

/* What the operator opened for the one server that this namespace is for. */
bool open_destinations(int netlink, char *const destinations[]) {
  for (; *destinations != NULL; destinations++) {
    struct destination open;
    if (!parse_destination(*destinations, &open) ||
        !report_failure("open a destination", open_port(netlink, open.address, IPPROTO_TCP, open.port))) {
      return false;
    }
  }
  return true;
}

/*
 * Closed by a rule for each protocol that a socket may have, and not by a route: the gateway's own ARP
 * requests are answered only while it has one (rp_filter).
 */
bool close_gateway(int netlink) {
  const unsigned char protocols[] = {IPPROTO_TCP,  IPPROTO_UDP,     IPPROTO_UDPLITE, IPPROTO_DCCP,
                                     IPPROTO_SCTP, IPPROTO_L2TP};
  for (size_t index = 0; index < sizeof protocols; index++) {
    struct request rule;
    start_rule(&rule, (struct fib_rule_hdr){.family = AF_INET, .dst_len = 32, .action = FR_ACT_UNREACHABLE});
    request_add(&rule, FRA_DST, &found.gateway, sizeof found.gateway);
    request_add(&rule, FRA_IP_PROTO, &protocols[index], 1);
    if (!report_failure("close the gateway", send_rule(netlink, &rule, GATEWAY_RULE, 0))) {
      return false;
    }
  }
  const struct route route = {.to = {found.gateway, 32},
                              .type = RTN_UNICAST,
                              .table = RT_TABLE_MAIN,
                              .interface = found.gateway_interface};
  return report_failure("add the route of the gateway", add_route(netlink, route));
}

static struct range parse_range(const char *text) {
  struct range range = {0};
  char network[INET_ADDRSTRLEN] = "";
  unsigned bits = 0;
  sscanf(text, "%15[0-9.]/%u", network, &bits);
  inet_pton(AF_INET, network, &range.network);
  range.bits = (unsigned char)bits;
  return range;
}

bool close_ranges(int netlink) {
  int error = 0;
  for (size_t index = 0; error == 0 && index < found.subnet_count; index++) {
    error = make_unreachable(netlink, found.subnets[index]);
  }
  for (size_t index = 0; error == 0 && index < sizeof special_ranges / sizeof *special_ranges; index++) {
    error = make_unreachable(netlink, parse_range(special_ranges[index]));
  }
  return report_failure("close a range", error);
}
