import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import * as z from 'zod';
import { Proven } from './proven.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proven-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = (rule = 'a rule') => new Proven<number[]>('lines', [rule], directory);
const look = (proven: Proven<number[]>, ...texts: string[]) => proven.evidence(texts, z.array(z.int()));

it('knows what was kept, and neither other content nor what was not kept', () => {
  const first = open();
  expect(look(first, 'a', 'b')).toBeUndefined();
  first.keep(['a', 'b'], [3]);
  first.save();
  const second = open();
  expect(look(second, 'a', 'b')).toEqual([3]);
  expect(look(second, 'a', 'c')).toBeUndefined();
  expect(look(second, 'ab')).toBeUndefined();
  expect(look(second, 'a', 'b', '')).toBeUndefined();
});

it('knows nothing once a rule has changed', () => {
  const first = open();
  first.keep(['a'], [1]);
  first.save();
  expect(look(open('another rule'), 'a')).toBeUndefined();
  expect(look(open(), 'a')).toEqual([1]);
});

it('keeps what another clone has proven meanwhile', () => {
  const [one, other] = [open(), open()];
  one.keep(['a'], [1]);
  other.keep(['b'], [2]);
  one.save();
  other.save();
  expect(['a', 'b', 'c'].map((text) => look(open(), text))).toEqual([[1], [2], undefined]);
});
