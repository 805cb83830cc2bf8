import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningPostgres, startPostgres } from '../../../bin/start/postgres.ts';
import { isRunning } from '../../../runtime/process/process-identity.ts';
import { openDatabase } from '../../../store/database.ts';

const password = 'correct horse/battery?staple';
let directory: string;
const started: RunningPostgres[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(directory, 0o700);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((postgres) => postgres.stop()));
  rmSync(directory, { recursive: true });
  occupied?.close();
});

let occupied: Server | undefined;
async function takePort(): Promise<number> {
  occupied = createServer().listen(0, '127.0.0.1');
  await once(occupied, 'listening');
  return (occupied.address() as AddressInfo).port;
}

async function start(more: { preferredPort?: number; password?: string } = {}): Promise<RunningPostgres> {
  const postgres = await startPostgres({ directory, password, ...more });
  started.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const db = openDatabase(url, { poolSize: 1 });
  try {
    return (await db.raw(sql)).rows;
  } finally {
    await db.destroy();
  }
}

describe('the embedded Postgres', () => {
  it('keeps its data across a restart', async () => {
    const first = await start();
    await query(first.url(), 'create table kept (x int)');
    await first.stop();
    expect(isRunning(first.process)).toBe(false);
    const second = await start();
    expect(await query(second.url(), 'select * from kept')).toEqual([]);
  });

  it('requires the password, and listens on the loopback address only', async () => {
    const { port, url } = await start();
    await expect(query(`postgres://platform:wrong@127.0.0.1:${port}/platform`, 'select 1')).rejects.toThrow(
      /password authentication failed/,
    );
    await expect(query(`postgres://platform@127.0.0.1:${port}/platform`, 'select 1')).rejects.toThrow();
    expect(await query(url(), 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url(), 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
  });

  it('is adopted by the next start after the previous one was killed', async () => {
    const first = await start();
    const again = await start();
    expect(again).toMatchObject({ adopted: true, process: first.process, port: first.port });
  });

  it('starts on a data directory whose server was killed', async () => {
    const first = await start();
    await query(first.url(), 'create table kept (x int)');
    process.kill(first.process.pid, 'SIGKILL');
    await first.stop();
    const second = await start();
    expect(await query(second.url(), 'select * from kept')).toEqual([]);
  });

  it('uses another port when its own is in use', async () => {
    const taken = await takePort();
    expect((await start({ preferredPort: taken })).port).not.toBe(taken);
  });

  it('reports that keys and data do not match', async () => {
    await (await start()).stop();
    await expect(start({ password: 'of another keys.json' })).rejects.toThrow(/do not belong together/);
  });

  it('reports that its data is of another version', async () => {
    await (await start()).stop();
    writeFileSync(join(directory, 'data/PG_VERSION'), '12\n');
    await expect(start()).rejects.toThrow(/another version of Postgres/);
  });

  it('writes its password to no file', async () => {
    await start();
    for (const name of ['postgres.log', 'data/postgresql.conf', 'data/pg_hba.conf', 'data/postmaster.opts']) {
      expect(readFileSync(join(directory, name), 'utf8')).not.toContain(password);
    }
  });
});
