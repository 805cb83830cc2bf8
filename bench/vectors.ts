/**
 * `node --import tsx bench/vectors.ts`: what searches of large collections take and find, beside SQL by hand.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { platformTools } from '../api/platform-tools/routes.ts';
import type { ToolCaller } from '../api/platform-tools/tool.ts';
import { startPostgres } from '../bin/start/postgres.ts';
import { keepVectorIndexes } from '../commands/vectors/keep-indexes.ts';
import type { Conditions } from '../contract/stored-data.ts';
import { readVector } from '../contract/vectors.ts';
import { openDatabase } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { readWithin } from '../store/read-within.ts';
import { searchExactly } from '../store/vectors/exact-search.ts';
import { testConfig } from '../test/support/api.ts';
import { longestHold } from '../test/support/loop-hold.ts';
import { pgvectorSettings } from '../test/support/pgvector.ts';
import { createTenant, testMasterKeys } from '../test/support/tenant.ts';
import { machineLine, orUsage, quantile, table, whole } from './shared/harness.ts';
import { toolDependencies } from './shared/tool-dependencies.ts';
import { type FilledCollection, fillCollection, vectorNear } from './vectors/fill.ts';

const usage = `node --import tsx bench/vectors.ts [options]

Fills one collection for each number of dimensions in a Postgres of its own, and searches it: by comparing every item, and, where the set-up of the
tests has installed pgvector, by an index, both as the API runs the tool, and by SQL by hand.

  --items N          items of a collection (default 100000)
  --dimensions LIST  of the collections (default 256,1536)
  --rounds N         searches of each kind (default 30)
`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      items: { type: 'string', default: '100000' },
      dimensions: { type: 'string', default: '256,1536' },
      rounds: { type: 'string', default: '30' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return values.help
    ? 'help'
    : {
        items: whole('--items', values.items),
        dimensions: values.dimensions.split(',').map((each) => whole('--dimensions', each)),
        rounds: whole('--rounds', values.rounds),
      };
});

const top = 10;
const unlimitedMs = 600_000;
const rows: string[][] = [['search', 'p50 ms', 'p95 ms', 'recall', 'loop held ms']];

interface Figures {
  times: number[];
  /** Of each search, in order. */
  found: string[][];
  heldMs: number;
}

/** A search for each of the vectors. */
async function measure(
  vectors: readonly (readonly number[])[],
  search: (vector: readonly number[]) => Promise<string[]>,
): Promise<Figures> {
  const times: number[] = [];
  const found: string[][] = [];
  for (const vector of vectors) {
    const startedMs = performance.now();
    found.push(await search(vector));
    times.push(performance.now() - startedMs);
  }
  // Apart: looking at the loop all the time takes a processor.
  const { heldMs } = await longestHold(() => search(vectors[0] ?? []));
  return { times, found, heldMs };
}

function note(name: string, { times, found, heldMs }: Figures, exact: Figures | null): void {
  const hits = found.flatMap((ids, at) => ids.filter((id) => exact?.found[at]?.includes(id)));
  const wanted = exact?.found.flat().length ?? 0;
  const recall = exact === null ? '1 by definition' : (hits.length / wanted).toFixed(3);
  rows.push([
    name,
    quantile(times, 0.5).toFixed(1),
    quantile(times, 0.95).toFixed(1),
    recall,
    heldMs.toFixed(1),
  ]);
}

const directory = mkdtempSync(join(tmpdir(), 'bv-'));
const settings = {
  ...pgvectorSettings,
  maintenance_work_mem: '1GB',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
};
const postgres = await startPostgres({ directory, password: randomBytes(16).toString('hex'), settings });
const url = postgres.url();
const db = openDatabase(url, { poolSize: 4 });
const client = new pg.Client({ connectionString: url });

