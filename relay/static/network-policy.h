/* The parts of relay network-policy. */
#ifndef NETWORK_POLICY_H
#define NETWORK_POLICY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netlink.h"

enum { MOST_INTERFACES = 16, MOST_SUBNETS = 32 };

struct range {
  struct in_addr network;
  unsigned char bits;
};

struct found {
  unsigned interfaces[MOST_INTERFACES];
  size_t interface_count;
  unsigned loopback;
  struct range subnets[MOST_SUBNETS];
  size_t subnet_count;
  struct in_addr gateway;
  unsigned gateway_interface;
  uint32_t gateway_metric;
  bool has_too_much;
};

/* network-policy-survey.c: what there is before the network policy. False: reported. */
extern struct found found;
bool look_around(int netlink);
/* Removes every route that leads out of the namespace. */
bool remove_routes(int netlink);

/* network-policy-routes.c: the network policy, in the order in which it is built. False: reported. */
bool close_ipv6(int netlink);
bool harden_devices(int netlink);
bool close_bound_sockets(int netlink);
bool add_default_route(int netlink);
bool open_reports(int netlink);
bool open_dns(int netlink, char *const servers[]);
bool open_destinations(int netlink, char *const destinations[]);
bool close_gateway(int netlink);
bool close_ranges(int netlink);

/* An IPv4 address and a TCP port, as <address>:<port>. */
struct destination {
  struct in_addr address;
  uint16_t port;
};
/* False when the text is none. */
bool parse_destination(const char *text, struct destination *destination);

/* network-policy.c: true when there is no error. */
bool report_failure(const char *what, int error);

#endif
