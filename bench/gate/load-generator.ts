/**
 * The clients of the bench, in a process of their own: takes one order after the other from its
 * parent, and answers each.
 */

import { openDiskClient } from './disk-client.ts';
import { openHttpClient } from './http-client.ts';
import { type Client, openLineClient } from './line-client.ts';
import { type LargeContent, largeParams, paramsOf, type RequestKind, requestLine } from './messages.ts';

export interface Load {
  client: string;
  kind: RequestKind;
  sizeBytes: number;
  inFlight: number;
  durationMs: number;
  /** Ends before `durationMs` when this many calls were made. */
  maxCalls?: number;
}
/** `disk`: no peer at all, but what the disk takes for one record. */
export type Transport = 'line' | 'http' | 'disk';
export type Order =
  | { type: 'open'; client: string; transport: Transport; address: string }
  | ({ type: 'measure' } & Load)
  | { type: 'flood'; client: string; sizeBytes: number; content: LargeContent }
  | { type: 'stop' };

/** The results of one turn. */
export interface Sample {
  latenciesMs: number[];
  perSecond: number;
}
export type Answer = { ok: true; sample: Sample | null } | { ok: false; message: string };

const openByTransport = { line: openLineClient, http: openHttpClient, disk: openDiskClient };
const clients = new Map<string, Client>();
let nextId = 100_000;
let stopFlood = async () => 0;

function clientOf(name: string): Client {
  const client = clients.get(name);
  if (client === undefined) {
    throw new Error(`${name} is not open`);
  }
  return client;
}

/** Six digits, so that every line has the same length. */
function takeId(): number {
  nextId = nextId < 999_999 ? nextId + 1 : 100_000;
  return nextId;
}

async function measure({
  client: name,
  kind,
  sizeBytes,
  inFlight,
  durationMs,
  maxCalls = Number.POSITIVE_INFINITY,
}: Load): Promise<Sample> {
  const client = clientOf(name);
  const params = paramsOf(kind, sizeBytes);
  const latenciesMs: number[] = [];
  const startedMs = performance.now();
  let sent = 0;
  const sendInTurn = async () => {
    for (let from = startedMs; from - startedMs < durationMs && sent < maxCalls; ) {
      sent += 1;
      const id = takeId();
      await client.send(id, requestLine(kind, id, params));
      const now = performance.now();
      latenciesMs.push(now - from);
      from = now;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sendInTurn));
  return { latenciesMs, perSecond: (latenciesMs.length / (performance.now() - startedMs)) * 1000 };
}

/** Sends large lines until stopped, two at a time, so that the next one waits when one was answered. */
function flood(name: string, sizeBytes: number, content: LargeContent): void {
  const client = clientOf(name);
  const params = largeParams(sizeBytes, content);
  let stopped = false;
  let sent = 0;
  const sendInTurn = async () => {
    for (; !stopped; sent += 1) {
      const id = takeId();
      await client.send(id, requestLine('call', id, params));
    }
  };
  const senders = Promise.all([sendInTurn(), sendInTurn()]);
  const startedMs = performance.now();
  stopFlood = async () => {
    stopped = true;
    await senders;
    return (sent / (performance.now() - startedMs)) * 1000;
  };
  senders.catch(() => undefined);
}

async function carryOut(order: Order): Promise<Sample | null> {
  switch (order.type) {
    case 'open': {
      clients.set(order.client, await openByTransport[order.transport](order.address));
      return null;
    }
    case 'measure':
      return measure(order);
    case 'flood':
      flood(order.client, order.sizeBytes, order.content);
      return null;
    case 'stop':
      return { latenciesMs: [], perSecond: await stopFlood() };
  }
}

process.on('message', (order: Order) => {
  const send = (answer: Answer) => process.send?.(answer);
  carryOut(order).then(
    (sample) => send({ ok: true, sample }),
    (error: unknown) => send({ ok: false, message: error instanceof Error ? error.message : String(error) }),
  );
});
process.once('disconnect', () => process.exit());
