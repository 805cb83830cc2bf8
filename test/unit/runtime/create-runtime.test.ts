import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createRuntime, type Driver } from '../../../runtime/create-runtime.ts';
import type { LaunchSecrets } from '../../../runtime/workload.ts';

const secrets: LaunchSecrets = {
  agentEnv: {},
  serverEnv: {},
  siblingEnv: {},
  registryCredentials: {},
  sidecar: { internal_token: 't', control_key: 'k' },
};

/** A driver whose starts end when they are given up, and which notes what it is asked. */
function noting(start: (signal: AbortSignal) => Promise<unknown>) {
  const asked: string[] = [];
  const driver: Driver<{ sessionId: string }> = {
    name: 'process',
    render: ({ session_id }) => ({ sessionId: session_id }),
    async start({ sessionId }, _, signal) {
      asked.push(`start ${sessionId}`);
      await start(signal);
    },
    async stop(sessionId) {
      asked.push(`stop ${sessionId}`);
    },
    inspect: async () => ({ state: 'absent' }),
    watch: () => () => undefined,
    sidecarHost: async () => null,
    logs: async (_, container) => `of ${container}`,
    list: async () => [],
  };
  return { runtime: createRuntime(driver), asked, driver };
}

const untilGivenUp = (signal: AbortSignal) =>
  once(signal, 'abort').then(() => {
    throw signal.reason;
  });

describe('what every runtime does around its driver', () => {
  it('aborts a running start, and queued ones, before the session is stopped', async () => {
    const { runtime, asked } = noting(untilGivenUp);
    const first = runtime.start({ sessionId: 'a' }, secrets);
    const second = runtime.start({ sessionId: 'a' }, secrets);
    // The first one has its turn by then.
    await Promise.resolve();
    await Promise.all([
      expect(first).rejects.toThrow('being stopped'),
      expect(second).rejects.toThrow('being stopped'),
      runtime.stop('a'),
    ]);
    expect(asked).toEqual(['start a', 'stop a']);
  });

  it('can restart what was stopped, and does not affect other sessions', async () => {
    const { runtime, asked } = noting(async (signal) => expect(signal.aborted).toBe(false));
    await runtime.stop('a');
    await Promise.all([runtime.start({ sessionId: 'a' }, secrets), runtime.stop('b')]);
    await runtime.start({ sessionId: 'b' }, secrets);
    expect(asked).toEqual(expect.arrayContaining(['start a', 'start b']));
  });

  it('aborts with its caller, whose reason it throws, and does not call the driver when already aborted', async () => {
    const { runtime, asked } = noting(untilGivenUp);
    const caller = new AbortController();
    const starting = runtime.start({ sessionId: 'a' }, secrets, caller.signal);
    await Promise.resolve();
    caller.abort(new Error('the activity was cancelled'));
    await expect(starting).rejects.toThrow('the activity was cancelled');
    asked.length = 0;
    await expect(runtime.start({ sessionId: 'a' }, secrets, caller.signal)).rejects.toThrow('cancelled');
    expect(asked).toEqual([]);
  });

  it('hints at no change of a session that it starts or stops itself', async () => {
    const hints: string[] = [];
    let hint = (_sessionId: string) => {};
    const { runtime, driver } = noting(async () => hint('a'));
    driver.watch = (onChange) => {
      hint = onChange;
      return () => undefined;
    };
    driver.stop = async () => hint('a');
    runtime.watch((sessionId) => hints.push(sessionId));
    await runtime.start({ sessionId: 'a' }, secrets);
    await runtime.stop('a');
    expect(hints).toEqual([]);
    hint('a');
    await runtime.start({ sessionId: 'b' }, secrets);
    expect(hints).toEqual(['a', 'a']);
  });

  it('reads the output of containers only, by names that are safe in a path and a query', async () => {
    const { runtime } = noting(async () => undefined);
    expect(await runtime.logs('a', 'mcp-files', 10)).toBe('of mcp-files');
    for (const name of ['', '../state', 'a/b', 'A', 'a b', 'a?b', 'a.b', 'a\n']) {
      await expect(runtime.logs('a', name, 10)).rejects.toThrow('must be the name of a container');
    }
  });
});
