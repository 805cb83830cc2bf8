/**
 * Runs of schedules whose sessions cannot start: each ends readably, leaves nothing running, and
 * the next one tries again.
 */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type * as z from 'zod';
import type { Agent } from '../../../contract/agent.ts';
import type { Grant } from '../../../contract/grant.ts';
import type { ShownSchedule, shownRun } from '../../../contract/schedule.ts';
import { sessionWorkflowId, temporalScheduleId } from '../../../contract/workflows.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { registered, useRemoteSignIns } from './remote-sign-ins.ts';
import { admin, api, base, member } from './two-remote-servers.ts';

useRemoteSignIns();

const scripted = { type: 'builtin', name: 'scripted' };
const newAgent = async (fields: object = {}) =>
  (
    await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
      name: randomUUID(),
      run: scripted,
      ...fields,
    })
  ).agent;
const attach = (agent: Agent, name: string, env: object = {}) =>
  member.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name, env });
const scheduleOf = (agent: Agent) => ({
  agent_id: agent.id,
  name: randomUUID(),
  spec: { kind: 'cron', expression: '0 0 1 1 *' },
  prompt: '',
});
const schedule = async (agent: Agent, who = member) =>
  (await who.ok<{ schedule: ShownSchedule }>('POST', `${base}/schedules`, scheduleOf(agent))).schedule;
const at = ({ id }: ShownSchedule, more = '') => `${base}/schedules/${id}${more}`;

type Run = z.infer<typeof shownRun>;
const runsOf = async (of: ShownSchedule, who = member) =>
  (await who.ok<{ runs: Run[] }>('GET', at(of, '/runs'))).runs;

/** Runs it now, and waits until that run has this status; every earlier run is as it was. */
async function run(of: ShownSchedule, status: string): Promise<Run & { session_id: string }> {
  const before = await runsOf(of);
  // Two of one second are one run.
  const second = () => Math.floor(Date.now() / 1000);
  const now = second();
  await eventually(() => expect(second()).toBeGreaterThan(now));
  await member.ok('POST', at(of, '/run'), {});
  let found: Run | undefined;
  await eventually(async () => {
    const [newest, ...others] = await runsOf(of);
    expect(newest).toMatchObject({ outcome: 'started', session_status: status });
    expect(others).toEqual(before);
    found = newest;
  });
  return { ...(found as Run), session_id: String(found?.session_id) };
}

/** Its workflows have ended, it had no workload, and its end is told once. */
async function expectNothingLeft(
  of: ShownSchedule,
  { session_id: id }: { session_id: string },
): Promise<void> {
  const started = api.runtime.started.filter(({ configuration }) => configuration.session_id === id);
  expect(started).toEqual([]);
  await eventually(async () => {
    const copy = await api.temporal.schedule.getHandle(temporalScheduleId(of.id)).describe();
    expect(copy.info.runningActions).toEqual([]);
    const workflow = await api.temporal.workflow.getHandle(sessionWorkflowId(id)).describe();
    expect(workflow.status.name).not.toBe('RUNNING');
  });
  const ends = await api.db('audit_events').where({ event: 'session.ended', session_id: id });
  expect(ends).toHaveLength(1);
}

/** A run fails for this reason, so does the next; once it is mended one starts. */
async function expectFailsUntil(
  of: ShownSchedule,
  reason: string,
  mend: () => Promise<unknown>,
): Promise<void> {
  for (const _attempt of ['this run', 'the next']) {
    const failed = await run(of, 'failed');
    expect(failed.session_status_reason).toBe(reason);
    await expectNothingLeft(of, failed);
  }
  await mend();
  const { session_id: id } = await run(of, 'starting');
  await eventually(async () => expect(await api.runtime.inspect(id)).toMatchObject({ state: 'running' }));
  await member.ok('POST', `/api/sessions/${id}/terminate`, {});
  await eventually(async () => expect((await runsOf(of))[0]?.session_status).toBe('terminated'));
}

const setSecret = (name: string) =>
  admin.ok('PUT', `${base}/secrets/${name}`, { value: 'never to be shown' });
const clearSecret = (name: string) => admin.ok('DELETE', `${base}/secrets/${name}`);
const give = async (agent: Agent, grant_type: 'agent_env' | 'model_key', secret_name: string) =>
  (
    await admin.ok<{ grant: Grant }>('POST', `${base}/grants`, {
      ...{ agent_subject_id: agent.id, grant_type, scope: 'persistent' },
      details: { secret_name, ...(grant_type === 'model_key' ? { endpoint: 'default' } : {}) },
    })
  ).grant;
const revoke = ({ id }: Grant) => admin.ok('DELETE', `${base}/grants/${id}`);

