import * as z from 'zod';
import { type McpServer, mcpServer } from '../../contract/catalog.ts';
import { secretName } from '../../contract/names.ts';

/** Columns of a catalog entry, as the contract names them. */
export const mcpServerColumns = Object.keys(mcpServer.shape) as (keyof McpServer)[];

const olderRow = z.looseObject({ shape: z.looseObject({ registry_secret: secretName }) });
const jsonColumns = new Set(['shape', 'manifest', 'egress_allow', 'image_command', 'image_volumes']);

/** Parsed on every read: a row that does not fit the contract is refused. */
export function presentMcpServer(row: unknown): McpServer {
  return mcpServer.parse(withReference(row));
}

/** An API of an earlier release, still running during an upgrade, writes the secret's bare name. */
export function withReference(row: unknown): unknown {
  const stored = olderRow.safeParse(row);
  return stored.success
    ? {
        ...stored.data,
        shape: { ...stored.data.shape, registry_secret: `\${${stored.data.shape.registry_secret}}` },
      }
    : row;
}

/** Fields for an insert or update; JSON columns are given as text, since arrays would become Postgres arrays. */
export function mcpServerRow(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      jsonColumns.has(name) ? JSON.stringify(value) : value,
    ]),
  );
}
