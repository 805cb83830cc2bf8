import { platformServerName } from '../../contract/platform-server-name.ts';

const prefix = 'mcp__';

/** What a model calls the tools of a server (docs/agent-contract.md#what-is-there-when-the-agent-starts). */
export const toolsOf = (server: string): string => `${prefix}${server}`;
export const platformTool = (tool: string): string => `${toolsOf(platformServerName)}__${tool}`;

/** As people read it: `files.write_file`; a tool of no server by its own name. */
export function readableTool(name: string): string {
  const [server, ...tool] = name.startsWith(prefix) ? name.slice(prefix.length).split('__') : [];
  return server === undefined || tool.length === 0 ? name : `${server}.${tool.join('__')}`;
}
