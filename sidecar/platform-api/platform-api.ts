/**
 * What the sidecar asks of and reports to the platform: one function per internal route
 * (contract/sidecar.ts), and the limits of those that an agent may cause: immediate within each, then
 * throttled, then refused. The sidecar's own reports (ready, calls, lists of tools, the end), and its
 * question for the API's tools, which it asks until it has them, are not throttled.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { LiveTextReport } from '../../contract/live-text.ts';
import {
  type ModelRequestAnswer,
  type ModelUsageReport,
  modelRequestAnswer,
  type modelRequestInput,
} from '../../contract/model-access.ts';
import type { OpenCallReport } from '../../contract/open-calls.ts';
import {
  type ListedPlatformTool,
  type PlatformToolAnswer,
  type PlatformToolCall,
  platformToolAnswer,
  platformToolList,
} from '../../contract/platform-tools.ts';
import {
  type AccessTokenAnswer,
  accessTokenAnswer,
  type accessTokenReport,
} from '../../contract/remote-server.ts';
import type { ProcessReport } from '../../contract/session-process.ts';
import {
  artifactAnswer,
  type CheckAnswer,
  checkAnswer,
  type checkRequest,
  checksAnswer,
  type EventReport,
  type endReport,
  internalTokenHeader,
  type PermissionRequestAnswer,
  permissionRequestAnswer,
  type permissionRequestReport,
  permissionRequestState,
  readyAnswer,
  type SiblingReport,
  type SidecarBoot,
} from '../../contract/sidecar.ts';
import type { CallRecord, RefusedCallCount } from '../../contract/tool-call.ts';
import type { ToolListReport } from '../../contract/tool-definitions.ts';
import { createSemaphore } from '../../lib/limits/semaphore.ts';
import { createTokenBucket, type TokenBucket } from '../../lib/limits/token-bucket.ts';
import {
  internalUrl,
  type PlatformAddress,
  PlatformRefusal,
  PlatformUnreachable,
  readAnswer,
  requestPlatform,
  upload,
} from './request.ts';

interface ArtifactMetadata {
  artifact_id: string;
  name: string;
  mime_type: string;
  description: string | null;
}

export type CheckRequest = z.infer<typeof checkRequest>;

/**
 * Each function throws PlatformRefusal when the platform refuses, PlatformUnreachable when it does not answer
 * in time.
 */
export interface PlatformApi extends ModelRequestApi {
  ready(controlUrl: string, signal: AbortSignal): Promise<z.infer<typeof readyAnswer>>;
  checkCall(request: CheckRequest): Promise<CheckAnswer>;
  /** Several at once, `maxChecks` at most: the answers by call id. */
  checkCalls(requests: readonly CheckRequest[]): Promise<ReadonlyMap<string, CheckAnswer>>;
  /** For the session's operator, at one of its remote servers. The answer holds a credential. */
  accessToken(report: z.infer<typeof accessTokenReport>): Promise<AccessTokenAnswer>;
  reportCalls(calls: CallRecord[], timeLimitMs: number): Promise<void>;
  reportRefusedCalls(counts: RefusedCallCount[], timeLimitMs: number): Promise<void>;
  reportOpenCalls(report: OpenCallReport, timeLimitMs: number): Promise<void>;
  publishEvent(event: EventReport): Promise<void>;
  showLiveText(report: LiveTextReport, timeLimitMs: number, signal: AbortSignal): Promise<void>;
  requestPermission(report: z.infer<typeof permissionRequestReport>): Promise<PermissionRequestAnswer>;
  readPermissionRequest(requestId: string): Promise<z.infer<typeof permissionRequestState>>;
  /** The tools that the API runs. */
  listTools(timeLimitMs: number): Promise<readonly ListedPlatformTool[]>;
  /** Also returns what a tool that failed has answered. */
  callTool(call: PlatformToolCall): Promise<PlatformToolAnswer>;
  storeArtifact(
    metadata: ArtifactMetadata,
    bytes: Buffer | Readable,
  ): Promise<z.infer<typeof artifactAnswer>>;
  reportProcess(report: ProcessReport, timeLimitMs: number): Promise<void>;
  reportToolList(report: ToolListReport, timeLimitMs: number): Promise<void>;
  reportEnd(report: z.infer<typeof endReport>): Promise<void>;
  reportSibling(report: SiblingReport, signal: AbortSignal): Promise<void>;
}

/** Any other response, such as a proxy's page, does not count as acceptance of the report. */
const taken = z.strictObject({ ok: z.literal(true) });
const untilAborted = Number.MAX_SAFE_INTEGER;
const reportLimitMs = 30_000;
/** A check, or a question for a token, is sent again for this long at most; then its calls are refused. */
const checkLimitMs = 10_000;
/** A kept-alive connection to a dead API stays silent: this leaves time for another attempt. */
const checkAttemptLimitMs = 3_000;
const checkLimits = {
  method: 'POST',
  timeLimitMs: checkLimitMs,
  attemptLimitMs: checkAttemptLimitMs,
} as const;
const artifactTimeoutMs = 120_000;
/**
 * A tool may wait for its turn, and then run for some statements of the database; after one attempt without
 * an answer there is another.
 */
