/**
 * Between a session's sidecar and the platform.
 * Up: the sidecar calls `/internal/sessions/{id}/...` with `X-Internal-Token` (reports, requests, checks;
 * never creates permissions).
 * Down: API and worker call the sidecar's control port, each request signed.
 */
import * as z from 'zod';
import { agentConfig, inputMessage } from './agent-contract.ts';
import { auditSync } from './audit-spool.ts';
import { clientFeature, network, toolPolicy } from './catalog.ts';
import { callDigest, chosenId, entryName, timestamp, toolScope, uuid } from './names.ts';
import { permissionRequestInput, reportedCall, requestStatus } from './permission-request.ts';
import { payloadByEventType, type SessionEventType } from './session-event.ts';
import { exitCode, signalName } from './session-process.ts';
import { callRecord, refusedCallCount } from './tool-call.ts';
import { shownDefinitions } from './tool-definitions.ts';

export const internalTokenHeader = 'x-internal-token';
/**
 * Signs the method, the path, the time, and the size and SHA-256 of the body, so that it is verified
 * before the body is read.
 */
export const controlRequestHeader = 'x-control-request';
/** A control request older or newer than this is refused. */
export const controlClockSkewMs = 60_000;

/** Of one sibling. The agent is started once all are ready that have a limit for that. */
export const siblingAccess = z.strictObject({
  name: entryName,
  /** Whether the agent reaches it. */
  listens: z.boolean(),
  ready_seconds: z.int().positive().nullable(),
});
export type SiblingAccess = z.infer<typeof siblingAccess>;

const perMinute = z.int().positive();
/**
 * Limits on what the agent makes the platform do; each is the limit `RATE_SESSION_...` of its name in
 * `config/`, set by an operator, fixed, or following another.
 */
export const sidecarRates = z.strictObject({
  calls_per_minute: perMinute,
  events_per_minute: perMinute,
  permission_requests_per_minute: perMinute,
  artifacts_per_minute: perMinute,
  /** Calls of tools that the API runs. */
  platform_tool_calls_per_minute: perMinute,
});

/**
 * What the driver passes to the sidecar as JSON: it holds the token and the key, so never by argv or env.
 * Passed on standard input, or in a file that no other container sees.
 */
export const sidecarBoot = z.strictObject({
  session_id: uuid,
  agent: z.strictObject({ id: uuid, name: z.string() }),
  api_url: z.url(),
  internal_token: z.string(),
  control_key: z.string(),
  /**
   * Where the sidecar makes its sockets; relative paths below it stay under the 107 bytes of a socket path.
   */
  session_directory: z.string(),
  /** The agent's `config.json`, where the sidecar is the one that writes it; null where the driver does. */
  agent_config: agentConfig.nullable(),
  /**
   * An address of this machine, or `0.0.0.0`: every address, IPv6 ones too, of a network that
   * the session has to itself.
   */
  control_host: z.string(),
  /** 0 lets the system choose; the sidecar reports the port with `ready`. */
  control_port: z.int(),
  servers: z.array(
    z.strictObject({
      name: entryName,
      tool_scopes: z.record(z.string(), toolScope),
      /** What the server may request of the agent. */
      client_features: z.array(clientFeature),
      ...toolPolicy,
      /** Frozen with the session. */
      entry_version: z.int().positive(),
      network,
      /** Its command loads a package before it runs it, as `npx` and `uvx` do. */
      loads_packages: z.boolean(),
      /** From its first request to its first answer; absent where the operator's limit holds. */
      handshake_timeout_ms: z.int().positive().optional(),
      /** Whether it asks for access tokens of the session's operator. */
      access_tokens: z.boolean(),
    }),
  ),
  /** Companions that start with the session, by name. */
  siblings: z.array(entryName),
  /** Of siblings, what the agent reaches or waits for. */
  sibling_access: z.array(siblingAccess),
  /** The agent may ask a language model, through the session's model container. */
  model_access: z.literal(true).optional(),
  /**
   * Of a service preview: this sidecar is the gateway to the service, which listens on that port of its own
   * sandbox, and nothing else.
   */
  service: z.strictObject({ port: z.int().min(1024).max(65_535) }).optional(),
  /** Whether a person drives the session, who answers its agent's questions. */
  has_operator: z.boolean(),
  /**
   * Whether arguments and results of calls go into the audit trail: the workspace's setting,
   * frozen with the session.
   */
  log_tool_payloads: z.boolean(),
  /** The operator's setting. */
  audit_sync: auditSync,
  limits: z.strictObject({
    /** Of a message of the agent. */
    line_bytes: z.int(),
    /** Of a message of a server. */
    answer_bytes: z.int().positive(),
    inline_artifact_bytes: z.int(),
    artifact_bytes: z.int(),
    request_input_wait_seconds: z.int(),
    server_connect_timeout_ms: z.int(),
    /** From a server's first request to its first answer. */
    server_handshake_timeout_ms: z.int().positive(),
    /**
     * From a call, or the progress that its server last reported of it, until its answer. 0: a call waits
     * as long as the agent does.
     */
    call_timeout_ms: z.int(),
    ...sidecarRates.shape,
    /** Recorded one by one; more are refused, and counted. */
    calls_per_session: z.int().positive(),
    /** What the agent makes its sidecar send to the platform. */
    sent_bytes_per_minute: z.int().positive(),
    concurrent_requests: z.int().positive(),
    concurrent_uploads: z.int().positive(),
    /** Calls of platform tools that wait for a human. */
    concurrent_waits: z.int().positive(),
  }),
});
export type SidecarBoot = z.infer<typeof sidecarBoot>;

