import { setImmediate as nextTurn } from 'node:timers/promises';
import { receiveToolList, type ToolListSource } from '../../commands/tool-definitions/definitions.ts';
import type { MasterKeys } from '../../config/keys.ts';
import type { FrozenServer } from '../../contract/session.ts';
import { type ToolListReport, toolListLimits } from '../../contract/tool-definitions.ts';
import { createTextRedactor } from '../../lib/redaction/redactor.ts';
import type { Db } from '../../store/database.ts';
import { readCheckConfiguration } from '../../store/mcp-checks/checks.ts';
import { openText } from '../../store/secrets/envelope.ts';
import { readSealed } from '../../store/secrets/secrets.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { knowsDefinitions } from '../../store/tool-definitions/record.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { ContextByScope } from '../route.ts';

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

/**
 * The values that a server has in its environment; null when one is not what it was when the server was
 * started, or cannot be read.
 */
async function secretValues(
  { db, keys, workspaceId }: { db: Db; keys: MasterKeys; workspaceId: string },
  { env }: Pick<FrozenServer, 'env'>,
): Promise<string[] | null> {
  const frozen = Object.values(env).filter((variable) => variable.kind === 'secret');
  const names = [...new Set(frozen.map(({ secret_name }) => secret_name))];
  if (names.length === 0) {
    return [];
  }
  const sealed = await readSealed(db, workspaceId, names);
  const versions = new Map(sealed.map(({ name, version }) => [name, version]));
  if (frozen.some(({ secret_name, secret_version }) => versions.get(secret_name) !== secret_version)) {
    return null;
  }
  try {
    return sealed.map((row) => openText(keys, { workspaceId, name: row.name }, row));
  } catch {
    return null;
  }
}

/** A shorter value may be part of any name, and calls are compared by name. The mark is shorter. */
const shortestInName = 12;

type Text = NonNullable<ToolListReport['instructions']>;
const nothing = { text: '', is_cut: true };

/**
 * A list without the values of its server's secrets, which a server may tell anyone who asks; every member
 * reads what is stored of it. Yields to other work in between. Shows no text at all when `values` is null, or
 * when there is too much to search for.
 */
export async function listWithoutValues(
  report: ToolListReport,
  values: readonly string[] | null,
): Promise<ToolListReport> {
  const inNames = (values ?? []).filter((value) => value.length >= shortestInName);
  const texts = [...report.tools, ...(report.instructions === null ? [] : [report.instructions])];
  const redact =
    values &&
    createTextRedactor(
      values,
      texts.map(({ text }) => text),
    );
  const clean = (text: Text) => (redact === null ? nothing : withoutValues(text, redact));
  const tools: ToolListReport['tools'] = [];
  for (const tool of report.tools) {
    await nextTurn();
    tools.push({ ...tool, name: nameWithout(tool.name, inNames), ...clean(tool) });
  }
  const instructions = report.instructions && { ...report.instructions, ...clean(report.instructions) };
  return { ...report, tools, instructions };
}

/** Whole values only: a name may well begin or end like one. */
const nameWithout = (name: string, values: readonly string[]): string =>
  values.reduce((shown, value) => shown.replaceAll(value, '[secret]'), name);

function withoutValues(
  { text, is_cut }: Text,
  redact: (text: string) => string,
): Pick<Text, 'text' | 'is_cut'> {
  const clean = redact(text);
  const shown = clean.slice(0, toolListLimits.textCharacters);
  return { text: shown, is_cut: is_cut || shown.length < clean.length };
}
