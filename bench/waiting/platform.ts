/** A platform whose sessions only wait: its own servers, and API and worker in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../bin/start/postgres.ts';
import { startTemporal } from '../../bin/start/temporal.ts';
import type { Agent } from '../../contract/agent.ts';
import type { Session } from '../../contract/session.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { untilFound } from '../../test/support/eventually.ts';
import { startSessionApi } from '../../test/support/session-api.ts';
import { temporalProgram } from '../../test/support/temporal-program.ts';
import { cpuMs } from '../gate/process-figures.ts';

/** Processor time so far, in milliseconds. */
export interface Usage {
  platform: number;
  temporal: number;
  postgres: number;
}

export interface WaitingPlatform {
  /** Starts sessions until this many wait. */
  waitWith(count: number): Promise<void>;
  usage(): Usage;
  close(): Promise<void>;
}

const sweepEveryMs = 60_000;
const startedAtOnce = 10;

export async function openWaitingPlatform(): Promise<WaitingPlatform> {
  const directory = mkdtempSync(join(tmpdir(), 'waiting-'));
  const postgres = await startPostgres({ directory: join(directory, 'postgres'), password: 'bench' });
  const template = openDatabase(postgres.url(), { poolSize: 2 });
  await migrate(template).finally(() => template.destroy());
  const temporal = await startTemporal({
    program: temporalProgram(),
    directory: join(directory, 'temporal'),
    hasUi: false,
  });
  process.env['TEST_POSTGRES_URL'] = postgres.url('postgres');
  process.env['TEST_TEMPLATE'] = 'platform';
  process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address;
  const api = await startSessionApi({}, { sweepEveryMs });
  const { admin, base } = await api.workspace();
  const { agent } = await admin.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'waiting',
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  });
  const startOne = async () => {
    const body = { agent_id: agent.id, prompt: 'Wait' };
    const { session } = await admin.ok<{ session: Session }>('POST', `${base}/sessions`, body);
    await untilFound('a launch', async () => (api.runtime.states.has(session.id) ? true : null));
    await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    await untilFound('a session that runs', async () => {
      const row = await api.db('sessions').where({ id: session.id }).first('status');
      return row?.status === 'running' ? true : null;
    });
  };
  let waiting = 0;
  return {
    async waitWith(count) {
      while (waiting < count) {
        const more = Math.min(startedAtOnce, count - waiting);
        await Promise.all(Array.from({ length: more }, startOne));
        waiting += more;
      }
    },
    usage() {
      const { user, system } = process.cpuUsage();
      return {
        platform: (user + system) / 1000,
        temporal: cpuMs(temporal.process.pid, true),
        postgres: cpuMs(postgres.process.pid, true),
      };
    },
    async close() {
      await api.stop();
      await temporal.stop();
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
