import { receiveToolList, type ToolListSource } from '../../commands/tool-definitions/receive-list.ts';
import type { FrozenServer } from '../../contract/session.ts';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { readCheckConfiguration } from '../../store/mcp-checks/move.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { knowsDefinitions } from '../../store/tool-definitions/known.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { ContextByScope } from '../route.ts';
import { secretValues } from './secret-values.ts';
import { listWithoutValues } from './without-values.ts';

type Dependencies = Pick<ApiDependencies, 'db' | 'config'>;

/** Records what a server of a session or a check listed. Does nothing for a server that it does not have. */
export async function receive(
  { db, config }: Dependencies,
  { workload }: ContextByScope['workload'],
  report: ToolListReport,
): Promise<void> {
  const configuration =
    workload.kind === 'check'
      ? await readCheckConfiguration(db, workload.check.id)
      : await readConfiguration(db, workload.session.id);
  const server = configuration?.servers.find(({ name }) => name === report.server);
  if (configuration === null || server === undefined) {
    return;
  }
  const source = sourceOf({ workload }, server);
  // What is stored already is not stored again, so no text is needed: it may be removed in this moment.
  const values = (await knowsDefinitions(db, source.entry, report))
    ? null
    : await secretValues({ db, keys: config.MASTER_KEYS, workspaceId: configuration.workspace_id }, server);
  await receiveToolList(db, source, await listWithoutValues(report, values));
}

function sourceOf(
  { workload }: ContextByScope['workload'],
  { name, entry_id: entryId, entry_version: version, changed_tools }: FrozenServer,
): ToolListSource {
  const owner = workload.kind === 'check' ? workload.check : workload.session;
  const entry = { workspaceId: owner.workspace_id, entryId, version, name };
  return workload.kind === 'check'
    ? { kind: 'check', entry, startedBy: workload.check.started_by }
    : { kind: 'session', entry, sessionId: workload.session.id, refusesChanges: changed_tools === 'refuse' };
}
