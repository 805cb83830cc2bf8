/** What an agent does to exhaust what all share, as texts that it runs. */
import type { Kit } from '../inside/kit.ts';

/** Calls tools that do not exist on every connection that it can get, and a gated one in between. */
export const loopCalls = async (
  kit: Kit,
  _target: unknown,
  { seconds }: { seconds: number },
): Promise<{ made: number; refused: number; probe: string }> => {
  const names = ['vault', 'files', ...Array.from({ length: 6 }, () => 'platform')];
  const wires = await Promise.all(names.map((name) => kit.openServer(name)));
  const endsAt = Date.now() + seconds * 1000;
  let made = 0;
  const loop = async (wire: Awaited<ReturnType<typeof kit.openServer>>, untilMs: number) => {
    for (let round = 0; Date.now() < untilMs && !wire.isClosed(); round += 1) {
      const ids = Array.from({ length: 20 }, (_, index) => `${round}-${index}`);
      wire.send(...ids.map((id) => kit.call(id, `unknown-${made}-${id}`)));
      made += ids.length;
      await wire.answer(ids.at(-1), 15_000);
    }
  };
  const [vault, ...others] = wires;
  const flood = Promise.all(others.map((wire) => loop(wire, endsAt)));
  let probe = 'not made';
  if (vault !== undefined) {
    await loop(vault, endsAt - seconds * 300);
    vault.send(kit.call('probe', 'open', { mark: 'hidden' }));
    probe = JSON.stringify(await vault.answer('probe', 60_000));
  }
  await flood;
  const answers = wires.flatMap(({ received }) => received).map((message) => JSON.stringify(message));
  for (const wire of wires) {
    wire.close();
  }
  return {
    made,
    refused: answers.filter((text) => text.includes('too_many_calls')).length,
    probe: /"code\\*":\\*"(\w+)/.exec(probe)?.[1] ?? probe,
  };
};

/**
 * Repeats as many concurrent uploads as its sidecar has connections for; returns the count of each status.
 */
export const uploadAtOnce = async (
  kit: Kit,
  _target: unknown,
  { seconds, sizeBytes }: { seconds: number; sizeBytes: number },
): Promise<Record<string, number>> => {
  const endsAt = Date.now() + seconds * 1000;
  const said: Record<string, number> = {};
  const file = Buffer.alloc(sizeBytes, 7);
  const upload = async () => {
    while (Date.now() < endsAt) {
      const path = '/artifact?name=flood&mime_type=x/y';
      const { status } = await kit.request(
        { socketPath: kit.sidecar, method: 'POST', path, body: file },
        60_000,
      );
      said[status] = (said[status] ?? 0) + 1;
      await kit.sleep(50);
    }
  };
  // One of its sidecar's 32 connections is for messages to the agent.
  await Promise.all(Array.from({ length: 31 }, upload));
  return said;
};

/**
 * Sends its human 50 blocking questions; returns how many are still pending after a while,
 * and how many were refused.
 */
export const waitOften = async (
  kit: Kit,
  _target: unknown,
  { seconds }: { seconds: number },
): Promise<{ waiting: number; refused: number }> => {
  const wire = await kit.openServer('platform');
  for (let index = 0; index < 50; index += 1) {
    wire.send(kit.call(index, 'request_input', { prompt: `question ${index}`, wait_seconds: 300 }));
  }
  await kit.sleep(seconds * 1000);
  const answers = wire.received.filter((message) => typeof message['id'] === 'number');
  const refused = answers.filter((message) => JSON.stringify(message).includes('rate_limited')).length;
  wire.close();
  return { waiting: 50 - answers.length, refused };
};

/**
 * What an honest agent does, repeatedly: a gated call is refused, it asks and waits for its human, and the
 * call passes. Returns how long each round took, or what went wrong.
 */
export const askAndCall = async (
  kit: Kit,
  _target: unknown,
  { seconds, leastRounds }: { seconds: number; leastRounds: number },
): Promise<{ roundsMs: number[]; wrong: string[] }> => {
  const endsAt = Date.now() + seconds * 1000;
  const [vault, platform] = [await kit.openServer('vault'), await kit.openServer('platform')];
  const roundsMs: number[] = [];
  const wrong: string[] = [];
  const ask = { grant_type: 'tool_scope', details: { scope: 'vault.open' }, scope: 'once', wait_seconds: 60 };
  for (let round = 0; Date.now() < endsAt || roundsMs.length < leastRounds; round += 1) {
    const startedMs = performance.now();
    vault.send(kit.call(`refused-${round}`, 'open'));
    const refused = JSON.stringify(await vault.answer(`refused-${round}`, 60_000));
    platform.send(kit.call(`ask-${round}`, 'request_permission', { ...ask, justification: 'please' }));
    const decided = JSON.stringify(await platform.answer(`ask-${round}`, 60_000));
    vault.send(kit.call(`passes-${round}`, 'open', { mark: `round ${round}` }));
    const passed = JSON.stringify(await vault.answer(`passes-${round}`, 60_000));
    roundsMs.push(performance.now() - startedMs);
    const isRight =
      refused.includes('permission_required') && decided.includes('approved') && !passed.includes('code');
    if (!isRight) {
      wrong.push(`${refused} ${decided} ${passed}`);
      break;
    }
  }
  vault.close();
  platform.close();
  return { roundsMs, wrong };
};

/**
 * Sends thousands of requests ahead of the first answer, on one connection after the other,
 * until `stopSendingAhead`.
 */
export const startSendingAhead = async (kit: Kit): Promise<string> => {
  const body = JSON.stringify({ type: 'agent.status', payload: { status: 'x' } });
  const head = `POST /event HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
  const all = (head + body).repeat(5000);
  const attack = { isOver: false, connections: 0 };
  Object.assign(globalThis, { ahead: attack });
  const send = () => {
    const socket = kit.net.connect(kit.sidecar).on('error', () => undefined);
    socket.once('close', async () => {
      attack.connections += 1;
      await kit.sleep(50);
      if (!attack.isOver) {
        send();
      }
    });
    socket.resume().write(all);
  };
  send();
  return 'started';
};

/** Returns how many connections were closed. */
export const stopSendingAhead = (): number => {
  const { ahead } = globalThis as typeof globalThis & { ahead: { isOver: boolean; connections: number } };
  ahead.isOver = true;
  return ahead.connections;
};
