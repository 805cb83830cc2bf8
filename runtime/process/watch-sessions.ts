/**
 * Watches this machine's sessions: their hosts' state files by the file system's events, and
 * the hosts themselves by looking whether they run, since nobody is informed of the end of a
 * process that is not its own.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import type { Logger } from 'pino';
import { sessionFiles } from './layout.ts';
import { listSessions, readHost, sessionDirectory } from './session-record.ts';

/** One call of the system for each session. */
const lookEveryMs = 250;

interface WatchedSession {
  /** Null where the system watches no more directories: the session is named with every look. */
  watcher: FSWatcher | null;
  /** Null until its host was started, and again when it has ended. */
  hostPid: number | null;
}

const nameOfHostFile = basename(sessionFiles('').host);
const nameOfStateFile = basename(sessionFiles('').state);

/**
 * Calls back as `Runtime.watch` says, with every session once when it is first seen.
 * Returns a function to stop.
 */
export function watchSessions(
  sessionsDirectory: string,
  onChange: (sessionId: string) => void,
  logger: Logger,
): () => void {
  const watched = new Map<string, WatchedSession>();
  /** What is still there is found by the next look, with its host as it is then. */
  const forget = (sessionId: string) => {
    watched.get(sessionId)?.watcher?.close();
    watched.delete(sessionId);
    onChange(sessionId);
  };
  const take = (sessionId: string) => {
    const directory = sessionDirectory(sessionsDirectory, sessionId);
    const watcher = watchDirectory(directory, logger, (file) => {
      // A directory's own name: it was removed, and one that is made in its place is not
      // the one that is watched.
      if (file === nameOfHostFile || file === basename(directory)) {
        forget(sessionId);
      } else if (file === nameOfStateFile || file === null) {
        onChange(sessionId);
      }
    });
    watched.set(sessionId, { watcher, hostPid: readHost(directory)?.pid ?? null });
    onChange(sessionId);
  };
  const look = () => {
    const present = new Set(listSessions(sessionsDirectory));
    for (const [sessionId, session] of watched) {
      if (!present.has(sessionId)) {
        forget(sessionId);
      } else if (session.watcher === null || hasEnded(session)) {
        session.hostPid = session.watcher === null ? session.hostPid : null;
        onChange(sessionId);
      }
    }
    for (const sessionId of present) {
      if (!watched.has(sessionId)) {
        take(sessionId);
      }
    }
  };
  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return () => {
    clearInterval(timer);
    for (const { watcher } of watched.values()) {
      watcher?.close();
    }
    watched.clear();
  };
}

/** Null when the directory cannot be watched. */
function watchDirectory(
  directory: string,
  logger: Logger,
  onFile: (name: string | null) => void,
): FSWatcher | null {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => onFile(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch (error) {
    logger.warn(
      { directory, reason: error instanceof Error ? error.message : 'unknown' },
      'a session is not watched by events; its state is read instead',
    );
    return null;
  }
}

/** Cheaper than comparing the process with the record, and good enough for a hint. */
function hasEnded({ hostPid }: WatchedSession): boolean {
  try {
    return hostPid !== null && !process.kill(hostPid, 0);
  } catch (error) {
    return !(error !== null && typeof error === 'object' && 'code' in error && error.code === 'EPERM');
  }
}
