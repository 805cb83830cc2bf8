/**
 * Which addresses are not the internet: this machine and its neighbours, private networks, metadata services
 * of clouds, and what is not routed. One list for all: the guard of outbound requests, the network policies
 * of Pods, the routes of process sandboxes, and the network policy of containers, whose
 * `relay/static/special-ranges.h` is made from it (`npm run docs`).
 */

/**
 * Closed for sessions unless the operator opened them. In the order in which the network policy closes them:
 * those that the relay probes before it runs a command come last, so that all are closed when these are.
 */
export const specialIpv4Ranges = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  // A cloud's own service at a public address.
  '168.63.129.16/32',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
] as const;

/**
 * All of IPv6 that is routed on the internet, and the parts of it that embed another address, are
 * documentation or unused.
 */
export const globalIpv6 = {
  range: '2000::/3',
  except: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;

/**
 * Of these, what no host has that anybody may name: link-local, metadata services, unspecified and
 * multicast. No setting allows them.
 */
export const neverRanges = [
  '0.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fd00:42::42/128',
  'fd00:a9fe:a9fe::1/128',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const;
