/** Starts the parts of the embedded default in order, and stops them in the reverse one. */
import { resolve } from 'node:path';
import { inspectSession, sessionDirectory } from '../../runtime/process/session-record.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { claimDataDirectory } from './data-directory.ts';
import { signInDemoPeople } from './demo-sign-in.ts';
import { chooseFreePort, isPortFree } from './free-port.ts';
import { loadOrCreateKeys } from './keys.ts';
import { provideDatabase, provideTemporal } from './provide-servers.ts';
import { seedDemo, type WaitingDemo } from './seed-demo.ts';
import { messageOf, StartError } from './start-error.ts';
import type { StartPlatformOptions, Undo } from './start-options.ts';
import { startPrograms } from './start-programs.ts';
import { stopLeftover } from './supervised-process.ts';

export interface StartedPlatform {
  url: string;
  temporalUiUrl: string | null;
  dataDirectory: string;
  demo: WaitingDemo;
  stop(): Promise<void>;
}

/** Throws StartError, or the signal's reason, after everything that it started was stopped again. */
export async function startPlatform(options: StartPlatformOptions): Promise<StartedPlatform> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) {
      // One part that fails to stop does not keep the others from stopping.
      await (async () => step())().catch((error) => options.progress(messageOf(error)));
    }
  };
  try {
    return { ...(await startParts(options, undo)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(options: StartPlatformOptions, undo: Undo): Promise<Omit<StartedPlatform, 'stop'>> {
  const { config, progress, signal } = options;
  const data = resolve(config.DATA_DIR);
  undo.push(claimDataDirectory(data));
  await Promise.all(['worker', 'api'].map((name) => stopLeftover(data, name)));
  const keys = loadOrCreateKeys(data);
  const port = await choosePort(config.PORT);
  const [database, temporalServer] = await Promise.allSettled([
    provideDatabase(options, data, keys, undo),
    provideTemporal(options, data, undo),
  ]);
  const databaseUrl = settled(database);
  const temporal = settled(temporalServer);
  signal.throwIfAborted();

  const db = openDatabase(databaseUrl, { poolSize: 4 });
  undo.push(() => db.destroy());
  const { applied } = await migrate(db).catch((cause: unknown) => {
    throw new StartError(`The database cannot be migrated: ${messageOf(cause)}`, { cause });
  });
  progress(
    applied.length === 0
      ? 'Database schema is current'
      : `Database schema made: ${applied.length} migrations`,
  );
  signal.throwIfAborted();

  const addresses = { port, databaseUrl, ...temporal, temporalNamespace: config.TEMPORAL_NAMESPACE };
  const { sessionsDirectory } = await startPrograms(options, { data, keys, addresses, db }, undo);
  const url = `http://127.0.0.1:${port}`;
  const isAlive = (sessionId: string) =>
    inspectSession(sessionDirectory(sessionsDirectory, sessionId)).state === 'running';
  const demo = await seedDemo({ ...(await signInDemoPeople(db, url)), signal, isAlive });
  progress('Demo workspace is ready');
  return { url, temporalUiUrl: temporal.temporalUiUrl, dataDirectory: data, demo };
}

/** Port 0 asks for any free one. */
async function choosePort(port: number): Promise<number> {
  if (port === 0) {
    return chooseFreePort();
  }
  if (!(await isPortFree(port))) {
    throw new StartError(
      `Port ${port} is taken. Set PORT to another one, for example: PORT=${port + 1} npm start`,
    );
  }
  return port;
}

/** Throws a server's failure only after both have settled, so that what the other started is known and stopped. */
function settled<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') {
    throw result.reason;
  }
  return result.value;
}
