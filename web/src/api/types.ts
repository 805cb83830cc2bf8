/** Names for what the API answers. Add one here when a page needs it; never write such a type by hand. */
import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Artifact = Schemas['Artifact'];
export type Attachment = Schemas['Attachment'];
export type Availability = Schemas['Availability'];
export type AuditEvent = Schemas['AuditEvent'];
export type AuthOptions = Schemas['AuthOptions'];
export type Configuration = Schemas['Configuration'];
export type Grant = Schemas['Grant'];
export type ListedMember = Schemas['ListedMember'];
export type Manifest = Schemas['Manifest'];
export type ManifestEnvField = Schemas['ManifestEnvField'];
export type McpCheck = Schemas['McpCheck'];
export type ToolListing = NonNullable<McpCheck['listing']>;
export type ClaimedTool = ToolListing['tools'][number];
export type McpServer = Schemas['McpServer'];
export type Me = Schemas['Me'];
export type Member = Schemas['Member'];
export type PermissionRequest = Schemas['PermissionRequest'];
export type RefusedCalls = Schemas['RefusedCalls'];
export type Secret = Schemas['Secret'];
export type ListedSecret = Schemas['ListedSecret'];
export type SecretUse = Schemas['SecretUse'];
export type Session = Schemas['Session'];
export type SessionProcess = Schemas['SessionProcess'];
export type SessionEvent = Schemas['SessionEvent'];
export type Shape = Schemas['Shape'];
export type Share = Schemas['Share'];
export type SystemState = Schemas['SystemState'];
export type ToolCall = Schemas['ToolCall'];
export type User = Schemas['User'];
export type Workspace = Schemas['Workspace'];

export type WorkspaceOfMe = Me['workspaces'][number];

type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Content } } }
  ? Content
  : never;

type Answer<Operation> = Operation extends {
  responses: { 200: { content: { 'application/json': infer Content } } };
}
  ? Content
  : never;

type OfEntry<Path extends string> = Answer<
  paths[`/api/workspaces/{slug}/mcp-servers/{name}/${Path}` & keyof paths]['get']
>;

export type ToolDefinition = OfEntry<'tool-definitions'>['tool_definitions'][number];
export type PinnedToolList = NonNullable<OfEntry<'tool-definitions'>['pinned']>;
export type ToolDifference = OfEntry<'tool-differences'>['tool_differences'][number];
export type ChangedServer = Answer<
  paths['/api/workspaces/{slug}/changed-mcp-servers']['get']
>['changed_mcp_servers'][number];

/** What a form sends. */
export type McpServerInput = Body<paths['/api/workspaces/{slug}/mcp-servers']['post']>;
export type GrantInput = Body<paths['/api/workspaces/{slug}/grants']['post']>;
