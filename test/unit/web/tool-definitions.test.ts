import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { acceptDefinitions } from '../../../contract/tool-definitions.ts';
import type { McpServer } from '../../../web/src/api/types.ts';
import { batchesOf } from '../../../web/src/pages/catalog/tools/accept-batches.ts';
import { indented, readDefinition, readPair } from '../../../web/src/pages/catalog/tools/definition-text.ts';
import {
  type Change,
  type DiffLine,
  diffLines,
  diffWords,
} from '../../../web/src/pages/catalog/tools/text-diff.ts';
import { shownVersion, versionsOf } from '../../../web/src/pages/catalog/tools/versions.ts';
import { changeText, partsOfChange, waitingText } from '../../../web/src/text/tool-change-text.ts';
import { changedToolsText, gatedText, unlistedToolsText } from '../../../web/src/text/tool-policy-text.ts';
import { checkProperty } from '../../support/property.ts';

const tool = { description: 'Writes\na file.', inputSchema: { type: 'object' }, name: 'write' };

describe('a definition', () => {
  const read = (text: string, more = {}) => readDefinition({ part: 'tool', text, is_cut: false, ...more });

  it('has its description as text, and the other fields as JSON over several lines', () => {
    expect(read(JSON.stringify(tool))).toEqual({
      prose: 'Writes\na file.',
      fields: '{\n  "inputSchema": {\n    "type": "object"\n  },\n  "name": "write"\n}',
    });
  });
  it('keeps a description that is no text, or an empty one, among the fields', () => {
    expect(read('{"description":""}')).toEqual({ prose: '', fields: '{\n  "description": ""\n}' });
    expect(read('{"description":1}')).toEqual({ prose: '', fields: '{\n  "description": 1\n}' });
  });
  it('is the text of instructions', () => {
    expect(read('"Be <b>kind</b>."', { part: 'instructions' })).toEqual({
      prose: 'Be <b>kind</b>.',
      fields: '',
    });
  });
  it('loses nothing when it was cut, or is no object', () => {
    const text = JSON.stringify(tool).slice(0, -9);
    expect(read(text, { is_cut: true })).toEqual({ prose: '', fields: indented(text) });
    expect(read('[1]').fields).toBe('[\n  1\n]');
    expect(read('no JSON').fields).toBe('no JSON');
    expect(read('"Be', { part: 'instructions', is_cut: true }).fields).toBe('"Be');
  });
  it('is compared whole with one that was cut', () => {
    const whole = { text: JSON.stringify(tool), is_cut: false };
    const cut = { text: JSON.stringify(tool).slice(0, 30), is_cut: true };
    const { before, after } = readPair('tool', whole, cut);
    expect(before).toEqual({ prose: '', fields: indented(whole.text) });
    expect(after.prose).toBe('');
  });
});

describe('JSON of which the end may be missing', () => {
  it.each([tool, { a: [1, { b: [] }], c: {}, 'd:{"': '[,\\"' }, [], 'x', null, [[1, 2], 'a\\']])(
    'is indented as whole JSON is: %j',
    (value) => expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2)),
  );
  it('is indented as far as it goes', () => {
    expect(indented('{"a":["x","y')).toBe('{\n  "a": [\n    "x",\n    "y');
    expect(indented('"a\\')).toBe('"a\\');
    expect(indented('}}')).toBe('\n}\n}');
  });
});

const textOf = (pieces: readonly DiffLine[]) =>
  pieces.map((piece) =>
    piece.change === 'skipped'
      ? `…${piece.count}`
      : `${{ same: ' ', removed: '-', added: '+' }[piece.change]}${piece.text}`,
  );

