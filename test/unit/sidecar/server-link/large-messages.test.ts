/**
 * Messages that take much memory once they are parsed: a session holds few of them, on
 * however many connections.
 */
import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createByteBudget } from '../../../../lib/limits/byte-budget.ts';
import { type AgentLine, readAgentLines } from '../../../../sidecar/server-link/agent-lines.ts';
import { eventually } from '../../../support/eventually.ts';
import { loopTurns } from '../../../support/loop-turns.ts';
import { createLedger } from './create-ledger.ts';

const request = (params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })}\n`;
const many = Array.from({ length: 35_000 }, () => ({}));
/** A tenth of a megabyte of text, and some four of values. */
const large = request({ many });
const ordinary = request({});

/** Connections of one session; each keeps what it has read until the test releases it. */
function openConnections(count: number, totalBytes: number) {
  const largeMessages = createByteBudget(totalBytes);
  return Array.from({ length: count }, () => {
    const agent = new PassThrough();
    const read: AgentLine[] = [];
    const dependencies = {
      ledger: createLedger().ledger,
      callBucket: { take: () => 0 },
      largeMessages,
      limits: { lineBytes: 1024 * 1024 },
    };
    const reading = (async () => {
      for await (const lines of readAgentLines(agent, dependencies, ({ release }) => release())) {
        read.push(...lines);
      }
    })();
    return { agent, read, reading };
  });
}

it('holds as many large messages as fit, and reads the others when those are released', async () => {
  const connections = openConnections(6, 10 * 1024 * 1024);
  for (const { agent } of connections) {
    agent.end(ordinary + large);
  }
  const held = () =>
    connections.flatMap(({ read }) => read).filter(({ heldBytes }) => heldBytes > 1024 * 1024);
  const ordinaryOnes = () => connections.flatMap(({ read }) => read).length - held().length;
  await eventually(() => expect([ordinaryOnes(), held().length]).toEqual([6, 2]));
  const first = held();
  await loopTurns();
  expect(held()).toHaveLength(2);
  for (const { release } of first) {
    release();
  }
  await eventually(() => expect(held()).toHaveLength(4));
  for (const { release } of held().slice(2)) {
    release();
  }
  await eventually(() => expect(held()).toHaveLength(6));
  await Promise.all(connections.map(({ reading }) => reading));
});

it('reads one that is larger than all of the memory when nothing else is held', async () => {
  const [one, two] = openConnections(2, 1024);
  one?.agent.end(large);
  await eventually(() => expect(one?.read).toHaveLength(1));
  two?.agent.end(large);
  await loopTurns();
  expect(two?.read).toEqual([]);
  one?.read[0]?.release();
  await eventually(() => expect(two?.read).toHaveLength(1));
});

it('gives back what a paced call held whose connection was left meanwhile', async () => {
  const totalBytes = 10 * 1024 * 1024;
  const budget = createByteBudget(totalBytes);
  let isAsked = false;
  const agent = new PassThrough();
  const lines = readAgentLines(
    agent,
    {
      ledger: createLedger().ledger,
      callBucket: { take: () => 1 },
      largeMessages: {
        ...budget,
        take(bytes, maxWaitMs) {
          isAsked = true;
          return budget.take(bytes, maxWaitMs);
        },
      },
      limits: { lineBytes: 1024 * 1024 },
    },
    ({ release }) => release(),
  );
  expect(budget.tryTake(totalBytes)).toBe(true);
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'read', arguments: { many } } };
  agent.write(`${ordinary}${JSON.stringify(call)}\n`);
  expect((await lines.next()).value).toHaveLength(1);
  await eventually(() => expect(isAsked).toBe(true));
  await lines.return(undefined);
  budget.give(totalBytes);
  await eventually(() => expect(budget.tryTake(totalBytes)).toBe(true));
});
