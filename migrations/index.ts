/**
 * Every migration by name, without a file extension, so that a database migrated from source
 * also opens from a build.
 */
import type { Knex } from 'knex';
import * as createWorkspaces from './20261129100000_create_workspaces.ts';
import * as createCatalog from './20261129100100_create_catalog.ts';
import * as createSessions from './20261129100200_create_sessions.ts';
import * as createProcesses from './20261129100300_create_processes.ts';
import * as createGrants from './20261129100400_create_grants.ts';
import * as createAudit from './20261129100500_create_audit.ts';
import * as createMcpChecks from './20261129100600_create_mcp_checks.ts';
import * as createRemoteServers from './20261129100700_create_remote_servers.ts';
import * as createArtifacts from './20261129100800_create_artifacts.ts';
import * as createSchedules from './20261129100900_create_schedules.ts';
import * as createChannels from './20261129101000_create_channels.ts';
import * as createSharedData from './20261129101100_create_shared_data.ts';
import * as createModelUsageDays from './20261130100000_create_model_usage_days.ts';
import * as createSessionLiveTexts from './20261130110000_create_session_live_texts.ts';
import * as addHomeIndexes from './20261130120000_add_home_indexes.ts';
import * as createRepositories from './20261130130000_create_repositories.ts';
import * as indexRequestsByAgent from './20261130131500_index_requests_by_agent.ts';
import * as createPasskeys from './20261130180000_create_passkeys.ts';
import * as addSessionTitles from './20261201100000_add_session_titles.ts';
import * as addGrantIndexes from './20261201120000_add_grant_indexes.ts';
import * as createPatchRequests from './20261201121000_create_patch_requests.ts';
import * as indexSessionWords from './20261201151500_index_session_words.ts';
import * as keepAskingEntries from './20261201152500_keep_asking_entries.ts';
import * as indexSessionToolsByEntry from './20261201153500_index_session_tools_by_entry.ts';
import * as indexCallsByTime from './20261201161500_index_calls_by_time.ts';
import * as addRunOrigins from './20261201162500_add_run_origins.ts';
import * as addGroupRules from './20261201164500_add_group_rules.ts';

/** None is taken back: an upgrade that was a mistake ends with restoring the backup. */
interface Migration {
  up(knex: Knex): Promise<void>;
  /** `transaction: false` for what Postgres does outside of one only. */
  config?: { transaction: boolean };
}

const migrations: Record<string, Migration> = {
  '20261129100000_create_workspaces': createWorkspaces,
  '20261129100100_create_catalog': createCatalog,
  '20261129100200_create_sessions': createSessions,
  '20261129100300_create_processes': createProcesses,
  '20261129100400_create_grants': createGrants,
  '20261129100500_create_audit': createAudit,
  '20261129100600_create_mcp_checks': createMcpChecks,
  '20261129100700_create_remote_servers': createRemoteServers,
  '20261129100800_create_artifacts': createArtifacts,
  '20261129100900_create_schedules': createSchedules,
  '20261129101000_create_channels': createChannels,
  '20261129101100_create_shared_data': createSharedData,
  '20261130100000_create_model_usage_days': createModelUsageDays,
  '20261130110000_create_session_live_texts': createSessionLiveTexts,
  '20261130120000_add_home_indexes': addHomeIndexes,
  '20261130130000_create_repositories': createRepositories,
  '20261130131500_index_requests_by_agent': indexRequestsByAgent,
  '20261130180000_create_passkeys': createPasskeys,
  '20261201100000_add_session_titles': addSessionTitles,
  '20261201120000_add_grant_indexes': addGrantIndexes,
  '20261201121000_create_patch_requests': createPatchRequests,
  '20261201151500_index_session_words': indexSessionWords,
  '20261201152500_keep_asking_entries': keepAskingEntries,
  '20261201153500_index_session_tools_by_entry': indexSessionToolsByEntry,
  '20261201161500_index_calls_by_time': indexCallsByTime,
  '20261201162500_add_run_origins': addRunOrigins,
  '20261201164500_add_group_rules': addGroupRules,
};

export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations).sort(),
  getMigrationName: (name) => name,
  getMigration: async (name) => {
    const migration = migrations[name];
    if (migration === undefined) {
      throw new Error(`no migration is named ${name}`);
    }
    return { ...migration, down: refuseToGoBack };
  },
};

/** knex asks for one. */
const refuseToGoBack = async (): Promise<never> => {
  throw new Error('a migration is not taken back: restore the backup that was taken before it');
};
