/**
 * Clusters of this machine, each in a numbered directory. Number 0 is shared by every test run: the first
 * user starts it and the last one stops it. The others belong to one process each. A user that is dead does
 * not count, and what it left is removed by the process that takes the slot next.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { machineCache } from '../../../scripts/setup/machine-cache.mjs';
import { holderOf, leaveMark, whileLocked } from '../machine-lock.ts';
import { removeNode, repairNode, startNode } from './node-lifecycle.ts';
import { chooseNodePlace, type NodePlace, readNodePlace } from './node-place.ts';

const slotCount = 8;
const root = machineCache(process.env, 'clusters');
const slotDirectory = (slot: number) => join(root, String(slot));
const marks = (slot: number) => join(slotDirectory(slot), 'users');

/**
 * The shared cluster, started when it does not run. It stays until `releaseShared` for the same process id.
 */
export async function acquireShared(user: number, programs: string): Promise<NodePlace> {
  return inSlots(async () => {
    const used = livingUsers(0).length > 0;
    const running = used ? readNodePlace(slotDirectory(0)) : null;
    if (running !== null) {
      await repairNode(running, programs);
    }
    const place = running ?? (await startIn(0, programs));
    leaveMark(join(marks(0), String(user)), user);
    return place;
  });
}

/** Stops the shared cluster when nobody else uses it. */
export async function releaseShared(user: number): Promise<void> {
  await inSlots(async () => {
    rmSync(join(marks(0), String(user)), { force: true });
    const place = readNodePlace(slotDirectory(0));
    if (place !== null && livingUsers(0).length === 0) {
      await removeNode(place);
    }
  });
}

export interface OwnNode {
  place: NodePlace;
  release(): Promise<void>;
}

/** A cluster for one process. Throws when too many run. */
export async function acquireOwn(user: number, programs: string): Promise<OwnNode> {
  return inSlots(async () => {
    for (let slot = 1; slot < slotCount; slot += 1) {
      if (livingUsers(slot).length === 0) {
        const place = await startIn(slot, programs);
        const mark = join(marks(slot), String(user));
        leaveMark(mark, user);
        return { place, release: () => inSlots(() => releaseOwn(place, mark)) };
      }
    }
    throw new Error(`${slotCount - 1} test clusters run already`);
  });
}

async function releaseOwn(place: NodePlace, mark: string): Promise<void> {
  await removeNode(place);
  rmSync(mark, { force: true });
}

async function startIn(slot: number, programs: string): Promise<NodePlace> {
  const left = readNodePlace(slotDirectory(slot));
  if (left !== null) {
    await removeNode(left);
  }
  const place = await chooseNodePlace(slotDirectory(slot), slot);
  await startNode(place, programs);
  return place;
}

function livingUsers(slot: number): string[] {
  mkdirSync(marks(slot), { recursive: true, mode: 0o700 });
  return readdirSync(marks(slot)).filter((name) => {
    const mark = join(marks(slot), name);
    const alive = holderOf(mark) === 'alive';
    if (!alive) {
      rmSync(mark, { force: true });
    }
    return alive;
  });
}

async function inSlots<Result>(work: () => Promise<Result>): Promise<Result> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return whileLocked(join(root, 'lock'), work);
}
