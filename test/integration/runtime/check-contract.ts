/**
 * How every driver runs a check of a catalog entry: from the check's configuration, leaving nothing behind.
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { buildCheckConfiguration } from '../../../activities/mcp-checks/build-check-configuration.ts';
import { type McpServer, mcpServer } from '../../../contract/catalog.ts';
import { toolListing } from '../../../contract/mcp-check.ts';
import { processReport } from '../../../contract/session-process.ts';
import { checkedServer } from '../../hostile/inside/checked-server.ts';
import { eventually } from '../../support/eventually.ts';
import { type ContractSessions, containerIn } from './driver-under-test.ts';

const now = new Date().toISOString();
const userId = randomUUID();

const entryOf = (shape: McpServer['shape']): McpServer =>
  mcpServer.parse({
    id: randomUUID(),
    name: 'checked',
    shape,
    manifest: {
      env: { MODE: { kind: 'value', label: 'Mode' }, API_TOKEN: { kind: 'secret', label: 'Token' } },
      tool_scopes: {},
    },
    manifest_source: 'pasted',
    version: 1,
    image_digest: null,
    image_command: null,
    image_volumes: null,
    network: 'none',
    egress_allow: [],
    approvers: 'operator',
    require_passkey: false,
    client_features: [],
    start_seconds: null,
    changed_tools: 'tell',
    unlisted_tools: 'allow',
    listed_tools: [],
    created_at: now,
    created_by: userId,
    updated_at: now,
    updated_by: userId,
  });

const configurationOf = (entry: McpServer, id: string, mode: string) =>
  buildCheckConfiguration({
    check: {
      id,
      workspace_id: randomUUID(),
      mcp_server_id: entry.id,
      server_name: entry.name,
      entry_version: 1,
      env: { MODE: mode, API_TOKEN: '${TOKEN}' },
      started_by: userId,
      status: 'pending',
      reason: null,
      cancel_requested_at: null,
      created_at: now,
      started_at: null,
      ended_at: null,
      process: null,
    },
    entry,
    signIn: null,
    secretVersions: new Map([['TOKEN', 1]]),
    totalSeconds: 60,
    frozenAt: now,
  });

export function describeCheck<Spec>(sessions: ContractSessions<Spec>): void {
  const { driver, prepare, start, runtime, reports } = sessions;

  const run = async (shape: McpServer['shape'], mode: string) => {
    const { session_id: id } = prepare();
    const serverEnv = { checked: { MODE: mode, API_TOKEN: 'sesame' } };
    await start(configurationOf(entryOf(shape), id, mode), { serverEnv });
    await eventually(async () =>
      expect(containerIn(await runtime().inspect(id), 'agent')).toMatchObject({ state: 'exited' }),
    );
    const [handed] = reports().of(id, 'artifacts');
    await runtime().stop(id);
    expect(await driver.running(id)).toEqual([]);
    expect(await runtime().list()).not.toContain(id);
    const processes = reports()
      .of(id, 'processes')
      .map(({ body }) => processReport.parse(body));
    return {
      listing: toolListing.parse(handed?.body),
      server: processes.findLast(({ kind }) => kind === 'server'),
    };
  };

  it('checks an entry: its tools are uploaded, and nothing is left', async () => {
    const { listing, server } = await run(checkedServer, 'honest');
    expect(listing).toMatchObject({ outcome: 'listed', left_out: 0 });
    expect(listing.tools.map(({ name }) => name)).toEqual(['look', 'erase']);
    expect(server).toMatchObject({ name: 'checked', cause: null, starts: 1 });
  });

  it('checks an entry that fails, with its cause', async () => {
    const { listing, server } = await run(
      { type: 'command', command: 'no-such-program', args: [] },
      'honest',
    );
    expect(listing).toMatchObject({ outcome: 'not_connected', tools: [] });
    expect(server).toMatchObject({ state: 'failed', cause: 'program_not_found' });
  });
}
