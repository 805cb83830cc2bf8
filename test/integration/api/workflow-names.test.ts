/**
 * What an operator reads and searches in Temporal's UI: each workflow says of which
 * workspace, agent or entry it is.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { McpCheck } from '../../../contract/mcp-check.ts';
import type { ShownSchedule } from '../../../contract/schedule.ts';
import type { Session } from '../../../contract/session.ts';
import {
  grantWorkflowId,
  mcpCheckWorkflowId,
  mcpRegistrationWorkflowId,
  sessionWorkflowId,
  temporalScheduleId,
} from '../../../contract/workflows.ts';
import { asSummary } from '../../../store/sessions/workflow-summaries.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let admin: Person;
let base: string;
let slug: string;
let workspaceId: string;
let agent: Agent;
let session: Session;

beforeAll(async () => {
  api = await startSessionApi();
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ admin, base } = made);
  ({ slug, id: workspaceId } = made.workspace);
  ({ agent, session } = await api.runningSession(admin, base));
});
afterAll(() => api.stop());

const shown = async (workflowId: string) => {
  const described = await api.temporal.workflow.getHandle(workflowId).describe();
  const { PlatformWorkspace, PlatformSubject, PlatformStatus } = described.searchAttributes;
  const summary = await described.staticSummary();
  return { summary, attributes: [PlatformWorkspace, PlatformSubject, PlatformStatus].flat() };
};
const shows = (workflowId: string, summary: string, name: string, status: string) =>
  eventually(async () =>
    expect(await shown(workflowId)).toEqual({
      summary,
      attributes: [workspaceId, `${slug}/${name}`, status],
    }),
  );

it('a session and a grant name their agent', async () => {
  const { name } = agent;
  await shows(sessionWorkflowId(session.id), `Session of ${name} in ${slug}`, name, 'running');
  const { grant } = await admin.ok<{ grant: { id: string } }>('POST', `${base}/grants`, {
    agent_subject_id: agent.id,
    ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'persistent' },
  });
  const summary = `Grant of tool_scope files.write to ${name} in ${slug}`;
  await shows(grantWorkflowId(grant.id), summary, name, 'written');
});

it('a check and a registration name their entry', async () => {
  await admin.ok('POST', `${base}/mcp-servers`, {
    ...{ name: 'files', shape: { type: 'command', command: 'node' } },
  });
  const checks = `${base}/mcp-servers/files/checks`;
  const { mcp_check: check } = await admin.ok<{ mcp_check: McpCheck }>('POST', checks, { env: {} });
  await admin.ok('POST', `${checks}/${check.id}/cancel`);
  const workflowId = mcpCheckWorkflowId(check.id);
  await eventually(async () =>
    expect((await api.temporal.workflow.getHandle(workflowId).describe()).status.name).toBe('COMPLETED'),
  );
  expect((await shown(workflowId)).summary).toBe(`Check of files in ${slug}`);

  await admin.ok('POST', `${base}/mcp-servers`, {
    ...{ name: 'far', shape: { type: 'remote', url: 'https://remote.invalid/mcp' } },
  });
  const [id] = await api.db('mcp_registrations').where({ workspace_id: workspaceId }).pluck('id');
  await shows(mcpRegistrationWorkflowId(String(id)), `Registration of far in ${slug}`, 'far', 'discovering');
});

it('a schedule names its agent', async () => {
  const { schedule } = await admin.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, {
    ...{ agent_id: agent.id, name: 'yearly', prompt: 'Do it' },
    spec: { kind: 'cron', expression: '0 0 1 1 *' },
  });
  const { action } = await api.temporal.schedule.getHandle(temporalScheduleId(schedule.id)).describe();
  expect(action.staticSummary).toBe(`Scheduled run of ${agent.name} in ${slug}`);
});

it('a name is shown as text: it makes no link, picture or markup', () => {
  expect(asSummary('Session of [writer](https://x.test) ![a](b) <b>`c`</b> in demo')).toBe(
    'Session of writer(https://x.test) a(b) bc/b in demo',
  );
});
