/** Ports of the machine, its networks, and sockets past the network namespace. */
import { expect } from '@jest/globals';
import type { Attempt } from './attempt.ts';

const namespace = 'an own network namespace';

/** What holds with and without the internet. */
export const portAttempts: Attempt[] = [
  {
    what: 'connects to API, database, Temporal, its UI and control ports on the loopback address',
    stoppedBy: namespace,
    run: async (kit, { ports }) => {
      const seen = Object.values(ports).map((port) => kit.connect({ host: '127.0.0.1', port }));
      return [...new Set(await Promise.all(seen))];
    },
    inside: ['ECONNREFUSED'],
    outside: ['connected'],
  },
  {
    what: 'connects to the API by other spellings of the loopback address',
    stoppedBy: namespace,
    run: async (kit, { ports }) => {
      const hosts = ['localhost', '0.0.0.0', '::ffff:127.0.0.1', '0x7f000001', '127.1'];
      const seen = hosts.map((host) => kit.connect({ host, port: ports['api'] ?? 0 }));
      return [...new Set(await Promise.all(seen))];
    },
    inside: expect.not.arrayContaining(['connected']),
    outside: expect.arrayContaining(['connected']),
  },
  {
    what: 'looks for any port at all that somebody listens on',
    stoppedBy: namespace,
    run: (kit) =>
      ['tcp', 'tcp6', 'udp', 'udp6'].reduce(
        (sum, name) => sum + (String(kit.read(`/proc/net/${name}`)).match(/ 0A | 07 /g) ?? []).length,
        0,
      ) > 0,
    inside: false,
    outside: true,
  },
  {
    what: 'connects to an abstract socket of the machine',
    stoppedBy: namespace,
    run: (kit, { abstractSocket }) => kit.connect({ path: `\0${abstractSocket}` }),
    inside: 'ECONNREFUSED',
    outside: 'connected',
  },
  {
    what: 'lists the Unix sockets of the machine',
    stoppedBy: namespace,
    run: (kit, { abstractSocket }) => String(kit.read('/proc/net/unix')).includes(abstractSocket),
    inside: false,
    outside: true,
  },
  {
    what: 'makes raw, packet and hypervisor sockets',
    stoppedBy: 'no capability; the system call filter',
    run: (kit) =>
      kit.perl(`print join(' ', map { my ($family, $type, $protocol) = @$_;
        socket(my $s, $family, $type, $protocol) ? 'made' : why() } [2,3,1], [10,3,58], [17,3,0], [40,1,0], [38,5,0])`),
    inside: 'EPERM EPERM EAFNOSUPPORT EAFNOSUPPORT EAFNOSUPPORT',
  },
  {
    what: 'makes the sockets that programs need (control of the one before)',
    stoppedBy: 'nothing: it works',
    run: (kit) => kit.perl(`print join(' ', map { socket(my $s, $_, 1, 0) ? 'made' : why() } 1, 2, 10)`),
    inside: 'made made made',
  },
  {
    what: 'gives its interface another address',
    stoppedBy: 'no capability',
    run: (kit) => kit.run('ip', ['address', 'add', '10.9.8.7/24', 'dev', 'lo']).stderr.trim(),
    inside: 'RTNETLINK answers: Operation not permitted',
  },
];

const metadata = ['169.254.169.254', '169.254.170.2'];
const reserved = ['10.1.2.3', '172.16.0.1', '172.31.255.1', '192.168.1.1', '100.64.0.1', '100.100.100.200'];
const more = ['192.0.0.192', '198.18.0.1', '224.0.0.1', '255.255.255.255'];

/** A text, so that the values from its closure are sent along. */
const connectToAll = (hosts: string[], port: string) =>
  `async (kit, { addresses, ports }) => [...new Set(await Promise.all(
     (${JSON.stringify(hosts)}.length ? ${JSON.stringify(hosts)} : addresses).map((host) => kit.connect({ host, port: ${port} }))))]`;

