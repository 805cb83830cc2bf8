/** What counts as shown to the agent, when a list is whole, and what is reported of it. */
import { setImmediate as loopTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { maxShown, type ToolListReport, toolListLimits } from '../../../../contract/tool-definitions.ts';
import { definitionOf } from '../../../../sidecar/tool-lists/definition.ts';
import {
  type ConnectionLists,
  createToolLists,
  type ToolLists,
} from '../../../../sidecar/tool-lists/tool-lists.ts';
import { eventually } from '../../../support/eventually.ts';

let reports: ToolListReport[];
let failures: Error[];
let lists: ToolLists;
let connection: ConnectionLists;

beforeEach(() => {
  reports = [];
  failures = [];
  lists = createToolLists({
    server: 'files',
    refusesChanges: true,
    api: {
      async reportToolList(report) {
        await loopTurn();
        const failure = failures.shift();
        if (failure !== undefined) {
          throw failure;
        }
        reports.push(report);
      },
    },
    logger: pino({ level: 'silent' }),
  });
  connection = lists.connect();
});

afterEach(() => lists.close(1000));

const tool = (name: string, description = 'does it') => ({ name, description, inputSchema: {} });
const list = (
  tools: unknown[],
  { cursor, nextCursor }: { cursor?: string; nextCursor?: string | null } = {},
) => connection.answered({ method: 'tools/list', cursor }, { tools, nextCursor });
const settled = () => lists.close(1000);
const until = (isSo: () => boolean) => eventually(() => expect(isSo()).toBe(true));
const namesOf = (report: ToolListReport | undefined) => report?.tools.map(({ name }) => name);

describe('a list', () => {
  it('is whole with its last page, however many it has', async () => {
    await list([tool('a')], { nextCursor: '2' });
    expect(connection.hasShown('a')).toBe(false);
    await list([tool('b')], { cursor: '2', nextCursor: '3' });
    await list([tool('c')], { cursor: '3' });
    expect(['a', 'b', 'c', 'd'].map((name) => connection.hasShown(name))).toEqual([true, true, true, false]);
    await settled();
    expect(reports.map(({ is_complete }) => is_complete)).toEqual([true]);
    expect(namesOf(reports[0])).toEqual(['a', 'b', 'c']);
  });

  it('is not whole when it begins in the middle, or with pages of two lists', async () => {
    await list([tool('z')], { cursor: '2' });
    await list([tool('a')], { nextCursor: '2' });
    await list([tool('b')], { cursor: 'another' });
    expect(connection.hasShown('a')).toBe(false);
    await settled();
    expect(reports.map(({ is_complete }) => is_complete)).toEqual([false, false, false]);
  });

  it('counts for its own connection', async () => {
    await list([tool('a')]);
    connection = lists.connect();
    expect(connection.hasShown('a')).toBe(false);
    await list([]);
    // Shown on an earlier connection of the session.
    expect(connection.hasShown('a')).toBe(true);
  });

  it('is reported with the instructions, and again only when it differs', async () => {
    await connection.answered({ method: 'initialize' }, { instructions: 'Be kind' });
    await list([tool('a')]);
    await list([tool('a')]);
    await list([tool('a', 'does something else')]);
    await settled();
    expect(reports).toHaveLength(2);
    expect(reports[0]).toMatchObject({ server: 'files', instructions: definitionOf('Be kind') });
  });

  it('is reported in part when the connection ends, or when a call is checked', async () => {
    await list([tool('a')], { nextCursor: '2' });
    expect(reports).toEqual([]);
    await lists.shown('a');
    expect(reports).toMatchObject([{ is_complete: false }]);
    await list([tool('b')], { cursor: '2', nextCursor: '3' });
    connection.close();
    await settled();
    expect(namesOf(reports[1])).toEqual(['a', 'b']);
  });

  it('is reported again when the platform did not take it', async () => {
    failures.push(new Error('not now'));
    await list([tool('a')]);
    await settled();
    await list([tool('a')]);
    await settled();
    expect(reports).toHaveLength(1);
  });

  it('is never whole beyond the limit of tools', async () => {
    const many = Array.from({ length: toolListLimits.tools + 1 }, (_, at) => tool(`t${at}`));
    await list(many);
    expect(connection.hasShown('t0')).toBe(false);
    await settled();
    expect(reports[0]).toMatchObject({ is_complete: false });
    expect(reports[0]?.tools).toHaveLength(toolListLimits.tools);
  });

  it('is reported with every digest, and as much text as there is room for', async () => {
    const long = 'x'.repeat(toolListLimits.textCharacters);
    await list(Array.from({ length: 40 }, (_, at) => tool(`t${at}`, long)));
    await settled();
    const texts = (reports[0]?.tools ?? []).map(({ text }) => text.length);
    expect(texts).toHaveLength(40);
    expect(texts.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(
      toolListLimits.reportTextBytes,
    );
    expect(reports[0]?.tools.at(-1)).toMatchObject({ text: '', is_cut: true });
  });
});

describe('a server that does not want a list to be reported', () => {
  const bytesOf = (report: ToolListReport | undefined) => Buffer.byteLength(JSON.stringify(report));
  /** What the API takes of a body by default. */
  const bodyBytes = 1024 * 1024;

  it('cannot make a report larger than the platform takes, with long texts or names', async () => {
    await list(Array.from({ length: 40 }, (_, at) => tool(`t${at}`, '\u4e00'.repeat(20_000))));
    const name = (at: number) => `${at}`.padEnd(toolListLimits.nameCharacters, '\u4e00');
    await list(Array.from({ length: toolListLimits.tools }, (_, at) => tool(name(at), '"'.repeat(1000))));
    await settled();
    expect(reports.map(bytesOf).filter((bytes) => bytes > bodyBytes)).toEqual([]);
    const names = new Set(reports.flatMap((report) => report.tools.map((each) => each.name)));
    expect(names.size).toBe(40 + toolListLimits.tools);
  });

  it('cannot hide a tool behind as many as one report takes', async () => {
    const many = Array.from({ length: toolListLimits.tools }, (_, at) => tool(`t${at}`));
    await list([...many, tool('t0', 'poison')]);
    await settled();
    expect(JSON.stringify(reports)).toContain('poison');
    expect(reports.map(({ is_complete }) => is_complete)).toEqual([false, false]);
  });

  it('cannot hide one behind a name that no call can have', async () => {
    const names = ['', 'x'.repeat(toolListLimits.nameCharacters + 1), 'a\nb', '\ud800', 7, undefined];
    await list([
      tool('a'),
      ...names.map((name, at) => ({ name, description: `poison ${at}` })),
      'poison text',
    ]);
    await settled();
    for (const poison of [...names.map((_, at) => `poison ${at}`), 'poison text']) {
      expect(JSON.stringify(reports)).toContain(poison);
    }
  });

  it('cannot keep a list from ever being whole with an empty cursor, which clients take for the end', async () => {
    await list([tool('a')], { nextCursor: '' });
    expect(connection.hasShown('a')).toBe(true);
    await until(() => reports.length === 1);
    expect(reports).toMatchObject([{ is_complete: true }]);
  });

  it.each([
    ['an empty cursor', ''],
    ['a cursor that comes again', 'x'],
  ])('is one list with the pages that the agent asks for: %s', async (_what, nextCursor) => {
    await list([tool('a')], { nextCursor });
    await list([tool('b')], { cursor: nextCursor, nextCursor });
    await settled();
    expect(reports).toMatchObject([{ is_complete: true, tools: [{ name: 'a' }, { name: 'b' }] }]);
    expect(connection.hasShown('b')).toBe(true);
    await list([tool('c')], { cursor: nextCursor, nextCursor });
    await until(() => reports.length === 2);
    expect(reports[1]).toMatchObject({ is_complete: false, tools: [{ name: 'c' }] });
  });

  it('ends with a cursor of null', async () => {
    await list([tool('a')], { nextCursor: null });
    await settled();
    expect(reports).toMatchObject([{ is_complete: true }]);
  });

  it('is not whole when a cursor is too long to be followed', async () => {
    await list([tool('a')], { nextCursor: 'x'.repeat(5000) });
    await settled();
    expect(reports).toMatchObject([{ is_complete: false }]);
    expect(connection.hasShown('a')).toBe(false);
  });

  it('cannot delay it by a page that is never asked for', async () => {
    await list([tool('a')]);
    await list([tool('a', 'poison')], { nextCursor: '2' });
    await until(() => reports.length === 2);
    expect(reports[1]).toMatchObject({ is_complete: false, tools: [{ name: 'a' }] });
  });

  it('cannot say something to an agent that gets no list after it', async () => {
    await connection.answered({ method: 'initialize' }, { instructions: 'one' });
    await connection.answered({ method: 'initialize' }, { instructions: 'two' });
    await until(() => reports.length === 2);
    expect(reports.map(({ instructions }) => instructions?.text)).toEqual(['"one"', '"two"']);
  });

  it('cannot crowd it out with lists that are known', async () => {
    await list([tool('a'), tool('b'), tool('c')]);
    for (let at = 0; at < 100; at += 1) {
      await list(at % 2 === 0 ? [tool('a')] : [tool('b'), tool('c')]);
    }
    await list([tool('a', 'poison')]);
    await list([tool('a')]);
    await settled();
    expect(reports).toHaveLength(2);
    expect(JSON.stringify(reports[1])).toContain('poison');
  });
});

describe('what was shown of a tool', () => {
  it('is every definition of it in the session, and all instructions', async () => {
    await connection.answered({ method: 'initialize' }, { instructions: 'one' });
    await list([tool('a', 'first'), tool('b')]);
    connection = lists.connect();
    await connection.answered({ method: 'server/discover' }, { instructions: 'two' });
    await list([tool('a', 'second')]);
    await list([tool('a', 'first')]);
    const shown = await lists.shown('a');
    expect(shown?.tool).toHaveLength(2);
    expect(shown?.instructions).toEqual([definitionOf('one').digest, definitionOf('two').digest]);
  });

  it('is nothing for one that was not listed', async () => {
    await list([tool('a')]);
    expect(await lists.shown('b')).toEqual({ tool: [], instructions: [] });
  });

  it('is nothing when there are more definitions than a check takes', async () => {
    for (let at = 0; at <= maxShown; at += 1) {
      await list([tool('a', `${at}`), tool('b')]);
    }
    expect(connection.hasShown('a')).toBe(false);
    expect(await lists.shown('a')).toEqual({ tool: [], instructions: [] });
    expect(connection.hasShown('b')).toBe(true);
  });

  it('waits until the platform has the list', async () => {
    await list([tool('a')]);
    expect(reports).toEqual([]);
    await lists.shown('a');
    expect(reports).toHaveLength(1);
  });
});
