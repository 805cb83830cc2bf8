/**
 * All attempts of the network canary, by the packets that it sends where nothing blocks
 * them, and where routes do.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { blockedRoutes } from '../../../runtime/process/host/network.ts';
import { userModeAddresses } from '../../../runtime/process/host/network-script.ts';
import { openCanary } from '../../../runtime/process/network-canary.ts';
import { describeWith } from '../../support/sandbox-programs.ts';
import { processDriver } from './process-driver.ts';

/** A separate namespace with one virtual link, at whose other end every packet is recorded. */
const onCable = `set -e
ip link add eth0 type veth peer name wire
ip link set eth0 arp off; ip link set lo up; ip link set wire up; ip link set eth0 up
ip address add ${userModeAddresses.sandbox}/32 dev eth0; ip route add default dev eth0
for range in $BLOCKED; do ip route add unreachable "$range"; done
python3 "$PACKETS" wire & packets=$!
sleep 1; "$NODE" -e "$SCRIPT" || true
kill $packets`;

async function packetsOf(blocked: string[]): Promise<string> {
  const canary = await openCanary();
  const child: ChildProcess = spawn('unshare', ['--user', '--map-root-user', '--net', 'sh', '-c', onCable], {
    env: {
      PATH: process.env['PATH'],
      BLOCKED: blocked.join(' '),
      NODE: process.execPath,
      SCRIPT: canary.script,
      PACKETS: resolve('test/integration/runtime/inside/packets.py'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let seen = '';
  child.stdout?.on('data', (piece: Buffer) => {
    seen += String(piece);
  });
  const [exitCode] = await once(child, 'close');
  canary.close();
  expect(exitCode).toBe(0);
  return seen;
}

const ssdp = /M-SEARCH \* HTTP.*ssdp:all/;
const mdns = /_services.*_dns-sd.*_udp.*local/;
describeWith('python3')('the canary of the network', () => {
  let open: string;
  let restricted: string;
  const datagrams = (seen: string, to: string) =>
    seen.split('\n').filter((line) => line.startsWith(`udp ${to} ttl `));
  beforeAll(async () => {
    open = await packetsOf([]);
    restricted = await packetsOf(blockedRoutes());
  });

  const questions: [what: string, to: string, question: RegExp][] = [
    ['SSDP by multicast', '239.255.255.250:1900', ssdp],
    ['mDNS by multicast', '224.0.0.251:5353', mdns],
    ['SSDP by broadcast', '255.255.255.255:1900', ssdp],
  ];
  it.each(questions)('searches for devices by %s, on every interface', (_, to, question) => {
    const sent = datagrams(open, to);
    expect(sent.filter((line) => question.test(line))).toHaveLength(2);
  });
  it.each(questions)(
    'searches for devices by %s, bound to a device, past blocked routes',
    (_, to, question) => {
      const [line, ...others] = datagrams(restricted, to);
      expect({ line, others }).toEqual({ line: expect.stringMatching(question), others: [] });
    },
  );
  it.each(questions.slice(0, 2))('searches for devices by %s beyond the next network', (_, to) => {
    expect(datagrams(open, to)[0]).toContain(' ttl 8 ');
  });
  it('broadcasts on the network of user-mode networking', () => {
    expect(datagrams(open, '10.0.2.255:1900')).not.toEqual([]);
  });

  it.each([22, 80, 443])('tries port %i at the address of the resolver', (port) => {
    expect(open).toContain(`tcp ${userModeAddresses.resolver}:${port}\n`);
  });
  it.each(['169.254.169.254', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '10.0.2.50'])(
    'tries a private or special address: %s',
    (host) => {
      expect(open).toContain(`tcp ${host}:80\n`);
      expect(restricted).not.toContain(`tcp ${host}:`);
    },
  );
  it.each([userModeAddresses.gateway, userModeAddresses.router, userModeAddresses.resolver])(
    'tries this machine by %s',
    (host) => {
      expect(open).toMatch(new RegExp(`^tcp ${host}:\\d{4,5}$`, 'm'));
      expect(open).toMatch(new RegExp(`^udp ${host}:\\d{4,5} `, 'm'));
    },
  );
});

/** The processes below this one. Those that end while they are read are left out. */
function descendantsOf(pid: number): number[] {
  const children = textsOf(`/proc/${pid}/task`, 'children').flatMap((text) =>
    text.split(' ').filter(Boolean),
  );
  return children.map(Number).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The contents of the file of this name in each folder below `directory`. */
function textsOf(directory: string, name: string): string[] {
  try {
    return readdirSync(directory).map((entry) => readFileSync(join(directory, entry, name), 'utf8'));
  } catch {
    // It has ended.
    return [];
  }
}

/** A sandbox that is trying the network, in a network namespace of its own. */
function isCanary(pid: number): boolean {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const network = readlinkSync(`/proc/${pid}/ns/net`);
    return (
      commandLine.startsWith('bwrap\0') &&
      commandLine.includes('dgram.createSocket') &&
      network !== readlinkSync('/proc/self/ns/net')
    );
  } catch {
    // It has ended.
    return false;
  }
}

/** For each sandbox that is trying the network: how its kernel treats packets from unroutable sources. */
function filtersInUse(): string[] {
  return descendantsOf(process.pid).filter(isCanary).map(whileStopped).filter(Boolean);
}

/** Stopped, the sandbox cannot end before it was looked at, however busy the machine is. */
function whileStopped(pid: number): string {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    // It has ended.
    return '';
  }
  const enter = ['--preserve-credentials', '--user', '--net', '--target', String(pid)];
  const filter = said('nsenter', [...enter, 'cat', '/proc/sys/net/ipv4/conf/eth0/rp_filter']);
  process.kill(pid, 'SIGCONT');
  return filter;
}

/** Empty when it fails. */
const said = (program: string, args: string[]) =>
  spawnSync(program, args, { encoding: 'utf8' }).stdout.trim();

describeWith('bwrap', 'slirp4netns')('the check at the start', () => {
  it('tests the network with each reverse path filter', async () => {
    const driver = processDriver({ sandbox: 'require' });
    const seen = new Set<string>();
    let ended = false;
    const opened = driver.open('http://127.0.0.1:1').finally(() => {
      ended = true;
    });
    while (!ended) {
      for (const filter of filtersInUse()) {
        seen.add(filter);
      }
      await sleep(10);
    }
    await opened;
    driver.remove();
    expect([...seen].toSorted()).toEqual(['0', '1', '2']);
  });
});
