/**
 * Ranges blocked for sessions unless the operator opened them: this machine and its neighbours, private networks, cloud metadata
 * services, and what is not routed on the internet. Every runtime blocks the same ranges.
 */
export const specialIpv4Ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  // A cloud's own service at a public address.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** All of IPv6 that is routed on the internet, and the parts of it that embed another address or are unused. */
export const globalIpv6 = {
  range: '2000::/3',
  except: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;
