/** The demo's agent that asks a model, from a refused call to its end: what the tests of processes and of compose share. */
import { expect } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { ModelUsage } from '../../contract/model-access.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { literalModel } from '../support/model-stub/literal-model.ts';
import type { ModelStub } from '../support/model-stub/start-model-stub.ts';
import { call, type Turn, turn } from '../support/model-stub/turns.ts';

export const demoModelKey = 'sk-of-the-model-alone';
const path = '/workspace/report.txt';
const literal = literalModel({
  wanted: () => call('files.write_file', { path, content: 'the report' }),
  waitSeconds: 120,
});

/** Of a model that writes the report as the texts of the platform tell it, and then only ends its sessions. */
export const scriptOfWriter: readonly Turn[] = [
  ...Array.from({ length: 4 }, () => literal.answer),
  ...Array.from({ length: 9 }, () =>
    turn(call('platform.end_session', { outcome: 'completed', summary: 'the report is written' })),
  ),
];

/** One session of it, whose request Ada approves. `model` answers with the script above. */
export async function expectReportUnderGrant(ada: FrontDoor, model: ModelStub): Promise<void> {
  const { agents } = await ada.ok<{ agents: Agent[] }>('GET', `${ada.workspace}/agents`);
  const writer = agents.find(({ name }) => name === 'writer');
  const session = await ada.startSession(String(writer?.id), 'Write the report.');
  const request = await ada.openRequest(session.id);
  expect(request).toMatchObject({
    scope: 'once',
    details: { scope: 'files.write' },
    refused_call: { server: 'files', tool: 'write_file' },
  });
  const grant = await ada.approve(request);
  const spoken = (events: SessionEvent[]) =>
    events.find(({ payload }) => String(payload['text']).startsWith('It says:'));
  await untilFound('what the model says of the result', async () => spoken(await ada.events(session.id)));
  await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'Thank you, that is all.' });

  expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
  expect(literal.did).toEqual(['called', 'asked', 'called', 'finished']);
  const calls = (await ada.toolCalls(session.id)).filter(({ data }) => data['name'] === 'files');
  expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
    ['write_file', 'permission_required', null],
    ['write_file', 'ok', grant.id],
  ]);
  expect(new Set(model.headers.map((headers) => headers['x-api-key']))).toEqual(new Set([demoModelKey]));
  expect(JSON.stringify(await ada.events(session.id))).not.toContain(demoModelKey);
  const { model_usage: usage } = await ada.ok<{ model_usage: ModelUsage }>(
    'GET',
    `/api/sessions/${session.id}/model-usage`,
  );
  // One more may have begun while the session ended.
  expect(usage.requests).toBeGreaterThanOrEqual(5);
  expect(usage.reached).toBeNull();
}
