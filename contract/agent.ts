/** Agents and their MCP attachments (docs/catalog.md). */
import * as z from 'zod';
import { acpPreset } from './acp-preset.ts';
import { commandLine, egressRule, imageReference, network } from './catalog.ts';
import { modelAccess, modelAccessInput } from './model-access.ts';
import { entryName, envName, secretReference, timestamp, uuid } from './names.ts';
import { agentRepository } from './repository.ts';
import { reservedForAgents } from './reserved-variables.ts';
import { givenPortProblem, portVariable } from './service-variables.ts';
import { shownName } from './shown-name.ts';
import { sharedPorts, siblingFields, siblingProblem } from './sibling.ts';

export const agentKind = z.enum(['worker', 'orchestrator']);

const builtIn = { type: z.literal('builtin') };
const acp = { ...builtIn, name: z.literal('acp') };
/** `acp`: an agent of somebody else, which its preset names. */
const builtInRun = z.discriminatedUnion('name', [
  z.strictObject({ ...builtIn, name: z.enum(['scripted', 'claude']) }),
  z.discriminatedUnion(
    'preset',
    [
      z.strictObject({ ...acp, preset: acpPreset.exclude(['custom']) }),
      z.strictObject({ ...acp, preset: z.literal('custom'), ...commandLine }),
    ],
    { error: `must be one of ${acpPreset.options.join(', ')}` },
  ),
]);

export const run = z.discriminatedUnion('type', [
  builtInRun,
  z.strictObject({ type: z.literal('command'), ...commandLine }),
  z.strictObject({ type: z.literal('image'), image: imageReference }),
]);
export type Run = z.infer<typeof run>;

/** A plain value, or a whole `${NAME}` reference; anything else with `${` in it is refused. */
export const envValue = z
  .string()
  .max(32 * 1024)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
  .refine((text) => !text.includes('${') || secretReference.safeParse(text).success, {
    message: 'must be a plain value or a whole reference such as ${NAME}',
  });

/**
 * As stored. When a variable becomes reserved, rows that have it stay readable, and no
 * session starts with them.
 */
const storedEnv = z.record(envName, envValue);

const maxVariables = 200;
const allowedName = envName.superRefine((name, context) => {
  const message = reservedForAgents(name);
  if (message !== null) {
    context.addIssue({ code: 'custom', message });
  }
});
/** Applies to new saves: how many, and none that is reserved. */
const newEnv = z
  .record(allowedName, envValue)
  .refine(
    (variables) => Object.keys(variables).length <= maxVariables,
    `must not have more than ${maxVariables} variables`,
  );

export const companion = z.strictObject({ name: entryName, run, env: storedEnv.default({}) });

export const sibling = companion.extend(siblingFields);

export const maxLimitSeconds = 7 * 24 * 3600;
/** Time limits of a session of this agent; null means the platform's default. */
export const agentLimits = z.strictObject({
  total_seconds: z.int().min(1).max(maxLimitSeconds).nullable().default(null),
  idle_seconds: z.int().min(1).max(maxLimitSeconds).nullable().default(null),
});

const fields = {
  name: z.string().min(1).max(100),
  kind: agentKind,
  run,
  instructions: z.string().max(256 * 1024),
  model: z.string().max(200).nullable(),
  env: storedEnv,
  siblings: z.array(sibling).max(16),
  services: z.array(companion).max(16),
  network,
  egress_allow: z.array(egressRule).max(50),
  limits: agentLimits,
  /** Null: the agent may ask no language model through the platform. */
  model_access: modelAccess.nullable(),
  /** Null: its sessions begin without files. */
  repository: agentRepository.nullable(),
};

const newCompanion = companion.extend({ env: newEnv.default({}) });
/** Applies to new saves: it listens, on a port that can be known before it starts. */
const newService = newCompanion.superRefine((service, context) => {
  if (service.run.type === 'builtin') {
    const message = 'must be a command or an image: a built-in agent takes no requests';
    context.addIssue({ code: 'custom', path: ['run', 'type'], message });
  }
  const message = givenPortProblem(service.env[portVariable]);
  if (message !== null) {
    context.addIssue({ code: 'custom', path: ['env', portVariable], message });
  }
});
const newSibling = newCompanion.extend(siblingFields).superRefine((given, context) => {
  const problem = siblingProblem(given);
  if (problem !== null) {
    context.addIssue({ code: 'custom', ...problem });
  }
});
const newSiblings = z
  .array(newSibling)
  .max(16)
  .superRefine((siblings, context) => {
    for (const at of sharedPorts(siblings)) {
      const message = `is the port of another sibling, too: the agent reaches both at 127.0.0.1`;
      context.addIssue({ code: 'custom', path: [at, 'port'], message });
    }
  });
const newFields = {
  ...fields,
  name: shownName,
  env: newEnv,
  siblings: newSiblings,
  services: z.array(newService).max(16),
  model_access: modelAccessInput.nullable(),
};

export const agentInput = z.strictObject({
  ...newFields,
  kind: fields.kind.default('worker'),
  instructions: fields.instructions.default(''),
  model: fields.model.default(null),
  env: newFields.env.default({}),
  siblings: newFields.siblings.default([]),
  services: newFields.services.default([]),
  network: fields.network.default('none'),
  egress_allow: fields.egress_allow.default([]),
  limits: fields.limits.default({ total_seconds: null, idle_seconds: null }),
  model_access: newFields.model_access.default(null),
  repository: fields.repository.default(null),
});
export type AgentInput = z.infer<typeof agentInput>;

export const agentPatch = z.strictObject(newFields).partial();
export type AgentPatch = z.infer<typeof agentPatch>;

export const agent = z.strictObject({
  id: uuid,
  workspace_id: uuid,
  owner_id: uuid.nullable(),
  ...fields,
  /** Null unless it is archived: nobody and nothing starts it then, and it holds no grant. */
  archived_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Agent = z.infer<typeof agent>;

/**
 * What happens to the sessions of an agent that is archived: they are asked to end, or
 * continue without its grants.
 */
export const runningSessions = z.enum(['end', 'let_finish']);
export type RunningSessions = z.infer<typeof runningSessions>;

/** What is lost when an agent is deleted. */
export const removedWithAgent = z.strictObject({
  /** Of this agent, and all below them. */
  sessions: z.int(),
  artifacts: z.int(),
  permission_requests: z.int(),
  grants: z.int(),
  /** That pause. */
  schedules: z.int(),
});
export type RemovedWithAgent = z.infer<typeof removedWithAgent>;

/**
 * `env`: plain values, bare references, or empty for an optional field. Meaning is
 * checked against the manifest.
 */
export const attachmentInput = z.strictObject({
  name: z.string().min(1).max(64),
  env: z.record(z.string(), z.string().max(32 * 1024)),
});

export const attachment = z.strictObject({
  name: entryName,
  env: z.record(z.string(), z.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Attachment = z.infer<typeof attachment>;
