/**
 * An approved call with an MCP server whose image was built, pushed and registered as its
 * author and an admin do it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { AuditEvent } from '../../contract/audit-event.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import { engineCommand, runEngine } from '../support/container-engine.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { requirePlatformImages } from '../support/platform-images.ts';

const source = 'test/end-to-end/notes-server';
const buildTimeoutMs = 180_000;

/**
 * Builds the image and pushes it to a registry, `address:port` over plain HTTP. Returns its reference there.
 */
export async function pushNotesImage(registry: string): Promise<string> {
  const context = mkdtempSync(join(tmpdir(), 'notes-'));
  const reference = `${registry}/team/notes:1`;
  try {
    cpSync(source, context, { recursive: true });
    await build({
      entryPoints: [join(source, 'server.ts')],
      outfile: join(context, 'server.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    // Only Node, whose image is on this machine already.
    const base = ['--build-arg', `NODE_IMAGE=${requirePlatformImages().scripted}`];
    await runEngine(['build', ...base, '--tag', reference, context], { timeoutMs: buildTimeoutMs });
    // Docker's own settings say which registries have no TLS.
    const withoutTls = engineCommand([]).program === 'podman' ? ['--tls-verify=false'] : [];
    await runEngine(['push', ...withoutTls, reference], { timeoutMs: buildTimeoutMs });
    return reference;
  } finally {
    await runEngine(['rmi', '--force', reference]).catch(() => undefined);
    rmSync(context, { recursive: true });
  }
}

export interface Notes {
  entry: McpServer;
  /** The credential that only the MCP server may hold. */
  token: string;
  agentId: string;
}

/** Creates, as an admin, the credential, the catalog entry and an agent that is attached to it. */
export async function prepareNotes(admin: FrontDoor, image: string): Promise<Notes> {
  const token = randomBytes(24).toString('base64url');
  const workspace = '/api/workspaces/demo';
  await admin.ok('PUT', `${workspace}/secrets/NOTES_TOKEN`, { value: token });
  const { mcp_server } = await admin.ok<{ mcp_server: McpServer }>('POST', `${workspace}/mcp-servers`, {
    name: 'notes',
    shape: { type: 'image', image },
    network: 'none',
  });
  const env = {
    NOTES_TOKEN: `\${NOTES_TOKEN}`,
    NOTES_TOKEN_SHA256: createHash('sha256').update(token).digest('hex'),
  };
  const agent = await admin.createAgent('note-taker', steps, { notes: env });
  return { entry: mcp_server, token, agentId: agent.id };
}

const addNote = { call: 'notes.add_note', arguments: { note: 'written under a grant' } };
const steps = [
  { call: 'notes.list_notes', arguments: {} },
  { ...addNote, expect: 'permission_required' },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: 'notes.write' },
      scope: 'once',
      justification: 'To keep what was said.',
    },
  },
  { wait_for_message: { contains: 'approved', timeout_seconds: 300 } },
  addNote,
  { call: 'notes.list_notes', arguments: {} },
  { ...addNote, expect: 'permission_required' },
];

export interface WaitingSession {
  session: Session;
  request: PermissionRequest;
}

/** Starts a session of the agent, which was refused and has requested a grant. */
export async function startWaitingSession(operator: FrontDoor, { agentId }: Notes): Promise<WaitingSession> {
  const session = await operator.startSession(agentId);
  return { session, request: await operator.openRequest(session.id) };
}

/** What `finishSession` returns on success. */
export const finishedUnder = (grantId: string) => ({
  status: 'completed',
  calls: [
    { tool: 'list_notes', outcome: 'ok', granted_via: null },
    { tool: 'add_note', outcome: 'permission_required', granted_via: null },
    { tool: 'add_note', outcome: 'ok', granted_via: grantId },
    { tool: 'list_notes', outcome: 'ok', granted_via: null },
    { tool: 'add_note', outcome: 'permission_required', granted_via: null },
  ],
});

/** Waits for the session's end; returns its outcome, and its calls from the audit trail. */
export async function finishSession(operator: FrontDoor, admin: FrontDoor, sessionId: string) {
  const { status, status_reason } = await operator.ended(sessionId);
  const calls = (await admin.toolCalls(sessionId)).filter(({ data }) => data['name'] === 'notes').map(told);
  return { status, calls, ...(status === 'completed' ? {} : { status_reason }) };
}

const told = ({ data }: AuditEvent) => ({
  tool: data['tool'],
  outcome: data['outcome'],
  granted_via: data['granted_via'],
});
