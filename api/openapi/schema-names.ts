/** Schemas that the API document names: each becomes one component, and one type of the web UI. */

import * as z from 'zod';
import { attachment, removedWithAgent } from '../../contract/agent.ts';
import { agentAuthority } from '../../contract/agent-authority.ts';
import { inputMessage } from '../../contract/agent-contract.ts';
import { auditEvent, auditEventCounts } from '../../contract/audit-event.ts';
import { availability } from '../../contract/available-runs.ts';
import { manifest, manifestEnvField, shape } from '../../contract/catalog.ts';
import { channel, channelMessage, listedChannel } from '../../contract/channel.ts';
import { embeddingProvider, embeddingProviderCheck } from '../../contract/embedding-provider.ts';
import { errorBody, fieldProblem } from '../../contract/errors.ts';
import { revocationResult } from '../../contract/grant-list.ts';
import { graphCounts } from '../../contract/graph.ts';
import { mcpCheck } from '../../contract/mcp-check.ts';
import { dailyModelUsage, modelUsage } from '../../contract/model-access.ts';
import { openCallList } from '../../contract/open-calls.ts';
import { earlierRequests } from '../../contract/permission-request.ts';
import { shownPreview } from '../../contract/preview.ts';
import { repository } from '../../contract/repository.ts';
import { scheduleOutlook, shownRun, shownSchedule } from '../../contract/schedule.ts';
import { listedSecret, secretMetadata, secretUse } from '../../contract/secret.ts';
import { sessionEvent } from '../../contract/session-event.ts';
import { sessionProcess } from '../../contract/session-process.ts';
import { refusedCalls, toolCall } from '../../contract/tool-call.ts';
import { collection } from '../../contract/vectors.ts';
import { listedMember, member, user, workspace } from '../../contract/workspace.ts';
import { artifact } from '../../store/artifacts/artifacts.ts';
import { share } from '../../store/shares/shares.ts';
import { shownAgent } from '../agents/present.ts';
import { authOptions } from '../auth/options.ts';
import { shownGrant } from '../grants/present.ts';
import { grantPreview } from '../grants/revocation-routes.ts';
import { shownMcpServer } from '../mcp-servers/present.ts';
import { meAnswer } from '../me/routes.ts';
import { shownRequest } from '../permission-requests/present.ts';
import { sessionWithAncestors, shownSession } from '../sessions/present.ts';
import { shownConfiguration } from '../sessions/present-configuration.ts';
import { systemState } from '../system/routes.ts';
import { callExplanation } from '../tool-calls/why-route.ts';

const named: Record<string, z.ZodType> = {
  Agent: shownAgent,
  AgentAuthority: agentAuthority,
  RemovedWithAgent: removedWithAgent,
  Artifact: artifact,
  Availability: availability,
  Attachment: attachment,
  AuditEvent: auditEvent,
  AuditEventCounts: auditEventCounts,
  CallExplanation: callExplanation,
  GrantPreview: grantPreview,
  RevocationResult: revocationResult,
  AuthOptions: authOptions,
  Channel: channel,
  ChannelMessage: channelMessage,
  Configuration: shownConfiguration,
  DailyModelUsage: dailyModelUsage,
  Collection: collection,
  EmbeddingProvider: embeddingProvider,
  EmbeddingProviderCheck: embeddingProviderCheck,
  Error: errorBody,
  FieldProblem: fieldProblem,
  Repository: repository,
  Grant: shownGrant,
  GraphCounts: graphCounts,
  InputMessage: inputMessage,
  ListedChannel: listedChannel,
  ListedMember: listedMember,
  Manifest: manifest,
  ManifestEnvField: manifestEnvField,
  McpCheck: mcpCheck,
  McpServer: shownMcpServer,
  Me: meAnswer,
  Member: member,
  ModelUsage: modelUsage,
  PermissionRequest: shownRequest,
  EarlierRequests: earlierRequests,
  Preview: shownPreview,
  Schedule: shownSchedule,
  ScheduleOutlook: scheduleOutlook,
  ScheduleRun: shownRun,
  Secret: secretMetadata,
  ListedSecret: listedSecret,
  SecretUse: secretUse,
  Session: shownSession,
  SessionWithAncestors: sessionWithAncestors,
  SessionProcess: sessionProcess,
  SessionEvent: sessionEvent,
  Shape: shape,
  Share: share,
  SystemState: systemState,
  OpenCallList: openCallList,
  RefusedCalls: refusedCalls,
  ToolCall: toolCall,
  User: user,
  Workspace: workspace,
};

/**
 * Component names for responses. A body may omit what a response always has, so bodies do
 * not share these components.
 */
export const answerNames = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) {
  answerNames.add(schema, { id });
}

export const noNames = z.registry<{ id: string }>();
