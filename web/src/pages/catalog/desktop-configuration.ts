/** Finds the servers in what people copy: a client's whole configuration, its `mcpServers`, or one server of it. */

export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type FoundServers = { servers: Record<string, unknown> } | { problem: string };

/** The servers by their keys. Their container is `mcpServers`, `servers` (as editors call it), or the text itself. */
export function serversIn(text: string): FoundServers {
  let value: unknown;
  try {
    value = JSON.parse(withBraces(text.trim()));
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
  if (!isPlainRecord(value)) {
    return { problem: 'Expected an object with "mcpServers".' };
  }
  const { mcp } = value;
  for (const holder of [value['mcpServers'], value['servers'], isPlainRecord(mcp) ? mcp['servers'] : null]) {
    if (isPlainRecord(holder)) {
      return { servers: holder };
    }
  }
  if (isServer(value)) {
    return { problem: 'The server has no name. Wrap it as { "mcpServers": { "name": { … } } }.' };
  }
  return Object.values(value).some(isServer) ? { servers: value } : { problem: 'No "mcpServers" found.' };
}

/** `"mcpServers": {…}`, as a README shows it. */
const withBraces = (text: string): string => (text.startsWith('"') ? `{${text.replace(/,$/, '')}}` : text);

const isServer = (value: unknown): boolean => isPlainRecord(value) && ('command' in value || 'url' in value);
