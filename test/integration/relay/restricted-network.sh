# A gateway with the addresses that a container's host may have, and behind it a network namespace to
# restrict. Runs as PID 1 of namespaces of its own: everything is gone when it ends. Arguments: the relay, the
# probe, a script that finds the functions below, and a file for what the network policy says.
set -eu
# Never in the machine's own network.
[ $$ -eq 1 ] || exit 2
relay=$1
probe=$2
script=$3
output=$4

ip link set lo up
for address in 10.1.2.3 192.168.7.7 172.16.0.1 169.254.169.254 100.64.0.1 192.0.0.8 198.18.0.1 168.63.129.16 203.0.113.7 93.184.216.34; do
  ip address add "$address/32" dev lo
done
"$probe" listen:5432 >/dev/null &
"$probe" listen:53 >/dev/null &

unshare --net sleep 1000 &
held=$!
# Its namespace is another than ours as soon as it can be compared.
until [ -n "$(readlink /proc/$held/ns/net)" ] && [ "$(readlink /proc/$held/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
ip link add gateway type veth peer name eth0 netns "/proc/$held/ns/net"
ip address add 10.88.0.1/16 dev gateway
ip address add fd00:1::1/64 dev gateway nodad
ip link set gateway up

# A command in the namespace that gets restricted.
inside() { nsenter --target "$held" --net "$@"; }

inside ip link set lo up
inside ip link set eth0 up
inside ip address add 10.88.0.5/16 broadcast + dev eth0
inside ip address add fd00:1::5/64 dev eth0 nodad
inside ip route add default via 10.88.0.1
inside ip route add default via fd00:1::1
until "$probe" tcp:93.184.216.34:5432 tcp:93.184.216.34:53 | grep -c ok | grep -q 2; do sleep 0.02; done

# Answers when the network policy stands; the process id of who holds it is then in $holder.
start_network_policy() {
  : >"$output"
  nsenter --target "$held" --net "$relay" network-policy "$@" >"$output" &
  holder=$!
  until grep -q '^restricted$' "$output" 2>/dev/null; do
    kill -0 "$holder" || return 1
    sleep 0.02
  done
}

eval "$script"
