/**
 * While Temporal does not answer, what people and agents ask for is stored and answered at once, and a worker
 * that reaches it carries it out.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { McpCheck } from '../../../contract/mcp-check.ts';
import type { ShownSchedule } from '../../../contract/schedule.ts';
import type { Session } from '../../../contract/session.ts';
import {
  mcpRegistrationWorkflowId,
  sessionSignals,
  sessionWorkflowId,
  temporalScheduleId,
} from '../../../contract/workflows.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { abandonAfter } from '../../../lib/timing/time-limit.ts';
import { setControlUrl } from '../../../store/sessions/sessions.ts';
import type { Answer, Person } from '../../support/api.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';
import { type SilentServer, startSilentServer } from '../../support/silent-server.ts';
import { startWebhook, type Webhook } from '../../support/webhook.ts';

/** An API that waits for Temporal takes half a minute here. */
const lateMs = 12_000;
const atOnce = <Result>(answer: Promise<Result>): Promise<Result> =>
  abandonAfter(lateMs, answer, () => {
    throw new Error('the answer waits for Temporal');
  });

let silent: SilentServer;
let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;
let workspaceId: string;
let webhook: Webhook;

beforeAll(async () => {
  silent = await startSilentServer();
  webhook = await startWebhook();
  api = await startSessionApi({ TEMPORAL_ADDRESS: silent.address }, { sweepEveryMs: 500 });
});
beforeEach(async () => {
  const made = await api.workspace();
  ({ admin, member, base } = made);
  workspaceId = made.workspace.id;
  await admin.ok('PUT', `${base}/secrets/WEBHOOK`, { value: webhook.url });
});
afterAll(async () => {
  await api.stop();
  await webhook.close();
  silent.hangUp();
});

const make = <Body>(person: Person, path: string, body: unknown = {}) =>
  atOnce(person.ok<Body>('POST', path, body));
const newAgent = async () =>
  (
    await make<{ agent: Agent }>(member, `${base}/agents`, {
      name: `agent-${randomUUID()}`,
      run: { type: 'builtin', name: 'scripted' },
      instructions: '{"steps":[]}',
    })
  ).agent;
