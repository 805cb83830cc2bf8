/** Lists of tools as sidecars report them, for tests that need what was seen of a server and no server. */
import { receiveToolList } from '../../commands/tool-definitions/definitions.ts';
import type { McpServer } from '../../contract/catalog.ts';
import type { Session } from '../../contract/session.ts';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { definitionOf } from '../../sidecar/tool-lists/definition.ts';
import { readConfiguration } from '../../store/session-configurations/configurations.ts';
import { eventually } from './eventually.ts';
import type { FrontDoor } from './front-door.ts';
import { withPlatformDatabase } from './platform-database.ts';
import { sharedPlatform } from './shared-platform.ts';

/** A tool as its server describes it; with the name, all fields of its definition. */
export type DescribedTool = { name: string } & Record<string, unknown>;

export interface ToolList {
  tools: readonly DescribedTool[];
  instructions?: string;
}

export const reportOf = (server: string, { tools, instructions }: ToolList): ToolListReport => ({
  server,
  is_complete: true,
  tools: tools.map((tool) => ({ name: tool.name, ...definitionOf(tool) })),
  instructions: instructions === undefined ? null : definitionOf(instructions),
});

/** A check of the entry by this person, on the platform of the run. */
export async function seeInCheck(by: FrontDoor, name: string, list: ToolList): Promise<void> {
  const { user } = await by.me();
  const { mcp_server } = await by.ok<{ mcp_server: McpServer }>('GET', `${by.workspace}/mcp-servers/${name}`);
  const { workspace } = await by.ok<{ workspace: { id: string } }>('GET', by.workspace);
  const entry = { workspaceId: workspace.id, entryId: mcp_server.id, version: mcp_server.version, name };
  await withPlatformDatabase(await sharedPlatform(), (db) =>
    receiveToolList(db, { kind: 'check', entry, startedBy: user.id }, reportOf(name, list)),
  );
}

/** In a session that has the server. */
export async function seeInSession(
  { id: sessionId, workspace_id: workspaceId }: Pick<Session, 'id' | 'workspace_id'>,
  name: string,
  list: ToolList,
): Promise<void> {
  await withPlatformDatabase(await sharedPlatform(), async (db) => {
    const frozen = await eventually(async () => {
      const server = (await readConfiguration(db, sessionId))?.servers.find((each) => each.name === name);
      if (server === undefined) {
        throw new Error(`session ${sessionId} has not frozen ${name}`);
      }
      return server;
    });
    const { entry_id: entryId, entry_version: version, changed_tools } = frozen;
    const entry = { workspaceId, entryId, version, name };
    const source = { kind: 'session', entry, sessionId, refusesChanges: changed_tools === 'refuse' } as const;
    await receiveToolList(db, source, reportOf(name, list));
  });
}
