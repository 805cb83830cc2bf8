/**
 * The shell commands that restrict a sandbox's network (docs/decisions/0022). Routes alone do not: a socket
 * bound to a device sends multicast and broadcast past them. So the sandbox's namespace has only a veth pair
 * to a second one, which forwards what its own routes allow, and never multicast or broadcast; only that one
 * is connected to user-mode networking.
 */

/** User-mode networking's own addresses: its gateway, its resolver, and the address it assigns the router. */
export const userModeAddresses = {
  gateway: '10.0.2.2',
  resolver: '10.0.2.3',
  router: '10.0.2.100',
  sandbox: '10.0.2.101',
};
const mtu = 65520;
const resolverTable = 101;

/**
 * Runs in the router's namespace. Prints its process id, waits until the namespace is connected, and creates
 * the veth pair to the namespace of the process $SANDBOX. These routes decide on every packet, whatever the
 * machine's reverse path filter.
 */
const router = `set -e
echo $$ >&5; read go <&5
for each in all default tap0; do echo 0 > /proc/sys/net/ipv4/conf/$each/rp_filter; done
ip route replace default via ${userModeAddresses.gateway} dev tap0 onlink
ip route del 10.0.2.0/24 dev tap0
for range in $BLOCKED; do ip route add unreachable "$range"; done
ip route add ${userModeAddresses.resolver} dev tap0 table ${resolverTable}
for protocol in udp tcp; do
  ip rule add to ${userModeAddresses.resolver} ipproto $protocol dport 53 lookup ${resolverTable}
done
ip link add inside mtu ${mtu} type veth peer name eth0 mtu ${mtu} netns "$SANDBOX"
ip link set inside up
ip route add ${userModeAddresses.sandbox} dev inside
ip neigh add proxy ${userModeAddresses.sandbox} dev tap0
echo 1 > /proc/sys/net/ipv4/ip_forward`;

/**
 * Runs in the sandbox's namespace, with the ranges to close as $BLOCKED and the reverse path filter to set as
 * $RP_FILTER; then becomes "$@". The same ranges are blocked here, so that connections fail immediately.
 * Exits with 1 when any step fails.
 */
export const connectThenRun = `SANDBOX=$$ unshare --net sh -c '${router}' || exit 1
for each in all default eth0; do echo "$RP_FILTER" > /proc/sys/net/ipv4/conf/$each/rp_filter || exit 1; done
ip link set lo up && ip link set eth0 up && ip address add ${userModeAddresses.sandbox}/32 dev eth0 || exit 1
ip route add ${userModeAddresses.router} dev eth0 || exit 1
for to in default ${userModeAddresses.resolver}; do ip route add $to via ${userModeAddresses.router} || exit 1; done
for range in $BLOCKED; do ip route add unreachable "$range" || exit 1; done
unset BLOCKED RP_FILTER; exec "$@"`;
