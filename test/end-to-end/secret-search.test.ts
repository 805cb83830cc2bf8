/** Searches everywhere for a secret's value after a session used it: it is only where it belongs. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from '../../store/database.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { environmentOf, processesMentioning } from '../support/processes.ts';

/** Plain, and as it would look in JSON payloads, URLs and binary columns printed as text. */
const value = `needle-${Math.random().toString(36).slice(2)}-haystack`;
const spellings = [
  value,
  Buffer.from(value).toString('hex'),
  ...[0, 1, 2].map((bytesBefore) => digitsOfValue(bytesBefore)),
];

/** `value` in base64 among other bytes; its digits depend on how many bytes precede it. */
function inBase64(bytesBefore: number): string {
  return Buffer.from(`${'~'.repeat(bytesBefore)}${value}~~~`).toString('base64');
}

/** The digits of `inBase64` that the value alone determines, whatever surrounds it. */
function digitsOfValue(bytesBefore: number): string {
  const digitAt = (bytes: number) => (bytes * 8) / 6;
  return inBase64(bytesBefore).slice(
    Math.ceil(digitAt(bytesBefore)),
    Math.floor(digitAt(bytesBefore + value.length)),
  );
}

const holdsValue = (content: string) => spellings.some((spelling) => content.includes(spelling));

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** Empty when it was deleted after it was listed: databases clean up after themselves. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    // Not `instanceof Error`: under jest an error of Node's own modules is of another realm.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') {
      return '';
    }
    throw error;
  }
}

describe("a secret's value", () => {
  let platform: Platform;
  let ada: FrontDoor;

  beforeAll(async () => {
    platform = await startPlatform({ withoutDemoSession: true });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(() => platform?.stop());

  async function startSessionThatUsesIt(): Promise<string> {
    const put = await ada.send('PUT', '/api/workspaces/demo/secrets/NEEDLE', { value });
    expect(put.status).toBe(200);
    expect(holdsValue(JSON.stringify(put.body))).toBe(false);
    await ada.ok('POST', '/api/workspaces/demo/mcp-servers', {
      name: 'keeper',
      shape: { type: 'command', command: 'mcp-server-everything', args: [] },
      manifest: { env: { API_TOKEN: { kind: 'secret', label: 'Token', required: true } } },
      network: 'none',
    });
    const steps = [
      { call: 'keeper.get-sum', arguments: { a: 1, b: 2 } },
      { wait_for_message: { contains: 'finish' } },
    ];
    const agent = await ada.createAgent('uses-a-secret', steps, { keeper: { API_TOKEN: '${NEEDLE}' } });
    const session = await ada.startSession(agent.id);
    await untilFound('the call', async () =>
      (await ada.toolCalls(session.id)).find(({ data }) => data['outcome'] === 'ok'),
    );
    return session.id;
  }

  const withDatabase = <Result>(work: (db: Db) => Promise<Result>): Promise<Result> => {
    const keys = JSON.parse(readFileSync(join(platform.dataDirectory, 'keys.json'), 'utf8'));
    expect(keys.postgres_password).toBeTruthy();
    return withPlatformDatabase(platform, work);
  };

  /** Table names in which any row, printed whole, holds the value. */
  const tablesWithValue = () =>
    withDatabase(async (db) => {
      const { rows: tables } = await db.raw(`select tablename from pg_tables where schemaname = 'public'`);
      const found: string[] = [];
      for (const { tablename } of tables) {
        const { rows } = await db.raw('select t::text as line from ?? t', [tablename]);
        if (rows.some(({ line }: { line: string }) => holdsValue(line))) {
          found.push(tablename);
        }
      }
      return found;
    });

  /**
   * Logs, the Temporal database, Postgres' own files with its write-ahead log, and everything of sessions.
   */
  const filesWithValue = () =>
    filesBelow(platform.dataDirectory).filter((file) => holdsValue(readIfThere(file)));

  const commandLinesWithValue = async () =>
    (await processesMentioning('')).filter(({ commandLine }) => holdsValue(commandLine));

  it('is in the environment of its MCP server, and in no file, table, log, history, argument or other environment', async () => {
    const sessionId = await startSessionThatUsesIt();

    const everything = await processesMentioning('');
    expect(await commandLinesWithValue()).toEqual([]);
    const holders = [];
    for (const { pid, commandLine } of everything) {
      if (holdsValue(await environmentOf(pid))) {
        holders.push(commandLine);
      }
    }
    expect(holders.length).toBeGreaterThan(0);
    expect(holders.filter((commandLine) => !/keeper|mcp-server-everything/.test(commandLine))).toEqual([]);

    expect(await tablesWithValue()).toEqual([]);
    const files = filesBelow(platform.dataDirectory);
    expect(files.some((file) => file.includes(sessionId))).toBe(true);
    expect(files.some((file) => file.endsWith('.log'))).toBe(true);
    expect(files.some((file) => /temporal\.db/.test(file))).toBe(true);
    expect(filesWithValue()).toEqual([]);
    expect(holdsValue(platform.output())).toBe(false);

    const shown = [
      await ada.ok('GET', '/api/workspaces/demo/secrets'),
      await ada.ok('GET', `/api/sessions/${sessionId}/configuration`),
      await ada.events(sessionId),
      await ada.ok('GET', '/api/workspaces/demo/audit-events?limit=200'),
    ];
    expect(holdsValue(JSON.stringify(shown))).toBe(false);
    await ada.ok('POST', `/api/sessions/${sessionId}/messages`, { text: 'finish' });
    expect(await ada.ended(sessionId)).toMatchObject({ status: 'completed' });
  });

  // Must run last: what it plants stays in Postgres' files.
  describe('would be found by this search', () => {
    it.each([
      ['as it is', value],
      ['in base64', `{"v":"${Buffer.from(value).toString('base64')}"}`],
      ...[0, 1, 2].map((before) => [`in base64 after ${before} bytes`, `{"v":"${inBase64(before)}"}`]),
      ['in hex', `\\\\x${Buffer.from(value).toString('hex')}`],
    ])('in a file, %s', (_how, text) => {
      const planted = join(platform.dataDirectory, 'sessions', 'planted.log');
      writeFileSync(planted, `a line with ${text} in it`);
      expect(filesWithValue()).toEqual([planted]);
      rmSync(planted);
    });

    it('in an argument of a process', async () => {
      const planted = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', value]);
      await eventually(async () =>
        expect((await commandLinesWithValue()).map(({ pid }) => pid)).toEqual([planted.pid]),
      );
      planted.kill();
      await eventually(async () => expect(await commandLinesWithValue()).toEqual([]));
    });

    it('in a row of a table of the platform, in a column of text, of JSON or of bytes, and in the files of Postgres', async () => {
      await withDatabase(async (db) => {
        await db('workspaces')
          .where({ slug: 'demo' })
          .update({ name: `Demo ${value}` });
        await db('agents')
          .limit(1)
          .update({ env: JSON.stringify({ PLANTED: value }) });
        await db.raw(`create table planted as select convert_to(?, 'UTF8') as content`, [value]);
      });
      expect((await tablesWithValue()).sort()).toEqual(['agents', 'planted', 'workspaces']);
      expect(filesWithValue().some((file) => file.includes('postgres'))).toBe(true);
    });
  });
});
