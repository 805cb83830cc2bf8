/**
 * Collections on a database that has pgvector: their indexes, and what a search by one
 * finds beside an exact one.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import { keepVectorIndexes } from '../../../commands/vectors/keep-indexes.ts';
import { openDatabase } from '../../../store/database.ts';
import { hasVectorExtension, hasVectorIndex } from '../../../store/vectors/pgvector.ts';
import { describeWithPgvector } from '../../support/describe-with-pgvector.ts';
import { untilFound } from '../../support/eventually.ts';
import { openTools, type TestTools } from '../../support/platform-tools.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { idsOf, item, type VectorCalls, vectorCalls } from './vector-calls.ts';

const dimensions = 16;
/** Aborted by nobody. */
const running = new AbortController().signal;
const kept = { minItems: 500, maxIndexes: 10 };
/** More than are compared without an index, so that only an index can answer. */
const exactItems = 400;

describeWithPgvector('with pgvector (needs python3 to install it)', () => {
  let tools: TestTools;
  let caller: ToolCaller;
  let upsert: VectorCalls['upsert'];
  let search: VectorCalls['search'];
  let remove: VectorCalls['remove'];
  let failure: VectorCalls['failure'];
  const { below } = seededRandom(7);
  const random = () => below(1_000_000) / 1_000_000;

  beforeAll(async () => {
    tools = await openTools({ LIMIT_VECTORS_SEARCHED_EXACTLY: String(exactItems) });
    await tools.db.raw('create extension vector');
    ({ upsert, search, remove, failure } = vectorCalls(tools, () => caller));
  });
  beforeEach(async () => {
    caller = await tools.caller();
  });
  afterAll(() => tools.close());

  /** In groups, as vectors of texts are. */
  const centres = Array.from({ length: 20 }, () => randomVector());
  function randomVector(around?: readonly number[]): number[] {
    return Array.from({ length: dimensions }, (_, at) => (around?.[at] ?? 0) + random() - 0.5);
  }
  const near = () => randomVector(centres[Math.floor(random() * centres.length)]);

  async function fill(
    name: string,
    count: number,
  ): Promise<Map<string, { vector: number[]; group: number }>> {
    const all = new Map(
      Array.from({ length: count }, (_, at) => [`i${at}`, { vector: near(), group: at % 5 }] as const),
    );
    const items = [...all].map(([id, { vector, group }]) => item(id, vector, { group }));
    for (let from = 0; from < count; from += 100) {
      await upsert(name, items.slice(from, from + 100));
    }
    return all;
  }

  const collectionId = async (name: string) => {
    const { workspace_id } = caller;
    return (await tools.db('vector_collections').where({ workspace_id, name }).first('id'))?.id ?? '';
  };
  const isIndexed = async (name: string) => hasVectorIndex(tools.db, await collectionId(name));
  const cosine = (one: readonly number[], other: readonly number[]) =>
    one.reduce((sum, each, at) => sum + each * (other[at] ?? 0), 0) /
    (Math.hypot(...one) * Math.hypot(...other));

  it('large collections get an index of their own, which finds what an exact search finds', async () => {
    expect(await hasVectorExtension(tools.db)).toBe(true);
    const all = await fill('large', 2000);
    await fill('small', 300);
    expect(await failure('vector_search', { collection: 'large', vector: near() })).toMatchObject({
      code: 'too_expensive',
      message: expect.stringContaining('no index of "large"'),
    });
    await keepVectorIndexes(tools.db, kept, running);
    expect([await isIndexed('large'), await isIndexed('small')]).toEqual([true, false]);
    for (const group of [undefined, 3]) {
      let found = 0;
      const rounds = 20;
      for (let round = 0; round < rounds; round += 1) {
        const asked = near();
        const filter = group === undefined ? {} : { filter: { group } };
        const { matches } = await search({ collection: 'large', vector: asked, top_k: 10, ...filter });
        expect(matches).toHaveLength(10);
        const best = [...all]
          .filter(([, each]) => group === undefined || each.group === group)
          .map(([id, { vector }]) => ({ id, score: cosine(vector, asked) }))
          .toSorted((one, other) => other.score - one.score)
          .slice(0, 10);
        found += best.filter(({ id }) => matches.some((match) => match.id === id)).length;
        for (const { id, score } of matches) {
          expect(score).toBeCloseTo(cosine(all.get(id)?.vector ?? [], asked), 5);
        }
      }
      expect(found / (rounds * 10)).toBeGreaterThanOrEqual(0.95);
    }
    expect((await search({ collection: 'small', vector: near(), top_k: 5 })).matches).toHaveLength(5);
  });

  it('an index follows what is written, replaced and deleted', async () => {
    await fill('a', 600);
    await keepVectorIndexes(tools.db, kept, running);
    const far = Array.from({ length: dimensions }, (_, at) => (at === 0 ? 100 : 0));
    await upsert('a', [item('new', far), item('i5', far, { replaced: true })]);
    expect(idsOf(await search({ collection: 'a', vector: far, top_k: 2 }))).toEqual(['i5', 'new']);
    expect(
      idsOf(await search({ collection: 'a', vector: far, top_k: 1, filter: { replaced: true } })),
    ).toEqual(['i5']);
    await remove({ collection: 'a', ids: ['i5'] });
    expect(idsOf(await search({ collection: 'a', vector: far, top_k: 1 }))).toEqual(['new']);
  });

  it('an index is complete although others write while it is built', async () => {
    await fill('a', 600);
    const far = Array.from({ length: dimensions }, (_, at) => (at === 1 ? -100 : 0));
    const building = keepVectorIndexes(tools.db, kept, running);
    const written = Array.from({ length: 20 }, (_, at) => `late${at}`);
    await Promise.all(written.map((id) => upsert('a', [item(id, far)])));
    await building;
    expect(await isIndexed('a')).toBe(true);
    const found = await search({ collection: 'a', vector: far, top_k: 20 });
    expect(idsOf(found).toSorted()).toEqual(written.toSorted());
  });

  it('what an interrupted build left is built again', async () => {
    await fill('a', 500);
    await keepVectorIndexes(tools.db, kept, running);
    const id = await collectionId('a');
    await tools.db.transaction(async (trx) => {
      await trx.raw('set local allow_system_table_mods = on');
      await trx.raw('update pg_index set indisvalid = false where indexrelid = to_regclass(?)', [
        `vector_items_hnsw_${id.replaceAll('-', '')}`,
      ]);
    });
    expect(await isIndexed('a')).toBe(false);
    await keepVectorIndexes(tools.db, kept, running);
    expect(await isIndexed('a')).toBe(true);
  });

  it('a build ends with its worker, and is begun again by the next one', async () => {
    await fill('a', 500);
    const stopping = new AbortController();
    const holder = await tools.db.transaction();
    // The build waits for whoever could still write to the table as it was.
    await holder.raw('lock table vector_items in row exclusive mode');
    const building = keepVectorIndexes(tools.db, kept, stopping.signal).catch((error: unknown) => error);
    await untilFound('the build', async () => {
      const { rows } = await tools.db.raw(
        "select from pg_stat_activity where query like 'create index concurrently%' and state = 'active' and wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length > 0 ? true : null;
    });
    stopping.abort();
    expect(await building).toMatchObject({ code: '57014' });
    await holder.rollback();
    expect(await isIndexed('a')).toBe(false);
    await keepVectorIndexes(tools.db, kept, running);
    expect(await isIndexed('a')).toBe(true);
  });

  it('an index goes when its collection is gone', async () => {
    await fill('a', 500);
    await keepVectorIndexes(tools.db, kept, running);
    const id = await collectionId('a');
    await remove({ collection: 'a', filter: {} });
    expect(await hasVectorIndex(tools.db, id)).toBe(true);
    await keepVectorIndexes(tools.db, kept, running);
    expect(await hasVectorIndex(tools.db, id)).toBe(false);
  });

  it('one process builds at a time, and no more indexes than are allowed', async () => {
    await tools.db('vector_collections').update({ items: 0 });
    await fill('a', 500);
    await fill('b', 600);
    const second = openDatabase(tools.config.DATABASE_URL, { poolSize: 2 });
    try {
      await Promise.all([
        keepVectorIndexes(tools.db, { ...kept, maxIndexes: 1 }, running),
        keepVectorIndexes(second, { ...kept, maxIndexes: 1 }, running),
      ]);
    } finally {
      await second.destroy();
    }
    expect([await isIndexed('a'), await isIndexed('b')]).toEqual([false, true]);
  });

  it('an index goes when others are larger than its collection', async () => {
    await tools.db('vector_collections').update({ items: 0 });
    await fill('a', 500);
    await keepVectorIndexes(tools.db, { ...kept, maxIndexes: 1 }, running);
    await fill('b', 600);
    await keepVectorIndexes(tools.db, { ...kept, maxIndexes: 1 }, running);
    expect([await isIndexed('a'), await isIndexed('b')]).toEqual([false, true]);
  });

  it('an index that cannot be built keeps no other from being built', async () => {
    await tools.db('vector_collections').update({ items: 0 });
    await fill('bad', 600);
    await fill('good', 500);
    const bad = await collectionId('bad');
    // As if it had other dimensions than its vectors.
    await tools
      .db('vector_collections')
      .where({ id: bad })
      .update({ dimensions: dimensions + 1 });
    await expect(keepVectorIndexes(tools.db, kept, running)).rejects.toThrow('dimensions');
    expect([await isIndexed('bad'), await isIndexed('good')]).toEqual([false, true]);
  });

  it('a collection of more dimensions than an index takes stays as small as one without an index', async () => {
    const wide = Array.from({ length: 4001 }, () => 1);
    await upsert('wide', [item('first', wide)]);
    await tools.db('vector_collections').where({ name: 'wide' }).update({ items: exactItems });
    expect(
      await failure('vector_upsert', { collection: 'wide', items: [item('one more', wide)] }),
    ).toMatchObject({ code: 'limit_reached', message: expect.stringContaining('of 4001 dimensions') });
  });

  it('a collection may grow beyond what is compared one by one', async () => {
    await fill('a', exactItems);
    expect(await upsert('a', [item('one more', near())])).toMatchObject({ items: exactItems + 1 });
  });
});

it('nothing is done on a database without pgvector', async () => {
  const plain = await openTools();
  try {
    expect(await hasVectorExtension(plain.db)).toBe(false);
    await keepVectorIndexes(plain.db, { minItems: 1, maxIndexes: 1 }, running);
  } finally {
    await plain.close();
  }
});
