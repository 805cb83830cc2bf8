/** Finds the servers in what people copy: a client's whole configuration, its `mcpServers`, or one server of it. */

export function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Problem {
  problem: string;
}

/** The value of a pasted text, which may be a fragment as a README shows it. */
export function parsePasted(text: string): { value: unknown } | Problem {
  try {
    return { value: JSON.parse(withBraces(text.trim())) };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` };
  }
}

/** The servers by their keys. Their container is `mcpServers`, `servers` (as editors call it), or the value itself. */
export function serversIn(value: unknown): { servers: Record<string, unknown> } | Problem {
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
