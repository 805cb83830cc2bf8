/**
 * Keys that belong to one session. They are derived from SESSION_KEY_SEED and the session's id, so none is stored:
 * the internal token (sidecar to API) and the control key (API and worker to sidecar) (design 2, 8).
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { controlClockSkewMs } from './sidecar.ts';

/** What a control signature covers. `path` is the request target as sent; `body` is the raw bytes. */
export interface ControlRequest {
  method: string;
  path: string;
  body: string | Uint8Array;
}

function derive(seed: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', info, 32));
}

/** The session's `X-Internal-Token`: `<sessionId>.<base64url of 32 derived bytes>`. */
export function internalToken(seed: Buffer, sessionId: string): string {
  return `${sessionId}.${derive(seed, `internal-token/${sessionId}`).toString('base64url')}`;
}

/** True when `token` is the one of exactly this session. Compared in constant time. */
export function verifyInternalToken(seed: Buffer, token: string, sessionId: string): boolean {
  return sameText(token, internalToken(seed, sessionId));
}

/** The key that signs requests to the session's sidecar, as base64url text. */
export function controlKey(seed: Buffer, sessionId: string): string {
  return derive(seed, `control-key/${sessionId}`).toString('base64url');
}

/** The `X-Control-Signature` of a request that is sent at `atMs`. */
export function signControlRequest(key: string, request: ControlRequest & { atMs: number }): string {
  return `${request.atMs}.${signature(key, request, String(request.atMs))}`;
}

/** True when `header` signs exactly this request and is at most `controlClockSkewMs` away from `nowMs`. */
export function verifyControlSignature(
  key: string,
  header: string,
  request: ControlRequest & { nowMs: number },
): boolean {
  const [, time, given] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(header) ?? [];
  if (time === undefined || given === undefined) {
    return false;
  }
  const inTime = Math.abs(request.nowMs - Number(time)) <= controlClockSkewMs;
  return sameText(given, signature(key, request, time)) && inTime;
}

function signature(key: string, { method, path, body }: ControlRequest, time: string): string {
  const bodyHash = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(`${time}\n${method.toUpperCase()}\n${path}\n${bodyHash}`)
    .digest('hex');
}

/** Compares hashes of both, so that neither the length nor the first difference shows in the time it takes. */
function sameText(left: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}
