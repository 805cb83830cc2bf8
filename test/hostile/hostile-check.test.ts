/**
 * Checks of catalog entries whose servers are malicious, on the real platform: what each
 * shows, and that nothing stays.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../contract/audit-event.ts';
import type { McpCheck } from '../../contract/mcp-check.ts';
import { findCgroups } from '../../runtime/process/host/cgroups.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { checkedServer } from './inside/checked-server.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('A malicious server, when it is checked');
const secret = 'sesame-of-the-checked-server';
const servers = '/api/workspaces/demo/mcp-servers';
const checks = `${servers}/checked/checks`;

let platform: Platform;
let ada: FrontDoor;

const start = async (mode: string) =>
  (
    await ada.ok<{ mcp_check: McpCheck }>('POST', checks, {
      env: { API_TOKEN: '${CHECK_TOKEN}', MODE: mode },
    })
  ).mcp_check;
const read = async ({ id }: { id: string }) =>
  (await ada.ok<{ mcp_check: McpCheck }>('GET', `${checks}/${id}`)).mcp_check;
const ended = (check: McpCheck) =>
  untilFound(`the end of check ${check.id}`, async () => {
    const now = await read(check);
    return now.ended_at === null ? null : now;
  });
const run = async (mode: string) => ended(await start(mode));
const output = async (check: McpCheck) =>
  (await ada.ok<{ output: { text: string } }>('GET', `${checks}/${check.id}/output`)).output.text;
/** Of this machine, wherever the platform may have made them. */
const cgroupsNaming = (id: string) => {
  const found = findCgroups();
  const names = (found?.parents ?? []).flatMap((parent) => readdirSync(parent));
  return names.filter((name) => name.includes(id));
};
/** Texts that are stored of a check are encrypted, and only those that may be shown. */
const textsOf = ({ id }: McpCheck): Promise<string[]> =>
  withPlatformDatabase(platform, (db) => db('mcp_check_texts').where({ check_id: id }).pluck('kind'));
const nothingIsLeft = (check: McpCheck) =>
  eventually(async () => {
    expect(existsSync(join(platform.dataDirectory, 'sessions', check.id))).toBe(false);
    expect(await processesMentioning(check.id)).toEqual([]);
    expect(cgroupsNaming(check.id)).toEqual([]);
    expect(await textsOf(check)).not.toContain('raw_listing');
  });

