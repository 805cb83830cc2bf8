/**
 * Keys that belong to one session. They are derived from SESSION_KEY_SEED and the session's id, so none is
 * stored: the internal token (sidecar to API) and the control key (API and worker to sidecar)
 * (docs/sidecar.md#towards-the-platform).
 */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { controlClockSkewMs } from './sidecar.ts';

/** What a control signature covers. `path` is the request target as sent; `body` is the raw bytes. */
export interface ControlRequest {
  method: string;
  path: string;
  body: string | Uint8Array;
}

/** 32 bytes; another `info` gives bytes that say nothing of these. */
export function derive(seed: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', seed, '', info, 32));
}

/** The session's `X-Internal-Token`: `<sessionId>.<base64url of 32 derived bytes>`. */
export function internalToken(seed: Buffer, sessionId: string): string {
  return `${sessionId}.${derive(seed, `internal-token/${sessionId}`).toString('base64url')}`;
}

/** Whether `token` belongs to exactly this session. Compares in constant time. */
export function verifyInternalToken(seed: Buffer, token: string, sessionId: string): boolean {
  return sameText(token, internalToken(seed, sessionId));
}

/** The key that signs requests to the session's sidecar, as base64url text. */
export function controlKey(seed: Buffer, sessionId: string): string {
  return derive(seed, `control-key/${sessionId}`).toString('base64url');
}

/** What the head of a control request says of the body that follows. */
export interface ControlBody {
  sizeBytes: number;
  /** In lowercase hexadecimal digits. */
  sha256: string;
}

/**
 * The `X-Control-Request` of a request that is sent at `atMs`: its time, the size and SHA-256 of its
 * body, and the signature.
 */
export function signControlRequest(
  key: string,
  { method, path, body, atMs }: ControlRequest & { atMs: number },
): string {
  const said = `${atMs}.${Buffer.byteLength(body)}.${sha256Of(body)}`;
  return `${said}.${headSignature(key, said, method, path)}`;
}

/**
 * Returns what `header` says about the body, or null when it does not sign this method and path, or is more
 * than `controlClockSkewMs` away from `nowMs`. Does not need the body: only a signed one is read.
 */
export function verifyControlHead(
  key: string,
  header: string,
  { method, path, nowMs }: Pick<ControlRequest, 'method' | 'path'> & { nowMs: number },
): ControlBody | null {
  const [, said, time, size, sha256, given] =
    /^((\d{1,15})\.(\d{1,15})\.([0-9a-f]{64}))\.([0-9a-f]{64})$/.exec(header) ?? [];
  if (said === undefined || sha256 === undefined || given === undefined) {
    return null;
  }
  const inTime = Math.abs(nowMs - Number(time)) <= controlClockSkewMs;
  return sameText(given, headSignature(key, said, method, path)) && inTime
    ? { sizeBytes: Number(size), sha256 }
    : null;
}

/** Is this the body that the head was signed for? */
export function isSignedBody({ sizeBytes, sha256 }: ControlBody, body: Uint8Array): boolean {
  return body.length === sizeBytes && sameText(sha256Of(body), sha256);
}

function headSignature(key: string, said: string, method: string, path: string): string {
  const text = `control-request\n${said}\n${method.toUpperCase()}\n${path}`;
  return createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('hex');
}

function sha256Of(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Compares hashes of both, so that timing reveals neither the length nor the first difference. */
function sameText(left: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}
