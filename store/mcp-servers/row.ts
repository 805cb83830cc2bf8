import { type McpServer, mcpServer } from '../../contract/catalog.ts';

/** Columns of a catalog entry, as the contract names them. */
export const mcpServerColumns = Object.keys(mcpServer.shape) as (keyof McpServer)[];

const jsonColumns = new Set(['shape', 'manifest', 'egress_allow', 'image_command', 'image_volumes']);

/** Parsed on every read: a row that does not fit the contract is refused. */
export function presentMcpServer(row: unknown): McpServer {
  return mcpServer.parse(row);
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
