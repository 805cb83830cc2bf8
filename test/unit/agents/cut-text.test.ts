import { expect, it } from '@jest/globals';
import { cutText } from '../../../agents/scripted/cut-text.ts';

it('a text that is cut inside a character stays one that can be stored', () => {
  expect(cutText('a😀b', 2)).toBe('a\ufffd');
  expect(cutText('a😀b', 3)).toBe('a😀');
  expect(cutText('ab', 3)).toBe('ab');
});
