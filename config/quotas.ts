/** How much of the shared resources one user or one workspace may use, with defaults. Each refusal names the limit. */
import { count } from './parse.ts';

export const quotaFields = {
  /** Sessions that have not ended, of all workspaces: those that a user drives, and what they started. */
  LIMIT_RUNNING_SESSIONS_PER_USER: count(50),
  LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: count(200),
  RATE_SESSIONS_PER_HOUR_PER_USER: count(200),
  RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: count(1000),
  /** Of a tree of sessions: levels below the first one, and sessions in all, ended ones included. */
  LIMIT_SESSION_TREE_DEPTH: count(3),
  LIMIT_SESSIONS_PER_TREE: count(100),
  /** Children of one session that have not ended. */
  LIMIT_RUNNING_CHILDREN_PER_SESSION: count(10),
  RATE_WORKSPACES_PER_HOUR_PER_USER: count(20),
  LIMIT_AGENTS_PER_WORKSPACE: count(1000),
  /** Entries of the catalog. */
  LIMIT_MCP_SERVERS_PER_WORKSPACE: count(500),
  LIMIT_CHANNELS_PER_WORKSPACE: count(50),
  LIMIT_SCHEDULES_PER_WORKSPACE: count(50),
  /** Messages that have not been delivered to one channel yet. */
  LIMIT_WAITING_MESSAGES_PER_CHANNEL: count(100),
  /** What agents write into the graph of a workspace stays until the workspace goes. */
  LIMIT_GRAPH_NODES_PER_WORKSPACE: count(100_000),
  LIMIT_GRAPH_EDGES_PER_WORKSPACE: count(500_000),
  /** Of one preview: its files, the bytes of each, and of all together. Its call has 1 MiB at most. */
  LIMIT_PREVIEW_FILES: count(200),
  LIMIT_PREVIEW_FILE_BYTES: count(1024 * 1024),
  LIMIT_PREVIEW_BYTES: count(1024 * 1024),
  /** The longest life of a preview. */
  LIMIT_PREVIEW_SECONDS: count(24 * 3600),
  /** Previews that have neither ended nor expired. */
  LIMIT_PREVIEWS_PER_SESSION: count(10),
  LIMIT_PREVIEWS_PER_WORKSPACE: count(200),
  /** Bytes of previews that are stored. */
  LIMIT_PREVIEW_BYTES_PER_WORKSPACE: count(100 * 1024 * 1024),
  /** Requests for files of previews from one address, in one API process. */
  RATE_PREVIEW_REQUESTS_PER_MINUTE: count(3000),
  /** Services of previews that are not stopped: each runs in a workload of its own. */
  LIMIT_SERVICES_PER_SESSION: count(2),
  LIMIT_SERVICES_PER_WORKSPACE: count(20),
  RATE_SERVICES_PER_HOUR_PER_SESSION: count(30),
  RATE_SERVICES_PER_HOUR_PER_WORKSPACE: count(200),
  /** Of one request to the service of a preview. */
  LIMIT_PREVIEW_BODY_BYTES: count(10 * 1024 * 1024),
  LIMIT_VECTOR_COLLECTIONS_PER_WORKSPACE: count(100),
  LIMIT_VECTORS_PER_WORKSPACE: count(100_000),
  /** Items that one search compares one by one, and that a collection may have where the database can build no index. */
  LIMIT_VECTORS_SEARCHED_EXACTLY: count(20_000),
  /** Checks of catalog entries that have not ended. */
  LIMIT_RUNNING_CHECKS_PER_USER: count(3),
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: count(10),
  RATE_CHECKS_PER_MINUTE_PER_USER: count(20),
  /** Event streams open at the same time in one API process. */
  LIMIT_EVENT_STREAMS_PER_USER: count(40),
  LIMIT_EVENT_STREAMS_PER_PROCESS: count(2000),
} as const;
