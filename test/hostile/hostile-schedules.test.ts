/** Sessions that schedules start: what their agents try with what the people around them were granted. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScheduleRun } from '../../contract/schedule.ts';
import { untilFound } from '../support/eventually.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { callGated } from './attempts/grants.ts';
import { callPlatform } from './attempts/trees.ts';
import type { Kit } from './inside/kit.ts';
import { createHostileAgent, HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Hostile agents on schedules');
const workspace = '/api/workspaces/demo';
const mark = 'in the name of a person';
const askPerson = { tool: 'request_input', args: { prompt: 'Which?' } };

/**
 * What every session of the agent does, whoever started it: a gated call, a look at what was
 * carried out, a question.
 */
const orders = {
  id: randomUUID(),
  orders: [
    { name: 'gated', source: `(${callGated})`, argument: mark },
    { name: 'ledger', source: `(${(kit: Kit) => kit.callTool('vault', 'ledger')})` },
    { name: 'asked', source: `(${callPlatform})`, argument: [askPerson] },
  ],
  target: {},
};
const prompt = JSON.stringify(orders);

let arena: Arena;
let agentId: string;
/** Of Ada, who makes the schedules, owns the agent, and is an admin: nobody may do more. */
let grantId: string;

const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
  it(what, () => table.note({ what, by: 'agent', stoppedBy }, check));

async function makeSchedule(spec: object): Promise<string> {
  const { schedule } = await arena.ada.ok<{ schedule: { id: string } }>('POST', `${workspace}/schedules`, {
    ...{ agent_id: agentId, name: randomUUID(), prompt, spec },
  });
  return schedule.id;
}

/** The session of the first run, with what its agent says of its orders. */
async function firstRun(scheduleId: string): Promise<{ id: string; said: Record<string, unknown> }> {
  const id = await untilFound('a run of the schedule', async () => {
    const { runs } = await arena.ada.ok<{ runs: ScheduleRun[] }>(
      'GET',
      `${workspace}/schedules/${scheduleId}/runs`,
    );
    return runs.at(-1)?.session_id ?? null;
  });
  const session = await HostileSession.scheduled(arena.ada, id);
  return { id, said: await session.resultsOf(orders.id) };
}

/** Nothing was passed on with the grant: not to the server, and not in the platform's records. */
async function expectNothingCarriedOut({ id, said }: Awaited<ReturnType<typeof firstRun>>): Promise<void> {
  expect(said['gated']).toBe('permission_required');
  expect(JSON.stringify(said['ledger'])).not.toContain(mark);
  await arena.ada.ok('POST', `/api/sessions/${id}/terminate`, {});
  expect(await arena.ada.ended(id)).toMatchObject({ operator: null, root_operator: null });
  expect(await arena.recordedCalls(id)).not.toContain('vault.open ok');
}

describeWith('bwrap', 'slirp4netns')('hostile agents on schedules', () => {
  beforeAll(async () => {
    arena = await Arena.open({ SCHEDULE_SHORTEST_SECONDS: '1' }, { usesRunServers: true });
    agentId = await createHostileAgent(arena.ada, { name: 'nightly', servers: ['vault'] });
    const { user } = await arena.ada.me();
    const { grant } = await arena.ada.ok<{ grant: { id: string } }>('POST', `${workspace}/grants`, {
      ...{ user_subject_id: user.id, grant_type: 'tool_scope', details: { scope: 'vault.open' } },
      ...{ scope: 'persistent', reason: 'for the test' },
    });
    grantId = grant.id;
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  it('pass a gated call with what a person was granted who drives the session', async () => {
    const { id } = await arena.ada.startSession(agentId, prompt);
    const said = await (await HostileSession.scheduled(arena.ada, id)).resultsOf(orders.id);
    expect(said['gated']).toBe('carried out');
    expect(JSON.stringify(said['ledger'])).toContain(mark);
    await arena.expectRecorded(id, ['vault.open ok'], 'vault.open');
    await arena.ada.ok('POST', `/api/sessions/${id}/terminate`, {});
  });

  describe('that nobody drives', () => {
    noted(
      'calls a gated tool with what its maker was granted, when it is time',
      'it has no operator',
      async () => {
        const scheduleId = await makeSchedule({ kind: 'interval', every_seconds: 5 });
        const run = await firstRun(scheduleId);
        await arena.ada.ok('POST', `${workspace}/schedules/${scheduleId}/pause`, {});
        await expectNothingCarriedOut(run);
      },
    );

    noted(
      'calls a gated tool with what the person was granted who had it run now',
      'it has no operator',
      async () => {
        const scheduleId = await makeSchedule({ kind: 'cron', expression: '0 0 1 1 *' });
        await arena.ada.ok('POST', `${workspace}/schedules/${scheduleId}/run`, {});
        const run = await firstRun(scheduleId);
        expect(run.said['asked']).toEqual(['no_operator']);
        const message = { text: prompt };
        expect(await arena.ada.send('POST', `/api/sessions/${run.id}/messages`, message)).toMatchObject({
          status: 403,
        });
        await expectNothingCarriedOut(run);
        const { grant } = await arena.ada.ok<{ grant: object }>('GET', `${workspace}/grants/${grantId}`);
        expect(grant).toMatchObject({ revoked_at: null });
      },
    );
  });
});
