/** Names for what the API answers. Add one here when a page needs it; never write such a type by hand. */
import type { components, paths } from '../../../dist/api-types.d.ts';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type AgentAuthority = Schemas['AgentAuthority'];
export type RemovedWithAgent = Schemas['RemovedWithAgent'];
export type Artifact = Schemas['Artifact'];
export type Attachment = Schemas['Attachment'];
export type Availability = Schemas['Availability'];
export type AuditEvent = Schemas['AuditEvent'];
export type AuditEventCounts = Schemas['AuditEventCounts'];
export type AuthOptions = Schemas['AuthOptions'];
export type CallExplanation = Schemas['CallExplanation'];
export type Channel = Schemas['Channel'];
export type ChannelMessage = Schemas['ChannelMessage'];
export type Collection = Schemas['Collection'];
export type Configuration = Schemas['Configuration'];
export type EmbeddingProvider = Schemas['EmbeddingProvider'];
export type EmbeddingProviderCheck = Schemas['EmbeddingProviderCheck'];
export type Grant = Schemas['Grant'];
export type GrantsQuery = NonNullable<paths['/api/workspaces/{slug}/grants']['get']['parameters']['query']>;
export type GrantPreview = Schemas['GrantPreview'];
export type RevocationResult = Schemas['RevocationResult'];
export type ListedChannel = Schemas['ListedChannel'];
export type GraphCounts = Schemas['GraphCounts'];
export type ListedMember = Schemas['ListedMember'];
export type Manifest = Schemas['Manifest'];
export type ManifestEnvField = Schemas['ManifestEnvField'];
export type McpCheck = Schemas['McpCheck'];
export type ToolListing = NonNullable<McpCheck['listing']>;
export type ClaimedTool = ToolListing['tools'][number];
export type McpServer = Schemas['McpServer'];
export type McpRegistration = NonNullable<McpServer['registration']>;
export type Me = Schemas['Me'];
export type Member = Schemas['Member'];
export type DailyModelUsage = Schemas['DailyModelUsage'];
export type ModelUsage = Schemas['ModelUsage'];
export type PermissionRequest = Schemas['PermissionRequest'];
export type EarlierRequests = Schemas['EarlierRequests'];
export type Preview = Schemas['Preview'];
export type OpenCalls = Schemas['OpenCallList'];
export type RefusedCalls = Schemas['RefusedCalls'];
export type Repository = Schemas['Repository'];
export type Schedule = Schemas['Schedule'];
export type ScheduleOutlook = Schemas['ScheduleOutlook'];
export type ScheduleRun = Schemas['ScheduleRun'];
export type Secret = Schemas['Secret'];
export type ListedSecret = Schemas['ListedSecret'];
export type SecretUse = Schemas['SecretUse'];
export type Session = Schemas['Session'];
export type SessionWithAncestors = Schemas['SessionWithAncestors'];
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
/** A sign-in that its reader has to make. */
export type Authorization = Answer<paths['/api/authorizations/{authorization_id}']['get']>['authorization'];
export type SessionAuthorization = Answer<
  paths['/api/sessions/{session_id}/authorizations']['get']
>['authorizations'][number];
export type Passkey = Answer<paths['/api/me/passkeys']['get']>['passkeys'][number];
export type Connection = Answer<paths['/api/me/connections']['get']>['connections'][number];
export type ChangedServer = Answer<
  paths['/api/workspaces/{slug}/changed-mcp-servers']['get']
>['changed_mcp_servers'][number];
export type KeptPayloads = Answer<paths['/api/sessions/{session_id}/tool-calls/{call_id}/payloads']['get']>;
export type McpServerHealth = Answer<
  paths['/api/workspaces/{slug}/mcp-server-health']['get']
>['mcp_server_health'][number];
export type WorkspaceHome = Answer<paths['/api/workspaces/{slug}/home']['get']>['home'];
export type WorkspaceInsights = Answer<paths['/api/workspaces/{slug}/insights']['get']>['insights'];
export type SessionOfHome = WorkspaceHome['needs']['answers']['first'][number]['session'];

/** What a form sends. */
export type McpServerInput = Body<paths['/api/workspaces/{slug}/mcp-servers']['post']>;
/** What an admin accepts of a remote server's registration. */
export type SignInParties = Body<
  paths['/api/workspaces/{slug}/mcp-servers/{name}/registration/accept']['post']
>;
export type ChannelInput = Body<paths['/api/workspaces/{slug}/channels']['post']>;
export type ChannelSettings = Body<paths['/api/workspaces/{slug}/channels/{name}']['put']>;
export type ScheduleInput = Body<paths['/api/workspaces/{slug}/schedules']['post']>;
export type GrantInput = Body<paths['/api/workspaces/{slug}/grants']['post']>;
