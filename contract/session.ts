/** Sessions and their frozen configuration (docs/sessions.md). */
import * as z from 'zod';
import { agentKind, agentLimits, run } from './agent.ts';
import {
  egressRule,
  entrySettings,
  imageDigest,
  manifestEnvField,
  network,
  shape,
  toolPolicy,
} from './catalog.ts';
import { modelAccess, modelDialect } from './model-access.ts';
import { entryName, envName, secretName, timestamp, toolScope, uuid } from './names.ts';
import { signIn } from './remote-server.ts';
import { repositoryRef } from './repository.ts';
import { readiness, siblingPort } from './sibling.ts';

export const sessionStatus = z.enum([
  'pending',
  'validating',
  'awaiting_authorization',
  'starting',
  'running',
  'completed',
  'failed',
  'terminated',
]);
export type SessionStatus = z.infer<typeof sessionStatus>;

export const terminalStatus = z.enum(['completed', 'failed', 'terminated']);
export type TerminalStatus = z.infer<typeof terminalStatus>;
export function isTerminal(status: SessionStatus): status is TerminalStatus {
  return terminalStatus.safeParse(status).success;
}

/**
 * Who a session waits for: a person who may decide its permission request, or its operator, who has to sign
 * in to a remote server or answer a question.
 */
export const sessionWait = z.enum(['approval', 'sign_in', 'answer']);
export type SessionWait = z.infer<typeof sessionWait>;

export const sessionOutcome = z.strictObject({
  outcome: z.enum(['completed', 'failed']),
  summary: z.string().nullable(),
});

export const session = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  agent_id: uuid,
  /** The human who drives it; null for child and scheduled sessions. */
  operator_id: uuid.nullable(),
  /** The human at the top of the tree, who reads and decides. */
  root_operator_id: uuid.nullable(),
  parent_session_id: uuid.nullable(),
  /**
   * The schedule that started it, and who had made that: they read the session and end it,
   * and decide nothing by that.
   */
  schedule_id: uuid.nullable(),
  schedule_maker_id: uuid.nullable(),
  status: sessionStatus,
  /** Why a session has its status, as one sentence; always set when it failed or was terminated. */
  status_reason: z.string().nullable(),
  prompt: z.string(),
  outcome: sessionOutcome.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
});
export type Session = z.infer<typeof session>;

/**
 * Whose quotas and turns count what a session does: the person at the root of its tree, or who had made the
 * schedule that started that; null without either.
 */
export const chargedPersonOf = ({
  root_operator_id,
  schedule_maker_id,
}: Pick<Session, 'root_operator_id' | 'schedule_maker_id'>): string | null =>
  root_operator_id ?? schedule_maker_id;

export const sessionInput = z.strictObject({ agent_id: uuid, prompt: z.string().max(256 * 1024) });
export type SessionInput = z.infer<typeof sessionInput>;

/** A reference to a secret, with the version that was current at the freeze. */
export const frozenSecret = z.strictObject({
  kind: z.literal('secret'),
  secret_name: secretName,
  secret_version: z.int(),
});
export type FrozenSecret = z.infer<typeof frozenSecret>;
/** A variable of a container: a plain value, or a reference. */
export const frozenVariable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('value'), value: z.string() }),
  frozenSecret,
]);
export type FrozenVariable = z.infer<typeof frozenVariable>;
export const frozenEnv = z.record(z.string(), frozenVariable);
export type FrozenEnv = z.infer<typeof frozenEnv>;

/**
 * The one image that a reference resolved to when it was read, what runs in it (entrypoint and
 * command), and its volumes.
 */
export const frozenImage = z.strictObject({
  digest: imageDigest,
  command: z.array(z.string()).min(1),
  volumes: z.array(z.string()),
});
export type FrozenImage = z.infer<typeof frozenImage>;

export const frozenServer = z.strictObject({
  name: entryName,
  entry_id: uuid,
  entry_version: z.int(),
  shape,
  image_digest: z.string().nullable(),
  /** The image's entrypoint and command. */
  image_command: z.array(z.string()).nullable(),
  image_volumes: z.array(z.string()).nullable(),
  /** `user:password` for the image's registry alone. */
  registry_credentials: frozenVariable.nullable(),
  env: frozenEnv,
  /** The manifest's `env` at the freeze: the attachment is checked against it again at launch. */
  manifest_env: z.record(envName, manifestEnvField),
  tool_scopes: z.record(z.string(), toolScope),
  ...entrySettings,
  ...toolPolicy,
  /** Of a remote server. */
  sign_in: signIn.nullable(),
});
export type FrozenServer = z.infer<typeof frozenServer>;

export const frozenCompanion = z.strictObject({
  name: entryName,
  run,
  /** Of a `run` that is an image. */
  image: frozenImage.nullable(),
  env: frozenEnv,
});

export const frozenSibling = frozenCompanion.extend({
  port: siblingPort.optional(),
  ready: readiness.optional(),
});
export type FrozenSibling = z.infer<typeof frozenSibling>;

/** The key is a reference, never a value; it goes into the session's model container alone. */
export const frozenModelAccess = modelAccess.extend({
  api_key: frozenSecret,
  /** Of the endpoint at the start: the agent learns it, and no other is used. */
  dialect: modelDialect,
});
export type FrozenModelAccess = z.infer<typeof frozenModelAccess>;

/**
 * Where the agent's repository was registered at the start. The credential is a reference, never a value; the
 * sandbox that fetches has it alone.
 */
export const frozenRepository = z.strictObject({
  name: entryName,
  url: z.url({ protocol: /^https$/ }),
  ref: repositoryRef,
  credential: frozenSecret.nullable(),
});
export type FrozenRepository = z.infer<typeof frozenRepository>;

/** Everything a session runs with, fixed at its start. Holds references, never a secret's value. */
export const frozenConfiguration = z.strictObject({
  session_id: uuid,
  workspace_id: uuid,
  agent: z.strictObject({
    id: uuid,
    name: z.string(),
    kind: agentKind,
    run,
    /** Of a `run` that is an image. */
    image: frozenImage.nullable(),
    instructions: z.string(),
    model: z.string().nullable(),
    env: frozenEnv,
    network,
    egress_allow: z.array(egressRule),
    limits: agentLimits,
    /** Absent without one. */
    model_access: frozenModelAccess.optional(),
    /** Absent without one. */
    repository: frozenRepository.optional(),
  }),
  prompt: z.string(),
  servers: z.array(frozenServer),
  siblings: z.array(frozenSibling),
  services: z.array(frozenCompanion),
  /**
   * Of the workload of a service preview: its `agent` is the service, which is asked on this port. Such a
   * workload has no prompt, no servers and no companions, and its id is the preview's. Absent for a session.
   */
  service: z
    .strictObject({
      port: z.int().min(1024).max(65_535),
      /** Whose preview it is: on a cluster its Pod goes with that session's. */
      session_id: uuid.optional(),
    })
    .optional(),
  /** Whether a person drives it who could answer its agent's questions. */
  has_operator: z.boolean(),
  /** The workspace's setting of that name. */
  log_tool_payloads: z.boolean(),
  frozen_at: timestamp,
});
export type FrozenConfiguration = z.infer<typeof frozenConfiguration>;