describeWith('bwrap')('a server that is checked', () => {
  beforeAll(async () => {
    platform = await startPlatform({
      env: {
        SANDBOX: 'require',
        CHECK_SECONDS: '28',
        SERVER_HANDSHAKE_SECONDS: '10',
      },
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
    await ada.ok('PUT', '/api/workspaces/demo/secrets/CHECK_TOKEN', { value: secret });
    await ada.ok('POST', servers, {
      name: 'checked',
      shape: checkedServer,
      network: 'none',
      manifest: {
        env: {
          API_TOKEN: { kind: 'secret', label: 'Token', required: true },
          MODE: { kind: 'value', label: 'Mode', required: true },
        },
        tool_scopes: {},
      },
    });
  });
  afterAll(async () => {
    table.print();
    await platform?.stop();
  });

  it('shows its tools with its claims about them, and leaves nothing behind', async () => {
    const check = await run('honest');
    expect(check).toMatchObject({ status: 'completed', reason: null, process: { starts: 1 } });
    expect(check.process?.handshake_ms).toBeGreaterThan(0);
    expect(check.listing?.tools).toMatchObject([
      { name: 'look', hints: { read_only: true, destructive: null } },
      { name: 'erase', hints: { read_only: false, destructive: true } },
    ]);
    await nothingIsLeft(check);
  });

  const listed = (mode: string, stoppedBy: string, expected: object) => ({ mode, stoppedBy, expected });
  it.each([
    listed('a million tools', 'a bounded list', {
      status: 'completed',
      listing: { is_cut: true },
    }),
    listed('endless pages', 'a bounded number of pages', {
      status: 'completed',
      listing: { tools: [], is_cut: true },
    }),
    listed('huge descriptions', 'texts are cut', { status: 'completed', listing: { is_cut: false } }),
    listed('a line without end', 'the limit of a line', { status: 'failed' }),
    listed('no tools at all', 'tools without a usable name are counted, not shown', {
      status: 'completed',
      listing: { tools: [], left_out: 5 },
    }),
    listed('no protocol', 'a closed schema', {
      status: 'failed',
      reason: 'The server answered the request for its tools with something that is not of the protocol',
    }),
    listed('an error', 'no word of the server is repeated', {
      status: 'failed',
      reason: 'The server answered the request for its tools with an error',
    }),
    listed('silence', 'the time limit', {
      status: 'failed',
      reason: 'The server did not list its tools within 28 seconds',
    }),
    listed('ends at once', 'a cause from the closed list', {
      status: 'failed',
      reason: 'The server ended before it answered its first request',
      process: { exit_code: 3, cause: 'exited' },
    }),
    listed('asks the agent', 'the gate', { status: 'completed', listing: { left_out: 0 } }),
  ])('answers with $mode: $stoppedBy', ({ mode, stoppedBy, expected }) =>
    table.note({ what: mode, by: 'server', stoppedBy }, async () => {
      const check = await run(mode);
      expect(check).toMatchObject(expected);
      const size = JSON.stringify(check).length;
      expect(check.listing?.tools.length ?? 0).toBeLessThanOrEqual(500);
      expect(size).toBeLessThan(1024 * 1024);
      await nothingIsLeft(check);
    }),
  );

  it('sends terminal escapes, which are shown as text', () =>
    table.note({ what: 'terminal escapes', by: 'server', stoppedBy: 'text stays text' }, async () => {
      const { listing } = await run('terminal escapes');
      expect(listing?.tools).toMatchObject([{ name: 'a\u202eb\u001b[31m' }]);
      expect(platform.output()).not.toContain('\u001b]0;owned');
    }));

  it('prints its secrets, which are redacted in its output and its listing', () =>
    table.note({ what: 'its secrets', by: 'server', stoppedBy: 'values are redacted' }, async () => {
      const check = await run('secrets');
      const text = await output(check);
      expect(text).toContain('plain [secret]');
      const everything = JSON.stringify(check) + text + platform.output();
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('base64'));
      expect(everything).not.toContain(secret.slice(0, 10));
      expect(check.listing?.tools[0]?.name).toBe('with-[secret]');
      const { audit_events } = await ada.ok<{ audit_events: AuditEvent[] }>(
        'GET',
        '/api/workspaces/demo/audit-events?event=workspace.mcp.check_output_read',
      );
      expect(audit_events.map(({ data }) => data)).toContainEqual({ check_id: check.id });
    }));

  it('has no session, and can neither request nor call anything', async () => {
    const check = await run('honest');
    expect(await ada.send('GET', `/api/sessions/${check.id}`)).toMatchObject({ status: 404 });
    const { sessions } = await ada.ok<{ sessions: { id: string }[] }>('GET', '/api/workspaces/demo/sessions');
    expect(sessions.map(({ id }) => id)).not.toContain(check.id);
    expect(await ada.toolCalls(check.id)).toEqual([]);
  });

  describe('while parts of the platform are killed', () => {
    const running = (check: McpCheck) =>
      untilFound(`check ${check.id} to run`, async () =>
        (await read(check)).status === 'running' &&
        existsSync(join(platform.dataDirectory, 'sessions', check.id))
          ? true
          : null,
      );

    it('worker, API and sidecar: each check ends, and nothing is left behind', async () => {
      const begun = [];
      for (const victim of ['worker', 'api', 'sidecar'] as const) {
        const check = await start('silence');
        await running(check);
        await platform.kill(victim, check.id);
        await platform.healthy();
        begun.push({ victim, check });
      }
      // All of them wait out their time limit together.
      for (const { victim, check } of begun) {
        const { status, reason } = await ended(check);
        const hasReason = reason !== null;
        expect({ victim, status, hasReason }).toEqual({ victim, status: 'failed', hasReason: true });
        await nothingIsLeft(check);
      }
    });

    it('all of them: the check ends after the next start, and nothing is left behind', async () => {
      const check = await start('silence');
      await running(check);
      const { dataDirectory } = platform;
      await platform.killStart();
      platform = await startPlatform({
        dataDirectory,
        port: Number(new URL(platform.url).port),
        env: { SANDBOX: 'require', CHECK_SECONDS: '28' },
      });
      ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
      expect((await ended(check)).status).toBe('failed');
      await nothingIsLeft(check);
      // What exists belongs to sessions, such as the demo's, or waits for one.
      const names = readdirSync(join(dataDirectory, 'sessions'));
      for (const id of names.filter((name) => !name.startsWith('warm-'))) {
        expect(await ada.send('GET', `/api/sessions/${id}`)).toMatchObject({ status: 200 });
      }
    });
  });
});
