/** A session whose MCP server exits at once: what people without access to its machine see of it. */
import type { SessionProcess } from '../../contract/session-process.ts';
import { eventually } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';

const command = `echo "no vault opens with $TOKEN" >&2; exit 3`;

/** What `startWithBrokenServer` returns where its owner sees why. */
export const toldOfBrokenServer = {
  status: 'completed',
  events: [{ server: 'broken', cause: 'exited', exit_code: 3, signal: null }],
  process: { kind: 'server', state: 'failed', cause: 'exited', exit_code: 3 },
  member: 403,
  output: 'no vault opens with [secret]\n',
};

/**
 * Creates the entry and its agent as an admin, the session as a member; returns what each of them can read.
 */
export async function startWithBrokenServer(admin: FrontDoor, member: FrontDoor) {
  const workspace = '/api/workspaces/demo';
  await admin.ok('PUT', `${workspace}/secrets/BROKEN_TOKEN`, { value: 'the-key-of-another-vault' });
  await admin.ok('POST', `${workspace}/mcp-servers`, {
    name: 'broken',
    shape: { type: 'command', command: 'sh', args: ['-c', command] },
    manifest: { env: { TOKEN: { kind: 'secret', label: 'Token of the vault', required: true } } },
  });
  const agent = await admin.createAgent(
    'hopeful',
    [{ call: 'broken.anything', arguments: {}, expect: 'server_unavailable' }],
    { broken: { TOKEN: `\${BROKEN_TOKEN}` } },
  );
  const { id } = await member.startSession(agent.id);
  const { status } = await member.ended(id);
  const events = (await member.events(id)).filter(({ type }) => type === 'session.server_failed');
  const path = `/api/sessions/${id}/processes`;
  const { processes } = await member.ok<{ processes: SessionProcess[] }>('GET', path);
  const outputPath = `${path}/server/broken/output`;
  const output = await eventually(() => admin.ok<{ output: { text: string } }>('GET', outputPath));
  return {
    status,
    events: events.map(({ payload }) => payload),
    process: processes.find(({ name }) => name === 'broken'),
    member: (await member.send('GET', outputPath)).status,
    output: output.output.text,
  };
}
