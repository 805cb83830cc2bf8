/** The Pods' network on the host: a bridge, and a route out for everything else. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { NodePlace } from './node-place.ts';

/** Where libcni keeps what a plug-in answered. */
const resultDirectory = '/var/lib/cni/results';

/**
 * Makes a bridge for a network that nothing on this machine has. `slot` tells clusters apart that start one
 * after the other; two that start at once, and one that has no Pod at the moment, whose bridge no list of
 * addresses shows, are told apart by the bridge.
 */
export function claimNetwork(slot: number): Pick<NodePlace, 'bridge' | 'gateway' | 'subnet'> {
  const taken = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
  for (let second = 213; second < 256; second += 1) {
    const bridge = `agent-${second}-${slot}`;
    const isFree = !taken.some((address) => address.startsWith(`10.${second}.`));
    if (isFree && spawnSync('ip', ['link', 'add', bridge, 'type', 'bridge']).status === 0) {
      const prefix = `10.${second}.${slot}`;
      return { bridge, gateway: `${prefix}.1`, subnet: `${prefix}.0/24` };
    }
  }
  throw new Error('every network from 10.213 to 10.255 is taken');
}

/** Opens the bridge before any Pod does, so that the host can listen on its address. */
export function openNetwork(place: NodePlace): void {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  ip('address', 'add', `${place.gateway}/24`, 'dev', place.bridge);
  ip('link', 'set', place.bridge, 'up');
  for (const { table, chain, match } of rules(place)) {
    execFileSync('iptables', ['-t', table, '-I', chain, ...match], { stdio: 'pipe' });
  }
}

/** Removes every trace of it; missing parts are skipped. */
export function removeNetwork(place: NodePlace): void {
  spawnSync('ip', ['link', 'delete', place.bridge]);
  for (const { table, chain, match } of rules(place)) {
    while (spawnSync('iptables', ['-t', table, '-D', chain, ...match]).status === 0) {
      // A killed start may have left a duplicate.
    }
  }
  for (const name of listed(resultDirectory).filter((file) => file.startsWith(`${place.bridge}-`))) {
    rmSync(join(resultDirectory, name), { force: true });
  }
}

/** Pods reach other networks with the host's address, also where the host forwards for nobody else. */
function rules({ bridge, subnet }: NodePlace): { table: string; chain: string; match: string[] }[] {
  const named = ['-m', 'comment', '--comment', bridge];
  return [
    {
      table: 'nat',
      chain: 'POSTROUTING',
      match: ['-s', subnet, '!', '-d', subnet, ...named, '-j', 'MASQUERADE'],
    },
    { table: 'filter', chain: 'FORWARD', match: ['-i', bridge, ...named, '-j', 'ACCEPT'] },
    { table: 'filter', chain: 'FORWARD', match: ['-o', bridge, ...named, '-j', 'ACCEPT'] },
  ];
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
