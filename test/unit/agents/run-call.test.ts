import { expect, it } from '@jest/globals';
import type { CallResult } from '../../../agents/call-outcome.ts';
import { runCall, type SavedValues } from '../../../agents/scripted/run-call.ts';
import { parseInstructions } from '../../../contract/scripted-instructions.ts';

/** Runs steps in turn, each call answered with the next result; the problems of each and what was sent. */
async function run(steps: object[], ...results: unknown[]) {
  const saved: SavedValues = new Map();
  const sent: unknown[] = [];
  const problems: (string | null)[] = [];
  const call = async (_target: string, args: unknown): Promise<CallResult> => {
    sent.push(args);
    return { ok: true, structured: results[sent.length - 1] };
  };
  for (const step of parseInstructions(JSON.stringify({ steps }))) {
    if (!('call' in step)) {
      throw new Error('it is no call');
    }
    problems.push(await runCall(step, { call }, saved));
  }
  return { problems, sent };
}

const use = (value: unknown) => ({ call: 'a.use', arguments: { value, kept: 'as is' } });

it('sends what an earlier call saved, whole, in place of the references to it', async () => {
  const { problems, sent } = await run(
    [
      { call: 'a.start', save: { child: 'session_id', first: 'agents.0' } },
      use([{ $saved: 'first' }, { id: { $saved: 'child' } }]),
      use('{ "$saved": "child" }'),
    ],
    { session_id: 'it', agents: [{ $saved: 'child' }] },
  );
  expect(problems).toEqual([null, null, null]);
  expect(sent.slice(1)).toEqual([
    { value: [{ $saved: 'child' }, { id: 'it' }], kept: 'as is' },
    { value: '{ "$saved": "child" }', kept: 'as is' },
  ]);
});

it('sends the value that was saved last', async () => {
  const start = { call: 'a.start', save: { child: 'id' } };
  const { sent } = await run([start, start, use({ $saved: 'child' })], { id: 1 }, { id: null });
  expect(sent[2]).toEqual({ value: null, kept: 'as is' });
});

it.each([
  ['a.b', { a: 'text' }],
  ['a.1', { a: [1] }],
  ['a.length', { a: [1] }],
  ['a.01', { a: [1, 2] }],
  ['toString', {}],
  ['__proto__', {}],
  ['a', null],
  ['a', undefined],
])('a result without a value at %s fails the step', async (path, result) => {
  const { problems } = await run([{ call: 'a.start', save: { child: path } }], result);
  expect(problems).toEqual([`the result has no value at ${path}, to be saved as child`]);
});

it('a value that does not come fails the step, with what it was', async () => {
  const until = (equals: unknown) => ({
    call: 'a.look',
    repeat_until: { path: 'status', equals, every_seconds: 1, timeout_seconds: 0.5 },
    save: { status: 'status' },
  });
  const { problems } = await run(
    [until('done'), until({ a: 1 }), until('done')],
    { status: 'running' },
    {},
    { status: 'x'.repeat(300) },
  );
  expect(problems).toEqual([
    'the value at status did not become "done" within 0.5 s: it was "running"',
    'the value at status did not become {"a":1} within 0.5 s: the result has no such value',
    `the value at status did not become "done" within 0.5 s: it was "${'x'.repeat(199)}…`,
  ]);
});

it('a call saves from the result that has the awaited value', async () => {
  const look = {
    call: 'a.look',
    repeat_until: { path: 'status', equals: 'done', every_seconds: 0.001 },
    save: { answer: 'answer' },
  };
  const { problems, sent } = await run(
    [look, use({ $saved: 'answer' })],
    { status: 'running', answer: 'none' },
    { status: 'done', answer: 42 },
  );
  expect(problems).toEqual([null, null]);
  expect(sent).toEqual([{}, {}, { value: 42, kept: 'as is' }]);
});

it('an expected failure saves nothing and is no problem', async () => {
  const [step] = parseInstructions('{"steps":[{"call":"a.b","expect":"not_found"}]}');
  if (step === undefined || !('call' in step)) {
    throw new Error('it is no call');
  }
  const failWith = (code: string) =>
    runCall(step, { call: async () => ({ ok: false, code, message: 'm' }) }, new Map());
  expect(await failWith('not_found')).toBeNull();
  expect(await failWith('refused')).toBe('expected not_found, got refused (m)');
});
