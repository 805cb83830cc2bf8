/**
 * A scope that a catalog entry restricts to admins requires an admin's grant at the moment of the call, even
 * if a member granted first.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { replaceMcpServer } from '../../../commands/mcp-servers/mcp-servers.ts';
import { putMember } from '../../../commands/members/members.ts';
import type { Agent } from '../../../contract/agent.ts';
import { mcpServerInput } from '../../../contract/catalog.ts';
import type { FrozenServer, Session } from '../../../contract/session.ts';
import { storeConfiguration } from '../../../store/session-configurations/configurations.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { entrySave } from '../../support/entry-save.ts';
import { callOf, freezeGates, frozenFor, giveGrant, passOn } from '../../support/granted.ts';
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
  session = await frozenSession();
});
afterAll(() => database.drop());

const give = (content: Parameters<typeof giveGrant>[2] = {}) =>
  giveGrant(database.db, session, { scope: 'persistent', ...content });
const byAdmin = () => ({ granted_by_user_id: tenant.ada.id, granted_by_role: 'admin' as const });
const frozenSession = async (changes: Parameters<typeof freezeGates>[3] = {}) =>
  freezeGates(database.db, await tenant.session(agent), agent, changes);
const check = (from = session) => passOn(database.db, callOf(from));
const manifest = { tool_scopes: { write_file: 'files.write' } };
const register = (name = 'files', approvers: 'admin' | 'operator' = 'admin', gates = manifest) =>
  tenant.server(name, gates, { approvers });
const replace = (approvers: 'admin' | 'operator', gates = manifest) =>
  replaceMcpServer(
    database.db,
    tenant.workspace.id,
    entrySave(
      mcpServerInput.parse({
        name: 'files',
        shape: { type: 'command', command: 'mcp-server' },
        manifest: gates,
        approvers,
      }),
      tenant.ada.id,
    ),
  );

describe('a member’s grant', () => {
  it.each(['once', 'session', 'persistent'] as const)(
    'of scope %s passes no call once an entry restricts its scope to admins, and stays unchanged',
    async (scope) => {
      const planted = await give({ scope });
      await register();
      expect(await check()).toBeNull();
      expect(await database.db('grants').where({ id: planted.id }).first()).toMatchObject({
        consumed_at: null,
        revoked_at: null,
      });
    },
  );

  it('held by the user who drives the session passes no call either', async () => {
    await give({ user_subject_id: tenant.max.id });
    await register();
    expect(await check()).toBeNull();
  });

  it('is ineffective once an entry is restricted to admins, and effective again when that is undone', async () => {
    const grant = await give();
    await register('files', 'operator');
    expect(await check()).toEqual({ grantId: grant.id });
    await replace('admin');
    expect(await check()).toBeNull();
    await replace('operator');
    expect(await check()).toEqual({ grantId: grant.id });
  });

  it('is not sufficient if another entry that names the scope restricts it to admins', async () => {
    await give();
    await register('mail', 'admin', { tool_scopes: { write_file: 'files.write' } });
    expect(await check()).toBeNull();
  });

  it('is not sufficient if the current entry of the called server is restricted to admins under renamed scopes', async () => {
    await give();
    const { id } = await register('files', 'admin', { tool_scopes: { write_file: 'files.put' } });
    expect(await check(await frozenSession({ entry_id: id }))).toBeNull();
    expect(await check()).not.toBeNull();
  });

  it('is not sufficient if the session froze an entry that restricted it to admins, whatever the catalog says now', async () => {
    await give();
    await register('files', 'operator');
    expect(await check(await frozenSession({ approvers: 'admin' }))).toBeNull();
  });

  it('does not become effective when its maker becomes an admin', async () => {
    await give();
    await register();
    const { workspace, max, ada } = tenant;
    const promotion = { workspaceId: workspace.id, userId: max.id, role: 'admin' } as const;
    await putMember(database.db, { ...promotion, by: { type: 'user', id: ada.id } });
    expect(await check()).toBeNull();
  });

  it('is effective for other scopes, and in other workspaces', async () => {
    const grant = await give();
    await register('mail', 'admin', { tool_scopes: { write_file: 'mail.send' } });
    const other = await createTenant(database.db, testMasterKeys());
    await other.server('files', manifest, { approvers: 'admin' });
    expect(await check()).toEqual({ grantId: grant.id });
  });
});

describe('an admin’s grant', () => {
  it('passes the call, before and after, also when a member’s is older', async () => {
    await give();
    const grant = await give(byAdmin());
    await register();
    expect(await check()).toEqual({ grantId: grant.id });
    expect(await check(await frozenSession({ approvers: 'admin' }))).toEqual({ grantId: grant.id });
  });

  it('stays effective after its maker became a member', async () => {
    const grant = await give(byAdmin());
    await register();
    const by = { type: 'user', id: tenant.ada.id } as const;
    const change = { workspaceId: tenant.workspace.id, by };
    await putMember(database.db, { ...change, userId: tenant.max.id, role: 'admin' });
    await putMember(database.db, { ...change, userId: tenant.ada.id, role: 'member' });
    expect(await check()).toEqual({ grantId: grant.id });
  });
});

describe('the gate of a tool', () => {
  const gateWith = async (...servers: Partial<FrozenServer>[]) => {
    const bare = await tenant.session(agent);
    const frozen = frozenFor(bare, agent);
    const [files] = frozen.servers;
    await storeConfiguration(database.db, {
      ...frozen,
      servers: servers.flatMap((server) => (files === undefined ? [] : [{ ...files, ...server }])),
    });
    return gateIn(bare);
  };
  const gateIn = ({ id }: Session) =>
    database
      .db('session_tools')
      .where({ session_id: id, server: 'files', tool: 'write_file' })
      .first('scope', 'admin_only');

  it('is restricted to admins when the frozen entry says so', async () => {
    const gate = await gateWith({ name: 'files', approvers: 'admin' });
    expect(gate).toEqual({ scope: 'files.write', admin_only: true });
  });

  it('is restricted to admins when another frozen entry that names the scope says so', async () => {
    const gate = await gateWith(
      { name: 'files', approvers: 'operator' },
      { name: 'mail', approvers: 'admin' },
    );
    expect(gate).toEqual({ scope: 'files.write', admin_only: true });
  });

  it('is unrestricted otherwise', async () => {
    expect(await gateWith({ name: 'files', approvers: 'operator' })).toMatchObject({ admin_only: false });
  });
});
