/**
 * Names that readers have to tell apart: of agents, schedules and catalog entries, each unique in its
 * workspace by two forms. Two names are the same when they differ in case, width, invisible characters and
 * lookalikes of other scripts alone, or when they look the same as they are written (UTS #39).
 */
import unhomoglyph from 'unhomoglyph';
import * as z from 'zod';
import { cleanedName } from '../contract/shown-name.ts';
import type { Db } from './database.ts';
import { readRows } from './read-rows.ts';

type NamedTable = 'agents' | 'schedules' | 'mcp_servers';

export interface NameForms {
  /** The same of names that differ in case, width, what nobody sees and letters of other scripts. */
  name_caseless: string;
  /** The same of names that look the same as they are written, such as `l` and `I`. */
  name_seen: string;
}

const quotationMarks = /["\p{Quotation_Mark}\u02ba\u02dd\u02ee\u05f4\u2033\u2036\u3003]/gu;
const caseFolded = (text: string) => text.toUpperCase().toLowerCase();
/** A dot above a letter that has one covers that, and nobody sees it (UTS #39 5.4, "hidden overlay"). */
const hiddenDots = /(?<=[ijl\u0131\u0237][\u0323\u0307]*)\u0307/gu;
/** The skeleton of UTS #39. */
const skeletonOf = (text: string) =>
  unhomoglyph(text.normalize('NFD').replace(hiddenDots, '')).normalize('NFD').replace(hiddenDots, '');

export function nameForms(name: string): NameForms {
  // A message to a channel writes each quotation mark as one sign, and brackets where an
  // address would become a link.
  const plain = cleanedName(name)
    .replace(/[\u200c\u200d]/g, '')
    .normalize('NFKC')
    .replace(quotationMarks, "'")
    .replace(/\u3002/g, '.')
    .replace(/\[|\] */g, '');
  const form = (text: string) => text.replace(/'+/g, "'").replace(/\s+/g, ' ').trim();
  return {
    name_caseless: form(caseFolded(skeletonOf(caseFolded(plain)))),
    name_seen: form(caseFolded(skeletonOf(plain))),
  };
}

/**
 * The name in the workspace that is this one, or that readers would take for it; null where there is none.
 */
export async function findSimilarName(
  db: Db,
  table: NamedTable,
  { workspaceId, name, exceptId = null }: { workspaceId: string; name: string; exceptId?: string | null },
): Promise<string | null> {
  const { name_caseless: caseless, name_seen: seen } = nameForms(name);
  const found = db.raw(
    `select name from ${table} where workspace_id = :workspaceId and id is distinct from :exceptId::uuid
       and (name = :name or name_caseless = :caseless or name_seen = :seen)
     order by name <> :name, created_at limit 1`,
    { workspaceId, exceptId, name, caseless, seen },
  );
  return (await readRows(found, z.object({ name: z.string() })))[0]?.name ?? null;
}
