/** The model program: answers what comes on its connections, until it is told to end. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type ModelDialect, modelSockets } from '../../contract/model-access.ts';
import type { ModelProgramConfig } from '../../contract/model-program.ts';
import type { ResolveName } from '../../lib/outbound/guarded-lookup.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import { keepConnections } from '../node/keep-connections.ts';
import { answerRequest } from './answer-request.ts';
import { budgetSocket } from './budget-socket.ts';
import { chatCompletionsDialect } from './chat-completions/dialect.ts';
import type { Dialect } from './dialect.ts';
import { createEndpoint } from './endpoint.ts';
import { defaultModelLimits, type ModelLimits } from './limits.ts';
import { messagesDialect } from './messages/dialect.ts';
import { createModelHttp } from './model-http.ts';
import { createRequestLimits } from './request-limits.ts';
import { responsesDialect } from './responses/dialect.ts';

/** By the names that an operator gives them. */
export const dialects: Readonly<Record<ModelDialect, Dialect>> = {
  messages: messagesDialect,
  chat_completions: chatCompletionsDialect,
  responses: responsesDialect,
};

export interface ModelProgramOptions {
  config: ModelProgramConfig;
  key: string;
  /** Aborted: takes no more, and ends what is open. */
  signal: AbortSignal;
  limits?: ModelLimits;
  resolveName?: ResolveName;
}

/** For the outcomes of requests that were open, at the end: shorter than a container is given. */
const lastReportsMs = 1500;

/** Serves until `signal` is aborted. Never throws for what an agent or the endpoint does. */
export async function serveModel(options: ModelProgramOptions): Promise<void> {
  const { config, key, signal, limits = defaultModelLimits, resolveName } = options;
  const inDirectory = (name: string) => join(config.socket_directory, name);
  const work = new Set<Promise<void>>();
  const track = (each: Promise<void>) => {
    work.add(each);
    void each.finally(() => work.delete(each));
  };
  const dialect = dialects[config.dialect];
  const dependencies = {
    dialect,
    endpoint: createEndpoint(config, { dialect, key, limits, resolveName }),
    budget: budgetSocket(inDirectory(modelSockets.budget), limits),
    requestLimits: createRequestLimits(limits),
    rules: {
      models: config.models,
      bodyValues: limits.bodyValues,
      defaultMaxTokens: config.default_max_tokens,
      maximumField: config.maximum_field ?? ('max_tokens' as const),
    },
    limits,
    track,
  };
  const http = createModelHttp(limits, (request, response) =>
    track(answerRequest(dependencies, request, response)),
  );
  const take = (socket: Socket) => {
    // It says that the connection is used, and is not passed on.
    socket.read(1);
    http.take(socket);
  };
  const open = await keepConnections(inDirectory(modelSockets.requests), limits.connections, take, signal);
  for (const socket of open) {
    socket.destroy();
  }
  // Each request ends with its connection, and is then counted.
  const counted = async () => {
    while (work.size > 0) {
      await Promise.all(work);
    }
  };
  await abandonAfter(lastReportsMs, counted(), () => undefined);
}
