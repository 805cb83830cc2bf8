import type { FrozenConfiguration } from '../../contract/session.ts';
import { type ProcessKind, type SessionProcess, sessionProcess } from '../../contract/session-process.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { readConfiguration } from '../session-configurations/configurations.ts';

/** What is known of a process by its configuration alone. */
type Frozen = Pick<SessionProcess, 'kind' | 'name' | 'ready_limit_seconds'>;

const reported = sessionProcess.omit({ ready_limit_seconds: true });

/** Every process of a session, also those without a report: servers, siblings, then the agent. Empty before the freeze. */
export async function listProcesses(db: Db, sessionId: string): Promise<SessionProcess[]> {
  const configuration = await readConfiguration(db, sessionId);
  if (configuration === null) {
    return [];
  }
  const query = db('session_processes')
    .where({ session_id: sessionId })
    .select(
      ...['kind', 'name', 'state', 'exit_code', 'signal', 'cause', 'handshake_ms', 'faults', 'updated_at'],
      'output_size_bytes',
      db.raw('earlier_starts::bigint + starts as starts'),
    );
  const rows = await readRows(query, reported);
  const known = new Map(rows.map((row) => [`${row.kind}/${row.name}`, row]));
  return frozenOf(configuration).map((each) => ({
    ...unreported,
    ...known.get(`${each.kind}/${each.name}`),
    ...each,
  }));
}

const frozen = (kind: ProcessKind, name: string, limitSeconds?: number): Frozen => ({
  kind,
  name,
  ready_limit_seconds: limitSeconds ?? null,
});

const frozenOf = ({ servers, siblings }: FrozenConfiguration): Frozen[] => [
  ...servers.map(({ name }) => frozen('server', name)),
  ...siblings.map(({ name, ready }) => frozen('sibling', name, ready?.timeout_seconds)),
  frozen('agent', 'agent'),
];

const unreported: Omit<SessionProcess, keyof Frozen> = {
  state: 'not_started',
  starts: 0,
  exit_code: null,
  signal: null,
  cause: null,
  handshake_ms: null,
  faults: [],
  updated_at: null,
  output_size_bytes: null,
};
