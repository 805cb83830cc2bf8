import { resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { findStaticRelay } from '../../support/static-relay.ts';
import { all, buildProbe, outcomesIn } from './probe-program.ts';
import { describeWithNamespaces, inNamespaces, RelayBench, staticRelay } from './relay-process.ts';

const bench = new RelayBench();
const network = resolve('test/integration/relay/restricted-network.sh');
let probe = '';

beforeAll(async () => {
  await bench.open();
  if (findStaticRelay() !== null) {
    probe = buildProbe(bench.directory);
  }
});
afterEach(() => bench.clear());
afterAll(() => bench.close());

/** Runs a script next to the namespace to restrict, in a private network. */
const inNetwork = (script: string) =>
  bench.run(
    inNamespaces(['--net', '--mount'], 'sh', network, ...staticRelay, probe, script, bench.path('said')),
  );

async function outcomes(script: string): Promise<Record<string, string>> {
  const { stdout, stderr } = await inNetwork(script);
  return { ...outcomesIn(stdout), ...(stderr ? { stderr } : {}) };
}

/** The gateway, the host's other addresses, and the metadata service. */
const closed = [
  '10.88.0.1',
  '10.88.255.255',
  '10.1.2.3',
  '192.168.7.7',
  '172.16.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.8',
  '198.18.0.1',
  '168.63.129.16',
  '203.0.113.7',
];
const tcp = closed.map((address) => `tcp:${address}:5432`);
const udp = closed.map((address) => `udp:${address}:5432`);
const ipv6 = ['udp6:fd00:1::1', 'udp6:2606:4700::1111'];
/** Packets of a socket bound to its device are dropped inside. */
const bound = [...tcp, ...udp].map((attempt) => `${attempt}@eth0`);
const packets = closed.map((address) => `packet:${address}:5432@eth0`);
const open = ['tcp:93.184.216.34:5432', 'tcp:93.184.216.34:53'];

describeWithNamespaces('relay network-policy', () => {
  it('is necessary: without it everything is reachable', async () => {
    const attempts = [...tcp, 'udp:10.88.0.1:5432', 'tcp:10.88.0.1:5432@eth0'].filter(
      (attempt) => !attempt.includes('255.255'),
    );
    expect(await outcomes(`inside $probe ${attempts.join(' ')}`)).toEqual(all(attempts, 'ok'));
  });

  it('leaves public addresses reachable, and not the host, its network or a metadata service', async () => {
    const attempts = [...open, ...tcp, ...udp, ...ipv6];
    expect(await outcomes(`start_network_policy; inside $probe ${attempts.join(' ')}`)).toEqual({
      ...all(open, 'ok'),
      ...all([...tcp, ...udp, ...ipv6], 'unreachable'),
    });
  });

  it('is not bypassed by sockets that are bound to a device', async () => {
    const attempts = [...bound, ...packets];
    const found = await outcomes(`start_network_policy; inside $probe ${attempts.join(' ')}`);
    expect(Object.keys(found)).toEqual(attempts);
    const reached = Object.entries(found).filter(
      ([, outcome]) => !['unreachable', 'silence', 'ECONNREFUSED', 'EACCES'].includes(outcome),
    );
    expect(reached).toEqual([]);
  });

  it.each([0, 1, 2])('works with reverse path filtering: %d', async (filter) => {
    const attempts = [
      ...open,
      'udp:10.1.2.3:53',
      'tcp:10.1.2.3:53',
      'tcp:10.88.0.1:53',
      'tcp:10.88.0.1:5432',
    ];
    // The gateway has to resolve our address again, and its request gets through.
    const script = `inside sh -c 'echo ${filter} | tee /proc/sys/net/ipv4/conf/*/rp_filter >/dev/null'
      start_network_policy --dns 10.1.2.3 --dns 10.88.0.1; ip neighbour flush dev gateway; inside $probe ${attempts.join(' ')}`;
    expect(await outcomes(script)).toEqual({
      ...all(attempts, 'ok'),
      'tcp:10.88.0.1:5432': 'unreachable',
    });
  });

  it('opens the one port of a name server, also of the one that the check uses', async () => {
    const attempts = ['tcp:172.16.0.1:53', 'udp:172.16.0.1:53', 'tcp:172.16.0.1:5432', 'tcp:192.168.7.7:53'];
    const script = `start_network_policy --dns 172.16.0.1
      inside $relay run --network restricted -- $probe ${attempts.join(' ')}`;
    expect(await outcomes(script)).toEqual({
      'tcp:172.16.0.1:53': 'ok',
      'udp:172.16.0.1:53': 'ok',
      'tcp:172.16.0.1:5432': 'unreachable',
      'tcp:192.168.7.7:53': 'unreachable',
    });
  });

  it('opens one port of one address over TCP, also the gateway’s, and nothing else of them', async () => {
    const opened = ['tcp:10.1.2.3:5432', 'tcp:10.88.0.1:5432'];
    const kept = [
      ...[
        'tcp:10.1.2.3:53',
        'udp:10.1.2.3:5432',
        'tcp:192.168.7.7:5432',
        'tcp:10.88.0.1:53',
        'udp:10.88.0.1:5432',
      ],
      ...['tcp:169.254.169.254:5432', 'tcp:172.16.0.1:5432'],
    ];
    const script = `start_network_policy --dns 172.16.0.1 --open 10.1.2.3:5432 --open 10.88.0.1:5432
      inside $relay run --network restricted -- $probe ${[...opened, ...kept, ...open].join(' ')}`;
    expect(await outcomes(script)).toEqual({
      ...all([...opened, ...open], 'ok'),
      ...all(kept, 'unreachable'),
    });
  });

  it.each([
    '10.1.2.3',
    '10.1.2.3:',
    '10.1.2.3:0',
    '10.1.2.3:65536',
    '10.1.2:80',
    '10.1.2.3:80x',
    'far.test:80',
    ':80',
    '-',
  ])('is not built with %s opened', async (destination) => {
    const ending = await inNetwork(`inside $relay network-policy --open '${destination}'`);
    expect(ending).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('is not an IPv4 address with a port'),
    });
    expect(ending.code).not.toBe(0);
  });

  it.each([0, 1, 2])(
    'hears the answers of what is opened with reverse path filtering: %d',
    async (filter) => {
      const script = `inside sh -c 'echo ${filter} | tee /proc/sys/net/ipv4/conf/*/rp_filter >/dev/null'
      start_network_policy --open 10.1.2.3:5432; ip neighbour flush dev gateway; inside $probe tcp:10.1.2.3:5432 tcp:10.1.2.3:53`;
      expect(await outcomes(script)).toEqual({ 'tcp:10.1.2.3:5432': 'ok', 'tcp:10.1.2.3:53': 'unreachable' });
    },
  );

  it('allows a command that needs it to run, without pings and broadcasts', async () => {
    const attempts = [...open, 'ping', 'broadcast', 'socket:2', 'socket:16', 'socket:17'];
    expect(
      await outcomes(
        `start_network_policy; inside $relay run --network restricted -- $probe ${attempts.join(' ')}`,
      ),
    ).toEqual({
      ...all([...open, 'socket:2', 'socket:16'], 'ok'),
      ...all(['ping', 'broadcast'], 'EACCES'),
      'socket:17': 'EAFNOSUPPORT',
    });
  });

  it('delays the command until it is complete', async () => {
    const { stdout } = await inNetwork(`inside $relay run --network restricted -- echo after & waiting=$!
      sleep 0.3; start_network_policy; wait $waiting`);
    expect(stdout).toBe('after\n');
  });

  it('persists when it is built again, and after its builder ended', async () => {
    const attempts = [...open, ...tcp];
    const { stdout, stderr } = await inNetwork(
      `start_network_policy; kill $holder; wait $holder; echo code $?; start_network_policy; kill -INT $holder; wait $holder || true
       inside $probe ${attempts.join(' ')}`,
    );
    expect(stderr).toBe('');
    const { code, ...found } = outcomesIn(stdout);
    expect(code).toBe('0');
    expect(found).toEqual({ ...all(open, 'ok'), ...all(tcp, 'unreachable') });
  });

  it('keeps no capability', async () => {
    const { stdout } = await inNetwork(
      "start_network_policy; grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/$holder/status",
    );
    const zero = '0'.repeat(16);
    expect(stdout.replaceAll('\t', '')).toBe(
      `CapInh:${zero}\nCapPrm:${zero}\nCapEff:${zero}\nCapAmb:${zero}\nNoNewPrivs:1\n`,
    );
  });

  const noCapabilities = 'setpriv --bounding-set=-all --inh-caps=-all';
  it.each([
    [
      'there is no default route',
      'inside ip route del default; inside $relay network-policy',
      'there is no default route through a gateway',
    ],
    [
      'it may not change the network',
      `inside ${noCapabilities} $relay network-policy`,
      'cannot close IPv6: EPERM',
    ],
  ])('reports an error when %s', async (_when, script, sentence) => {
    const ending = await inNetwork(script);
    expect(ending).toMatchObject({ code: 1, stdout: '' });
    expect(ending.stderr).toContain(`relay: the network is not restricted: ${sentence}`);
  });

  it('is not considered complete when it is incomplete', async () => {
    const half = 'for range in 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10';
    const script = `${half}; do inside ip route add unreachable $range; done
      inside $relay run --network restricted -- echo ran`;
    expect(await inNetwork(script)).toMatchObject({
      code: 70,
      stdout: '',
      stderr: expect.stringContaining('169.254.169.254 has a route'),
    });
  });
});
