/** The key of a model's endpoint in texts that take turns: clients join each, and one to the next. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  begin,
  endEvents,
  event,
  eventsIn,
  ModelSession,
  modelKey,
  question,
  startEvent,
} from './model-session.ts';
import {
  chatCase,
  chatDelta,
  chatEnd,
  responseDelta,
  responseEnd,
  responseStart,
  responsesCase,
  sendStream,
  writeChat,
  writeResponses,
} from './openai-dialects.ts';

let session: ModelSession;
beforeEach(() => {
  session = new ModelSession();
});
afterEach(() => session.stop());

const [head, middle, tail] = [modelKey.slice(0, 7), modelKey.slice(7, 20), modelKey.slice(20)];
/** Each begins with the place of its text, one digit. */
type Pieces = readonly string[];
const placed = (pieces: Pieces) => pieces.map((each) => ({ at: Number(each[0]), piece: each.slice(1) }));
const writeDeltas = (deltas: Parameters<typeof writeResponses>[0]) =>
  writeResponses([...responseStart, ...deltas, ...responseEnd]);
const called = 'response.function_call_arguments.delta';

const dialects = [
  {
    each: chatCase,
    calls: (pieces: Pieces) =>
      writeChat([
        ...placed(pieces).map(({ at, piece }) =>
          chatDelta({ tool_calls: [{ index: at, function: { arguments: piece } }] }),
        ),
        ...[chatEnd, '[DONE]'],
      ]),
    texts: (pieces: Pieces) =>
      writeChat([
        ...placed(pieces).map(({ at, piece }) => chatDelta({ content: piece }, at)),
        ...[chatEnd, '[DONE]'],
      ]),
    late: (piece: string, late: string) =>
      writeChat([chatDelta({ content: piece }), chatEnd, chatDelta({ content: late }), chatEnd, '[DONE]']),
  },
  {
    each: responsesCase,
    calls: (pieces: Pieces) =>
      writeDeltas(
        placed(pieces).map(({ at, piece }) =>
          responseDelta(piece, { type: called, output_index: at, item_id: `fc_${at}` }),
        ),
      ),
    texts: (pieces: Pieces) =>
      writeDeltas(
        placed(pieces).map(({ at, piece }) =>
          responseDelta(piece, { output_index: at, item_id: `msg_${at}` }),
        ),
      ),
    late: (piece: string, late: string) =>
      writeDeltas([responseDelta(piece), ...responseEnd.slice(0, 1), responseDelta(late)]),
  },
];

describe.each(dialects)('the key in $each.dialect', ({ each, calls, texts, late }) => {
  const ask = async (stream: string) => {
    session.respond = (_asked, response) => sendStream(response, stream);
    const { text } = await session.ask({ ...each.question, stream: true });
    return { text, isWhole: each.isWhole(text), error: each.errorIn(text) };
  };

  it('does not come back over the arguments of parallel calls', async () => {
    await session.start({ dialect: each.dialect });
    const hostile: Pieces[] = [
      ['0a', `1${middle}${tail}`, `0${head}`],
      ['0', `1${middle}${tail} b`, `0 ${head}`],
      ['0a', `1${middle}`, `2${tail} b`, `0${head}`],
      ['0a', '1', `2${tail}`, `0${head}`, `1${middle}`],
      ['0a', '1', `0${head}`, `1${middle}`, `1${tail}`],
      ['0a', '1b', '2', `1${head}`, `2${middle}`, `2${tail}`],
      [`1${middle}${tail}`, `0${head}`],
    ];
    for (const pieces of hostile) {
      const { text, isWhole, error } = await ask(calls(pieces));
      expect([0, 1, 2].map((at) => each.called(text, at)).join('')).not.toContain(modelKey);
      expect({ pieces, isWhole, error }).toEqual({
        ...{ pieces, isWhole: false },
        error: expect.stringMatching(/answers with texts that are not shown|goes back to an earlier part/),
      });
    }
  });

  it('leaves arguments that take turns as they are', async () => {
    await session.start({ dialect: each.dialect });
    const plain = [`0${head}`, `1${head}x`, '0y', '2', `1${head}`, `2${tail}`, `0${head}`];
    const { text, isWhole } = await ask(calls(plain));
    const shown = [0, 1, 2].map((at) => each.called(text, at));
    expect(shown).toEqual([`${head}y${head}`, `${head}x${head}`, tail]);
    expect(isWhole).toBe(true);
  });

  it('does not come back in an answer that returns to an earlier text, which is cut', async () => {
    await session.start({ dialect: each.dialect });
    const { text, error } = await ask(texts(['0a', `1${tail}`, `0${head}${middle}`]));
    expect(error).toContain('goes back to an earlier part of its answer');
    expect(each.joined(text)).toBe(`a${tail}`);
    expect((await ask(texts([`1${tail}`, `0${head}${middle}`]))).error).toContain('goes back');
  });

  it('does not come back in a text that goes on after its end', async () => {
    await session.start({ dialect: each.dialect });
    const { text } = await ask(late(`a ${head}`, `${middle}${tail}`));
    expect(each.joined(text)).toBe(`a ${head}[secret]`);
  });
});

describe('the key in messages', () => {
  it.each([
    { type: 'text_delta', field: 'text' },
    { type: 'thinking_delta', field: 'thinking' },
    { type: 'input_json_delta', field: 'partial_json' },
  ])(
    'does not come back in an answer that returns to an earlier $field, which is cut',
    async ({ type, field }) => {
      await session.start();
      for (const pieces of [
        ['0a', `1${middle}${tail}`, `0${head}`],
        [`1${middle}${tail}`, `0${head}`],
      ]) {
        const sent = placed(pieces).map(({ at, piece }) => ({
          ...{ type: 'content_block_delta', index: at },
          delta: { type, [field]: piece },
        }));
        session.respond = (_asked, response) =>
          begin(response).end([startEvent, ...sent, ...endEvents].map(event).join(''));
        const { text } = await session.ask({ ...question, stream: true });
        expect(text).toContain('goes back to an earlier part of its answer');
        expect(eventsIn(text).at(-1)?.type).toBe('error');
        expect(text).not.toContain(`"${head}"`);
      }
    },
  );
});
