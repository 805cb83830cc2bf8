/**
 * Temporal takes a limited number of signals for one workflow: neither people nor agents use them up,
 * and a session ends without.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { Session } from '../../../contract/session.ts';
import { sessionWorkflowId } from '../../../contract/workflows.ts';
import type { Person } from '../../support/api.ts';
import { untilFound } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';
import { temporalProgram } from '../../support/temporal-program.ts';

/** 10,000 as Temporal comes. */
const limit = 20;
const directory = mkdtempSync(join(tmpdir(), 'signals-'));
let temporal: RunningTemporal;
let api: SessionApi;
let admin: Person;
let member: Person;
let base: string;

beforeAll(async () => {
  temporal = await startTemporal({
    ...{ program: temporalProgram(), directory, hasUi: false },
    preferredPort: await chooseTestPort(),
    settings: [`history.maximumSignalsPerExecution=${limit}`],
  });
  api = await startSessionApi({}, { temporalAddress: temporal.address });
});
beforeEach(async () => {
  ({ admin, member, base } = await api.workspace());
});
afterAll(async () => {
  await api.stop();
  await temporal.stop();
  rmSync(directory, { recursive: true });
});

const handleOf = ({ id }: Session) => api.temporal.workflow.getHandle(sessionWorkflowId(id));
const read = async ({ id }: Session) =>
  (await admin.ok<{ session: Session }>('GET', `/api/sessions/${id}`)).session;
const reaches = (session: Session, status: Session['status']) =>
  untilFound(`a session that is ${status}`, async () => {
    const found = await read(session);
    return found.status === status ? found : null;
  });

/** How many of each signal the workflow has. */
async function signalsOf(session: Session): Promise<Record<string, number>> {
  const { events = [] } = await handleOf(session).fetchHistory();
  const counts: Record<string, number> = {};
  for (const event of events ?? []) {
    const name = event.workflowExecutionSignaledEventAttributes?.signalName;
    if (name != null) {
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}

async function starting(): Promise<Session> {
  const { agent } = await member.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: `agent-${randomUUID()}`,
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  });
  const body = { agent_id: agent.id, prompt: 'Do it' };
  const { session } = await member.ok<{ session: Session }>('POST', `${base}/sessions`, body);
  return reaches(session, 'starting');
}

const sayALot = async ({ id }: Session) => {
  for (let count = 0; count < limit + 10; count += 1) {
    await member.ok('POST', `/api/sessions/${id}/messages`, { text: `message ${count}` });
  }
};

const useUpSignals = async (session: Session) => {
  const handle = handleOf(session);
  const send = async () => {
    for (;;) {
      await handle.signal('workloadChanged');
    }
  };
  await expect(send()).rejects.toMatchObject({ name: 'ServiceError' });
};

const end = (person: Person, { id }: Session) => person.send('POST', `/api/sessions/${id}/terminate`, {});

describe('messages', () => {
  it('to a session that is not running yet cost no signal, and are there when it is', async () => {
    const session = await starting();
    await sayALot(session);
    expect(await signalsOf(session)).toEqual({});
    const ready = await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
    expect((ready.body as { inputs: unknown[] }).inputs.length).toBeGreaterThan(limit);
    await reaches(session, 'running');
    expect((await end(member, session)).status).toBe(200);
    await reaches(session, 'terminated');
  });

  it('to one that runs cost one signal until they are taken', async () => {
    const { session } = await api.runningSession(member, base);
    await reaches(session, 'running');
    await sayALot(session);
    expect((await signalsOf(session))['inputAvailable'] ?? 0).toBeLessThanOrEqual(1);
    expect((await end(member, session)).status).toBe(200);
    await reaches(session, 'terminated');
  });
});

describe('a session that Temporal takes no more signals for', () => {
  it.each(['starting', 'running'] as const)('is ended by an admin while it is %s', async (status) => {
    const session =
      status === 'starting' ? await starting() : (await api.runningSession(member, base)).session;
    await reaches(session, status);
    await useUpSignals(session);
    for (let times = 0; times < 3; times += 1) {
      expect((await end(admin, session)).status).toBe(200);
    }
    expect(await reaches(session, 'terminated')).toMatchObject({
      status_reason: expect.stringContaining('Ada Admin'),
    });
    expect(api.runtime.stopped).toContain(session.id);
    const { events = [] } = await handleOf(session).fetchHistory();
    const asked = (events ?? []).filter((event) => event.workflowExecutionCancelRequestedEventAttributes);
    expect(asked).toHaveLength(1);
  });

  it('is ended by its agent', async () => {
    const { session } = await api.runningSession(member, base);
    await reaches(session, 'running');
    await useUpSignals(session);
    const report = { outcome: 'completed', summary: 'All done' };
    expect((await api.asSidecar(session.id, 'POST', 'end', report)).status).toBe(200);
    expect(await reaches(session, 'completed')).toMatchObject({ status_reason: 'The agent finished' });
  });
});
