/** Every migration by name, without a file extension, so that a database migrated from source also opens from a build. */
import type { Knex } from 'knex';
import * as createWorkspaces from './20261121090000_create_workspaces.ts';
import * as createCatalog from './20261121090100_create_catalog.ts';
import * as createSessions from './20261121090200_create_sessions.ts';
import * as createGrants from './20261121090300_create_grants.ts';
import * as createAudit from './20261121090400_create_audit.ts';
import * as addClientFeatures from './20261121090500_add_client_features.ts';
import * as addRequestMutes from './20261121100000_add_request_mutes.ts';
import * as addVerifiedEmail from './20261121100100_add_verified_email.ts';
import * as orderGrantUses from './20261121100200_order_grant_uses.ts';
import * as addPublishedEventBytes from './20261121100300_add_published_event_bytes.ts';
import * as addSessionApiUrl from './20261121100400_add_session_api_url.ts';
import * as addImageCommand from './20261121101000_add_image_command.ts';
import * as addImageVolumes from './20261122090000_add_image_volumes.ts';
import * as addGrantedByRole from './20261122100000_add_granted_by_role.ts';
import * as keepGrantsOfOthers from './20261122100100_keep_grants_of_others.ts';
import * as addIdempotencyKeys from './20261122100200_add_idempotency_keys.ts';
import * as indexIdempotencyKeys from './20261122100300_index_idempotency_keys.ts';
import * as limitToolCalls from './20261122110000_limit_tool_calls.ts';
import * as storeArtifactChunks from './20261122110100_store_artifact_chunks.ts';
import * as referenceRegistrySecrets from './20261122120000_reference_registry_secrets.ts';
import * as indexQuotas from './20261122130000_index_quotas.ts';
import * as createSessionProcesses from './20261122150000_create_session_processes.ts';
import * as announceAccessChanges from './20261122160000_announce_access_changes.ts';
import * as createWorkers from './20261122170000_create_workers.ts';
import * as indexRefusedCalls from './20261122182000_index_refused_calls.ts';
import * as createMcpChecks from './20261122183000_create_mcp_checks.ts';
import * as keepRawListingsApart from './20261122184500_keep_raw_listings_apart.ts';
import * as keepEarlierOutput from './20261122190000_keep_earlier_output.ts';
import * as createActiveGrants from './20261123070000_create_active_grants.ts';
import * as createSessionTools from './20261123120000_create_session_tools.ts';
import * as fillSessionTools from './20261123120100_fill_session_tools.ts';
import * as keepUsesOfGrants from './20261124100000_keep_uses_of_grants.ts';
import * as indexUnsettledCalls from './20261124100100_index_unsettled_calls.ts';
import * as createToolDefinitions from './20261125210000_create_tool_definitions.ts';
import * as createMcpRegistrations from './20261126090000_create_mcp_registrations.ts';
import * as createOauthAuthorizations from './20261126180000_create_oauth_authorizations.ts';
import * as keepRefusedCalls from './20261126200000_keep_refused_calls.ts';
import * as indexOpenCalls from './20261126200100_index_open_calls.ts';
import * as createGraph from './20261126210000_create_graph.ts';
import * as createVectors from './20261126220000_create_vectors.ts';
import * as createChannels from './20261126230000_create_channels.ts';
import * as createPreviews from './20261126235900_create_previews.ts';
import * as createPreviewServices from './20261127000000_create_preview_services.ts';
import * as createChildSessions from './20261127060000_create_child_sessions.ts';
import * as addMessageSenders from './20261127060050_add_message_senders.ts';
import * as indexStartedChildren from './20261127060100_index_started_children.ts';
import * as createSchedules from './20261127100000_create_schedules.ts';
import * as indexScheduledSessions from './20261127100100_index_scheduled_sessions.ts';
import * as createModelRequests from './20261127110000_create_model_requests.ts';
import * as tellOpenCalls from './20261127120000_tell_open_calls.ts';
import * as expireGrants from './20261128160000_expire_grants.ts';
import * as foldNames from './20261128170000_fold_names.ts';
import * as removeWorkspaces from './20261128210000_remove_workspaces.ts';
import * as archiveAgents from './20261128211000_archive_agents.ts';
import * as keepSignInRefusals from './20261129000000_keep_sign_in_refusals.ts';
import * as resumeRegistrations from './20261129000100_resume_registrations.ts';
import * as withdrawDecisions from './20261129010000_withdraw_decisions.ts';
import * as closeWorkspaces from './20261129010100_close_workspaces.ts';
import * as keepRemovedWorkspaces from './20261129020000_keep_removed_workspaces.ts';

