/** What a session's containers are doing, by the engine's word on each. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { InspectedContainer } from '../../../../runtime/container/engine.ts';
import { inspectSession } from '../../../../runtime/container/inspect-session.ts';

/**
 * Containers as the engine lists them, and as it shows each when asked about it; null where it was removed.
 */
async function inspect(containers: Record<string, { listed: string; shown: string | null }>) {
  const sessionId = randomUUID();
  const state = await inspectSession(
    {
      listContainers: async () =>
        Object.entries(containers).map(([name, { listed }]) => ({
          ...{ id: name, name, sessionId, installation: 'mine', attempt: 'a' },
          state: listed,
        })),
      listVolumes: async () => [],
      inspectContainer: async (id): Promise<InspectedContainer | null> => {
        const status = containers[id]?.shown ?? null;
        return status === null
          ? null
          : { status, exitCode: 3, outOfMemory: false, memoryBytes: 2 ** 30, addresses: {} };
      },
    },
    { sessionId, installation: 'mine' },
  );
  return state.state === 'running' ? state.containers : state;
}

describe('the state of a session on an engine', () => {
  it('shows an end that the list does not show yet, as on Docker right after its event', async () => {
    expect(
      await inspect({
        sidecar: { listed: 'running', shown: 'running' },
        agent: { listed: 'running', shown: 'exited' },
      }),
    ).toEqual([
      { name: 'sidecar', state: 'running' },
      { name: 'agent', state: 'exited', exitCode: 3, signal: null },
    ]);
  });

  it.each([
    ['created', 'waiting'],
    ['initialized', 'waiting'],
    ['running', 'running'],
    ['paused', 'running'],
    ['stopped', 'exited'],
    ['removing', 'exited'],
  ])('calls a container that is %s %s', async (shown, state) => {
    const found = await inspect({
      sidecar: { listed: 'running', shown: 'running' },
      agent: { listed: 'running', shown },
    });
    expect(found).toContainEqual(expect.objectContaining({ name: 'agent', state }));
  });

  it('names a container that was removed after it was listed, and one that was never there', async () => {
    expect(await inspect({ agent: { listed: 'exited', shown: null } })).toEqual([
      expect.objectContaining({ name: 'agent', state: 'exited', reason: 'its container was removed' }),
      expect.objectContaining({ name: 'sidecar', state: 'exited', reason: 'its container was removed' }),
    ]);
  });
});
