/**
 * Platforms that files of a run share, which neither kill nor configure them: the first file that needs one
 * starts it, the global teardown stops it.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { stopProcess } from '../../runtime/process/process-identity.ts';
import { chooseTestPort } from './free-port.ts';
import { readMark, whileLocked } from './machine-lock.ts';
import { type Platform, removeData, startPlatform, type TestPlatformOptions } from './platform.ts';
import { otherTestRuns, testRun } from './test-runs.ts';

/** For each platform of a run, by the run's process id and its name, where it is. */
const notes = resolve('.cache/test/platforms');
const lock = `${notes}.lock`;
const noteShape = z.object({ dataDirectory: z.string(), port: z.int(), temporalUiPort: z.int() });
type Note = z.infer<typeof noteShape>;

const stopLimitMs = 60_000;

export interface SharedPlatform extends Pick<Platform, 'url' | 'dataDirectory'> {
  temporalUiPort: number;
}

/**
 * The platform of this run, or another one under a name and with settings that only some files need. Tests
 * use people and workspaces of their own in it.
 */
export async function sharedPlatform(
  name = 'demo',
  options: Pick<TestPlatformOptions, 'env' | 'withoutDemoSession'> = {},
): Promise<SharedPlatform> {
  const file = join(notes, `${testRun()}.${name}`);
  const started = await whileLocked(lock, async () => readNote(file) ?? start(file, options));
  const { dataDirectory, port, temporalUiPort } = started;
  return { url: `http://127.0.0.1:${port}`, dataDirectory, temporalUiPort };
}

/** Stops the platforms of this run, and those of runs that were killed. */
export async function stopSharedPlatforms(): Promise<void> {
  mkdirSync(notes, { recursive: true });
  await whileLocked(lock, async () => {
    const used = otherTestRuns().map(String);
    const ended = readdirSync(notes).filter((note) => !used.includes(note.replace(/\..*$/, '')));
    await Promise.all(ended.map((note) => stop(join(notes, note))));
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
async function start(file: string, options: TestPlatformOptions): Promise<Note> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'platform-'));
  const [port, temporalUiPort] = [await chooseTestPort(), await chooseTestPort()];
  const note = { dataDirectory, port, temporalUiPort };
  writeFileSync(file, JSON.stringify(note));
  try {
    const env = { ...options.env, TEMPORAL_UI_PORT: String(temporalUiPort) };
    await startPlatform({ ...options, dataDirectory, port, env });
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
