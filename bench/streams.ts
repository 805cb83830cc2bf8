/**
 * `npm run bench:streams`: what open event streams cost while nothing happens, and how soon an
 * event arrives at all of them.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendSessionEvent } from '../store/session-events/append.ts';
import { memoryOf } from './gate/process-figures.ts';
import { conclude, machineLine, quantile } from './shared/harness.ts';
import { Clients } from './streams/clients.ts';
import { readOptions } from './streams/options.ts';
import { openStreamPlatform, type StreamPlatform } from './streams/platform.ts';

const aimPerSecond = 100;
/** Streams that are open before the memory without streams is taken: the first ones load code. */
const warmUpStreams = 50;
/**
 * What opening leaves to do is over after that, and counts of idle connections have
 * reached Postgres's statistics.
 */
const settleMs = 10_000;
const pauseMs = 100;

const options = readOptions(process.argv.slice(2));
const platform = await openStreamPlatform(options);
const clients = new Clients(platform.url);

async function statementsPerSecond({ committed }: StreamPlatform): Promise<number> {
  await sleep(settleMs);
  const [before, startedMs] = [await committed(), performance.now()];
  await sleep(options.seconds * 1000);
  return ((await committed()) - before) / ((performance.now() - startedMs) / 1000);
}

/** From the answer to the commit until the last viewer has it, for one event after the other. */
async function latenciesMs({ db, sessions }: StreamPlatform): Promise<number[]> {
  const latencies: number[] = [];
  for (let count = 0; count < options.events; count += 1) {
    const session = sessions[count % Math.min(sessions.length, options.streams)];
    if (session === undefined) {
      break;
    }
    const status = randomUUID();
    const arrived = clients.arrival(session.id, status);
    await appendSessionEvent(db, session.id, {
      id: randomUUID(),
      type: 'agent.status',
      actor: { type: 'agent', id: session.agentId },
      payload: { status },
    });
    const committedMs = performance.now();
    latencies.push(Math.max(0, (await arrived) - committedMs));
    await sleep(pauseMs * Math.random());
  }
  return latencies;
}

async function measure() {
  const { sessions, apiPid } = platform;
  await clients.open(Math.min(warmUpStreams, options.streams), sessions);
  clients.close();
  const idlePerSecond = await statementsPerSecond(platform);
  const idleRssBytes = memoryOf(apiPid).rssBytes;
  await clients.open(options.streams, sessions);
  const perSecond = await statementsPerSecond(platform);
  const streamBytes = (memoryOf(apiPid).rssBytes - idleRssBytes) / options.streams;
  const latencies = await latenciesMs(platform);
  if (clients.ended > 0) {
    throw new Error(`${clients.ended} streams ended`);
  }
  return {
    perSecond,
    idlePerSecond,
    idleRssBytes,
    streamBytes,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

const results = await measured();
async function measured() {
  try {
    return await measure();
  } finally {
    clients.close();
    await platform.close();
  }
}

const isMet = results.perSecond <= aimPerSecond;
const row = (name: string, value: string, rest = '') => `${name.padEnd(58)}${value.padStart(10)}  ${rest}`;
console.log(`${options.streams} event streams on ${options.sessions} sessions

${row('statements a second, nothing happens', results.perSecond.toFixed(1), `aim <= ${aimPerSecond}: ${isMet ? 'met' : 'MISSED'}`)}
${row('the same without a stream', results.idlePerSecond.toFixed(1))}
${row('resident memory of the API for each stream, KiB', (results.streamBytes / 1024).toFixed(0))}
${row('the API without a stream, MiB', (results.idleRssBytes / 1024 / 1024).toFixed(0))}
${row('commit of an event until all viewers have it, p50, ms', results.p50Ms.toFixed(1))}
${row('the same, p99, ms', results.p99Ms.toFixed(1))}

${machineLine()}, ${options.seconds} s, ${options.events} events`);
process.exit(conclude(options, { figures: { options, aimPerSecond, results }, aims: [{ isMet }] }));
