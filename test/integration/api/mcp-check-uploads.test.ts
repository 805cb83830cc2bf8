import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type McpCheck, type ToolListing, toolListingLimits } from '../../../contract/mcp-check.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import type { Answer, Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { bestRatio } from '../../support/loop-hold.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let admin: Person;
let base: string;

beforeEach(async () => {
  ({ admin, base } = await api.workspace());
  await admin.ok('PUT', `${base}/secrets/TOKEN`, { value: secret });
  await admin.ok('POST', `${base}/mcp-servers`, entry);
});

const secret = 'sesame-for-a-check';
const entry = {
  name: 'files',
  shape: { type: 'command', command: 'node', args: ['server.js'] },
  manifest: {
    env: {
      API_TOKEN: { kind: 'secret', label: 'Token', required: true },
      MODE: { kind: 'value', label: 'Mode', enum: ['fast', 'slow'] },
    },
    tool_scopes: { write: 'files.write' },
  },
};
const env = { API_TOKEN: '${TOKEN}', MODE: 'fast' };
const listing: ToolListing = {
  outcome: 'listed',
  tools: [
    {
      name: 'write',
      title: null,
      description: `Writes with ${Buffer.from(secret).toString('base64')} and ${secret}`,
      hints: { read_only: false, destructive: true, idempotent: null, open_world: null },
    },
  ],
  left_out: 0,
  is_cut: false,
  list_ms: 12,
};
const path = () => `${base}/mcp-servers/files/checks`;
const pathOf = ({ id }: { id: string }) => `${path()}/${id}`;
const start = async () => (await admin.ok<{ mcp_check: McpCheck }>('POST', path(), { env })).mcp_check;
const read = async (check: McpCheck) =>
  (await admin.ok<{ mcp_check: McpCheck }>('GET', pathOf(check))).mcp_check;
const started = (check: McpCheck) =>
  untilFound(`the start of check ${check.id}`, async () =>
    (await api.runtime.inspect(check.id)).state === 'running' ? true : null,
  );
const startRunning = async () => {
  const check = await start();
  await started(check);
  return check;
};
const agentExits = (check: McpCheck) =>
  api.runtime.states.set(check.id, {
    state: 'running',
    containers: [{ name: 'agent', state: 'exited', exitCode: 0, signal: null }],
  });
const ended = (check: McpCheck) =>
  untilFound(`the end of check ${check.id}`, async () => {
    const now = await read(check);
    return now.ended_at === null ? null : now;
  });
const upload = (check: McpCheck, body: unknown = listing): Promise<Answer> =>
  api.asSidecar(
    check.id,
    'POST',
    `artifacts?${new URLSearchParams({ artifact_id: randomUUID(), name: 'tools.json', mime_type: 'application/json' })}`,
    body,
  );

describe('an upload of a check', () => {
  /** One whose last bytes are still to come. */
  const begin = (check: McpCheck) => {
    const query = new URLSearchParams({
      artifact_id: randomUUID(),
      name: 'tools.json',
      mime_type: 'application/json',
    });
    const upload = request(`${api.url}/internal/sessions/${check.id}/artifacts?${query}`, {
      method: 'POST',
      headers: { [internalTokenHeader]: api.token(check.id) },
    });
    const status = once(upload, 'response').then(([response]: IncomingMessage[]) => {
      response?.resume();
      return response?.statusCode;
    });
    const text = JSON.stringify(listing);
    upload.write(text.slice(0, 20));
    return {
      status,
      complete() {
        upload.end(text.slice(20));
        return status;
      },
    };
  };
  /** One that the API is receiving: another is refused meanwhile. */
  const beginReceived = (check: McpCheck) =>
    untilFound('an upload that has begun', async () => {
      const begun = begin(check);
      if ((await upload(check)).status === 429) {
        return begun;
      }
      await begun.complete();
      return null;
    });

  it('is refused when the check has ended before it is complete, and the shown listing stays without secrets', async () => {
    const check = await startRunning();
    expect(await upload(check)).toMatchObject({ status: 200 });
    const late = await beginReceived(check);
    agentExits(check);
    const { listing: shown } = await ended(check);
    expect(await late.complete()).toBe(401);
    expect((await read(check)).listing).toEqual(shown);
    expect(JSON.stringify(await read(check))).not.toContain(secret);
    expect(JSON.stringify(shown)).toContain('[secret]');
    expect(await api.db('mcp_check_texts').where({ check_id: check.id }).pluck('kind')).toEqual(['listing']);
  });

  it('is limited to one at a time', async () => {
    const check = await startRunning();
    const first = await beginReceived(check);
    expect(await first.complete()).toBe(200);
    expect(await upload(check)).toMatchObject({ status: 200 });
  });

  it('of many small values does not block other requests, and the longest list is accepted', async () => {
    const check = await startRunning();
    const refused = (body: string) => async () => expect((await upload(check, body)).status).toBe(400);
    const members = Array.from({ length: 90_000 }, (_, at) => `"${at.toString(36)}":0`).join();
    const ratio = await bestRatio({
      subject: refused(`{${members}}`),
      control: refused(`{"outcome":"${'x'.repeat(1_000_000)}"}`),
      below: 3,
      leastControlMs: 15,
    });
    expect(ratio).toBeLessThan(3);
    const [tool] = listing.tools;
    const tools = Array.from({ length: toolListingLimits.tools }, (_, at) => ({ ...tool, name: `t${at}` }));
    expect(await upload(check, { ...listing, tools })).toMatchObject({ status: 200 });
  });

  it('is never shown unredacted', async () => {
    const check = await startRunning();
    await upload(check);
    expect(await api.db('mcp_check_texts').where({ check_id: check.id }).pluck('kind')).toEqual([
      'raw_listing',
    ]);
    await api
      .db('mcp_checks')
      .where({ id: check.id })
      .update({ status: 'completed', ended_at: api.db.fn.now() });
    expect(await read(check)).toMatchObject({ status: 'completed', listing: null });
  });

  it('is not shown if the secrets have more lines than can be searched for', async () => {
    const value = Array.from({ length: 6000 }, (_, line) => `line-${line}`).join('\n');
    await admin.ok('PUT', `${base}/secrets/TOKEN`, { value });
    const check = await startRunning();
    await upload(check);
    agentExits(check);
    const { status, reason, listing: shown } = await ended(check);
    expect({ status, shown }).toEqual({ status: 'failed', shown: null });
    expect(reason).toContain('too many lines to search');
  });
});
