/** Has texts embedded by a provider, through the outbound guard, in bounded requests. */
import type { EmbeddingProvider } from '../../contract/embedding-provider.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { OutboundContext } from '../../lib/outbound/send.ts';
import { type OutboundAnswer, request } from '../../lib/outbound/send.ts';
import { retry } from '../../lib/timing/retry.ts';
import { withinLimit } from '../../lib/timing/time-limit.ts';
import { askAdmin, EmbeddingError } from './errors.ts';
import { readAnswer } from './read-answer.ts';

/** Bounds on what a provider may cost. Tests pass smaller ones. */
export interface ProviderLimits {
  /** Each request. */
  requestTimeoutMs: number;
  /**
   * All requests for one call of a tool, with their retries: a sidecar waits 25 s for an answer, of which a
   * search may take two reads.
   */
  totalTimeoutMs: number;
  attempts: number;
  firstDelayMs: number;
  textsPerRequest: number;
  answerBytes: number;
}

export const defaultProviderLimits: Readonly<ProviderLimits> = {
  requestTimeoutMs: 10_000,
  totalTimeoutMs: 14_000,
  attempts: 3,
  firstDelayMs: 300,
  textsPerRequest: 16,
  answerBytes: 4 * 1024 * 1024,
};

/** What providers are asked with. */
export interface EmbeddingServers extends Omit<OutboundContext, 'signal' | 'workspaceId'> {
  limits?: ProviderLimits;
}

export interface ProviderQuestion {
  workspaceId: string;
  provider: Pick<EmbeddingProvider, 'model' | 'dimensions'>;
  /** Of the provider, with the path that is asked. */
  url: URL;
  /** Null for none. */
  key: string | null;
  texts: readonly string[];
}

/** The vectors of the texts, in their order, of length 1. Throws EmbeddingError and nothing else. */
export async function askProvider(
  { limits = defaultProviderLimits, ...servers }: EmbeddingServers,
  { workspaceId, texts, ...question }: ProviderQuestion,
): Promise<Float32Array[]> {
  const late = new OutboundError('timed_out', 'the provider took too long');
  return withinLimit(
    limits.totalTimeoutMs,
    undefined,
    async (signal) => {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += limits.textsPerRequest) {
        const part = texts.slice(from, from + limits.textsPerRequest);
        const dimensions = question.provider.dimensions ?? vectors[0]?.length ?? null;
        const context = { ...servers, workspaceId, signal };
        const asked = () => ask(context, { ...question, texts: part }, { limits, dimensions });
        const { attempts, firstDelayMs } = limits;
        vectors.push(
          ...(await retry(asked, { attempts, firstDelayMs, maxDelayMs: 2000, signal, isRetryable })),
        );
      }
      return vectors;
    },
    late,
  );
}

const isRetryable = (error: unknown) => error instanceof EmbeddingError && error.isTemporary;

async function ask(
  context: OutboundContext,
  { provider, url, key, texts }: Omit<ProviderQuestion, 'workspaceId'>,
  { limits, dimensions }: { limits: ProviderLimits; dimensions: number | null },
): Promise<Float32Array[]> {
  const json = {
    ...{ model: provider.model, input: texts, encoding_format: 'float' },
    ...(provider.dimensions === null ? {} : { dimensions: provider.dimensions }),
  };
  const sent = {
    ...{ method: 'POST' as const, url, body: { json } },
    headers: { accept: 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    ...{ timeoutMs: limits.requestTimeoutMs, maxBytes: limits.answerBytes },
    contentTypes: ['application/json'],
  };
  const { status, body } = await request(context, sent).catch((error: unknown): OutboundAnswer => {
    throw ofOutbound(error);
  });
  if (status !== 200) {
    throw ofStatus(status);
  }
  return readAnswer(body, { texts: texts.length, dimensions });
}

const temporary = new Set(['unreachable', 'connection_refused', 'timed_out']);

/** By its code alone: other parts of an outbound error may repeat what the provider sent. */
function ofOutbound(error: unknown): EmbeddingError {
  const code = error instanceof OutboundError ? error.code : 'unreachable';
  const message = `The embedding provider of the workspace could not be asked (${code}); ${askAdmin}`;
  return new EmbeddingError(code, message, temporary.has(code));
}

function ofStatus(status: number): EmbeddingError {
  const why = status === 401 || status === 403 ? 'it does not accept the key' : `HTTP status ${status}`;
  const message = `The embedding provider of the workspace refused the texts (${why}); ${askAdmin}`;
  return new EmbeddingError(`status_${status}`, message, status === 429 || status >= 500);
}