const toolCall = {
  method: 'POST',
  limitIsAnswer: true,
  timeLimitMs: 50_000,
  attemptLimitMs: 25_000,
} as const;

export function createPlatformApi(address: PlatformAddress): PlatformApi {
  const post = <Answer extends z.ZodType>(
    path: string,
    body: unknown,
    timeLimitMs: number,
    answer: Answer,
    { limitIsAnswer = false } = {},
  ) => requestPlatform(address, { method: 'POST', path, body, timeLimitMs, limitIsAnswer }, answer);
  return {
    ready: (controlUrl, signal) =>
      requestPlatform(
        address,
        {
          method: 'POST',
          path: 'ready',
          body: { control_url: controlUrl },
          timeLimitMs: untilAborted,
          signal,
        },
        readyAnswer,
      ),
    checkCall: (body) =>
      requestPlatform(address, { path: 'tool-calls/check', body, ...checkLimits }, checkAnswer),
    async checkCalls(checks) {
      const request = { path: 'tool-calls/checks', body: { checks }, ...checkLimits };
      const { answers } = await requestPlatform(address, request, checksAnswer);
      return new Map(answers.map(({ call_id, answer }) => [call_id, answer]));
    },
    accessToken: (body) =>
      requestPlatform(address, { path: 'access-tokens', body, ...checkLimits }, accessTokenAnswer),
    ...modelRequests(address),
    async reportCalls(calls, timeLimitMs) {
      await post('tool-calls', { calls }, timeLimitMs, taken);
    },
    async reportRefusedCalls(counts, timeLimitMs) {
      await post('tool-calls/refused', { counts }, timeLimitMs, taken);
    },
    async reportOpenCalls(report, timeLimitMs) {
      await post('tool-calls/open', report, timeLimitMs, taken);
    },
    async publishEvent(event) {
      await post('events', event, reportLimitMs, taken, { limitIsAnswer: true });
    },
    showLiveText: (...report) => showLiveText(address, ...report),
    requestPermission: (report) =>
      post('permission-requests', report, reportLimitMs, permissionRequestAnswer),
    readPermissionRequest(requestId) {
      const path = `permission-requests/${requestId}`;
      const request = { method: 'GET', path, timeLimitMs: reportLimitMs } as const;
      return requestPlatform(address, request, permissionRequestState);
    },
    async listTools(timeLimitMs) {
      const request = { method: 'GET', path: 'platform-tools', timeLimitMs } as const;
      return (await requestPlatform(address, request, platformToolList)).tools;
    },
    callTool: (body) =>
      requestPlatform(address, { path: 'platform-tools/calls', body, ...toolCall }, platformToolAnswer),
    storeArtifact: (metadata, bytes) => storeArtifact(address, metadata, bytes),
    async reportProcess(report, timeLimitMs) {
      await post('processes', report, timeLimitMs, taken);
    },
    async reportToolList(report, timeLimitMs) {
      await post('tool-lists', report, timeLimitMs, taken);
    },
    async reportSibling(body, signal) {
      const request = {
        method: 'POST',
        path: 'sibling-not-ready',
        body,
        timeLimitMs: untilAborted,
        signal,
      } as const;
      await requestPlatform(address, request, taken);
    },
    async reportEnd(report) {
      await post('end', report, reportLimitMs, taken);
    },
  };
}

async function showLiveText(
  address: PlatformAddress,
  body: LiveTextReport,
  timeLimitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const limits = { timeLimitMs, signal, limitIsAnswer: true };
  await requestPlatform(address, { method: 'PUT', path: 'live-text', body, ...limits }, taken);
}

/** Streams the bytes, once: a stream cannot be sent again. */
async function storeArtifact(
  address: PlatformAddress,
  { description, ...metadata }: ArtifactMetadata,
  bytes: Buffer | Readable,
): Promise<z.infer<typeof artifactAnswer>> {
  const url = internalUrl(address, 'artifacts');
  url.search = new URLSearchParams({
    ...metadata,
    ...(description === null ? {} : { description }),
  }).toString();
  const response = await upload(url, {
    headers: { [internalTokenHeader]: address.token },
    body: bytes,
    signal: AbortSignal.timeout(artifactTimeoutMs),
  }).catch((error: unknown) => {
    throw new PlatformUnreachable('the artifact could not be sent to the platform', { cause: error });
  });
  if (response.status >= 500) {
    throw new PlatformUnreachable('the platform could not store the artifact');
  }
  return readAnswer(response, artifactAnswer);
}

/** As the functions of `PlatformApi` throw. */
interface ModelRequestApi {
  /** May this request be sent, now? */
  askForModelRequest(id: string, input: z.infer<typeof modelRequestInput>): Promise<ModelRequestAnswer>;
  reportModelUsage(id: string, usage: ModelUsageReport): Promise<void>;
}

