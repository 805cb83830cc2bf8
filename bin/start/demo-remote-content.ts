/**
 * What the demo workspace has for its remote server: the catalog entry, and an agent that uses it as
 * the person who drives it.
 */
import { agentInput } from '../../contract/agent.ts';
import { type McpServerInput, mcpServerInput } from '../../contract/catalog.ts';
import type { AgentWithAttachments } from './seed-demo.ts';

const entryName = 'tickets';
const createScope = 'tickets.create';

/** `url` is its MCP endpoint. */
export const ticketsServer = (url: string): McpServerInput =>
  mcpServerInput.parse({
    name: entryName,
    shape: { type: 'remote', url },
    manifest: { tool_scopes: { create_ticket: createScope } },
  });

const ticket = { title: 'Read the report of scribe', priority: 'high' };

const steps = [
  { call: 'platform.emit_status', arguments: { status: 'Reading the tickets' } },
  { call: 'tickets.whoami' },
  { call: 'tickets.list_tickets' },
  // The server asks the person for more at this call, and not at the next one, which an approval of one
  // call would be used up by.
  {
    call: 'tickets.preview_ticket',
    arguments: ticket,
    repeat_on: { code: 'authorization_required', every_seconds: 10, timeout_seconds: 1800 },
  },
  { call: 'tickets.create_ticket', arguments: ticket, expect: 'permission_required' },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: createScope },
      scope: 'once',
      justification: 'To create one ticket, in the name of whoever drives this session.',
    },
  },
  { wait_for_message: { contains: 'Permission request', timeout_seconds: 24 * 3600 } },
  { call: 'tickets.create_ticket', arguments: ticket },
  { call: 'tickets.list_tickets' },
  { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Created a ticket.' } },
];

export const ticketClerk: AgentWithAttachments = {
  agent: agentInput.parse({
    name: 'ticket-clerk',
    run: { type: 'builtin', name: 'scripted' },
    instructions: JSON.stringify({ steps }, null, 2),
  }),
  attachments: [{ name: entryName, env: {} }],
};

export const pushSecret = 'DEMO_PUSH_TOKEN';
/** The one entry that may be given it. */
export const pushEntry = 'repository';
const pushScope = 'repository.push';

/** `url` is its MCP endpoint. The token is in a header that the bridge adds; no agent sees it. */
export const pushServer = (url: string): McpServerInput =>
  mcpServerInput.parse({
    name: pushEntry,
    shape: {
      type: 'remote',
      url,
      headers: [{ name: 'Authorization', prefix: 'Bearer ', variable: pushSecret }],
    },
    manifest: {
      env: { [pushSecret]: { kind: 'secret', label: 'Token of the demo’s repository', required: true } },
      tool_scopes: { push: pushScope },
    },
  });

const change = {
  branch: { $saved: 'branch' },
  onto: { $saved: 'main' },
  message: 'Say who writes the notes',
  patch: `diff --git a/notes.md b/notes.md
new file mode 100644
--- /dev/null
+++ b/notes.md
@@ -0,0 +1 @@
+An agent wrote this, and a person approved this very push.
`,
};

const pushSteps = [
  { call: 'platform.emit_status', arguments: { status: 'Making a change' } },
  { call: 'repository.read_branches', save: { main: 'main', branch: 'unused' } },
  { call: 'repository.push', arguments: change, expect: 'permission_required' },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: pushScope },
      scope: 'once',
      justification: 'To push one commit to a branch of its own.',
    },
  },
  { wait_for_message: { contains: 'Permission request', timeout_seconds: 24 * 3600 } },
  { call: 'repository.push', arguments: change },
  { call: 'repository.read_branches' },
  { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Pushed a commit.' } },
];

/** Pushes one commit, once a person has approved this very push. */
export const committer: AgentWithAttachments = {
  agent: agentInput.parse({
    name: 'committer',
    run: { type: 'builtin', name: 'scripted' },
    instructions: JSON.stringify({ steps: pushSteps }, null, 2),
  }),
  attachments: [{ name: pushEntry, env: { [pushSecret]: `\${${pushSecret}}` } }],
};
