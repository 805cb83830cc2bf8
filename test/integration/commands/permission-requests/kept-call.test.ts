/**
 * The refused call that a permission request keeps: which one, when it makes another request,
 * and when nothing is kept.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askForPermission } from '../../../../commands/permission-requests/ask.ts';
import { closePermissionRequest } from '../../../../commands/permission-requests/close.ts';
import { digestOfCall, sha256OfCall } from '../../../../contract/call-digest.ts';
import { maxStoredInteger } from '../../../../contract/names.ts';
import type { ReportedCall } from '../../../../contract/permission-request.ts';
import type { Session } from '../../../../contract/session.ts';
import { readCall } from '../../../../store/permission-requests/calls.ts';
import { readPermissionRequest } from '../../../../store/permission-requests/requests.ts';
import { reencryptSecrets, verifyMasterKeys } from '../../../../store/secrets/master-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { callKeys, freezeGates } from '../../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  const agent = await tenant.agent();
  session = await freezeGates(database.db, await tenant.session(agent), agent, { entry_version: 7 });
});
afterAll(() => database.drop());

const limits = { openRequests: 10, denialMuteSeconds: 600, expirySeconds: 3600 };
const writes = { server: 'files', tool: 'write_file' };
const text = '{"path":"a.txt"}';

const ask = (call: Partial<ReportedCall> | null, content: { request_id?: string; scope?: string } = {}) =>
  askForPermission(
    database.db,
    callKeys,
    session.id,
    {
      request_id: content.request_id ?? randomUUID(),
      grant_type: 'tool_scope',
      details: { scope: content.scope ?? 'files.write' },
      scope: 'once',
      justification: 'to write',
      refused_call: call === null ? null : { ...writes, ...call },
    },
    limits,
  );

async function asked(...input: Parameters<typeof ask>): Promise<string> {
  const answer = await ask(...input);
  if (answer.status !== 'sent') {
    throw new Error(`the request was refused: ${answer.message}`);
  }
  return answer.request_id;
}

const callOf = async (id: string) => (await readPermissionRequest(database.db, id))?.refused_call;
const keptText = (requestId: string) =>
  readCall(database.db, callKeys.masterKeys, { workspaceId: session.workspace_id, requestId });
const digestOf = (argumentsText: string) =>
  digestOfCall(callKeys.callDigestKey, sha256OfCall({ ...writes, entryVersion: 7, argumentsText }));
const bare = { ...writes, digest: null, arguments_size_bytes: null };
const keepNothing = () =>
  database.db('workspaces').where({ id: session.workspace_id }).update({ keep_refused_calls: false });

describe('a permission request', () => {
  it.each([text, '{"price":1.0,"id":9007199254740993}', '{"name":"Ä\u202e\\ud800"}', '{}'])(
    'keeps the call %s as it was sent, and its digest',
    async (argumentsText) => {
      const id = await asked({ arguments: argumentsText });
      const size = Buffer.byteLength(argumentsText);
      expect(await callOf(id)).toEqual({
        ...writes,
        digest: digestOf(argumentsText),
        arguments_size_bytes: size,
      });
      expect(await keptText(id)).toBe(argumentsText);
    },
  );

  it('is the same for the same call, however often and however many ask', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => asked({ arguments: text })));
    expect(new Set(ids).size).toBe(1);
    expect(await database.db('permission_request_calls').where({ request_id: ids[0] ?? '' })).toHaveLength(1);
  });

  it('is another one for another call, and none changes', async () => {
    const calls: (Partial<ReportedCall> | null)[] = [
      { arguments: text },
      { arguments: '{"path":"b.txt"}' },
      { arguments: text, tool: 'edit_file' },
      { arguments: text, server: 'other' },
      { arguments_size_bytes: 20_000 },
    ];
    const ids: string[] = [];
    for (const call of calls) {
      ids.push(await asked(call));
    }
    expect(new Set(ids).size).toBe(calls.length);
    expect(await Promise.all(ids.map(keptText))).toEqual([text, '{"path":"b.txt"}', text, text, null]);
    expect(await asked({ arguments: text })).toBe(ids[0]);
    expect(await asked(null)).toBe(ids[4]);
  });

  it('keeps its call when its id is used again with another one', async () => {
    const request_id = randomUUID();
    await asked({ arguments: text }, { request_id });
    expect(await asked({ arguments: '{"path":"b.txt"}' }, { request_id })).toBe(request_id);
    expect(await callOf(request_id)).toMatchObject({ digest: digestOf(text) });
    expect(await keptText(request_id)).toBe(text);
  });

  it('knows the size of a call that is too large to show, however large', async () => {
    const id = await asked({ arguments_size_bytes: 16_385 });
    expect(await callOf(id)).toEqual({ ...bare, arguments_size_bytes: 16_385 });
    const huge = await asked({ arguments_size_bytes: 2 ** 40, tool: 'edit_file' }, { scope: 'files.huge' });
    expect(await callOf(huge)).toMatchObject({ arguments_size_bytes: maxStoredInteger });
    expect(await keptText(id)).toBeNull();
  });

  it('is denied for every call: other arguments do not get around it', async () => {
    await closePermissionRequest(database.db, await asked({ arguments: text }), {
      status: 'denied',
      decidedBy: tenant.max.id,
    });
    for (const call of [{ arguments: text }, { arguments: '{"path":"b.txt"}' }, {}, null]) {
      expect(await ask(call)).toMatchObject({ status: 'refused', code: 'recently_denied' });
    }
  });
});

describe('the change of the master key', () => {
  it('reseals the calls of requests, which then open without the older key', async () => {
    const id = await asked({ arguments: text });
    const newer = [{ id: 'newer', key: randomBytes(32) }];
    const key = { workspaceId: session.workspace_id, requestId: id };
    await expect(verifyMasterKeys(database.db, newer)).rejects.toThrow(
      /no key "test", which sealed the secret refused-call/,
    );
    const { reencrypted, unreadable } = await reencryptSecrets(database.db, [
      ...newer,
      ...callKeys.masterKeys,
    ]);
    expect({ resealed: reencrypted > 0, unreadable }).toEqual({ resealed: true, unreadable: [] });
    expect(await verifyMasterKeys(database.db, newer)).toEqual({ verified: reencrypted });
    expect(await readCall(database.db, newer, key)).toBe(text);
    expect(await callOf(id)).toMatchObject({ digest: digestOf(text) });
  });
});

describe('nothing but server and tool is kept', () => {
  it.each([{ arguments: text }, { arguments_size_bytes: 20_000 }])(
    'where the workspace says so, of %j',
    async (call) => {
      await keepNothing();
      const id = await asked(call);
      expect(await callOf(id)).toEqual(bare);
      expect(await keptText(id)).toBeNull();
      expect(await asked({ arguments: '{"path":"b.txt"}' })).toBe(id);
    },
  );

  it('of a server that the session did not freeze', async () => {
    const id = await asked({ server: 'elsewhere', arguments: text });
    expect(await callOf(id)).toEqual({ ...bare, server: 'elsewhere' });
    expect(await keptText(id)).toBeNull();
  });

  it('of a server whose version the session did not freeze', async () => {
    await database.db.raw(
      `update session_configurations set configuration =
         jsonb_set(configuration, '{servers}', jsonb_build_array(jsonb_build_object('name', 'files')))
       where session_id = ?`,
      [session.id],
    );
    expect(await callOf(await asked({ arguments: text }))).toEqual(bare);
  });

  it('of a session without a configuration', async () => {
    await database.db('session_configurations').where({ session_id: session.id }).delete();
    expect(await callOf(await asked({ arguments: text }))).toEqual(bare);
  });

  it('of a text with half a character, which people would see as another', async () => {
    const id = await asked({ arguments: '{"name":"\ud800"}' });
    expect(await callOf(id)).toEqual(bare);
    expect(await keptText(id)).toBeNull();
  });
});
