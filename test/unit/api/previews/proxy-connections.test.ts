import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createProxyConnections } from '../../../../api/previews/proxy-connections.ts';
import { eventually } from '../../../support/eventually.ts';

const connection = (label: string, previewId = 'p', userId = 'u', workspaceId = 'w') => ({
  ...{ label, previewId, userId, workspaceId },
  address: 'http://127.0.0.1:1',
});

afterEach(() => void jest.useRealTimers());

describe('open connections', () => {
  it('end when they may no longer be open, or when that cannot be found out', async () => {
    const asked: string[] = [];
    const connections = createProxyConnections(async (label) => {
      asked.push(label);
      if (label === 'unknown') {
        throw new Error('the database does not answer');
      }
      return label === 'open';
    }, 20);
    const ended: string[] = [];
    const leaves = ['open', 'closed', 'unknown', 'closed'].map((label, at) =>
      connections.enter(connection(label), () => ended.push(`${label} ${at}`)),
    );
    await eventually(() => expect(ended.slice(0, 3)).toEqual(['closed 1', 'unknown 2', 'closed 3']));
    // Once for all of one opening.
    expect(asked.slice(0, 3)).toEqual(['open', 'closed', 'unknown']);
    for (const leave of leaves) {
      leave();
    }
    expect(ended.filter((each) => each.startsWith('open'))).toEqual([]);
  });

  it('that left are not ended, and nothing is asked when none is open', async () => {
    jest.useFakeTimers();
    let asked = 0;
    let answer: (is: boolean) => void = () => undefined;
    const connections = createProxyConnections(() => {
      asked += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    }, 10);
    let ended = false;
    const leave = connections.enter(connection('a'), () => {
      ended = true;
    });
    await jest.advanceTimersByTimeAsync(10);
    expect(asked).toBe(1);
    leave();
    answer(false);
    await jest.advanceTimersByTimeAsync(50);
    expect({ ended, asked }).toEqual({ ended: false, asked: 1 });
    connections.enter(connection('b'), () => undefined)();
    await jest.advanceTimersByTimeAsync(50);
    expect(asked).toBe(1);
  });

  it('have a limit for each preview, person and workspace, and for all, and a refusal takes no place', () => {
    const connections = createProxyConnections(async () => true);
    const enter = (
      preview: number,
      { user = Math.floor(preview / 2), workspace = Math.floor(preview / 4) } = {},
    ) => {
      const asked = connection('a', `p${preview}`, `u${user}`, `w${workspace}`);
      return () => connections.enter(asked, () => undefined);
    };
    const leaves = [];
    for (let preview = 0; preview < 8; preview += 1) {
      for (let count = 0; count < 32; count += 1) {
        leaves.push(enter(preview)());
      }
      if (preview === 0) {
        expect(enter(0, { user: 9 })).toThrow(
          'The limit is 32 connections to services of previews per preview',
        );
        expect(enter(0, { user: 9 })).toThrow();
      }
      if (preview === 1) {
        expect(enter(2, { user: 0 })).toThrow(
          'The limit is 64 connections to services of previews per visitor',
        );
      }
      if (preview === 3) {
        expect(enter(9, { workspace: 0 })).toThrow(
          'The limit is 128 connections to services of previews per workspace',
        );
      }
    }
    const more = enter(8);
    expect(more).toThrow('The limit is 256 connections to services of previews of all users');
    leaves[0]?.();
    leaves[0]?.();
    const last = more();
    expect(more).toThrow();
    last();
    expect(more).not.toThrow();
  });
});
