/**
 * The columns of every table and view, one line each: as `store/tables.ts` describes them,
 * and as a database has them.
 */

import ts from 'typescript';
import * as z from 'zod';
import { agentKind } from '../../contract/agent.ts';
import { inputMessage } from '../../contract/agent-contract.ts';
import { authorizationStatus } from '../../contract/authorization.ts';
import { approvers, changedTools, mcpServer, network, unlistedTools } from '../../contract/catalog.ts';
import { deliveryStatus, messageKind } from '../../contract/channel.ts';
import { grantScope } from '../../contract/grant.ts';
import { mcpCheckStatus } from '../../contract/mcp-check.ts';
import { oauthClientKind, registrationStatus } from '../../contract/mcp-registration.ts';
import { requestStatus } from '../../contract/permission-request.ts';
import { signIn } from '../../contract/remote-server.ts';
import { overlapPolicy, pauseReason, runOutcome } from '../../contract/schedule.ts';
import { sessionStatus } from '../../contract/session.ts';
import { actor } from '../../contract/session-event.ts';
import { processKind, processState } from '../../contract/session-process.ts';
import { definitionPart, pinSource } from '../../contract/tool-definitions.ts';
import { embedderName } from '../../contract/vectors.ts';
import { workspaceRole } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { endReason } from '../../store/oauth-connections/read.ts';
import { readRows } from '../../store/read-rows.ts';

/** The values of the contract's types, by how `store/tables.ts` writes them. */
const valuesByType: Record<string, readonly string[]> = {
  "Actor['type']": actor.shape.type.options,
  "Agent['kind']": agentKind.options,
  "Agent['network']": network.options,
  ConnectionEndReason: endReason.options,
  DeliveryStatus: deliveryStatus.options,
  "Embedder['name']": embedderName.options,
  GrantScope: grantScope.options,
  "InputMessage['kind']": inputMessage.shape.kind.options,
  McpCheckStatus: mcpCheckStatus.options,
  "McpServer['approvers']": approvers.options,
  "McpServer['changed_tools']": changedTools.options,
  "McpServer['manifest_source']": mcpServer.shape.manifest_source.options,
  "McpServer['network']": network.options,
  "McpServer['unlisted_tools']": unlistedTools.options,
  MessageKind: messageKind.options,
  OAuthClientKind: oauthClientKind.options,
  OverlapPolicy: overlapPolicy.options,
  PauseReason: pauseReason.options,
  "PinnedToolList['source']": pinSource.options,
  ProcessKind: processKind.options,
  ProcessState: processState.options,
  AuthorizationStatus: authorizationStatus.options,
  RegistrationStatus: registrationStatus.options,
  RequestStatus: requestStatus.options,
  RunOutcome: runOutcome.options,
  SessionStatus: sessionStatus.options,
  SignIn: signIn.options,
  "ToolDefinition['part']": definitionPart.options,
  WorkspaceRole: workspaceRole.options,
};

const typeByName: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  int4: 'number',
  int8: 'number',
  jsonb: 'unknown',
  text: 'string',
  timestamptz: 'string',
  uuid: 'string',
  _float4: 'number[]',
  _text: 'string[]',
};

const union = (values: readonly string[]) =>
  values
    .toSorted()
    .map((value) => `'${value}'`)
    .join(' | ');

/** Lines such as `sessions.ended_at: string | null`, in order, of the text of `store/tables.ts`. */
export function describedColumns(text: string): string[] {
  const tree = ts.createSourceFile('tables.ts', text, ts.ScriptTarget.Latest, true);
  const tables = new Map<string, ts.TypeNode>();
  const lines: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isInterfaceDeclaration(node) && node.name.text === 'Tables') {
      for (const { name, type } of propertiesOf(node)) {
        tables.set(name, type);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  for (const [table, type] of tables) {
    const sameAs = /^Tables\['(\w+)'\]$/.exec(type.getText())?.[1];
    const columns = sameAs === undefined ? type : tables.get(sameAs);
    for (const column of columns !== undefined && ts.isTypeLiteralNode(columns)
      ? propertiesOf(columns)
      : []) {
      lines.push(`${table}.${column.name}: ${describeType(column.type.getText())}`);
    }
  }
  return lines.map(withoutFactsOfViews).sort();
}

function propertiesOf(node: ts.InterfaceDeclaration | ts.TypeLiteralNode) {
  return node.members.flatMap((member) =>
    ts.isPropertySignature(member) && member.type !== undefined
      ? [{ name: member.name.getText(), type: member.type }]
      : [],
  );
}

function describeType(text: string): string {
  const [type = '', ...rest] = text.startsWith("'") ? [union(text.match(/\w+/g) ?? [])] : text.split(' | ');
  const values = valuesByType[type];
  return [values === undefined ? type : union(values), ...rest].join(' | ');
}

const views = ['active_grants', 'admin_only_scopes'];

/** Postgres knows of a view's column neither whether it may be null nor which values it may have. */
function withoutFactsOfViews(line: string): string {
  const isOfView = views.some((view) => line.startsWith(`${view}.`));
  return isOfView ? line.replace(' | null', '').replace(/'.*'/, 'string') : line;
}

const columnsOfDatabase = `
  select c.relname as table, a.attname as column, t.typname as type,
    not a.attnotnull and a.attgenerated = '' as nullable,
    (select pg_get_constraintdef(k.oid) from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_constraintdef(k.oid) like '%= ANY (ARRAY[%') as values
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
    and c.relname not in ('migrations', 'migrations_lock')`;

const column = z.object({
  table: z.string(),
  column: z.string(),
  type: z.string(),
  nullable: z.boolean(),
  values: z.string().nullable(),
});

/** The same lines of a database, except for the tables in which knex counts the migrations. */
export async function databaseColumns(db: Db): Promise<string[]> {
  const columns = await readRows(db.raw(columnsOfDatabase), column);
  return columns
    .map(({ table, column: name, type, nullable, values }) => {
      const listed =
        values === null ? [] : [...values.matchAll(/'([\w-]+)'::text/g)].map(([, value = '']) => value);
      const base = listed.length > 0 ? union(listed) : (typeByName[type] ?? type);
      return `${table}.${name}: ${base}${nullable && base !== 'unknown' ? ' | null' : ''}`;
    })
    .map(withoutFactsOfViews)
    .sort();
}
