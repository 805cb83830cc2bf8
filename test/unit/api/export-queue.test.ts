/**
 * Batches of exports share three places: neither a user with many workspaces nor a workspace with
 * many admins has all of them.
 */
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createExportQueue } from '../../../api/audit-events/export-queue.ts';

const page = { items: [], nextCursor: null };

/** Begins a batch of one export in each place; those that are read wait until they are let go. */
function startExports() {
  const readerOf = createExportQueue();
  const read: string[] = [];
  const held: (() => void)[] = [];
  return {
    read,
    async begin(userId: string, ...workspaceIds: string[]): Promise<void> {
      for (const workspaceId of workspaceIds) {
        const response = Object.assign(new EventEmitter(), { destroyed: false });
        void readerOf({ userId, workspaceId, response })(() => {
          read.push(`${userId} ${workspaceId}`);
          return new Promise((resolve) => held.push(() => resolve(page)));
        });
      }
      await setImmediate();
    },
    async letOneGo(): Promise<void> {
      held.shift()?.();
      await setImmediate();
    },
  };
}

it('a user has two of three, however many workspaces they export', async () => {
  const { read, begin, letOneGo } = startExports();
  await begin('ada', 'a', 'b', 'c', 'd');
  expect(read).toEqual(['ada a', 'ada b']);
  await begin('max', 'x');
  expect(read.slice(2)).toEqual(['max x']);
  await letOneGo();
  expect(read.slice(3)).toEqual(['ada c']);
});

it('a workspace has one, whoever exports it', async () => {
  const { read, begin, letOneGo } = startExports();
  await begin('ada', 'a', 'a');
  await begin('max', 'a', 'x');
  expect(read).toEqual(['ada a', 'max x']);
  await letOneGo();
  expect(read.slice(2)).toEqual(['ada a']);
});
