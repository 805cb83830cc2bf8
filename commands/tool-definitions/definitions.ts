/** What a server lists as its tools, and what an admin accepts of it. */
import { mostNamedTools, systemActor } from '../../contract/session-event.ts';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { appendAuditEvent } from '../../store/audit-events/append.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { keepMcpServer, lockMcpServerForUse } from '../../store/mcp-servers/mcp-servers.ts';
import { appendSessionEvent, derivedId } from '../../store/session-events/append.ts';
import { hasEvents } from '../../store/session-events/list.ts';
import {
  type AcceptedDefinition,
  acceptWaiting,
  definitionsOf,
  type EntryVersion,
  insertAccepted,
  insertWaiting,
  isPinned,
  listUnaccepted,
  pinToolList,
  type ReportedDefinition,
  rememberShown,
  type Unaccepted,
} from '../../store/tool-definitions/record.ts';

/**
 * Accepts definitions that wait, by their ids: exactly what the admin read, whatever the server says since.
 * Ids that wait no longer change nothing. Returns how many were accepted now; null when the workspace has no
 * entry of that name.
 */
export function acceptDefinitions(
  db: Db,
  { workspaceId, name, ids, userId }: { workspaceId: string; name: string; ids: string[]; userId: string },
): Promise<number | null> {
  return inTransaction(db, async (trx) => {
    const entry = await lockMcpServerForUse(trx, { workspaceId, name });
    if (entry === null) {
      return null;
    }
    const accepted = distinct(await acceptWaiting(trx, entry.id, ids, userId));
    if (accepted.length > 0) {
      const tools = accepted.filter(({ part }) => part === 'tool').map(({ tool }) => tool);
      await appendAuditEvent(trx, {
        workspaceId,
        event: 'workspace.mcp.tools_accepted',
        actor: { type: 'user', id: userId },
        resource: { type: 'mcp_server', id: entry.id, name },
        data: {
          tools: tools.slice(0, mostNamedTools),
          more_tools: Math.max(0, tools.length - mostNamedTools),
          instructions: accepted.some(({ part }) => part === 'instructions'),
        },
      });
    }
    return accepted.length;
  });
}

/** One for each definition, in however many versions it was accepted. */
const distinct = (accepted: readonly AcceptedDefinition[]): AcceptedDefinition[] => [
  ...new Map(accepted.map((each) => [`${each.part} ${each.tool} ${each.digest}`, each])).values(),
];

/** Max events of changes in a session: a server could invent them without end. */
const mostTold = 100;

/** Who saw the list: the agent of a session, or an admin's check of the entry. */
export type ToolListSource = { entry: EntryVersion & { name: string } } & (
  | { kind: 'session'; sessionId: string; refusesChanges: boolean }
  | { kind: 'check'; startedBy: string }
);

/**
 * Records what a server listed. The first complete list of a version is accepted as it is; whatever differs
 * from what is accepted waits for an admin, and its session is told. Idempotent. Does nothing for an entry
 * that has been removed.
 */
export async function receiveToolList(db: Db, source: ToolListSource, report: ToolListReport): Promise<void> {
  const definitions = definitionsOf(report);
  await inTransaction(db, async (trx) => {
    if (!(await keepMcpServer(trx, source.entry.entryId))) {
      return;
    }
    // A complete list is compared unless it is the first; one in part where there is
    // something to compare it with.
    const isCompared = report.is_complete
      ? !(await pin(trx, source, definitions))
      : await isPinned(trx, source.entry);
    if (isCompared) {
      await compare(trx, source, definitions);
    }
  });
}

async function pin(
  trx: Transaction,
  source: ToolListSource,
  definitions: readonly ReportedDefinition[],
): Promise<boolean> {
  const { entry } = source;
  const isCheck = source.kind === 'check';
  const userId = isCheck ? source.startedBy : null;
  if (!(await pinToolList(trx, entry, { source: source.kind, userId }))) {
    return false;
  }
  const sessionId = isCheck ? null : source.sessionId;
  await insertAccepted(trx, entry, definitions, { userId, sessionId });
  await appendAuditEvent(trx, {
    ...auditedEntry(source),
    event: 'workspace.mcp.tools_pinned',
    actor: isCheck ? { type: 'user', id: source.startedBy } : systemActor,
    data: {
      version: entry.version,
      source: source.kind,
      tools: definitions.filter(({ part }) => part === 'tool').length,
      has_instructions: definitions.some(({ part }) => part === 'instructions'),
    },
  });
  return true;
}

async function compare(
  trx: Transaction,
  source: ToolListSource,
  definitions: readonly ReportedDefinition[],
): Promise<void> {
  const { entry } = source;
  const isSession = source.kind === 'session';
  const stored = await insertWaiting(trx, entry, definitions, isSession ? source.sessionId : null);
  const unaccepted = await listUnaccepted(trx, entry, definitions);
  if (unaccepted.length === 0) {
    return;
  }
  if (isSession) {
    await rememberShown(trx, source.sessionId, unaccepted);
  }
  const difference = namesOf(unaccepted);
  if (stored.length > 0) {
    await appendAuditEvent(trx, {
      ...auditedEntry(source),
      event: 'workspace.mcp.tools_changed',
      actor: systemActor,
      data: { version: entry.version, ...difference },
    });
  }
  const type = 'session.tools_changed';
  if (isSession && !(await hasEvents(trx, { sessionId: source.sessionId, type, count: mostTold }))) {
    await appendSessionEvent(trx, source.sessionId, {
      id: derivedId(source.sessionId, 'tools_changed', entry.name, keyOf(unaccepted)),
      type,
      actor: systemActor,
      payload: { server: entry.name, ...difference, refused: source.refusesChanges },
    });
  }
}

function namesOf(unaccepted: readonly Unaccepted[]) {
  const named = (isNew: boolean) => [
    ...new Set(
      unaccepted.filter(({ part, is_new }) => part === 'tool' && is_new === isNew).map(({ tool }) => tool),
    ),
  ];
  const [added, changed] = [named(true), named(false)];
  const shown = {
    new_tools: added.slice(0, mostNamedTools),
    changed_tools: changed.slice(0, mostNamedTools),
  };
  return {
    ...shown,
    more_tools: added.length + changed.length - shown.new_tools.length - shown.changed_tools.length,
    instructions_changed: unaccepted.some(({ part }) => part === 'instructions'),
  };
}

/** Without digests: members read the event's id, and could guess a short value of a secret by it. */
const keyOf = (unaccepted: readonly Unaccepted[]): string =>
  JSON.stringify(unaccepted.map(({ part, tool, id }) => [part, tool, id]));

const auditedEntry = (source: ToolListSource) => ({
  workspaceId: source.entry.workspaceId,
  resource: { type: 'mcp_server', id: source.entry.entryId, name: source.entry.name },
  ...(source.kind === 'session' ? { sessionId: source.sessionId } : {}),
});
