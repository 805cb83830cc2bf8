/**
 * The gate and real servers behind it read the same generated lines; no server may execute a call that the
 * gate did not let pass. `FUZZ_SEED` repeats a run.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { volume } from '../support/mode.ts';
import { announcedSeed, seededRandom } from '../support/seeded-random.ts';
import { type Front, GateUnderTest, play } from './connection.ts';
import { gatedTool, LineGenerator, openingLines, openTool, type ProtocolVersion } from './generate-lines.ts';
import {
  firstTypescriptServer,
  installedPrograms,
  type OracleServer,
  programServer,
  typescriptServer,
} from './oracle-servers.ts';

const seed = announcedSeed('lines against the gate', 'FUZZ_SEED');
const lineCount = volume({ quick: 2000, full: 8000, long: 200_000 }, 'FUZZ_LINES');
const linesPerConnection = 200;
const programs = installedPrograms();

const servers: OracleServer[] = [];
/** By server and tool, as the server understood its name. */
const executed = new Map<string, Map<string, number>>();
const report = (server: string, tool: string) => {
  const counts = executed.get(server) ?? new Map<string, number>();
  executed.set(server, counts.set(tool, (counts.get(tool) ?? 0) + 1));
};
const executions = (server: string, tool: string) => executed.get(server)?.get(tool) ?? 0;

beforeAll(async () => {
  servers.push(typescriptServer(report), firstTypescriptServer(report));
  for (const [name, command] of [
    ['Python SDK', programs.python],
    ['Go SDK', programs.go],
  ] as const) {
    if (command !== null) {
      servers.push(await programServer(name, command, report));
    }
  }
});
beforeEach(() => executed.clear());
afterAll(() => Promise.all(servers.map((server) => server.stop())));

/** Equal for names that a lenient reader might take for one another. */
const loosely = (name: string) =>
  name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '')
    .trim()
    .toLowerCase();

const dangerousExecutions = () =>
  [...executed].flatMap(([server, counts]) =>
    [...counts.keys()].filter((tool) => loosely(tool) === gatedTool).map((tool) => ({ server, tool })),
  );

function linesOf(connection: number, protocolVersion: ProtocolVersion): Buffer[] {
  const generator = new LineGenerator(seededRandom(seed + connection), protocolVersion);
  return Array.from({ length: linesPerConnection }, () => generator.line());
}

const protocolVersionOf = (connection: number): ProtocolVersion =>
  connection % 3 === 0 ? '2026-07-28' : '2025-11-25';

/** What passed must be, byte for byte, a subset of the lines that were sent. */
function inventedLines(sent: readonly Buffer[], forwarded: Buffer): string[] {
  const known = new Set(sent.flatMap((line) => line.toString('latin1').split('\n')));
  return forwarded
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '' && !known.has(line) && !/"id":"last"/.test(line));
}

describe('of generated lines, the gate', () => {
  it('passes no call that it did not approve, however a server parses it', async () => {
    const gate = new GateUnderTest();
    let forwardedLines = 0;
    for (let connection = 0; connection * linesPerConnection < lineCount; connection += 1) {
      const protocolVersion = protocolVersionOf(connection);
      const sent = [...openingLines(protocolVersion), ...linesOf(connection, protocolVersion)];
      const { forwarded, closedEarly } = await play(sent, protocolVersion, gate.front, servers);
      const where = `FUZZ_SEED=${seed}, connection ${connection}`;
      expect({ where, dangerous: dangerousExecutions() }).toEqual({ where, dangerous: [] });
      expect({ where, closedEarly }).toEqual({ where, closedEarly: [] });
      expect({ where, invented: inventedLines(sent, forwarded) }).toEqual({ where, invented: [] });
      if ((connection + 1) % 500 === 0) {
        process.stdout.write(`${(connection + 1) * linesPerConnection} lines so far\n`);
      }
      forwardedLines += forwarded.toString('latin1').split('\n').length - 1;
    }
    for (const { name } of servers) {
      const tooMany = [...(executed.get(name) ?? [])].filter(
        ([tool, count]) => count > (gate.passed.get(tool) ?? 0),
      );
      expect({ name, tooMany }).toEqual({ name, tooMany: [] });
      expect(executions(name, openTool)).toBeGreaterThan((gate.passed.get(openTool) ?? 0) * 0.7);
    }
    summarize(gate, forwardedLines);
  }, 3_600_000);

  const summarize = (gate: GateUnderTest, forwardedLines: number) => {
    const reasons = [...gate.refusals].map(([reason, count]) => `${reason} ${count}`).join(', ');
    process.stdout.write(
      `${lineCount} lines, ${forwardedLines} let pass to ${servers.map(({ name }) => name).join(', ')}; refused: ${reasons}\n`,
    );
  };
});

describe('the comparison detects', () => {
  it('a call that passes: every server executes it', async () => {
    const protocolVersion: ProtocolVersion = '2025-11-25';
    const [server] = ['through'];
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: gatedTool, arguments: {} } };
    const lines = [...openingLines(protocolVersion), Buffer.from(JSON.stringify(call))];
    const { closedEarly } = await play(
      lines,
      protocolVersion,
      letThrough(() => true),
      servers,
      () => servers.every(({ name }) => executions(name, gatedTool) > 0),
    );
    expect({ server, closedEarly }).toEqual({ server, closedEarly: [] });
    expect(
      dangerousExecutions()
        .map((execution) => execution.server)
        .toSorted(),
    ).toEqual(servers.map(({ name }) => name).toSorted());
  });

  it('a gate that only parses the line and looks at its method and name', async () => {
    const isCallOfGated = (line: string) => {
      try {
        const { method, params } = JSON.parse(line);
        return method === 'tools/call' && params?.name === gatedTool;
      } catch {
        return false;
      }
    };
    const [typescript, , python, go] = servers;
    for (const server of [typescript, python, go]) {
      const attacked = server === undefined ? [] : [server];
      for (let connection = 1; connection <= 40 && dangerousExecutions().length === 0; connection += 1) {
        const protocolVersion = protocolVersionOf(connection);
        const lines = [...openingLines(protocolVersion), ...linesOf(connection, protocolVersion)];
        await play(
          lines,
          protocolVersion,
          letThrough((line) => !isCallOfGated(line)),
          attacked,
        );
      }
    }
    expect(dangerousExecutions()).not.toEqual([]);
  });
});

/** A front that forwards each line that the test lets through. */
const letThrough =
  (test: (line: string) => boolean): Front =>
  async (agent, connectServer) => {
    const server = await connectServer();
    server.on('data', (chunk: Buffer) => agent.write(chunk));
    let rest = '';
    agent.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter(test)) {
        server.write(Buffer.from(`${line}\n`, 'latin1'));
      }
    });
    await new Promise((resolve) => agent.once('close', resolve));
    server.destroy();
  };

describe('other servers behind the gate', () => {
  const included = (program: string[] | null) => (program === null ? it.skip : it);
  included(programs.python)('the Python SDK (needs python3)', () => {
    expect(servers.map(({ name }) => name)).toContain('Python SDK');
  });
  included(programs.go)('the Go SDK (needs go)', () => {
    expect(servers.map(({ name }) => name)).toContain('Go SDK');
  });
});
