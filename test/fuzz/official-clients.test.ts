/**
 * What the official clients send passes the gate: generated sessions of both lines of the TypeScript SDK, in
 * both protocol versions, without one refusal. `FUZZ_SEED` repeats a run.
 */
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { volume } from '../support/mode.ts';
import { announcedSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { GateUnderTest } from './connection.ts';
import { openTool } from './generate-lines.ts';
import { firstTypescriptServer, type OracleServer, typescriptServer } from './oracle-servers.ts';

const seed = announcedSeed('official clients', 'FUZZ_SEED');
const messageCount = volume({ quick: 800, full: 2000, long: 20_000 }, 'FUZZ_MESSAGES');
const callsPerSession = 100;

/** The clients' own framing over a stream of the test's. */
class StreamTransport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  sent = 0;
  readonly #stream: Duplex;
  readonly #received = new ReadBuffer();

  constructor(stream: Duplex) {
    this.#stream = stream;
  }

  start(): Promise<void> {
    this.#stream.on('data', (chunk: Buffer) => {
      this.#received.append(chunk);
      for (let message = this.#received.readMessage(); message; message = this.#received.readMessage()) {
        this.onmessage?.(message);
      }
    });
    return Promise.resolve();
  }

  send(message: unknown): Promise<void> {
    this.sent += 1;
    this.#stream.write(serializeMessage(message as JSONRPCMessage));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#stream.destroy();
    this.onclose?.();
    return Promise.resolve();
  }
}

interface AnyClient {
  connect(transport: StreamTransport): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<unknown>;
  callTool(
    call: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; onprogress: () => void },
  ): Promise<unknown>;
  /** What only this client, or this protocol version, may request. */
  other(random: SeededRandom): Promise<unknown>;
}

const information = { name: 'official client', version: '1.0 "quoted" \u2028 \u{1f600}' };

function firstLineClient(): AnyClient {
  const client = new FirstLineClient(information, { capabilities: { roots: { listChanged: true } } });
  return {
    connect: (transport) => client.connect(transport),
    close: () => client.close(),
    listTools: () => client.listTools(),
    callTool: (call, options) => client.callTool(call, undefined, options),
    other: (random) => (random.chance(50) ? client.ping() : client.sendRootsListChanged()),
  };
}

function secondLineClient(mode: 'legacy' | 'auto' | { pin: string }): AnyClient {
  const client = new ModernClient(information, { versionNegotiation: { mode } });
  return {
    connect: (transport) => client.connect(transport as Parameters<typeof client.connect>[0]),
    close: () => client.close(),
    listTools: () => client.listTools(),
    callTool: (call, options) => client.callTool(call, options),
    other: () => (mode === 'legacy' ? client.ping() : client.listTools()),
  };
}

const clients: [name: string, create: () => AnyClient][] = [
  ['the first line', firstLineClient],
  ['the second line as of 2025', () => secondLineClient('legacy')],
  ['the second line, which finds out', () => secondLineClient('auto')],
  ['the second line as of 2026', () => secondLineClient({ pin: '2026-07-28' })],
];

function generatedArguments(random: SeededRandom): Record<string, unknown> {
  const words = [
    'name',
    'arguments',
    'Name',
    'METHOD',
    'params',
    'jsonrpc',
    'id',
    'a b',
    'é',
    '\u2028',
    '',
    'x',
  ];
  const leaf = () =>
    random.pick<unknown>([
      ...[null, true, 0, -0, 1.5, 1e300, 5e-324, Number.MAX_SAFE_INTEGER, 2 ** 60, '', '\u0000\u001f\u007f'],
      ...[
        'a\r\nb',
        '\u2028\u2029\u0085',
        '\ufeff',
        '\u{1f600}',
        '"\\/',
        '{"jsonrpc":"2.0"}',
        'x'.repeat(5000),
        '\ud800',
      ],
    ]);
  const value = (depth: number): unknown => {
    const dice = depth === 0 ? 0 : random.below(4);
    const several = () => Array.from({ length: random.below(4) }, () => value(depth - 1));
    return dice < 2 ? leaf() : dice === 2 ? several() : object(depth - 1);
  };
  const object = (depth: number): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.pick(words), value(depth)]));
  return object(random.pick([1, 3, 6, 20]));
}

/** Returns how many messages the client sent. */
async function playSession(
  create: () => AnyClient,
  gate: GateUnderTest,
  server: OracleServer,
  random: SeededRandom,
): Promise<number> {
  const [agent, gateSide] = duplexPair();
  const served = gate.front(gateSide, () => server.connect());
  const transport = new StreamTransport(agent);
  const client = create();
  await client.connect(transport);
  await client.listTools();
  for (let calls = 0; calls < callsPerSession; ) {
    const together = 1 + random.below(20);
    calls += together;
    await Promise.all(Array.from({ length: together }, () => step(client, random)));
  }
  await client.close();
  gateSide.destroy();
  await served;
  return transport.sent;
}

async function step(client: AnyClient, random: SeededRandom): Promise<void> {
  if (random.chance(10)) {
    await client.other(random);
    return;
  }
  const name = random.pick([openTool, openTool, 'Safe', 'safe.2', 'x/y', 'é', '工具']);
  const stop = new AbortController();
  const call = client
    .callTool(
      { name, arguments: generatedArguments(random) },
      { signal: stop.signal, onprogress: () => undefined },
    )
    .catch((error: unknown) => {
      if (!stop.signal.aborted) {
        throw error;
      }
    });
  if (random.chance(15)) {
    // Some cancellations race their answers.
    await sleep(random.below(3));
    stop.abort();
  }
  await call;
}

it.each(clients)(
  '%s is refused nothing',
  async (name, create) => {
    const random = seededRandom(seed);
    const report = () => undefined;
    const both = [typescriptServer(report), firstTypescriptServer(report)];
    const servers = name.endsWith('2026') ? both.slice(0, 1) : both;
    const gate = new GateUnderTest();
    let messages = 0;
    while (messages < messageCount / clients.length) {
      messages += await playSession(create, gate, random.pick(servers), random);
    }
    process.stdout.write(`${messages} messages of ${name}\n`);
    const refused = [...gate.refusals].filter(
      // A client may cancel what was just answered; the gate drops that silently.
      ([reason]) => reason.startsWith('agent:') && reason !== 'agent: unknown_cancellation',
    );
    expect({ seed, refused }).toEqual({ seed, refused: [] });
  },
  1_800_000,
);