describe('a run of a schedule', () => {
  beforeEach(async () => {
    await Promise.all([setSecret('TOKEN'), setSecret('MODEL_KEY')]);
  });

  it('whose server’s credential was deleted fails, which names it, until it is set again', async () => {
    const manifest = { env: { KEY: { kind: 'secret', label: 'Key' } } };
    const shape = { type: 'command', command: 'mcp-server' };
    await admin.ok('POST', `${base}/mcp-servers`, { name: 'store', shape, manifest });
    const agent = await newAgent();
    await attach(agent, 'store', { KEY: '${TOKEN}' });
    const of = await schedule(agent);
    await clearSecret('TOKEN');
    await expectFailsUntil(of, 'attachment "store": variable KEY needs secret TOKEN, which is not set', () =>
      setSecret('TOKEN'),
    );
  });

  it('whose model’s key was deleted fails, which names it, until it is set again', async () => {
    const agent = await newAgent({ model_access: { api_key: '${MODEL_KEY}' } });
    await give(agent, 'model_key', 'MODEL_KEY');
    const of = await schedule(agent);
    await clearSecret('MODEL_KEY');
    await expectFailsUntil(
      of,
      "the agent's model access: api_key needs secret MODEL_KEY, which is not set",
      () => setSecret('MODEL_KEY'),
    );
  });

  it('that may not use its model’s key any more fails, until that is granted again', async () => {
    const agent = await newAgent({ model_access: { api_key: '${MODEL_KEY}' } });
    const of = await schedule(agent);
    await revoke(await give(agent, 'model_key', 'MODEL_KEY'));
    await expectFailsUntil(
      of,
      "the agent's model access: api_key would use secret MODEL_KEY, which needs a model_key grant",
      () => give(agent, 'model_key', 'MODEL_KEY'),
    );
  });

  it('whose agent may not see a secret any more fails, until that is granted again', async () => {
    const agent = await newAgent({ env: { TOKEN: '${TOKEN}' } });
    const of = await schedule(agent);
    await revoke(await give(agent, 'agent_env', 'TOKEN'));
    await expectFailsUntil(
      of,
      "the agent's environment: variable TOKEN would expose secret TOKEN, which needs an agent_env grant",
      () => give(agent, 'agent_env', 'TOKEN'),
    );
  });

  it('says why its session failed to those alone who may read that', async () => {
    const agent = await newAgent({ env: { TOKEN: '${TOKEN}' } });
    const of = await schedule(agent);
    await run(of, 'failed');
    // Another admin takes the schedule over and is a member again: its former sessions are not theirs.
    const other = await takenOver(of);
    expect(await runsOf(of, other)).toMatchObject([
      { session_status: 'failed', session_status_reason: null },
    ]);
    expect(await runsOf(of, admin)).toMatchObject([
      { session_status_reason: expect.stringContaining('TOKEN') },
    ]);
  });
});

/** By somebody who was an admin for as long as that took. */
async function takenOver(of: ShownSchedule): Promise<Person> {
  const other = await api.person('Olga Other');
  const role = (name: 'admin' | 'member') =>
    admin.ok('PUT', `${base}/members/${other.user.id}`, { role: name });
  await role('admin');
  await admin.ok('DELETE', `${base}/members/${member.user.id}`);
  await other.ok('POST', at(of, '/resume'), {});
  await role('member');
  return other;
}

describe('a schedule of an agent with a server that people sign in to', () => {
  const refused = {
    status: 422,
    body: {
      error: {
        fields: [
          { path: 'agent_id', code: 'needs_sign_in', message: expect.stringMatching(/^"notes" is a remote/) },
        ],
      },
    },
  };

  it('is refused, at its agent', async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    await attach(agent, 'notes');
    expect(await member.send('POST', `${base}/schedules`, scheduleOf(agent))).toMatchObject(refused);
    const of = await schedule(other);
    expect(await member.send('PATCH', at(of), { agent_id: agent.id })).toMatchObject(refused);
    const read = await member.ok<{ schedule: ShownSchedule }>('GET', at(of));
    expect(read.schedule).toMatchObject({ agent_id: other.id, version: 1 });
  });

  it('that got the server later fails, which names it, until that is detached', async () => {
    await registered();
    const agent = await newAgent();
    const of = await schedule(agent);
    await attach(agent, 'notes');
    await expectFailsUntil(
      of,
      '"notes" is used by the person who drives a session, and nobody drives this one',
      () => member.ok('DELETE', `/api/agents/${agent.id}/mcp-attachments/notes`),
    );
    expect(await api.db('oauth_authorizations')).toEqual([]);
  });
});
