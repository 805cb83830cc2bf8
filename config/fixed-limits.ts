/**
 * Limits that no variable sets: those that are the same everywhere, and those that follow a setting. They are
 * part of the configuration as the settings are, so that a test can take smaller ones, and API and sidecars
 * the same. Others are beside the code that keeps them.
 */
import type * as z from 'zod';
import type { limitFields } from './limits.ts';

export const fixedLimits = {
  LIMIT_BODY_BYTES: 1024 * 1024,
  /** Until the whole body of a request has arrived. */
  LIMIT_BODY_SECONDS: 30,
  /** Of a message of an agent to an MCP server. */
  LIMIT_LINE_BYTES: 1024 * 1024,
  LIMIT_ARTIFACT_BYTES: 10 * 1024 * 1024,
  /** Bytes of artifacts that one API process holds in memory while they arrive, of all sessions together. */
  LIMIT_UPLOAD_BUFFER_BYTES: 16 * 1024 * 1024,
  LIMIT_SESSION_EVENT_BYTES: 64 * 1024 * 1024,
  /** Text of undelivered messages to a session; each counts as 1 KiB at least. */
  LIMIT_UNDELIVERED_MESSAGE_BYTES: 16 * 1024 * 1024,
  /** Concurrent requests of one session's sidecar. A sidecar limits itself to half of it. */
  LIMIT_SESSION_CONCURRENT_REQUESTS: 16,
  /** Concurrent artifact uploads of one session. */
  LIMIT_SESSION_CONCURRENT_UPLOADS: 4,
  /**
   * Calls of tools that one API process runs concurrently for all sessions of a workspace, fewer than there
   * are connections for tools (`tool-connections.ts`).
   */
  LIMIT_WORKSPACE_CONCURRENT_TOOL_CALLS: 3,
  /** Open permission requests of a session and all sessions below its root. */
  LIMIT_OPEN_REQUESTS: 10,
  DENIAL_MUTE_SECONDS: 600,
  /** For an operator to sign in to a remote server; a launch that waits for it fails then. */
  SESSION_AUTHORIZATION_SECONDS: 1800,
  RATE_SIGN_IN_FAILURES_PER_MINUTE: 20,
  /** Calls of tools that the API runs; a sidecar throttles them, and the API takes twice as many. */
  RATE_SESSION_PLATFORM_TOOL_CALLS_PER_MINUTE: 300,
  /** Artifacts that a session's agent uploads, sequentially or concurrently. */
  RATE_SESSION_ARTIFACTS_PER_MINUTE: 300,
  /** A sidecar limits what its agent makes it send to half of it. */
  RATE_SESSION_BYTES_PER_MINUTE: 128 * 1024 * 1024,
  RATE_ADD_MEMBER_PER_MINUTE: 20,
  RATE_WORKSPACES_PER_HOUR_PER_USER: 20,
  /** Of a tree of sessions: levels below the first one, and sessions in all, ended ones included. */
  LIMIT_SESSION_TREE_DEPTH: 3,
  LIMIT_SESSIONS_PER_TREE: 100,
  LIMIT_AGENTS_PER_WORKSPACE: 1000,
  LIMIT_ATTACHMENTS_PER_AGENT: 32,
  /** Entries of the catalog. */
  LIMIT_MCP_SERVERS_PER_WORKSPACE: 500,
  LIMIT_CHANNELS_PER_WORKSPACE: 50,
  LIMIT_SCHEDULES_PER_WORKSPACE: 50,
  /** Messages that have not been delivered to one channel yet. */
  LIMIT_WAITING_MESSAGES_PER_CHANNEL: 100,
  /** What agents write into the graph of a workspace stays until the workspace goes. */
  LIMIT_GRAPH_NODES_PER_WORKSPACE: 100_000,
  LIMIT_GRAPH_EDGES_PER_WORKSPACE: 500_000,
  LIMIT_VECTOR_COLLECTIONS_PER_WORKSPACE: 100,
  LIMIT_VECTORS_PER_WORKSPACE: 100_000,
  /**
   * Items that one search compares one by one, and that a collection may have where the
   * database can build no index.
   */
  LIMIT_VECTORS_SEARCHED_EXACTLY: 20_000,
  /** Of one preview. */
  LIMIT_PREVIEW_FILES: 200,
  /** The longest life of a preview. */
  LIMIT_PREVIEW_SECONDS: 24 * 3600,
  /** Previews that have neither ended nor expired. */
  LIMIT_PREVIEWS_PER_SESSION: 10,
  LIMIT_PREVIEWS_PER_WORKSPACE: 200,
  /** Bytes of previews that are stored. */
  LIMIT_PREVIEW_BYTES_PER_WORKSPACE: 100 * 1024 * 1024,
  /** Requests for files of previews from one address, in one API process. */
  RATE_PREVIEW_REQUESTS_PER_MINUTE: 3000,
  LIMIT_SERVICES_PER_SESSION: 2,
  RATE_SERVICES_PER_HOUR_PER_SESSION: 30,
  RATE_SERVICES_PER_HOUR_PER_WORKSPACE: 200,
  /** Of one request to the service of a preview. */
  LIMIT_PREVIEW_BODY_BYTES: 10 * 1024 * 1024,
  /** Checks of catalog entries that have not ended. */
  LIMIT_RUNNING_CHECKS_PER_USER: 3,
  LIMIT_RUNNING_CHECKS_PER_WORKSPACE: 10,
  RATE_CHECKS_PER_MINUTE_PER_USER: 20,
};

type Followed = Pick<
  z.infer<z.ZodObject<typeof limitFields>>,
  | 'RATE_SESSION_CALLS_PER_MINUTE'
  | 'LIMIT_USER_CONCURRENT_REQUESTS'
  | 'LIMIT_EVENT_STREAMS_PER_PROCESS'
  | 'LIMIT_PREVIEW_BYTES'
>;

/** What a higher setting would be useless without; a lower one leaves them as they are. */
const followingLimits = ({
  RATE_SESSION_CALLS_PER_MINUTE: calls,
  LIMIT_USER_CONCURRENT_REQUESTS: concurrent,
  LIMIT_EVENT_STREAMS_PER_PROCESS: streams,
  LIMIT_PREVIEW_BYTES: previewBytes,
}: Followed) => ({
  RATE_SESSION_EVENTS_PER_MINUTE: Math.max(600, calls),
  RATE_SESSION_PERMISSION_REQUESTS_PER_MINUTE: Math.max(120, Math.floor(calls / 5)),
  /** All requests of one session's sidecar to the API. */
  RATE_SESSION_REQUESTS_PER_MINUTE: Math.max(6000, 10 * calls),
  /** Queued requests of one user, such as those of a browser with twenty tabs. */
  LIMIT_USER_WAITING_REQUESTS: Math.max(100, 25 * concurrent),
  LIMIT_EVENT_STREAMS_PER_USER: Math.max(40, Math.floor(streams / 50)),
  LIMIT_PREVIEW_FILE_BYTES: previewBytes,
});

export type FixedLimits = typeof fixedLimits & ReturnType<typeof followingLimits>;

/** Adds the limits that no variable sets to a process's settings. */
export const withFixedLimits = <Settings extends Followed>(settings: Settings): Settings & FixedLimits => ({
  ...fixedLimits,
  ...followingLimits(settings),
  ...settings,
});
