/** Summary of each workflow in the Temporal UI: names and what is requested, never text that somebody wrote about it. */
import * as z from 'zod';
import { grantType, subjectMatter } from '../../contract/grant.ts';
import type { Db } from '../database.ts';
import { readRow } from '../read-rows.ts';

/** Temporal takes 400 bytes, which is a hundred characters of any script. */
const mostCharacters = 100;

/** Truncates `text` to a summary that Temporal accepts. */
export function asSummary(text: string): string {
  const characters = [...text];
  return characters.length <= mostCharacters ? text : `${characters.slice(0, mostCharacters - 1).join('')}…`;
}

/** `Session of writer in demo`. */
export async function readSessionSummary(db: Db, sessionId: string): Promise<string> {
  const query = named(db).where('s.id', sessionId).first({ agent: 'a.name', workspace: 'w.slug' });
  const found = await readRow(query, z.object({ agent: z.string(), workspace: z.string() }));
  return asSummary(found === null ? 'Session' : `Session of ${found.agent} in ${found.workspace}`);
}

const requestFacts = z.object({
  agent: z.string(),
  workspace: z.string(),
  grant_type: grantType,
  details: z.record(z.string(), z.unknown()),
});

/** `writer in demo asks for tool_scope files.write`. */
export async function readRequestSummary(db: Db, requestId: string): Promise<string> {
  const query = named(db)
    .join('permission_requests as r', 'r.session_id', 's.id')
    .where('r.id', requestId)
    .first({ agent: 'a.name', workspace: 'w.slug', grant_type: 'r.grant_type', details: 'r.details' });
  const found = await readRow(query, requestFacts);
  return found === null
    ? 'Permission request'
    : asSummary(
        `${found.agent} in ${found.workspace} asks for ${subjectMatter(found.grant_type, found.details)}`,
      );
}

const named = (db: Db) =>
  db('sessions as s')
    .join('agents as a', 'a.id', 's.agent_id')
    .join('workspaces as w', 'w.id', 's.workspace_id');