/** The tool, with a limit of items under which it compares them. */
function searcher(
  caller: ToolCaller,
  { name }: FilledCollection,
  exactItems: number,
  filter: object | undefined,
) {
  const config = testConfig({ DATABASE_URL: url, LIMIT_VECTORS_SEARCHED_EXACTLY: String(exactItems) });
  const dependencies = toolDependencies({ db, config });
  const tool = platformTools.find((each) => each.name === 'vector_search');
  return async (vector: readonly number[]) => {
    const given = { collection: name, vector, top_k: top, filter };
    const answer = await tool?.answer(
      given,
      { ...caller, call_id: randomUUID(), link_origin: null },
      dependencies,
    );
    if (answer?.status !== 'ok') {
      throw new Error(JSON.stringify(answer));
    }
    return (answer.result['matches'] as { id: string }[]).map(({ id }) => id);
  };
}

/** All items that the filter leaves, without the tool's limit of time. */
function comparer(
  { workspace_id: workspaceId }: ToolCaller,
  { id: collectionId }: FilledCollection,
  filter: Conditions | undefined,
) {
  return async (vector: readonly number[]) => {
    const read = readVector(vector);
    const query = {
      workspaceId,
      collectionId,
      vector: 'vector' in read ? read.vector : new Float32Array(),
      filter,
    };
    const limits = { limitMs: unlimitedMs };
    return readWithin(db, unlimitedMs, async (trx) =>
      (await searchExactly(trx, { ...query, limit: top }, limits)).map(({ id }) => id),
    );
  };
}

/** What somebody would write by hand for the same. */
const byHand =
  (column: string, { id }: FilledCollection, filter: object | undefined) =>
  async (vector: readonly number[]) => {
    const { rows } = await client.query(
      `select id from vector_items where collection_id = '${id}' and indexed_embedding is not null and metadata @> $2
     order by ${column} limit ${top}`,
      [`[${vector.join(',')}]`, JSON.stringify(filter ?? {})],
    );
    return rows.map((row) => String(row.id));
  };

async function bench(caller: ToolCaller, dimensions: number): Promise<void> {
  const collection = await fillCollection(db, caller, { items: options.items, dimensions });
  const vectors = Array.from({ length: options.rounds }, (_, at) => vectorNear(collection, at));
  const filters = { all: undefined, 'a tenth': { group: 3 } };
  const exactly = new Map<string, Figures>();
  for (const [of, filter] of Object.entries(filters)) {
    const exact = await measure(vectors, comparer(caller, collection, filter));
    exactly.set(of, exact);
    note(`${dimensions}, ${of}: one by one`, exact, null);
  }
  if (Object.keys(pgvectorSettings).length === 0) {
    return;
  }
  await db.raw('create extension if not exists vector');
  const startedMs = performance.now();
  await keepVectorIndexes(db, { minItems: options.items, maxIndexes: 10 }, new AbortController().signal);
  rows.push([`${dimensions}: index built`, (performance.now() - startedMs).toFixed(0), '', '', '']);
  await client.query('set hnsw.iterative_scan = relaxed_order');
  for (const [of, filter] of Object.entries(filters)) {
    const exact = exactly.get(of) ?? null;
    const cast = (type: string) => `indexed_embedding::${type}(${dimensions})`;
    note(
      `${dimensions}, ${of}: by index`,
      await measure(vectors, searcher(caller, collection, 1000, filter)),
      exact,
    );
    const indexed = byHand(`${cast('halfvec')} <#> $1::text::halfvec(${dimensions})`, collection, filter);
    note(`${dimensions}, ${of}: SQL by index, as it comes`, await measure(vectors, indexed), exact);
    const scanned = byHand(`${cast('vector')} <#> $1::text::vector(${dimensions})`, collection, filter);
    note(`${dimensions}, ${of}: SQL of pgvector without index`, await measure(vectors, scanned), exact);
  }
}

try {
  await migrate(db);
  await client.connect();
  const tenant = await createTenant(db, testMasterKeys());
  const caller = await tenant.session(await tenant.agent());
  for (const dimensions of options.dimensions) {
    await bench(caller, dimensions);
  }
  console.log(`${machineLine()}; ${options.items} items, the best ${top} of them\n`);
  console.log(table(rows));
} finally {
  await client.end();
  await db.destroy();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}
