/**
 * The example that a new workspace begins with: an MCP server whose writing tools need a grant, and an agent
 * that writes with it, so that its first write waits for a person. It needs no secret and no network.
 */
import { agentInput } from './agent.ts';
import { type Manifest, mcpServerInput } from './catalog.ts';

/** They took up to 30 s to start on a busy machine; another may be five times as slow. */
export const exampleStartSeconds = 180;

const writing = 'files.write';

export const exampleServer = mcpServerInput.parse({
  name: 'files',
  shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] },
  manifest: {
    tool_scopes: { write_file: writing, edit_file: writing, move_file: writing, create_directory: writing },
  },
  network: 'none',
  start_seconds: exampleStartSeconds,
});

/** Whether an entry gates what the example's steps count on, by the same scopes. */
export const hasExampleGates = ({ tool_scopes: scopes }: Manifest): boolean =>
  Object.entries(exampleServer.manifest?.tool_scopes ?? {}).every(
    ([tool, scope]) => Object.hasOwn(scopes, tool) && scopes[tool] === scope,
  );

const report = { path: 'report.md', content: '# Report\n\nWritten under a grant.\n' };

const steps = [
  { call: 'platform.emit_status', arguments: { status: 'Writing the report' } },
  { call: 'files.write_file', arguments: report, expect: 'permission_required' },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: writing },
      scope: 'once',
      justification: 'To write report.md into the workspace.',
    },
  },
  // Waits for either decision: after a denial the write is refused again, and the
  // session ends with that reason.
  { wait_for_message: { contains: 'Permission request', timeout_seconds: 24 * 3600 } },
  { call: 'files.write_file', arguments: report },
  { call: 'files.read_text_file', arguments: { path: report.path } },
  {
    call: 'platform.emit_artifact',
    arguments: { name: report.path, mime_type: 'text/markdown', text: report.content },
  },
  { call: 'platform.emit_status', arguments: { status: 'The report is written' } },
  { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'Wrote report.md.' } },
];

export const exampleAgent = agentInput.parse({
  name: 'scribe',
  run: { type: 'builtin', name: 'scripted' },
  instructions: JSON.stringify({ steps }, null, 2),
});

export const examplePrompt = 'Write the report.';
