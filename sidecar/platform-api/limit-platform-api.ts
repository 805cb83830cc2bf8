/**
 * What an agent may make its sidecar ask of the platform (design 13): within each limit at once, then more slowly, then not at
 * all. Reports of the sidecar's own (ready, calls, the end) are not held back.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { createPace, type Pace } from '../pace/pace.ts';
import { createSlots, type Slots } from '../pace/slots.ts';
import type { PlatformApi } from './platform-api.ts';
import { PlatformRefusal } from './request.ts';

/** An agent that is slowed down waits this long for its turn at most. */
const maxWaitMs = 10_000;
/** What goes on at a time depends on how quick the platform is: it may take longer for a turn to come. */
const maxQueueMs = 60_000;
const maxWaiting = 1024;

type Limits = Pick<
  SidecarBoot['limits'],
  'events_per_minute' | 'permission_requests_per_minute' | 'concurrent_requests' | 'concurrent_uploads'
>;

/** The functions throw PlatformRefusal `rate_limited`, naming the limit, for what is beyond it. */
export function limitPlatformApi(api: PlatformApi, limits: Limits): PlatformApi {
  const events = pacer(limits.events_per_minute, 'events a minute');
  const requests = pacer(limits.permission_requests_per_minute, 'permission requests a minute');
  const inFlight = slotted(limits.concurrent_requests, 'requests at a time');
  const uploads = slotted(limits.concurrent_uploads, 'uploads of artifacts at a time');
  return {
    ...api,
    checkCall: (request) => inFlight(() => api.checkCall(request)),
    publishEvent: (event) => events(() => inFlight(() => api.publishEvent(event))),
    requestPermission: (report) => requests(() => inFlight(() => api.requestPermission(report))),
    readPermissionRequest: (requestId) => inFlight(() => api.readPermissionRequest(requestId)),
    storeArtifact: (metadata, bytes) => uploads(() => api.storeArtifact(metadata, bytes)),
  };
}

type Limit = <Result>(work: () => Promise<Result>) => Promise<Result>;

function pacer(perMinute: number, what: string): Limit {
  const pace: Pace = createPace({ perMinute, maxWaitMs });
  return async (work) => {
    const waitMs = pace.take();
    if (waitMs === null) {
      throw beyond(perMinute, what);
    }
    if (waitMs > 0) {
      await sleep(waitMs);
    }
    return work();
  };
}

function slotted(count: number, what: string): Limit {
  const slots: Slots = createSlots({ count, maxWaiting });
  return async (work) => {
    const release = await slots.take(maxQueueMs);
    if (release === null) {
      throw beyond(count, what);
    }
    return work().finally(release);
  };
}

const beyond = (limit: number, what: string) =>
  new PlatformRefusal(429, 'rate_limited', `The limit is ${limit} ${what} of the agent of a session`);
