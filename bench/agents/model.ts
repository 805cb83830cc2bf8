/** The scripted model of the bench: it does what it is asked, in words that the bench knows. */
import { type ModelStub, startModelStub } from '../../test/support/model-stub/start-model-stub.ts';
import {
  type Answer,
  call,
  type ModelRequest,
  say,
  slowTurn,
  turn,
} from '../../test/support/model-stub/turns.ts';

export type Task = 'answer' | 'call';

export const modelName = 'claude-sonnet-4-5';
export const callsOfTurn = 10;
/** Alike for both: each tool of theirs is a part of every request to the model. The calls go to the first. */
export const serverNames = ['echoes', 'second', 'third', 'fourth'] as const;
const [serverName] = serverNames;
/** What an answer begins with, and what it ends with. */
export const firstWords = 'First words';
export const lastWords = 'all is said.';
/** Before each event of a stream, of which the third has the first words. */
const pauseMs = 100;
const mostRequests = 100_000;

export const promptOf = (task: Task): string =>
  task === 'answer' ? 'Please answer.' : `Please call ${callsOfTurn} times.`;

export const startBenchModel = (port: number): Promise<ModelStub> =>
  startModelStub(
    Array.from({ length: mostRequests }, () => answerOf),
    port,
  );

function answerOf(request: ModelRequest): Answer {
  const asked = request.messages.findLastIndex(({ content }) =>
    mentions(content, promptOf('answer'), promptOf('call')),
  );
  const calls = request.messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  const wantsCalls = mentions(request.messages[asked]?.content, promptOf('call'));
  return wantsCalls && calls < callsOfTurn
    ? turn(call(`${serverName}.echo`, { message: `call ${calls}` }))
    : slowTurn(
        wantsCalls ? 0 : pauseMs,
        say(`${firstWords}, and then ${'some more words '.repeat(20)}${lastWords}`),
      );
}

function mentions(content: unknown, ...texts: readonly string[]): boolean {
  const said = JSON.stringify(content ?? '');
  return texts.some((text) => said.includes(text));
}
