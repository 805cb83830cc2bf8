/**
 * The start-up check of the sandboxes' network: it passes where everything is closed, and
 * reports what was left open.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { blockedRoutes, connectNetwork } from '../../../runtime/process/host/network.ts';
import { networkOf, ownNetworks } from '../../../runtime/process/host/own-networks.ts';
import { openCanary } from '../../../runtime/process/network-canary.ts';
import { describeWith } from '../../support/sandbox-programs.ts';

/**
 * A namespace restricted by routes alone, as sandboxes once were; its interface has the same name as theirs.
 */
const routesOnly = `echo $$; read go
ip link set tap0 down; ip link set tap0 name eth0; ip link set eth0 up; ip route add default via 10.0.2.2 dev eth0
for range in $BLOCKED; do ip route add unreachable "$range"; done; exec "$NODE" -e "$SCRIPT"`;

async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit');
  return code;
}

describeWith('slirp4netns')('the canary of the network', () => {
  it('detects a network policy of routes alone, which multicast bound to a device bypasses', async () => {
    const canary = await openCanary();
    const child = spawn('unshare', ['--user', '--map-root-user', '--net', 'sh', '-c', routesOnly], {
      env: {
        PATH: process.env['PATH'],
        BLOCKED: blockedRoutes().join(' '),
        NODE: process.execPath,
        SCRIPT: canary.script,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [pid] = await once(child.stdout, 'data');
    const network = await connectNetwork(Number(String(pid).trim()));
    const ended = exitCodeOf(child);
    child.stdin.end('go\n');
    await ended;
    network.stop();
    canary.close();
    expect(canary.heard()).toBe(true);
  });

  it('detects that it runs on this machine itself', async () => {
    const canary = await openCanary();
    const code = await exitCodeOf(spawn(process.execPath, ['-e', canary.script]));
    canary.close();
    expect({ code, heard: canary.heard() }).toEqual({ code: 1, heard: true });
  });
});

it('lists the networks that this machine is on', () => {
  expect(networkOf('192.0.2.77', '255.255.255.192')).toEqual({
    address: '192.0.2.77',
    network: '192.0.2.64/26',
    broadcast: '192.0.2.127',
  });
  expect(networkOf('203.0.113.5', '255.255.255.255').network).toBe('203.0.113.5/32');
  expect(networkOf('10.1.2.3', '0.0.0.0').network).toBe('0.0.0.0/0');
  for (const { network } of ownNetworks()) {
    expect(blockedRoutes()).toContain(network);
  }
});
