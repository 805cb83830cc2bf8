/**
 * Limits the requests to the platform that an agent may cause: immediate within each limit, then throttled,
 * then refused. The sidecar's own reports (ready, calls, lists of tools, the end), and its question for the
 * API's tools, which it asks until it has them, are not throttled.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { createSemaphore } from '../../lib/limits/semaphore.ts';
import { createTokenBucket, type TokenBucket } from '../../lib/limits/token-bucket.ts';
import type { PlatformApi } from './platform-api.ts';
import { PlatformRefusal } from './request.ts';

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
