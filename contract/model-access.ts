/**
 * An agent's access to a language model (docs/agent-contract.md): its container gets a socket and never the
 * key, which a container of the session's own holds. Requests and tokens are counted by the platform.
 */
import * as z from 'zod';
import { chosenId, named, secretReference } from './names.ts';

/** Some endpoints take the search by such a name of the model. */
const searches = /:online(?![A-Za-z0-9_-])/i;
export const asksForSearch = (model: string): boolean => searches.test(model);
export const noSearchByModel =
  'must not be an ":online" model: a search of the endpoint would lead past the platform';

const modelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/, 'must be the name of a model')
  .refine((name) => !asksForSearch(name), noSearchByModel);

/** What an endpoint speaks, and so what the agent has to: a client of one asks no endpoint of another. */
export const modelDialect = z.enum(['messages', 'chat_completions', 'responses']);
export type ModelDialect = z.infer<typeof modelDialect>;

/** Names of the maximum in Chat Completions: an endpoint may ignore, or refuse, one that it does not know. */
export const maximumField = z.enum(['max_tokens', 'max_completion_tokens']);
export type MaximumField = z.infer<typeof maximumField>;

const mostTokens = 1_000_000_000;
/** Of an endpoint that the operator lists. */
export const modelEndpointName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be the name of an endpoint of language models');

const fields = {
  /** Where the key is sent, and nowhere else. */
  endpoint: modelEndpointName,
  /** A bare reference; in use only under a `model_key` grant. */
  api_key: secretReference,
  /** Which models may be asked; none named: any. */
  models: z.array(modelName).max(50),
  requests_per_session: z.int().min(1).max(100_000),
  /** Of input and output together. */
  tokens_per_session: z.int().min(1).max(mostTokens),
};
/** As stored. */
export const modelAccess = z.strictObject(fields);
export type ModelAccess = z.infer<typeof modelAccess>;

/** Of an agent that is saved without them. */
export const defaultModelLimits = { requests_per_session: 1000, tokens_per_session: 5_000_000 } as const;

/** As given, with the defaults. */
export const modelAccessInput = z.strictObject({
  ...fields,
  endpoint: fields.endpoint.default('default'),
  models: fields.models.default([]),
  requests_per_session: fields.requests_per_session.default(defaultModelLimits.requests_per_session),
  tokens_per_session: fields.tokens_per_session.default(defaultModelLimits.tokens_per_session),
});

/** Beside a session's model program, in the one directory that only it sees. */
export const modelSockets = {
  /** Where it keeps connections, each for the next request of the agent. */
  requests: 'requests.sock',
  /** Where it asks before each request, and says afterwards what that took. */
  budget: 'budget.sock',
} as const;

/**
 * `PUT /model-requests/{request_id}` at the sidecar's budget socket, which passes it on to
 * `PUT /internal/sessions/{id}/model-requests/{request_id}`: may this request be sent? Idempotent by the id.
 * `max_tokens` (its output) is set aside until its usage is known; after a crash it stays counted.
 */
export const modelRequestInput = z.strictObject({
  max_tokens: z.int().min(0).max(mostTokens),
});
export const modelRequestAnswer = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('allowed') }),
  z.strictObject({
    decision: z.literal('refused'),
    /** `model_access_ended`: the grant, or the session, is gone. */
    code: z.enum(['model_budget_reached', 'model_access_ended']),
    /** For the agent. */
    message: z.string(),
  }),
]);
export type ModelRequestAnswer = z.infer<typeof modelRequestAnswer>;

const tokens = z.int().min(0).max(mostTokens);
/**
 * `PUT .../model-requests/{request_id}/usage`, on both hops: what an allowed request took. Idempotent: the
 * first one counts. Answered 204.
 */
export const modelUsageReport = z.strictObject({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
  /** `failed`: the endpoint answered with an error, or not to the end. */
  outcome: z.enum(['completed', 'failed']),
});
export type ModelUsageReport = z.infer<typeof modelUsageReport>;

/** What is counted of requests, whatever they are summed up by. */
export const modelCounts = {
  requests: z.int(),
  failed_requests: z.int(),
  input_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  cache_read_input_tokens: z.int(),
  output_tokens: z.int(),
};

/** What a session has used so far. */
export const modelUsage = z.strictObject({
  ...modelCounts,
  /** Of requests whose end is not known yet. */
  reserved_tokens: z.int(),
  /** What counts against the limit: all of the above tokens. */
  counted_tokens: z.int(),
  requests_limit: z.int(),
  tokens_limit: z.int(),
  /** Because of which of them a request was refused, requests first; null: of neither. */
  reached: z.enum(['requests', 'tokens']).nullable(),
});
export type ModelUsage = z.infer<typeof modelUsage>;

/** What sessions of one agent have used of one endpoint on one day (UTC), as requests ended. */
export const dailyModelUsage = z.strictObject({
  day: z.iso.date(),
  agent: named,
  endpoint: z.string(),
  /** Whose requests these are. */
  sessions: z.int(),
  ...modelCounts,
  /** All of these tokens. */
  used_tokens: z.int(),
});
export type DailyModelUsage = z.infer<typeof dailyModelUsage>;

/** Path ids are chosen by the model program. */
export const modelRequestId = chosenId;