const migrations: Record<string, Knex.Migration> = {
  '20261121090000_create_workspaces': createWorkspaces,
  '20261121090100_create_catalog': createCatalog,
  '20261121090200_create_sessions': createSessions,
  '20261121090300_create_grants': createGrants,
  '20261121090400_create_audit': createAudit,
  '20261121090500_add_client_features': addClientFeatures,
  '20261121100000_add_request_mutes': addRequestMutes,
  '20261121100100_add_verified_email': addVerifiedEmail,
  '20261121100200_order_grant_uses': orderGrantUses,
  '20261121100300_add_published_event_bytes': addPublishedEventBytes,
  '20261121100400_add_session_api_url': addSessionApiUrl,
  '20261121101000_add_image_command': addImageCommand,
  '20261122090000_add_image_volumes': addImageVolumes,
  '20261122100000_add_granted_by_role': addGrantedByRole,
  '20261122100100_keep_grants_of_others': keepGrantsOfOthers,
  '20261122100200_add_idempotency_keys': addIdempotencyKeys,
  '20261122100300_index_idempotency_keys': indexIdempotencyKeys,
  '20261122110000_limit_tool_calls': limitToolCalls,
  '20261122110100_store_artifact_chunks': storeArtifactChunks,
  '20261122120000_reference_registry_secrets': referenceRegistrySecrets,
  '20261122130000_index_quotas': indexQuotas,
  '20261122150000_create_session_processes': createSessionProcesses,
  '20261122160000_announce_access_changes': announceAccessChanges,
  '20261122170000_create_workers': createWorkers,
  '20261122182000_index_refused_calls': indexRefusedCalls,
  '20261122183000_create_mcp_checks': createMcpChecks,
  '20261122184500_keep_raw_listings_apart': keepRawListingsApart,
  '20261122190000_keep_earlier_output': keepEarlierOutput,
  '20261123070000_create_active_grants': createActiveGrants,
  '20261123120000_create_session_tools': createSessionTools,
  '20261123120100_fill_session_tools': fillSessionTools,
  '20261124100000_keep_uses_of_grants': keepUsesOfGrants,
  '20261124100100_index_unsettled_calls': indexUnsettledCalls,
  '20261125210000_create_tool_definitions': createToolDefinitions,
  '20261126090000_create_mcp_registrations': createMcpRegistrations,
  '20261126180000_create_oauth_authorizations': createOauthAuthorizations,
  '20261126200000_keep_refused_calls': keepRefusedCalls,
  '20261126200100_index_open_calls': indexOpenCalls,
  '20261126210000_create_graph': createGraph,
  '20261126220000_create_vectors': createVectors,
  '20261126230000_create_channels': createChannels,
  '20261126235900_create_previews': createPreviews,
  '20261127000000_create_preview_services': createPreviewServices,
  '20261127060000_create_child_sessions': createChildSessions,
  '20261127060050_add_message_senders': addMessageSenders,
  '20261127060100_index_started_children': indexStartedChildren,
  '20261127100000_create_schedules': createSchedules,
  '20261127100100_index_scheduled_sessions': indexScheduledSessions,
  '20261127110000_create_model_requests': createModelRequests,
  '20261127120000_tell_open_calls': tellOpenCalls,
  '20261128160000_expire_grants': expireGrants,
  '20261128170000_fold_names': foldNames,
  '20261128210000_remove_workspaces': removeWorkspaces,
  '20261128211000_archive_agents': archiveAgents,
  '20261129000000_keep_sign_in_refusals': keepSignInRefusals,
  '20261129000100_resume_registrations': resumeRegistrations,
  '20261129010000_withdraw_decisions': withdrawDecisions,
  '20261129010100_close_workspaces': closeWorkspaces,
  '20261129020000_keep_removed_workspaces': keepRemovedWorkspaces,
};

export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations).sort(),
  getMigrationName: (name) => name,
  getMigration: async (name) => {
    const migration = migrations[name];
    if (migration === undefined) {
      throw new Error(`no migration is named ${name}`);
    }
    return migration;
  },
};
