/** The engine's events as hints, and what happens when there are none. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import type { Engine, ListedContainer } from '../../../../runtime/container/engine.ts';
import { labelKeys } from '../../../../runtime/container/names.ts';
import { watchSessions } from '../../../../runtime/container/watch-sessions.ts';
import { eventually } from '../../../support/eventually.ts';

interface Stream {
  say(labels: Record<string, string>): void;
  end(): void;
  fail(error: Error): void;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop();
  }
});

/** An engine with these sessions, whose streams the test speaks on; without `events` it has none. */
function start(sessionIds: string[], { events = true } = {}) {
  const streams: Stream[] = [];
  const hints: string[] = [];
  let lists = 0;
  const engine: Pick<Engine, 'watchContainers' | 'listContainers' | 'listVolumes'> = {
    listContainers: async () => {
      lists += 1;
      return sessionIds.map((sessionId): ListedContainer => {
        return { id: 'x', name: 'agent', sessionId, installation: 'mine', attempt: 'a', state: 'running' };
      });
    },
    listVolumes: async () => [],
    watchContainers: (_label, { onOpen, onEvent }) =>
      new Promise((resolve, reject) => {
        if (!events) {
          reject(new Error('events are not supported'));
          return;
        }
        onOpen();
        streams.push({ say: onEvent, end: resolve, fail: reject });
      }),
  };
  stops.push(watchSessions(engine, 'mine', (id) => hints.push(id), pino({ level: 'silent' })));
  const stream = (number: number) =>
    eventually(() => {
      const found = streams[number];
      if (found === undefined) {
        throw new Error(`stream ${number} is not open`);
      }
      return found;
    });
  return { hints, stream, lists: () => lists };
}

const labels = (session: string, installation = 'mine') => ({
  [labelKeys.session]: session,
  [labelKeys.installation]: installation,
});

describe('the watch of the sessions on an engine', () => {
  it('names the session of each event, and no session of another installation', async () => {
    const { hints, stream } = start([]);
    const [one, foreign] = [randomUUID(), randomUUID()];
    const { say } = await stream(0);
    say(labels(foreign, 'other'));
    say(labels('no-uuid'));
    say({});
    say(labels(one));
    expect(hints).toEqual([one]);
  });

  it.each(['end', 'fail'] as const)(
    'names every session after the stream was interrupted (%s)',
    async (how) => {
      const [one, two] = [randomUUID(), randomUUID()];
      const { hints, stream } = start([one, two]);
      const first = await stream(0);
      await eventually(() => expect(hints).toEqual(expect.arrayContaining([one, two])));
      hints.length = 0;
      first[how](new Error('ECONNRESET'));
      const second = await stream(1);
      await eventually(() => expect(hints).toEqual(expect.arrayContaining([one, two])));
      hints.length = 0;
      second.say(labels(two));
      expect(hints).toContain(two);
    },
  );

  it('asks for all sessions again and again when the engine has no events', async () => {
    const one = randomUUID();
    const { hints, lists } = start([one], { events: false });
    await eventually(() => expect(lists()).toBeGreaterThan(3));
    expect(hints.length).toBeGreaterThan(3);
    expect(new Set(hints)).toEqual(new Set([one]));
  });
});
