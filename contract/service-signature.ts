/**
 * The signature on what the platform sends to a service preview: from the API to the gateway beside the
 * service. It covers the head, which is verified before anything reaches the service; bodies are streamed and
 * have no signature of their own. The key is the preview's control key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { controlClockSkewMs } from './sidecar.ts';

export const serviceRequestHeader = 'x-service-request';
/**
 * Of an answer that is the gateway's own, in the service's place: a code that says why. It removes it from
 * what the service answers.
 */
export const serviceFailureHeader = 'x-service-failure';

export interface ServiceRequestHead {
  method: string;
  /** The request target as sent: the path, with its query. */
  target: string;
}

/** `<unix milliseconds>.<hex HMAC-SHA256>` of a request that is sent at `atMs`. */
export function signServiceRequest(key: string, head: ServiceRequestHead & { atMs: number }): string {
  return `${head.atMs}.${hmac(key, head)}`;
}

/**
 * Whether `header` signs this head, at most `controlClockSkewMs` away from `nowMs`.
 * Compares in constant time.
 */
export function isSignedServiceRequest(
  key: string,
  header: string,
  { method, target, nowMs }: ServiceRequestHead & { nowMs: number },
): boolean {
  const [, time, given] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(header) ?? [];
  if (time === undefined || given === undefined) {
    return false;
  }
  const atMs = Number(time);
  const expected = Buffer.from(hmac(key, { method, target, atMs }));
  return timingSafeEqual(expected, Buffer.from(given)) && Math.abs(nowMs - atMs) <= controlClockSkewMs;
}

function hmac(key: string, { method, target, atMs }: ServiceRequestHead & { atMs: number }): string {
  const text = `service-request\n${atMs}\n${method.toUpperCase()}\n${target}`;
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('hex');
}
