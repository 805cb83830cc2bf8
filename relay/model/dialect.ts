/**
 * One way in which clients ask a model and read what it answers. The core around it admits, counts, sends and
 * limits, and knows no field of any; a dialect holds no state but that of a stream.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { MaximumField } from '../../contract/model-access.ts';
import type { Redactor } from '../../lib/redaction/redactor.ts';
import type { ModelError } from './model-error.ts';

/** A request of the agent as it is sent on: rebuilt from what is allowed. */
export interface ModelRequest {
  /** As it is sent. */
  body: Buffer;
  /** The most that it may write, which the body says, too. */
  maxTokens: number;
  isStreamed: boolean;
  /** What its input may take, for when nobody says what it took. */
  estimatedInput: number;
  /** Whether the client itself asked for what a stream took, where that is to be asked for. */
  wantsUsage: boolean;
}

export interface RequestRules {
  /** Which may be asked; none named: any. */
  models: readonly string[];
  /** JSON values in one request. */
  bodyValues: number;
  /** For a request that names no maximum of its own. */
  defaultMaxTokens: number;
  /** Where a dialect has two names for the maximum: the one that the endpoint keeps to. */
  maximumField: MaximumField;
}

export interface StreamOptions extends Pick<ModelRequest, 'wantsUsage'> {
  /** Of the endpoint, for what is said of it. */
  host: string;
  /** Of what it says of an error. */
  redact(text: string): string;
  createRedactor(): Redactor;
}

/** What one event of the endpoint leads to. */
export interface StreamStep {
  /** What is sent to the agent for it, in the dialect's own form. */
  shown: readonly unknown[];
  /** As `usage` of the Messages API; a later one has the sums so far. */
  usage: readonly unknown[];
  /** Of what the model wrote in it. */
  shownBytes: number;
  isLast: boolean;
}

export interface AnswerStream {
  /** Throws ModelError and OutboundError for an event that is an error, or none of the dialect. */
  take(data: string): StreamStep;
}

export interface Dialect {
  /** What the agent may POST to, each with what that is below the endpoint's base URL. */
  targets: ReadonlyMap<string, string>;
  /** The header by which the endpoint names a request. */
  requestIdHeader: string;
  /** Throws ModelError, with the name of the field that is wrong. */
  parseRequest(bytes: Buffer, rules: RequestRules): ModelRequest;
  /** Beside those of HTTP: with the key, and of the agent's only what is allowed. */
  headers(key: string, asked: IncomingHttpHeaders): Record<string, string>;
  /** What a whole answer took, as `usage` of the Messages API; null for what is no answer of a model. */
  readAnswer(value: unknown): { usage: unknown } | null;
  openStream(options: StreamOptions): AnswerStream;
  /** One event as it is written, cleared of the key. */
  write(event: unknown, redact: (text: string) => string): string;
  /** As the body of an answer. */
  errorBody(error: ModelError): string;
  /** As the end of an answer that has begun. */
  errorEvents(error: ModelError): string;
}
