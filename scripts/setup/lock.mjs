/**
 * Lets one set-up at a time work on a clone, and on what the clones of this machine share. A lock whose
 * process has exited does not count.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export async function withLock(file, work) {
  let told = false;
  while (!take(file)) {
    if (!told) {
      console.log('  Another set-up is running; waiting for it.');
      told = true;
    }
    await sleep(300);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Calls `provide` unless another clone's set-up has already provided it, also one that
 * this call had to wait for.
 */
export async function onceOnThisMachine(directory, isProvided, provide) {
  if (isProvided()) {
    return undefined;
  }
  mkdirSync(dirname(directory), { recursive: true });
  return withLock(`${directory}.lock`, async () => (isProvided() ? undefined : provide()));
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') {
      throw error;
    }
  }
  if (isAlive(holderOf(file))) {
    return false;
  }
  rmSync(file, { force: true });
  return take(file);
}

function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return Number.NaN;
  }
}

function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) {
    // Being written at this moment, or just removed.
    return true;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