/**
 * Signed requests go here: a port at an address, which the worker compares with where
 * the session really runs.
 */
export const controlUrl = z
  .string()
  .max(64)
  .regex(/^http:\/\/(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):\d{1,5}$/, 'must be http://<address>:<port>')
  .refine((text) => URL.canParse(text), 'must be http://<address>:<port>');
/**
 * `POST .../ready`: every socket listens. Answered with the first messages; the rest arrives by `/inject`,
 * for a restarted sidecar too.
 */
export const readyReport = z.strictObject({ control_url: controlUrl });
export const readyAnswer = z.strictObject({ inputs: z.array(inputMessage) });

/**
 * `POST .../tool-calls/check`: may this call of a gated tool pass, now? The API reads the scope from
 * the frozen configuration.
 */
export const checkRequest = z.strictObject({
  call_id: chosenId,
  server: z.string(),
  tool: z.string(),
  /**
   * Of a server whose changed tools are refused: the call passes only when all that its
   * agent was shown is accepted.
   */
  shown: shownDefinitions.optional(),
  /**
   * `sha256OfCall` of a gated call whose arguments are not too large: without it no grant that is bound to
   * one call serves. Whoever reads it could guess short arguments, so it is neither stored nor logged.
   */
  call_sha256: callDigest.optional(),
  /** It was let pass before and could not be forwarded: what it passed on must not have expired since. */
  unforwarded: z.literal(true).optional(),
});
/**
 * What the API refuses a call with; the sidecar takes an answer with any other code for none,
 * and so refuses the call.
 */
export const checkRefusalCode = z.enum([
  'permission_required',
  'tool_changed',
  'gate_unavailable',
  'server_unavailable',
]);
export type CheckRefusalCode = z.infer<typeof checkRefusalCode>;
export const checkAnswer = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('allowed'), granted_via: uuid.nullable() }),
  z.strictObject({
    decision: z.literal('refused'),
    code: checkRefusalCode,
    scope: toolScope.nullable(),
    /** With `permission_required`: a person approved another call of this tool, and exactly that one. */
    differs_from_approved: z.literal(true).optional(),
  }),
]);
export type CheckAnswer = z.infer<typeof checkAnswer>;

