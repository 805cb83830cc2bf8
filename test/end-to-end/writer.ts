/**
 * The demo's agent that asks a model, from a refused call to its end: what the tests of
 * processes and of compose share.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { ModelUsage } from '../../contract/model-access.ts';
import type { SessionEvent } from '../../contract/session-event.ts';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { literalModel } from '../support/model-stub/literal-model.ts';
import { type ModelStub, startModelStub } from '../support/model-stub/start-model-stub.ts';
import { type Answer, call, type ModelRequest, say, type Turn, turn } from '../support/model-stub/turns.ts';

export const demoModelKey = 'sk-of-the-model-alone';
const task = 'Write the report.';
const path = '/workspace/report.txt';

const endSession = () =>
  turn(call('platform.end_session', { outcome: 'completed', summary: 'the report is written' }));

/** The stub of a model, with what it did so far. */
export interface WriterModel extends ModelStub {
  did: string[];
}

/**
 * A model that writes one report as the texts of the platform tell it, and else only ends its sessions.
 * Each has a state of its own, since test files share modules.
 */
export async function startWriterModel(
  port: number,
  { host, waitSeconds = 120 }: { host?: '0.0.0.0'; waitSeconds?: number } = {},
): Promise<WriterModel> {
  const literal = literalModel({
    wanted: () => call('files.write_file', { path, content: 'the report' }),
    waitSeconds,
  });
  let last: { messages: ModelRequest['messages']; answer: Answer } | null = null;

  /** A request that is sent again, since its answer was lost, has the same answer. */
  function answerOf(request: ModelRequest): Answer {
    // For a title of the conversation, which some agents ask for beside it.
    if ((request.tools ?? []).length === 0) {
      return turn(say('A report'));
    }
    if (last !== null && isDeepStrictEqual(last.messages, request.messages)) {
      return last.answer;
    }
    // Some agents say something of their own before the task.
    const answered = request.messages.findIndex(({ role }) => role === 'assistant');
    const opening = answered < 0 ? request.messages : request.messages.slice(0, answered);
    const isAboutReport = JSON.stringify(opening).includes(task);
    const isWritten = literal.did.at(-1) === 'finished';
    const answer = isAboutReport && !isWritten ? literal.answer(request) : endSession();
    last = { messages: request.messages, answer };
    return answer;
  }

  const script: Turn[] = Array.from({ length: 20 }, () => answerOf);
  return { ...(await startModelStub(script, port, host)), did: literal.did };
}

/** One session of the writer, whose request Ada approves after `whileAsked`. */
export async function expectReportUnderGrant(
  ada: FrontDoor,
  model: WriterModel,
  { writerName = 'writer', whileAsked = async (_sessionId: string) => {} } = {},
): Promise<void> {
  const { agents } = await ada.ok<{ agents: Agent[] }>('GET', `${ada.workspace}/agents`);
  const writer = agents.find(({ name }) => name === writerName);
  const session = await ada.startSession(String(writer?.id), task);
  const request = await ada.openRequest(session.id).catch((error: Error) => {
    throw new Error(`${error.message} The model did: ${model.did.join(', ')}`);
  });
  expect(request).toMatchObject({
    scope: 'once',
    details: { scope: 'files.write' },
    refused_call: { server: 'files', tool: 'write_file' },
  });
  await whileAsked(session.id);
  const grant = await ada.approve(request);
  const spoken = (events: SessionEvent[]) =>
    events.find(({ payload }) => String(payload['text']).startsWith('It says:'));
  await untilFound('what the model says of the result', async () => spoken(await ada.events(session.id)));
  await ada.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'Thank you, that is all.' });

  expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
  const did = model.did.filter((each) => each !== 'waited');
  expect(did).toEqual(['called', 'asked', 'called', 'finished']);
  const calls = (await ada.toolCalls(session.id)).filter(({ data }) => data['name'] === 'files');
  expect(calls.map(({ data }) => [data['tool'], data['outcome'], data['granted_via']])).toEqual([
    ['write_file', 'permission_required', null],
    ['write_file', 'ok', grant.id],
  ]);
  const keys = model.headers.map(
    ({ 'x-api-key': key, authorization }) => key ?? authorization?.replace('Bearer ', ''),
  );
  expect(new Set(keys)).toEqual(new Set([demoModelKey]));
  expect(JSON.stringify(await ada.events(session.id))).not.toContain(demoModelKey);
  const { model_usage: usage } = await ada.ok<{ model_usage: ModelUsage }>(
    'GET',
    `/api/sessions/${session.id}/model-usage`,
  );
  // One more may have begun while the session ended.
  expect(usage.requests).toBeGreaterThanOrEqual(5);
  expect(usage.reached).toBeNull();
}
