/* Made from lib/outbound/special-ranges.ts by `npm run docs`. */
#ifndef SPECIAL_RANGES_H
#define SPECIAL_RANGES_H

/* In the order in which they are closed: those that wait_for_network_policy probes come last. */
static const char *const special_ranges[] = {
    "0.0.0.0/8",
    "127.0.0.0/8",
    "168.63.129.16/32",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "100.64.0.0/10",
    "169.254.0.0/16",
};

#endif
