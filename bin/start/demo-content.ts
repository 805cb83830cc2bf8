/**
 * What the demo workspace holds: one server with gated tools, one that needs a secret, one agent that uses
 * both, one that starts that agent, and a schedule.
 */
import { type AgentInput, agentInput } from '../../contract/agent.ts';
import { type McpServerInput, mcpServerInput } from '../../contract/catalog.ts';
import { exampleAgent, examplePrompt, exampleServer, exampleStartSeconds } from '../../contract/example.ts';
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

export const demoServers: McpServerInput[] = [
  exampleServer,
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
    start_seconds: exampleStartSeconds,
  }),
];

export const demoAgent: AgentInput = exampleAgent;

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
    prompt: examplePrompt,
  });
