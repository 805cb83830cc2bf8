/** Where a one-node cluster keeps its files, and the addresses that it has for itself. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { chooseTestPort } from '../free-port.ts';
import { claimNetwork } from './node-network.ts';

const nodePlace = z.object({
  /** Removed when the cluster stops; no other cluster's path starts with it. */
  directory: z.string(),
  /** Image layers that a later cluster in the same place need not unpack again. */
  imageDirectory: z.string(),
  bridge: z.string(),
  /** The host's address on the bridge: a Pod reaches what listens there. */
  gateway: z.string(),
  subnet: z.string(),
  etcdPort: z.int(),
  etcdPeerPort: z.int(),
  apiserverPort: z.int(),
  kubeletPort: z.int(),
  registryPort: z.int(),
});

export type NodePlace = z.infer<typeof nodePlace>;

/** Paths that more than one file names. */
export const containerdSocket = ({ directory }: NodePlace) => join(directory, 'containerd.sock');
export const kubeconfigFile = ({ directory }: NodePlace) => join(directory, 'kubeconfig');
export const certificateFile = ({ directory }: NodePlace) => join(directory, 'node.crt');
export const keyFile = ({ directory }: NodePlace) => join(directory, 'node.key');

/**
 * Chooses ports and a network that nothing on this machine has. `slot` tells clusters on one machine apart.
 */
export async function chooseNodePlace(slotDirectory: string, slot: number): Promise<NodePlace> {
  const network = claimNetwork(slot);
  const directory = join(slotDirectory, 'node');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const place = {
    directory,
    imageDirectory: join(slotDirectory, 'images'),
    ...network,
    etcdPort: await chooseTestPort(),
    etcdPeerPort: await chooseTestPort(),
    apiserverPort: await chooseTestPort(),
    kubeletPort: await chooseTestPort(),
    registryPort: await chooseTestPort(),
  };
  writeFileSync(join(directory, 'place.json'), JSON.stringify(place));
  return place;
}

/** What `chooseNodePlace` chose; null when there is no cluster. */
export function readNodePlace(slotDirectory: string): NodePlace | null {
  try {
    return nodePlace.parse(JSON.parse(readFileSync(join(slotDirectory, 'node/place.json'), 'utf8')));
  } catch {
    return null;
  }
}
