import { PassThrough } from 'node:stream';
import { afterEach, expect, it, jest } from '@jest/globals';
import { withinSilence } from '../../../../lib/outbound/within-silence.ts';
import { loopTurns } from '../../../support/loop-turns.ts';

afterEach(() => void jest.useRealTimers());

const late = new Error('late');
/** Time stands still, and streams flow. */
const withTurns = { doNotFake: ['nextTick' as const, 'setImmediate' as const, 'queueMicrotask' as const] };
const textOf = async (chunks: AsyncIterable<Buffer>) => {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk.toString();
  }
  return text;
};

it('a body that speaks within the limit is read to its end, however long it takes', async () => {
  const body = new PassThrough();
  jest.useFakeTimers(withTurns);
  const reading = textOf(withinSilence(body, 10_000, late));
  for (const piece of ['a', 'b', 'c']) {
    await loopTurns();
    jest.advanceTimersByTime(9000);
    body.write(piece);
  }
  body.end();
  expect(await reading).toBe('abc');
});

it('a silent one is destroyed', async () => {
  const body = new PassThrough();
  body.write('a');
  await expect(textOf(withinSilence(body, 20, late))).rejects.toBe(late);
  expect(body.destroyed).toBe(true);
});

it('the time that the reader takes does not count', async () => {
  jest.useFakeTimers(withTurns);
  const body = new PassThrough();
  body.end('a');
  const chunks = withinSilence(body, 20, late);
  expect((await chunks.next()).value?.toString()).toBe('a');
  jest.advanceTimersByTime(60);
  expect(await chunks.next()).toMatchObject({ done: true });
});

it('one that is no longer read is destroyed, and one that fails throws its error', async () => {
  const body = new PassThrough();
  body.write('a');
  for await (const _chunk of withinSilence(body, 10_000, late)) {
    break;
  }
  expect(body.destroyed).toBe(true);
  const failing = new PassThrough();
  failing.destroy(new Error('its own'));
  await expect(textOf(withinSilence(failing, 10_000, late))).rejects.toThrow('its own');
});
