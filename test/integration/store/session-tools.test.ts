/** Which tools are gated, as rows: of catalog entries, and of sessions as they were frozen. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replaceMcpServer } from '../../../commands/mcp-servers/mcp-servers.ts';
import type { Agent } from '../../../contract/agent.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import type { Session } from '../../../contract/session.ts';
import { hasSqlState, sqlState } from '../../../store/database.ts';
import { checkAndConsume } from '../../../store/grants/check-and-consume.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { entrySave } from '../../support/entry-save.ts';
import { callOf, freezeGates, giveGrant } from '../../support/granted.ts';
import { createTenant, type Tenant, testMasterKeys } from '../../support/tenant.ts';

let database: TestDatabase;
let tenant: Tenant;
let agent: Agent;
let session: Session;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenant = await createTenant(database.db, testMasterKeys());
  agent = await tenant.agent();
  session = await freezeGates(database.db, await tenant.session(agent), agent);
});
afterAll(() => database.drop());

const replaced = (tool_scopes: Record<string, string>) =>
  mcpServerInput.parse({
    name: 'files',
    shape: { type: 'command', command: 'mcp-server' },
    manifest: { tool_scopes },
  });

describe('the gated tools of a session', () => {
  it('are stored with its configuration, in the order of its servers, and deleted with it', async () => {
    const own = () =>
      database
        .db('session_tools')
        .where({ session_id: session.id })
        .orderBy(['position', 'tool'])
        .select('server', 'tool', 'scope', 'position');
    const tools = (server: string, position: number) => [
      { server, tool: 'edit_file', scope: 'files.write', position },
      { server, tool: 'remove', scope: 'files.remove', position },
      { server, tool: 'write_file', scope: 'files.write', position },
    ];
    expect(await own()).toEqual([...tools('files', 1), ...tools('other', 2)]);
    await database.db('session_configurations').where({ session_id: session.id }).delete();
    expect(await own()).toEqual([]);
  });

  it.each([
    ['scope', 'files.read'],
    ['admin_only', true],
    ['entry_id', randomUUID()],
    ['tool', 'another'],
  ])('never change their %s', async (column, value) => {
    const change = database
      .db('session_tools')
      .where({ session_id: session.id })
      .update({ [column]: value });
    const error = await change.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(hasSqlState(error, sqlState.checkViolation)).toBe(true);
  });

  it('pass no call when a row is missing, with or without a grant', async () => {
    const grant = await giveGrant(database.db, session);
    await database.db('session_tools').where({ session_id: session.id, tool: 'write_file' }).delete();
    await expect(checkAndConsume(database.db, callOf(session))).rejects.toThrow('no row');
    expect((await readGrant(database.db, grant.id))?.consumed_at).toBeNull();
    expect(await checkAndConsume(database.db, callOf(session, { tool: 'edit_file' }))).toMatchObject({
      decision: 'allowed',
      granted_via: grant.id,
    });
    // Nothing else in this file finds a session whose rows are not those of its configuration.
    await database.db('session_configurations').where({ session_id: session.id }).delete();
  });
});

describe('the gated tools of a catalog entry', () => {
  const gates = async (id: string) =>
    Object.fromEntries(
      (await database.db('mcp_server_tools').where({ mcp_server_id: id }).select('tool', 'scope')).map(
        ({ tool, scope }) => [tool, scope],
      ),
    );

  it('follow its manifest, and are deleted with it', async () => {
    const { id } = await tenant.server('files', {
      tool_scopes: { write: 'files.write', move: 'files.move' },
    });
    expect(await gates(id)).toEqual({ write: 'files.write', move: 'files.move' });
    const change = replaced({ write: 'files.put', list: 'files.list' });
    await replaceMcpServer(database.db, tenant.workspace.id, entrySave(change, tenant.ada.id));
    expect(await gates(id)).toEqual({ write: 'files.put', list: 'files.list' });
    await database.db('mcp_servers').where({ id }).delete();
    expect(await gates(id)).toEqual({});
  });
});