describe('a diff', () => {
  it('of words shows what was removed and added', () => {
    expect(textOf(diffWords('Reads a file.', 'Reads  a secret file.'))).toEqual([
      ' Reads',
      '- ',
      '+  ',
      ' a ',
      '+secret ',
      ' file.',
    ]);
    expect(diffWords('', 'New')).toEqual([{ change: 'added', text: 'New' }]);
    expect(diffWords('', '')).toEqual([]);
  });
  it('of words puts what was removed and added in a row together, line by line', () => {
    expect(textOf(diffWords('Returns its text.\nOnce.', 'First send keys.\nTwice.'))).toEqual([
      '-Returns its text.',
      '+First send keys.',
      ' \n',
      '-Once.',
      '+Twice.',
    ]);
    expect(textOf(diffWords('a b ', 'x b '))).toEqual(['-a', '+x', '  b ']);
  });
  it('of words sees what cannot be seen', () => {
    expect(diffWords('read', 're\u200bad').map(({ change }) => change)).toEqual(['removed', 'added']);
  });
  it('of any two texts holds both', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\u200b'), maxLength: 40 });
    checkProperty(
      fc.property(text, text, (before, after) => {
        const without = (pieces: readonly DiffLine[], change: Change, between: string) =>
          pieces
            .flatMap((piece) => (piece.change === 'skipped' || piece.change === change ? [] : [piece.text]))
            .join(between);
        const words = diffWords(before, after);
        expect(without(words, 'added', '')).toBe(before);
        expect(without(words, 'removed', '')).toBe(after);
        // All lines of equal texts are left out.
        fc.pre(before !== after);
        const lines = diffLines(before, after, Number.POSITIVE_INFINITY);
        expect(without(lines, 'added', '\n')).toBe(before);
        expect(without(lines, 'removed', '\n')).toBe(after);
      }),
    );
  });
  it('of lines leaves out what is far from a change', () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}`);
    const changed = lines.with(10, 'other');
    expect(textOf(diffLines(lines.join('\n'), changed.join('\n')))).toEqual([
      '…7',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+other',
      ' line 11',
      ' line 12',
      ' line 13',
      '…6',
    ]);
    expect(diffLines(lines.join('\n'), changed.join('\n'), Number.POSITIVE_INFINITY)).toHaveLength(21);
    expect(diffLines('a\nb', 'a\nb')).toEqual([{ change: 'skipped', count: 2 }]);
    expect(textOf(diffLines('', 'a'))).toEqual(['+a']);
  });
  it('of texts that have little in common is quick, and whole', () => {
    const text = (first: number) => Array.from({ length: 8000 }, (_, at) => first + 2 * at).join('\n');
    const [before, after] = [text(0), text(1)];
    const lines = diffLines(before, after);
    expect(lines).toHaveLength(16_000);
    expect(lines[0]).toEqual({ change: 'removed', text: '0' });
    expect(lines.at(-1)).toEqual({ change: 'added', text: '15999' });
  });
});

describe('what is accepted together', () => {
  it('is sent in requests that the API takes', () => {
    const ids = Array.from({ length: 1001 }, () => crypto.randomUUID());
    const batches = batchesOf(ids);
    expect(batches.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(batches.flat()).toEqual(ids);
    for (const batch of batches) {
      expect(acceptDefinitions.safeParse({ ids: batch }).success).toBe(true);
    }
    expect(batchesOf([])).toEqual([]);
  });
});

describe('the version whose tools are shown', () => {
  it.each([
    [null, 3],
    ['2', 2],
    ['4', 3],
    ['0', 3],
    ['x', 3],
    ['1.5', 3],
  ])('%s is %i of 3', (given, version) => expect(shownVersion(given, 3)).toBe(version));
  it('is one of the last ten, or the one that was asked for', () => {
    expect(versionsOf(2, 2)).toEqual([2, 1]);
    expect(versionsOf(12, 12)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    expect(versionsOf(1, 12).at(-1)).toBe(1);
  });
});

describe('what changed of the tools', () => {
  const none = { new_tools: [], changed_tools: [], more_tools: 0, instructions_changed: false };

  it('is named by kind', () => {
    const change = { ...none, new_tools: ['a', 'b'], changed_tools: ['c'], more_tools: 3 };
    expect(changeText(change)).toBe('new a, b; changed c; 3 more');
    expect(partsOfChange({ ...none, instructions_changed: true })).toEqual([
      { label: 'its instructions', tools: [] },
    ]);
    expect(changeText(none)).toBe('');
  });
  it('is counted while it waits', () => {
    expect(waitingText(1)).toBe('1 definition waits for an admin');
    expect(waitingText(2)).toBe('2 definitions wait for an admin');
  });
});

describe('what an entry says of its tools', () => {
  const entry = (more: Partial<McpServer>) => ({
    manifest: { env: {}, tool_scopes: {} },
    unlisted_tools: 'allow' as const,
    listed_tools: [],
    ...more,
  });

  it('is that those without a scope are open, or only those that are listed', () => {
    expect(unlistedToolsText(entry({}))).toBe('open');
    expect(unlistedToolsText(entry({ unlisted_tools: 'refuse' }))).toBe('cannot be called');
    expect(unlistedToolsText(entry({ unlisted_tools: 'refuse', listed_tools: ['a', 'b'] }))).toBe(
      'cannot be called, but for a, b',
    );
  });
  it('is what happens to changed ones', () => {
    expect(changedToolsText('tell')).toMatch(/told/);
    expect(changedToolsText('refuse')).toMatch(/refused until an admin/);
  });
  it('warns only where every tool is open', () => {
    expect(gatedText(entry({}))).toEqual({ text: 'none', isOpen: true });
    const manifest = { env: {}, tool_scopes: { write: 'files.write' } };
    expect(gatedText(entry({ manifest }))).toEqual({ text: '1', isOpen: false });
    expect(gatedText(entry({ unlisted_tools: 'refuse', listed_tools: ['a'] }))).toEqual({
      text: '0, and 1 listed',
      isOpen: false,
    });
  });
});
