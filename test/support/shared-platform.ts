/**
 * One platform for all files of a run that neither kill nor configure it: the first that needs it starts it, the global
 * teardown stops it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { stopProcess } from '../../runtime/process/process-identity.ts';
import { chooseTestPort } from './free-port.ts';
import { readMark, whileLocked } from './machine-lock.ts';
import { type Platform, removeData, startPlatform } from './platform.ts';
import { otherTestRuns, testRun } from './test-runs.ts';

/** For each run that has one, by its process id, where its platform is. */
const notes = resolve('.cache/test/platforms');
const lock = `${notes}.lock`;
const noteShape = z.object({ dataDirectory: z.string(), port: z.int() });
type Note = z.infer<typeof noteShape>;

const stopLimitMs = 60_000;

/** The platform of this run. Tests use people and workspaces of their own in it. */
export async function sharedPlatform(): Promise<Pick<Platform, 'url' | 'dataDirectory'>> {
  const file = join(notes, String(testRun()));
  const { dataDirectory, port } = await whileLocked(lock, async () => readNote(file) ?? start(file));
  return { url: `http://127.0.0.1:${port}`, dataDirectory };
}

/** Stops the platform of this run, and those of runs that were killed. */
export async function stopSharedPlatforms(): Promise<void> {
  mkdirSync(notes, { recursive: true });
  await whileLocked(lock, async () => {
    const used = otherTestRuns().map(String);
    const ended = readdirSync(notes).filter((run) => !used.includes(run));
    await Promise.all(ended.map((run) => stop(join(notes, run))));
  });
}

function readNote(file: string): Note | null {
  try {
    return noteShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Written down before it starts, so that one whose run is killed meanwhile is found too. */
async function start(file: string): Promise<Note> {
  const note = { dataDirectory: mkdtempSync(join(tmpdir(), 'platform-')), port: await chooseTestPort() };
  writeFileSync(file, JSON.stringify(note));
  try {
    await startPlatform(note);
  } catch (error) {
    await stop(file);
    throw error;
  }
  return note;
}

async function stop(file: string): Promise<void> {
  const note = readNote(file);
  if (note !== null) {
    const owner = readMark(join(note.dataDirectory, 'start.lock'));
    if (owner !== null) {
      await stopProcess(owner, [{ signal: 'SIGINT', waitMs: stopLimitMs }]);
    }
    removeData(note.dataDirectory);
  }
  rmSync(file, { force: true });
}
