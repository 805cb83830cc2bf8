/** Starts the parts of the embedded default in order, and stops them in the reverse one. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectSession, sessionDirectory } from '../../runtime/process/session-record.ts';
import { type Db, openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { upsertUser } from '../../store/users/users.ts';
import { listWorkers } from '../../store/workers/workers.ts';
import { ApiClient } from './api-client.ts';
import { claimDataDirectory } from './data-directory.ts';
import { demoPeople } from './demo-content.ts';
import { type DemoRemote, demoRemoteName, placeDemoRemote, privateHostsOf } from './demo-remote.ts';
import {
  committer,
  pushEntry,
  pushSecret,
  pushServer,
  ticketClerk,
  ticketsServer,
} from './demo-remote-content.ts';
import { chooseFreePort, isPortFree } from './free-port.ts';
import { loadOrCreateKeys } from './keys.ts';
import { provideDatabase, provideTemporal } from './provide-servers.ts';
import {
  addUnlessRefused,
  ensureAgent,
  ensureEntries,
  ensureSecret,
  fillDemoWorkspace,
  seedDemo,
  type WaitingDemo,
} from './seed-demo.ts';
import { addDemoWriter } from './seed-demo-writer.ts';
import { messageOf, StartError } from './start-error.ts';
import type { StartPlatformOptions, Undo } from './start-options.ts';
import { startPrograms } from './start-programs.ts';
import { stopLeftover } from './supervised-process.ts';

export interface StartedPlatform {
  url: string;
  temporalUiUrl: string | null;
  dataDirectory: string;
  /** Null where none was to be started. */
  demo: WaitingDemo | null;
  stop(): Promise<void>;
}

const workerLimitMs = 60_000;

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
  await Promise.all(['worker', 'api', demoRemoteName].map((name) => stopLeftover(data, name)));
  const keys = loadOrCreateKeys(data);
  const port = await choosePort(config.PORT);
  const demoRemote = config.DEMO_REMOTE_SERVER ? await placeDemoRemote(data, progress) : null;
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

  const addresses = {
    port,
    databaseUrl,
    ...temporal,
    temporalNamespace: config.TEMPORAL_NAMESPACE,
    privateMcpHosts: demoRemote === null ? [] : privateHostsOf(demoRemote),
  };
  const provided = { data, keys, addresses, demoRemote, db };
  const { sessionsDirectory } = await startPrograms(options, provided, undo);
  const url = `http://127.0.0.1:${port}`;
  const isAlive = (sessionId: string) =>
    inspectSession(sessionDirectory(sessionsDirectory, sessionId)).state === 'running';
  const people = await signInDemoPeople(db, url);
  const demo = config.DEMO_SESSION ? await seedDemo({ ...people, signal, isAlive }) : null;
  if (demo === null) {
    await fillDemoWorkspace(people);
    await untilWorkerReports(db, signal);
  }
  if (demoRemote !== null) {
    await addDemoRemote(people.ada, demoRemote, progress);
  }
  if (config.DEMO_MODEL_KEY !== undefined) {
    await addDemoWriter(people.ada, config.DEMO_MODEL_KEY, progress);
  }
  progress('Demo workspace is ready');
  return { url, temporalUiUrl: temporal.temporalUiUrl, dataDirectory: data, demo };
}

/**
 * What a demo session shows otherwise: a worker runs. Gives up after a minute, since the worker says in its
 * log why it does not.
 */
async function untilWorkerReports(db: Db, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + workerLimitMs;
  while (Date.now() < deadline && !(await listWorkers(db)).some((worker) => worker.is_running)) {
    await sleep(100, undefined, { signal });
  }
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

/**
 * Throws a server's failure only after both have settled, so that what the other started is known and
 * stopped.
 */
function settled<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') {
    throw result.reason;
  }
  return result.value;
}

/**
 * Creates all demo users and signs in those that the demo needs. Throws StartError when the API refuses them.
 */
export async function signInDemoPeople(db: Db, url: string): Promise<{ ada: ApiClient; max: ApiClient }> {
  for (const person of Object.values(demoPeople)) {
    await upsertUser(db, person);
  }
  return {
    ada: await ApiClient.signIn(url, demoPeople.ada.email),
    max: await ApiClient.signIn(url, demoPeople.max.email),
  };
}

/**
 * Its servers, and an agent for each. Nothing here waits until the platform has registered at the server of
 * the tickets: the entry's page shows the outcome. What the API refuses, as where sessions have no sandbox,
 * is a line of `progress`: the rest of the demo works without it.
 */
export const addDemoRemote = (
  ada: ApiClient,
  { url, push }: Pick<DemoRemote, 'url' | 'push'>,
  progress: (line: string) => void,
): Promise<void> =>
  addUnlessRefused('no remote server', progress, async () => {
    await ensureEntries(ada, [ticketsServer(url)]);
    await ensureAgent(ada, ticketClerk);
    await ensureSecret(ada, pushSecret, push.token, [pushEntry]);
    await ensureEntries(ada, [pushServer(push.url)]);
    await ensureAgent(ada, committer);
  });