const stateOf = async ({ id }: Session) =>
  (await admin.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session.status;
const ends = (session: Session, status: Session['status']) =>
  eventually(async () => expect(await stateOf(session)).toBe(status));
const ok = { status: 200 };

/** Its sidecar listens, as the workflow was told by somebody who reaches it. */
async function running(agent: Agent): Promise<Session> {
  const { session } = await make<{ session: Session }>(member, `${base}/sessions`, {
    agent_id: agent.id,
    prompt: 'Do it',
  });
  await eventually(async () => expect((await api.runtime.inspect(session.id)).state).toBe('running'));
  await setControlUrl(api.db, session.id, 'http://127.0.0.1:1');
  await api.temporal.workflow.getHandle(sessionWorkflowId(session.id)).signal(sessionSignals.sidecarReady);
  await ends(session, 'running');
  return session;
}

describe.each(['accepts connections and stays silent', 'refuses connections'])(
  'a Temporal that %s',
  (how) => {
    beforeAll(() => {
      if (how === 'refuses connections') {
        silent.hangUp();
      }
    });

    it('lets a session start, take a message, ask, and end as a person says', async () => {
      const session = await running(await newAgent());
      const request = {
        request_id: randomUUID(),
        ...{ grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
        ...{ justification: 'Please', refused_call: null },
      };
      const answers = await Promise.all([
        make(member, `/api/sessions/${session.id}/messages`, { text: 'Hello' }),
        atOnce(api.asSidecar(session.id, 'POST', 'permission-requests', request)),
      ]);
      expect(answers[1]).toMatchObject({ status: 200, body: { status: 'sent' } });
      const decided = { status: 503, body: { error: { message: expect.stringContaining('withdrawn') } } };
      const deny = member.send('POST', `${base}/permission-requests/${request.request_id}/deny`, {});
      expect(await atOnce(deny)).toMatchObject(decided);
      await make(member, `/api/sessions/${session.id}/terminate`);
      await ends(session, 'terminated');
      const asked = () => api.db('permission_requests').where({ id: request.request_id }).first('status');
      await eventually(async () => expect(await asked()).toEqual({ status: 'cancelled' }));
    });

    it('lets an agent end its session, and an admin end those of an agent and of a member', async () => {
      const [agent, archived] = [await newAgent(), await newAgent()];
      const [own, theirs, left] = await Promise.all([running(agent), running(archived), running(agent)]);
      const end = { outcome: 'completed', summary: null };
      expect(await atOnce(api.asSidecar(own.id, 'POST', 'end', end))).toMatchObject(ok);
      await make(admin, `/api/agents/${archived.id}/archive`, { running_sessions: 'end' });
      await Promise.all([ends(own, 'completed'), ends(theirs, 'terminated')]);
      const removed: Answer = await atOnce(admin.send('DELETE', `${base}/members/${member.user.id}`));
      expect(removed).toMatchObject(ok);
      await ends(left, 'terminated');
    });

    it('lets a workspace be closed, where all ends that went on', async () => {
      const agent = await newAgent();
      const session = await running(agent);
      const { schedule } = await make<{ schedule: ShownSchedule }>(member, `${base}/schedules`, {
        ...{ agent_id: agent.id, name: 'yearly', prompt: 'Do it' },
        spec: { kind: 'cron', expression: '0 0 1 1 *' },
      });
      const { name } = (await admin.ok<{ workspace: Workspace }>('GET', base)).workspace;
      await make(admin, `${base}/close`, { name });
      await ends(session, 'terminated');
      const copy = api.temporal.schedule.getHandle(temporalScheduleId(schedule.id));
      await eventually(async () => expect((await copy.describe()).state.paused).toBe(true));
      const reopen = () => admin.send('POST', `${base}/reopen`, {});
      await eventually(async () => expect(await reopen()).toMatchObject(ok));
      expect(await atOnce(admin.send('DELETE', `${base}/schedules/${schedule.id}`))).toMatchObject(ok);
      await eventually(() => expect(copy.describe()).rejects.toThrow());
    });

    it('lets schedules be made, changed and removed, and says that a run is not confirmed', async () => {
      const { schedule } = await make<{ schedule: ShownSchedule }>(member, `${base}/schedules`, {
        ...{ agent_id: (await newAgent()).id, name: 'yearly', prompt: 'Do it' },
        spec: { kind: 'cron', expression: '0 0 1 1 *' },
      });
      const copy = api.temporal.schedule.getHandle(temporalScheduleId(schedule.id));
      const isPaused = async () => (await copy.describe()).state.paused;
      await eventually(async () => expect(await isPaused()).toBe(false));
      const at = `${base}/schedules/${schedule.id}`;
      expect(await atOnce(member.ok('GET', at))).toMatchObject({ outlook: null });
      expect(await atOnce(member.send('POST', `${at}/run`, {}))).toMatchObject({
        status: 503,
        body: { error: { message: expect.stringContaining('look at the runs of the schedule') } },
      });
      await make(member, `${at}/pause`);
      await eventually(async () => expect(await isPaused()).toBe(true));
      expect(await atOnce(member.send('DELETE', at))).toMatchObject(ok);
      await eventually(() => expect(copy.describe()).rejects.toThrow());
    });

    it('lets entries be checked, a check be cancelled, a remote server be registered and a channel be tried', async () => {
      await make(admin, `${base}/mcp-servers`, {
        ...{ name: 'files', shape: { type: 'command', command: 'node' } },
      });
      const checks = `${base}/mcp-servers/files/checks`;
      const { mcp_check: check } = await make<{ mcp_check: McpCheck }>(admin, checks, { env: {} });
      const read = () => admin.ok<{ mcp_check: McpCheck }>('GET', `${checks}/${check.id}`);
      await untilFound('the start of the check', async () =>
        (await read()).mcp_check.status === 'pending' ? null : true,
      );
      await make(admin, `${checks}/${check.id}/cancel`);
      await eventually(async () => expect((await read()).mcp_check.status).toBe('cancelled'));

      await make(admin, `${base}/mcp-servers`, {
        ...{ name: 'far', shape: { type: 'remote', url: 'https://remote.invalid/mcp' } },
      });
      const [registrationId] = await api
        .db('mcp_registrations')
        .where({ workspace_id: workspaceId })
        .pluck('id');
      const registering = api.temporal.workflow.getHandle(mcpRegistrationWorkflowId(String(registrationId)));
      await eventually(async () =>
        expect((await registering.describe()).type).toBe('mcpRegistrationWorkflow'),
      );

      await make(admin, `${base}/channels`, { name: 'reports', address: `\${WEBHOOK}` });
      const posted = webhook.received.length;
      await make(admin, `${base}/channels/reports/test`);
      await eventually(() => expect(webhook.received.length).toBe(posted + 1));
    });
  },
);
