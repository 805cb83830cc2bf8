import { platformServerName } from '../../contract/platform-server-name.ts';

const prefix = 'mcp__';

/** What a model calls the tools of a server (docs/agent-contract.md#what-is-there-when-the-agent-starts). */
export const toolsOf = (server: string): string => `${prefix}${server}`;
export const platformTool = (tool: string): string => `${toolsOf(platformServerName)}__${tool}`;

/** The platform records a call of such a tool when it gets it. */
export const isOfServer = (name: string): boolean => name.startsWith(prefix);

/** As people read it: `files.write_file`; a tool of no server by its own name. */
export function readableTool(name: string): string {
  const [server, ...tool] = isOfServer(name) ? name.slice(prefix.length).split('__') : [];
  return server === undefined || tool.length === 0 ? name : `${server}.${tool.join('__')}`;
}
