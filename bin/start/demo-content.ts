/**
 * What the demo workspace holds: one server with gated tools, one that needs a secret, one agent that uses
 * both, one that starts that agent, and a schedule.
 */
import { type AgentInput, agentInput } from '../../contract/agent.ts';
import { type McpServerInput, mcpServerInput } from '../../contract/catalog.ts';
import { type ScheduleInput, scheduleInput } from '../../contract/schedule.ts';

export const demoSlug = 'demo';

/** The issuer of the demo sign-in; these people exist for it only. */
export const demoPeople = {
  ada: { issuer: 'demo', subject: 'ada', email: 'ada@demo.test', name: 'Ada Admin' },
  max: { issuer: 'demo', subject: 'max', email: 'max@demo.test', name: 'Max Member' },
  /** In no workspace, so that adding somebody by e-mail can be tried. */
  nora: { issuer: 'demo', subject: 'nora', email: 'nora@demo.test', name: 'Nora Newcomer' },
} as const;

export const demoSecret = 'DEMO_API_TOKEN';
/** The one entry that may be given it. */
export const demoSecretServer = 'everything';

/** They took up to 30 s to start on a busy machine; another may be five times as slow. */
export const demoStartSeconds = 180;

export const demoServers: McpServerInput[] = [
  mcpServerInput.parse({
    name: 'files',
    shape: { type: 'command', command: 'mcp-server-filesystem', args: ['.'] },
    manifest: { tool_scopes: { write_file: 'files.write', edit_file: 'files.write' } },
    network: 'none',
    start_seconds: demoStartSeconds,
  }),
  mcpServerInput.parse({
    name: demoSecretServer,
    shape: { type: 'command', command: 'mcp-server-everything', args: [] },
    manifest: {
      env: {
        DEMO_API_TOKEN: { kind: 'secret', label: 'Token of the demo service', required: true },
        DEMO_DETAIL: { kind: 'value', label: 'How much to say', enum: ['brief', 'full'], default: 'brief' },
      },
      // It answers with its whole environment, the token included.
      tool_scopes: { 'get-env': 'everything.environment' },
    },
    network: 'none',
    approvers: 'admin',
    start_seconds: demoStartSeconds,
  }),
];

const report = { path: 'report.md', content: '# Report\n\nWritten under a grant.\n' };

const steps = [
  { call: 'platform.emit_status', arguments: { status: 'Writing the report' } },
  { call: 'files.write_file', arguments: report, expect: 'permission_required' },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
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

export const demoAgent: AgentInput = agentInput.parse({
  name: 'scribe',
  run: { type: 'builtin', name: 'scripted' },
  instructions: JSON.stringify({ steps }, null, 2),
});

export const demoAttachments = [
  { name: 'files', env: {} },
  { name: 'everything', env: { [demoSecret]: `\${${demoSecret}}`, DEMO_DETAIL: 'brief' } },
];

/**
 * Asks for the permission to start a session of the agent, starts it when a person has
 * approved, and waits for its end.
 */
const planningSteps = (agentId: string) => [
  { call: 'platform.emit_status', arguments: { status: 'Planning who writes the report' } },
  {
    call: 'platform.request_grant',
    arguments: {
      grant_type: 'spawn',
      details: { child_agent_id: agentId },
      scope: 'session',
      justification: 'To have the report written in a session of its own.',
    },
  },
  // Waits for either decision: after a denial the start is refused, and the session ends with that reason.
  { wait_for_message: { kind: 'permission_decision', timeout_seconds: 24 * 3600 } },
  {
    call: 'platform.spawn_session',
    arguments: { agent_id: agentId, prompt: 'Write the report.', label: 'report' },
    save: { child: 'session_id' },
  },
  { wait_for_message: { kind: 'child_ended', timeout_seconds: 24 * 3600 } },
  {
    call: 'platform.read_child_output',
    arguments: { session_id: { $saved: 'child' } },
    repeat_until: { path: 'status', equals: 'completed', every_seconds: 1, timeout_seconds: 1 },
    save: { summary: 'outcome.summary' },
  },
  { call: 'platform.message_caller', arguments: { text: { $saved: 'summary' } } },
  { call: 'platform.end_session', arguments: { outcome: 'completed', summary: 'The report is written.' } },
];

/** Starts sessions of the agent with this id. */
export const demoPlanner = (agentId: string): AgentInput =>
  agentInput.parse({
    name: 'planner',
    kind: 'orchestrator',
    run: { type: 'builtin', name: 'scripted' },
    instructions: JSON.stringify({ steps: planningSteps(agentId) }, null, 2),
  });

/** On the first of each month, so that a demo that is left running asks for little. */
export const demoSchedule = (agentId: string): ScheduleInput =>
  scheduleInput.parse({
    agent_id: agentId,
    name: 'Monthly report',
    spec: { kind: 'cron', expression: '0 7 1 * *' },
    prompt: 'Write the report.',
  });
