/**
 * Hosts that were started before a session needs them, each with its sidecar: a launch then does not wait for
 * two starts of Node. They know nothing of a session, and hold no secret.
 */
import { renameSync } from 'node:fs';
import type { Programs } from './layout.ts';
import { isRunning } from './process-identity.ts';
import { spawnHost, type WaitingHost } from './spawn-host.ts';
import {
  makeWarmDirectory,
  removeLeftWarmDirectories,
  removeWarmDirectory,
  warmDirectoryIn,
} from './warm-directory.ts';

/** How long no session has started before the next hosts are: they take the processor that a launch wants. */
const quietMs = 1000;

export interface WarmHosts {
  /** The host, whose directory is `directory` from now on; null when none waits. Throws nothing. */
  take(directory: string): WaitingHost | null;
  /** Reports the end of each start. */
  startEnded(): void;
}

interface WarmHost {
  host: WaitingHost;
  directory: string;
}

/** Keeps up to `size` of them, from a moment after it was made. They end with this process. */
export function openWarmHosts(
  { programs, sessionsDirectory }: { programs: Programs; sessionsDirectory: string },
  size: number,
): WarmHosts {
  removeLeftWarmDirectories(sessionsDirectory);
  let waiting: WarmHost[] = [];
  const fill = () => {
    waiting = waiting.filter(stillRuns);
    while (waiting.length < size) {
      const started = startWarmHost(programs, sessionsDirectory);
      if (started === null) {
        return;
      }
      waiting.push(started);
    }
  };
  const timer = setTimeout(fill, quietMs).unref();
  return {
    take(directory) {
      timer.refresh();
      const [first, ...others] = waiting.filter(stillRuns);
      waiting = others;
      return first !== undefined && move(first, directory) ? first.host : null;
    },
    startEnded() {
      timer.refresh();
    },
  };
}

/** Null when the machine does not start it now: a session is then told why by its own. */
function startWarmHost(programs: Programs, sessionsDirectory: string): WarmHost | null {
  const directory = warmDirectoryIn(sessionsDirectory);
  try {
    makeWarmDirectory(directory);
    return { host: spawnHost(programs, directory), directory };
  } catch {
    removeWarmDirectory(directory);
    return null;
  }
}

/** What has ended could not remove its directory by itself. */
function stillRuns({ host, directory }: WarmHost): boolean {
  const runs = isRunning(host.identity);
  if (!runs) {
    removeWarmDirectory(directory);
  }
  return runs;
}

/** False when the file system does not do it: the session then starts a host of its own. */
function move({ host, directory }: WarmHost, to: string): boolean {
  try {
    renameSync(directory, to);
    return true;
  } catch {
    host.kill();
    removeWarmDirectory(directory);
    return false;
  }
}
