import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createTail } from '../../../../../runtime/process/packages/tail.ts';

const tailOf = (pieces: string[], maxBytes: number) =>
  createTail(Readable.from(pieces.map((each) => Buffer.from(each))), maxBytes)();

it('keeps all of what is short, without control sequences', async () => {
  expect(await tailOf(['\u001b[31mred\u001b[0m\n', 'next\u0007 line\n'], 100)).toBe('red\nnext line');
});

it('never begins within a line: the rest of a credential would not be recognised', async () => {
  const password = 'correct-horse-battery';
  const text = `password ${password}\nthe end\n`;
  for (let maxBytes = 1; maxBytes < text.length; maxBytes += 1) {
    expect('the end').toContain(await tailOf([text.slice(0, 20), text.slice(20)], maxBytes));
  }
  expect(await tailOf([text], text.length)).toContain(password);
});
