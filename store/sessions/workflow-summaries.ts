/**
 * Summary of each workflow in the Temporal UI: names and what is requested, never text that
 * somebody wrote about it.
 */
import * as z from 'zod';
import { grantType, subjectMatter } from '../../contract/grant.ts';
import type { Db } from '../database.ts';
import { readRow, readRows } from '../read-rows.ts';

/** Temporal takes 400 bytes, which is a hundred characters of any script. */
const mostCharacters = 100;

/** What Temporal's UI, which reads summaries as Markdown, would take for more than text. */
const markup = /[[\]<>`*~|!\\]/g;

/** Text as a summary that Temporal accepts and shows as it is: without markup, and truncated. */
export const asSummary = (text: string): string => truncated(text.replaceAll(markup, ''));

function truncated(text: string): string {
  const characters = [...text];
  return characters.length <= mostCharacters ? text : `${characters.slice(0, mostCharacters - 1).join('')}…`;
}

/**
 * What a workflow is about, by the table that names it. A grant is about the agent
 * that holds it, if one does.
 */
const names = {
  session: `select w.slug as workspace, a.name from sessions x join agents a on a.id = x.agent_id
    join workspaces w on w.id = x.workspace_id where x.id = ?`,
  check: `select w.slug as workspace, s.name from mcp_checks x join mcp_servers s on s.id = x.mcp_server_id
    join workspaces w on w.id = x.workspace_id where x.id = ?`,
  registration: `select w.slug as workspace, x.entry_name as name from mcp_registrations x
    join workspaces w on w.id = x.workspace_id where x.id = ?`,
  schedule: `select w.slug as workspace, coalesce(a.name, '') as name from schedules x left join agents a on a.id = x.agent_id
    join workspaces w on w.id = x.workspace_id where x.id = ?`,
  grant: `select w.slug as workspace, coalesce(a.name, '') as name from grants x left join agents a on a.id = x.agent_subject_id
    join workspaces w on w.id = x.workspace_id where x.id = ?`,
};
export type NamedKind = keyof typeof names;

async function readNames(
  db: Db,
  kind: NamedKind,
  id: string,
): Promise<{ workspace: string; name: string } | null> {
  const rows = await readRows(
    db.raw(names[kind], [id]),
    z.object({ workspace: z.string(), name: z.string() }),
  );
  return rows[0] ?? null;
}

/** `demo/writer`, to search for; null when it was removed. */
export async function readSubject(db: Db, kind: NamedKind, id: string): Promise<string | null> {
  const found = await readNames(db, kind, id);
  return found && truncated(`${found.workspace}/${found.name}`);
}

const summaryOf = async (db: Db, kind: NamedKind, id: string, what: string) => {
  const found = await readNames(db, kind, id);
  return asSummary(found === null ? what : `${what} of ${found.name} in ${found.workspace}`);
};

/** `Check of files in demo`. */
export const readCheckSummary = (db: Db, id: string) => summaryOf(db, 'check', id, 'Check');
/** `Registration of notes in demo`. */
export const readRegistrationSummary = (db: Db, id: string) =>
  summaryOf(db, 'registration', id, 'Registration');
/** `Scheduled run of writer in demo`. */
export const readScheduleSummary = (db: Db, id: string) => summaryOf(db, 'schedule', id, 'Scheduled run');

/** `Session of writer in demo`. */
export const readSessionSummary = (db: Db, id: string) => summaryOf(db, 'session', id, 'Session');

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
