/**
 * `node --import tsx bench/graph.ts`: what the tools of the graph take on a large graph, beside SQL by hand.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { platformTools } from '../api/platform-tools/routes.ts';
import type { ToolCaller, ToolDependencies } from '../api/platform-tools/tool.ts';
import { startPostgres } from '../bin/start/postgres.ts';
import { openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { testConfig } from '../test/support/api.ts';
import { createTenant, testMasterKeys } from '../test/support/tenant.ts';
import { fillGraph } from './graph/fill.ts';
import { type Question, questionsOf } from './graph/questions.ts';
import {
  inTurns,
  machineLine,
  orUsage,
  quantile,
  ratioOf,
  ratioText,
  table,
  whole,
} from './shared/harness.ts';
import { toolDependencies } from './shared/tool-dependencies.ts';

const usage = `node --import tsx bench/graph.ts [options]

Fills the graph of one workspace in a Postgres of its own, and asks in turns: a tool, as the API runs it, and SQL by hand on one connection.

  --nodes N    nodes (default 100000)
  --edges N    edges (default 300000)
  --rounds N   times that each question is asked (default 200)
`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '100000' },
      edges: { type: 'string', default: '300000' },
      rounds: { type: 'string', default: '200' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help
    ? 'help'
    : {
        nodes: whole('--nodes', values.nodes),
        edges: whole('--edges', values.edges),
        rounds: whole('--rounds', values.rounds),
      };
});

const elapsedMs = async (work: () => Promise<unknown>) => {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
};
async function measure(
  { tool: name, given, plain }: Question,
  { caller, client, dependencies }: Places,
): Promise<{ tool: number[]; plain: number[] }> {
  const tool = platformTools.find((each) => each.name === name);
  const askTool = (round: number) =>
    elapsedMs(async () => {
      const answer = await tool?.answer(
        given(round),
        { ...caller, call_id: randomUUID(), link_origin: null },
        dependencies,
      );
      if (answer?.status !== 'ok') {
        throw new Error(`${name} answered ${JSON.stringify(answer)}`);
      }
    });
  const askPlain = (round: number) => elapsedMs(() => plain(client, round));
  const [ofTool = [], ofPlain = []] = await inTurns({ turns: options.rounds }, [askTool, askPlain]);
  return { tool: ofTool, plain: ofPlain };
}

interface Places {
  caller: ToolCaller;
  client: pg.Client;
  dependencies: ToolDependencies;
}

const directory = mkdtempSync(join(tmpdir(), 'bg-'));
const postgres = await startPostgres({ directory, password: randomBytes(16).toString('hex') });
const url = postgres.url();
const db = openDatabase(url, { poolSize: 4 });
const client = new pg.Client({ connectionString: url });
try {
  await migrate(db);
  await client.connect();
  const tenant = await createTenant(db, testMasterKeys());
  const caller = await tenant.session(await tenant.agent());
  await fillGraph(db, caller, options);
  const config = testConfig({ DATABASE_URL: url, LIMIT_GRAPH_NODES_PER_WORKSPACE: '1000000000' });
  const dependencies = toolDependencies({ db, config });
  const rows: string[][] = [['ms', 'tool p50', 'p95', 'SQL p50', 'p95', 'ratio (quartiles)']];
  for (const question of questionsOf(caller, options.nodes)) {
    const { tool, plain } = await measure(question, { caller, client, dependencies });
    const figures = [quantile(tool, 0.5), quantile(tool, 0.95), quantile(plain, 0.5), quantile(plain, 0.95)];
    rows.push([
      `${question.tool}: ${question.name}`,
      ...figures.map((figure) => figure.toFixed(2)),
      ratioText(ratioOf(tool, plain)),
    ]);
  }
  console.log(`${machineLine()}; ${options.nodes} nodes, ${options.edges} edges\n`);
  console.log(table(rows));
} finally {
  await client.end();
  await db.destroy();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
