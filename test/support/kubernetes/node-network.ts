/** The Pods' network on the host: a bridge, and a way out for what is not on it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NodePlace } from './node-place.ts';

/** Where libcni keeps what a plug-in answered. */
const resultDirectory = '/var/lib/cni/results';

/** Makes the bridge before any Pod does, so that the host can listen on its address; anew when somebody left one. */
export function makeNetwork(place: NodePlace): void {
  removeNetwork(place);
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  ip('link', 'add', place.bridge, 'type', 'bridge');
  ip('address', 'add', `${place.gateway}/24`, 'dev', place.bridge);
  ip('link', 'set', place.bridge, 'up');
  for (const { table, chain, match } of rules(place)) {
    execFileSync('iptables', ['-t', table, '-I', chain, ...match], { stdio: 'pipe' });
  }
}

/** Removes every trace of it; what is not there is passed over. */
export function removeNetwork(place: NodePlace): void {
  spawnSync('ip', ['link', 'delete', place.bridge]);
  for (const { table, chain, match } of rules(place)) {
    while (spawnSync('iptables', ['-t', table, '-D', chain, ...match]).status === 0) {
      // A start that was killed may have left it twice.
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