/** The maximum of one request. */
export const maxChecks = 64;
/**
 * `POST .../tool-calls/checks`: several calls at once, each decided by itself. An answer
 * for each, by its call's id.
 */
export const checksRequest = z.strictObject({
  checks: z
    .array(checkRequest)
    .min(1)
    .max(maxChecks)
    .refine((checks) => new Set(checks.map(({ call_id }) => call_id)).size === checks.length, {
      message: 'must name each call once',
    }),
});
export const checksAnswer = z.strictObject({
  answers: z.array(z.strictObject({ call_id: uuid, answer: checkAnswer })),
});

/** `POST .../tool-calls`: finished calls, stored exactly once by `call_id`; the API adds `granted_via`. */
export const callReport = z.strictObject({ calls: z.array(callRecord).min(1).max(500) });

/**
 * `POST .../tool-calls/refused`: calls beyond a limit, by tool and minute; each count is
 * stored exactly once by its id.
 */
export const refusedCallsReport = z.strictObject({ counts: z.array(refusedCallCount).min(1).max(500) });

/**
 * `POST .../events`: what the agent published; the id makes a retry harmless. Every other
 * type is the platform's own.
 */
const reported = <T extends SessionEventType>(type: T) =>
  z.strictObject({ id: chosenId, type: z.literal(type), payload: payloadByEventType[type] });
export const eventReport = z.discriminatedUnion('type', [
  reported('agent.status'),
  reported('agent.message'),
  reported('agent.error'),
  reported('agent.input_requested'),
  reported('agent.shared'),
]);
export type EventReport = z.infer<typeof eventReport>;

/** `POST .../permission-requests`: the sidecar chooses the id, so that a retry is the same request. */
export const permissionRequestReport = permissionRequestInput.extend({
  request_id: chosenId,
  refused_call: reportedCall.nullable(),
});
export const permissionRequestAnswer = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('sent'), request_id: uuid, expires_at: timestamp }),
  z.strictObject({
    status: z.literal('refused'),
    code: z.enum([
      'runtime_requests_disabled',
      'recently_denied',
      'muted',
      'too_many_open_requests',
      'invalid_request',
    ]),
    message: z.string(),
  }),
]);
export type PermissionRequestAnswer = z.infer<typeof permissionRequestAnswer>;
/** `GET .../permission-requests/{request_id}`. `exact_call`: the grant permits that call alone. */
export const permissionRequestState = z.object({
  request_id: uuid,
  status: requestStatus,
  grant_id: uuid.nullable(),
  reason: z.string().nullable(),
  exact_call: z.literal(true).optional(),
});

/** `POST .../artifacts?artifact_id=&name=&mime_type=&description=`: the body is the bytes, streamed. */
export const artifactAnswer = z.strictObject({ artifact_id: uuid, size_bytes: z.int(), sha256: z.string() });

/**
 * `POST .../sibling-not-ready`: the agent was not started, because a sibling did not get ready. How it
 * ended is the sibling's claim.
 */
export const siblingReport = z.strictObject({
  name: entryName,
  failure: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('not_in_time') }),
    z.strictObject({ type: z.literal('not_started') }),
    z.strictObject({
      type: z.literal('ended'),
      exit_code: exitCode.nullable(),
      signal: signalName.nullable(),
    }),
  ]),
});
export type SiblingReport = z.infer<typeof siblingReport>;

/** `POST .../end`: the agent called `end_session`. */
export const endReport = z.strictObject({
  outcome: z.enum(['completed', 'failed']),
  summary: z.string().max(10_000).nullable(),
});

/** Control side: `POST /inject` (idempotent by message id), `GET /health`, `GET /metrics`. */
export const injectRequest = z.strictObject({ messages: z.array(inputMessage).min(1).max(100) });
/** What the platform reads of `GET /health`. */
export const controlHealth = z.object({ last_seq: z.int().nonnegative() });
export const injectAnswer = z.strictObject({ ok: z.literal(true), last_seq: z.int() });