export function outwardAttempts(network: 'none' | 'internet'): Attempt[] {
  const [noRoute, stoppedBy] =
    network === 'none'
      ? ['ENETUNREACH', 'no interface but its own loopback']
      : ['EHOSTUNREACH', 'routes that lead nowhere'];
  return [
    {
      what: 'connects to the machine by its own addresses',
      stoppedBy,
      run: connectToAll([], 'ports.everywhere'),
      inside: [noRoute],
      outside: ['connected'],
    },
    {
      what: 'connects to a metadata service and to private addresses',
      stoppedBy,
      run: connectToAll([...metadata, ...reserved, ...more], '80'),
      inside: [noRoute],
    },
    {
      what: 'connects to IPv6 forms of them',
      stoppedBy,
      run: connectToAll(
        ['fd00:ec2::254', 'fc00::1', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2001:db8::1'],
        '80',
      ),
      inside: network === 'none' ? [noRoute] : ['ENETUNREACH', 'EHOSTUNREACH'],
    },
    {
      what: 'reaches the machine through the gateway and the name server of its network',
      stoppedBy: network === 'none' ? stoppedBy : 'user-mode networking without the loopback of the host',
      run: async (kit, { ports }) => {
        const seen = ['10.0.2.2', '10.0.2.3', '10.0.2.4'].flatMap((host) =>
          Object.values(ports).map((port) => kit.connect({ host, port }, 800)),
        );
        return [...new Set(await Promise.all(seen))].sort();
      },
      inside: network === 'none' ? [noRoute] : expect.not.arrayContaining(['connected']),
    },
    {
      what: 'reaches the name server of its network on other ports',
      stoppedBy: network === 'none' ? stoppedBy : 'a route for its one port',
      run: async (kit) => {
        const seen = [22, 80, 443, 8080].map((port) => kit.connect({ host: '10.0.2.3', port }, 800));
        return [...new Set(await Promise.all(seen))].filter(
          (how) => how === 'connected' || how === 'ECONNREFUSED',
        );
      },
      inside: [],
    },
    {
      what: 'asks its neighbours by multicast and broadcast, by named device (SSDP, mDNS)',
      stoppedBy: network === 'none' ? stoppedBy : 'a router of its own, which forwards neither',
      run: (kit) =>
        kit.perl(`use Socket; my $heard = 0; my $device = (grep { -e "/proc/sys/net/ipv4/conf/$_" } qw(eth0 lo))[0];
          for my $to (['239.255.255.250', 1900], ['224.0.0.251', 5353], ['255.255.255.255', 1900], ['10.0.2.255', 1900], ['192.168.1.255', 1900]) {
            socket(my $s, 2, 2, 0); setsockopt($s, 1, 25, $device); setsockopt($s, 1, 6, 1); setsockopt($s, 0, 33, pack('C', 8));
            send($s, q(M-SEARCH * HTTP/1.1 ssdp:discover), 0, sockaddr_in($to->[1], inet_aton($to->[0])));
            my $readable = ''; vec($readable, fileno($s), 1) = 1; $heard++ if select($readable, undef, undef, 0.7);
          } print "$heard answers"`),
      inside: '0 answers',
    },
    {
      what: 'connects to private addresses by named device, past its routes',
      stoppedBy: network === 'none' ? stoppedBy : 'a cable that ends at a router of its own',
      run: (kit, { addresses, ports }) =>
        kit.perl(`use Socket; my %seen; my $device = (grep { -e "/proc/sys/net/ipv4/conf/$_" } qw(eth0 lo))[0];
          for my $host (qw(10.0.2.2 10.1.2.3 192.168.1.1 172.16.0.1 169.254.169.254 ${addresses.join(' ')})) {
            socket(my $s, 2, 1, 0); setsockopt($s, 1, 25, $device); local $SIG{ALRM} = sub { die };
            eval { alarm 1; $seen{$host} = 1 if connect($s, sockaddr_in(${ports['everywhere']}, inet_aton($host))); }; alarm 0;
          } print join(' ', 'connected:', sort keys %seen)`),
      inside: 'connected:',
    },
    {
      what: 'asks for names of the machine and of its networks',
      stoppedBy:
        network === 'none' ? stoppedBy : 'a file of hosts of its own, and no route to what a name stands for',
      run: async (kit) => {
        const names = ['metadata.google.internal', 'host.docker.internal', 'kubernetes.default.svc'];
        const seen = names.map((host) => kit.connect({ host, port: 80 }, 5000));
        return { hosts: kit.read('/etc/hosts'), connected: (await Promise.all(seen)).includes('connected') };
      },
      inside: { hosts: '127.0.0.1 localhost\n', connected: false },
    },
  ];
}
