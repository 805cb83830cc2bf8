/** Reports what this machine lacks, with what to do about it, and leaves it out. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Part } from './aims.ts';
import type { Options } from './options.ts';

interface Places {
  /** Where programs are looked for. */
  path: string;
  peers: string;
  memory: string;
}

/** The kernel's number for this file system. */
const tmpfs = 0x01021994;

export function leaveOutMissing(
  { rows, cores, directory }: Options,
  { path, peers, memory }: Places,
  report: (text: string) => void,
): { rows: ReadonlySet<string>; cores: readonly Part['cores'][] } {
  const left = new Set(rows);
  const leaveOut = (row: string, why: string) => {
    if (left.delete(row)) {
      report(`${row} is left out: ${why}`);
    }
  };
  if (!isInstalled('socat', path)) {
    leaveOut('socat', 'socat is not installed (Debian and Ubuntu: sudo apt-get install socat)');
  }
  for (const peer of ['supergateway', 'mcp-proxy']) {
    if (!existsSync(join(peers, peer))) {
      leaveOut(
        peer,
        'it is not installed (npm run bench:gate does that, or: node scripts/setup.mjs --bench-gate)',
      );
    }
  }
  if (statfsSync(directory).type === tmpfs) {
    report(`${directory} is in memory, so no figure is a disk's: name another place with --directory`);
  }
  if (!existsSync(memory)) {
    leaveOut('sidecar-in-memory', `there is no ${memory}`);
  }
  if (!cores.includes('pinned') || isInstalled('taskset', path)) {
    return { rows: left, cores };
  }
  report('nothing is pinned: taskset is not installed (Debian and Ubuntu: sudo apt-get install util-linux)');
  return { rows: left, cores: cores.filter((name) => name !== 'pinned') };
}

function isInstalled(program: string, path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
