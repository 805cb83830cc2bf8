import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import * as z from 'zod';
import { closureOf } from './imported-module.ts';
import { Proven, textsOf } from './proven.ts';
import { untypedQueries } from './row-types.ts';

const header = `
  import * as z from 'zod';
  import type { Db } from '../database.ts';
  import { readRow, readRows } from '../read-rows.ts';`;
const planted = {
  'raw SQL': `export const x = async (db: Db) => (await db.raw('select 1 as one')).rows;`,
  'a join': `export async function x(db: Db) { const found = await db('users as u').join('members as m', 'm.user_id', 'u.id').select('u.id'); return found.length; }`,
  'a join in what a caller wants': `export async function x(db: Db): Promise<{ id: string }[]> { return db('users as u').join('members as m', 'm.user_id', 'u.id').select('u.id'); }`,
  'a computed column': `export const x = async (db: Db) => { const [row] = await db('users').select('id', db.raw('1 as one')); return row; };`,
  'a column that is not there': `export const x = async (db: Db) => { const row = await db('users').first('weather'); return row; };`,
  'a type argument': `export const x = async (db: Db) => { const row = await db('users').first<{ id: number }>('id'); return row; };`,
  'an annotation': `export async function x(db: Db) { const rows: { id: number }[] = await db('users').select('id', 'weather'); return rows; }`,
  'a cast': `export async function x(db: Db) { return (await db('users as u').select('u.id')) as { id: number }[]; }`,
};
const typed = `
  export const a = async (db: Db) => { const row = await db('users').where({ id: 'x' }).first('id', 'email'); return row; };
  export const b = (db: Db) => readRows(db.raw('select 1 as one'), z.object({ one: z.int() }));
  export const c = (db: Db) => readRow(db('users as u').first('u.id'), z.object({ id: z.string() }));
  export const d = async (db: Db) => { await db.raw('select 1'); return db('users').delete(); };
  export const e = async (db: Db) => (await db('users').insert({ issuer: 'x' }).returning(['id', 'name'])).length;`;

/** The types of rows depend on what a file imports, on the packages, and on how the compiler is set. */
const judges = [
  ...['row-types.test.ts', 'row-types.ts', 'imported-module.ts'].map((name) => `test/architecture/${name}`),
  'tsconfig.json',
  'package-lock.json',
];

it('every query of the store has rows of a type that something guarantees, and no planted one is missed', () => {
  const paths = readdirSync('store', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `store/${path}`);
  const tables = paths.filter((path) => readFileSync(path, 'utf8').includes('\ndeclare module '));
  expect(tables.length).toBeGreaterThan(5);
  const proven = new Proven('row-types', [...textsOf(judges), ...tables.flatMap(closureOf)]);
  const isProven = (texts: readonly string[]) => proven.evidence(texts, z.literal(true)) ?? false;
  const store = paths
    .map((path) => ({ path, texts: closureOf(path) }))
    .filter(({ texts }) => !isProven(texts));
  const sources = Object.entries(planted).map(([, text], index) => [
    `store/planted/x${index}.ts`,
    `${header}\n${text}`,
  ]);
  const texts = Object.fromEntries([...sources, ['store/planted/typed.ts', header + typed]]);
  const plantedTexts = ['store/database.ts', 'store/read-rows.ts'].flatMap(closureOf);
  const arePlantedProven = isProven(plantedTexts);

  const due = store.map(({ path }) => path);
  const found = new Set(
    due.length > 0 || !arePlantedProven
      ? untypedQueries(due, arePlantedProven ? {} : texts, tables).map((place) => place.replace(/:\d+$/, ''))
      : [],
  );
  const expected = arePlantedProven ? [] : sources.map(([path]) => path);
  expect([...found]).toEqual(expected);
  for (const { texts } of store) {
    proven.keep(texts, true);
  }
  proven.keep(plantedTexts, true);
  proven.save();
});
