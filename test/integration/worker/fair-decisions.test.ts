/** The resources that one user's sessions take never delay another's decision. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionWorkflowId } from '../../../contract/workflows.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { volume } from '../../support/mode.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

const sessionCount = volume({ quick: 30, full: 40, long: 500 }, 'FAIR_SESSIONS');
/** Far fewer than there are sessions: every slot that sessions can fill is full. */
const sessionSlots = Math.ceil(sessionCount / 6);
/** Most of it is for starting them, on a machine that is busy with other tests. */
const limitMs = 300_000 + sessionCount * 3000;
/** How many times its normal time an approval may take on a machine that the sessions keep busy. */
const generousRatio = 10;

let api: SessionApi;
const crowd: string[] = [];
beforeAll(async () => {
  api = await startSessionApi(
    {
      LIMIT_RUNNING_SESSIONS_PER_USER: String(sessionCount),
      LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: String(sessionCount),
      RATE_SESSIONS_PER_HOUR_PER_USER: String(sessionCount),
      RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: String(sessionCount),
    },
    { slots: { sessions: sessionSlots }, startSeconds: 3600 },
  );
});
afterAll(async () => {
  for (const id of crowd) {
    await api.temporal.workflow.getHandle(sessionWorkflowId(id)).terminate('the test is over');
  }
  await api.stop();
});

/** From the click to the written grant. */
async function approve(person: Person, base: string, { session, agent }: { session: Session; agent: Agent }) {
  const requestId = randomUUID();
  const details = { scope: `files.${requestId.replace(/[^a-f]/g, '')}x` };
  const asked = await api.asSidecar(session.id, 'POST', 'permission-requests', {
    request_id: requestId,
    grant_type: 'tool_scope',
    details,
    scope: 'once',
    justification: 'Needed',
    refused_call: null,
  });
  expect(asked.status).toBe(200);
  const startedAtMs = performance.now();
  await person.ok('POST', `${base}/grants`, {
    agent_subject_id: agent.id,
    grant_type: 'tool_scope',
    details,
    scope: 'once',
    request_id: requestId,
  });
  return performance.now() - startedAtMs;
}

async function medianApproval(...of: Parameters<typeof approve>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    times.push(await approve(...of));
  }
  return times.toSorted((left, right) => left - right)[4] ?? Number.NaN;
}

async function startCrowd({ admin, base }: { admin: Person; base: string }): Promise<void> {
  const { agent } = await admin.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'sleeper',
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  });
  const one = async () => {
    const body = { agent_id: agent.id, prompt: 'Sleep' };
    crowd.push((await admin.ok<{ session: Session }>('POST', `${base}/sessions`, body)).session.id);
  };
  for (let started = 0; started < sessionCount; started += 10) {
    await Promise.all(Array.from({ length: 10 }, one));
  }
}

it(
  `an approval takes its normal time beside ${sessionCount} sessions of another user`,
  async () => {
    const tenant = await api.workspace();
    const asking = await api.runningSession(tenant.admin, tenant.base);
    const normalMs = await medianApproval(tenant.admin, tenant.base, asking);
    const starting = startCrowd(await api.workspace());
    let isStarted = false;
    const started = starting.finally(() => {
      isStarted = true;
    });
    // The best of those while they start: what takes the slots takes them from each.
    let meanwhileMs = await approve(tenant.admin, tenant.base, asking);
    while (!isStarted) {
      meanwhileMs = Math.min(meanwhileMs, await approve(tenant.admin, tenant.base, asking));
    }
    await started;
    const launched = async () => (crowd.every((id) => api.runtime.states.has(id)) ? true : null);
    await untilFound('the launch of every session', launched, limitMs);
    const besideMs = await medianApproval(tenant.admin, tenant.base, asking);
    process.stdout.write(
      `approval: alone ${Math.round(normalMs)} ms, while the sessions start ${Math.round(meanwhileMs)} ms, beside them ${Math.round(besideMs)} ms\n`,
    );
    expect(besideMs / normalMs).toBeLessThan(generousRatio);
    expect(meanwhileMs / normalMs).toBeLessThan(generousRatio * 3);
  },
  limitMs,
);
