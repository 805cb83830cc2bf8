import type { FrozenConfiguration } from '../../contract/session.ts';
import { type ProcessKind, type SessionProcess, sessionProcess } from '../../contract/session-process.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readConfiguration } from '../session-configurations/configurations.ts';

/** Every process of a session, also those without a report: servers, siblings, then the agent. Empty before the freeze. */
export async function listProcesses(db: Db, sessionId: string): Promise<SessionProcess[]> {
  const configuration = await readConfiguration(db, sessionId);
  if (configuration === null) {
    return [];
  }
  const query = db('session_processes')
    .where({ session_id: sessionId })
    .select(
      ...['kind', 'name', 'state', 'exit_code', 'signal', 'cause', 'handshake_ms', 'updated_at'],
      'output_size_bytes',
      db.raw('earlier_starts::bigint + starts as starts'),
    );
  const rows = await readRows(query, sessionProcess);
  const known = new Map(rows.map((row) => [`${row.kind}/${row.name}`, row]));
  return namesOf(configuration).map(({ kind, name }) => known.get(`${kind}/${name}`) ?? unknown(kind, name));
}

function namesOf({ servers, siblings }: FrozenConfiguration): { kind: ProcessKind; name: string }[] {
  return [
    ...servers.map(({ name }) => ({ kind: 'server' as const, name })),
    ...siblings.map(({ name }) => ({ kind: 'sibling' as const, name })),
    { kind: 'agent', name: 'agent' },
  ];
}

const unknown = (kind: ProcessKind, name: string): SessionProcess => ({
  kind,
  name,
  state: 'not_started',
  starts: 0,
  exit_code: null,
  signal: null,
  cause: null,
  handshake_ms: null,
  updated_at: null,
  output_size_bytes: null,
});