const limits = { method: 'PUT', timeLimitMs: 10_000, attemptLimitMs: 3_000 } as const;

const modelRequests = (address: PlatformAddress): ModelRequestApi => ({
  askForModelRequest: (id, body) =>
    requestPlatform(
      address,
      { ...limits, path: `model-requests/${id}`, body, limitIsAnswer: true },
      modelRequestAnswer,
    ),
  async reportModelUsage(id, body) {
    await requestPlatform(address, { ...limits, path: `model-requests/${id}/usage`, body }, z.null());
  },
});

/** Max wait of a throttled agent. */
const maxWaitMs = 10_000;
/** A permit to ask depends on the platform's speed: the wait for it may be longer. */
const maxQueueMs = 60_000;
const maxWaiting = 1024;

type Limits = Pick<
  SidecarBoot['limits'],
  | 'events_per_minute'
  | 'permission_requests_per_minute'
  | 'artifacts_per_minute'
  | 'platform_tool_calls_per_minute'
  | 'sent_bytes_per_minute'
  | 'concurrent_requests'
  | 'concurrent_uploads'
>;

/** The functions throw PlatformRefusal `rate_limited`, naming the limit, for what is beyond it. */
export function limitPlatformApi(api: PlatformApi, limits: Limits): PlatformApi {
  const events = createThrottle(limits.events_per_minute, 'events a minute');
  const requests = createThrottle(limits.permission_requests_per_minute, 'permission requests a minute');
  const artifacts = createThrottle(limits.artifacts_per_minute, 'artifacts a minute');
  const toolCalls = createThrottle(
    limits.platform_tool_calls_per_minute,
    'calls of tools of the platform a minute',
  );
  const bytes = createThrottle(limits.sent_bytes_per_minute, 'bytes a minute');
  const inFlight = limited(limits.concurrent_requests, 'requests at a time');
  // A tool takes seconds at worst: gated calls are still checked meanwhile.
  const tools = limited(
    Math.max(1, Math.floor(limits.concurrent_requests / 2)),
    'calls of tools of the platform at a time',
  );
  const uploads = limited(limits.concurrent_uploads, 'uploads of artifacts at a time');
  const send = async <Body, Result>(body: Body, work: (body: Body) => Promise<Result>): Promise<Result> => {
    await bytes(Buffer.byteLength(JSON.stringify(body)));
    return inFlight(() => work(body));
  };
  return {
    ...api,
    checkCall: (request) => send(request, api.checkCall),
    checkCalls: (requests) => send(requests, api.checkCalls),
    askForModelRequest: (id, input) => inFlight(() => api.askForModelRequest(id, input)),
    reportModelUsage: (id, usage) => inFlight(() => api.reportModelUsage(id, usage)),
    async publishEvent(event) {
      await events();
      return send(event, api.publishEvent);
    },
    async requestPermission(report) {
      await requests();
      return send(report, api.requestPermission);
    },
    readPermissionRequest: (requestId) => send(requestId, api.readPermissionRequest),
    async callTool(call) {
      await toolCalls();
      return tools(() => send(call, api.callTool));
    },
    async storeArtifact(metadata, content) {
      await artifacts();
      return uploads(() =>
        sendThrottled(content, bytes, (throttled) => api.storeArtifact(metadata, throttled)),
      );
    },
  };
}

/** Waits for that many tokens, by default one. */
type Throttle = (tokens?: number) => Promise<void>;

/** A rate: what is beyond it waits for ten seconds at most, and is then refused as `what`. */
export function createThrottle(perMinute: number, what: string): Throttle {
  const bucket: TokenBucket = createTokenBucket({ perMinute, maxWaitMs });
  return async (tokens) => {
    const waitMs = bucket.take(tokens);
    if (waitMs === null) {
      throw beyond(perMinute, what);
    }
    if (waitMs > 0) {
      await sleep(waitMs);
    }
  };
}

/** A stream is read as fast as its bytes may be sent. */
async function sendThrottled<Result>(
  content: Buffer | Readable,
  bytes: Throttle,
  work: (content: Buffer | Readable) => Promise<Result>,
): Promise<Result> {
  if (Buffer.isBuffer(content)) {
    await bytes(content.length);
    return work(content);
  }
  let refusal: unknown = null;
  const throttled = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      await bytes(chunk.length).catch((error: unknown) => {
        refusal = error;
        throw error;
      });
      yield chunk;
    }
  };
  return work(Readable.from(throttled(), { objectMode: false })).catch((error: unknown) => {
    throw refusal ?? error;
  });
}

function limited(count: number, what: string): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const semaphore = createSemaphore({ permits: count, maxWaiting });
  return async (work) => {
    const release = await semaphore.acquire({ maxWaitMs: maxQueueMs });
    if (release === null) {
      throw beyond(count, what);
    }
    return work().finally(release);
  };
}

const beyond = (limit: number, what: string) =>
  new PlatformRefusal(429, 'rate_limited', `The limit is ${limit} ${what} of the agent of a session`);
