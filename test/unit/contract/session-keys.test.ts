import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  controlKey,
  internalToken,
  isSignedBody,
  signControlRequest,
  verifyControlHead,
  verifyInternalToken,
} from '../../../contract/session-keys.ts';
import { controlClockSkewMs } from '../../../contract/sidecar.ts';
import { checkProperty } from '../../support/property.ts';

const seed = randomBytes(32);
const sessionId = randomUUID();

/** Verifies like the sidecar: the head first, then the body. */
function verifyControlSignature(
  key: string,
  header: string,
  { method, path, body, nowMs }: { method: string; path: string; body: string | Uint8Array; nowMs: number },
): boolean {
  const signed = verifyControlHead(key, header, { method, path, nowMs });
  return signed !== null && isSignedBody(signed, Buffer.from(body));
}

describe('the internal token of a session', () => {
  it('is derived deterministically, and valid for its own session', () => {
    expect(internalToken(seed, sessionId)).toBe(internalToken(seed, sessionId));
    expect(verifyInternalToken(seed, internalToken(seed, sessionId), sessionId)).toBe(true);
  });

  it('is valid for no other session, nor under another seed', () => {
    const token = internalToken(seed, sessionId);
    const other = randomUUID();
    expect(verifyInternalToken(seed, token, other)).toBe(false);
    expect(verifyInternalToken(seed, token.replace(sessionId, other), other)).toBe(false);
    expect(verifyInternalToken(randomBytes(32), token, sessionId)).toBe(false);
  });

  it('is refused when anything about it differs', () => {
    const token = internalToken(seed, sessionId);
    for (const wrong of ['', sessionId, `${sessionId}.`, token.slice(0, -1), `${token}A`, ` ${token}`]) {
      expect(verifyInternalToken(seed, wrong, sessionId)).toBe(false);
    }
  });

  it('reveals nothing about the control key of the same session', () => {
    expect(internalToken(seed, sessionId)).not.toContain(controlKey(seed, sessionId));
  });
});

describe('the signature of a control request', () => {
  const key = controlKey(seed, sessionId);
  const request = { method: 'POST', path: '/inject?x=1', body: '{"messages":[]}' };
  const atMs = 1_800_000_000_000;

  it('is accepted for exactly the request that was signed', () => {
    checkProperty(
      fc.property(fc.string(), fc.webPath(), fc.uint8Array(), (method, path, body) => {
        const header = signControlRequest(key, { method, path, body, atMs });
        return verifyControlSignature(key, header, { method, path, body, nowMs: atMs });
      }),
    );
  });

  it('is refused for another method, path, body or session', () => {
    const header = signControlRequest(key, { ...request, atMs });
    const check = (change: Partial<typeof request>, withKey = key) =>
      verifyControlSignature(withKey, header, { ...request, ...change, nowMs: atMs });
    expect(check({})).toBe(true);
    expect(check({ method: 'GET' })).toBe(false);
    expect(check({ path: '/inject' })).toBe(false);
    expect(check({ body: '{"messages":[ ]}' })).toBe(false);
    expect(check({ body: '{"messages":{}}' })).toBe(false);
    expect(check({}, controlKey(seed, randomUUID()))).toBe(false);
  });

  it('is refused outside the allowed time, and when its time was changed', () => {
    const header = signControlRequest(key, { ...request, atMs });
    const at = (nowMs: number, given = header) => verifyControlSignature(key, given, { ...request, nowMs });
    expect(at(atMs + controlClockSkewMs)).toBe(true);
    expect(at(atMs - controlClockSkewMs)).toBe(true);
    expect(at(atMs + controlClockSkewMs + 1)).toBe(false);
    expect(at(atMs - controlClockSkewMs - 1)).toBe(false);
    const later = atMs + 10 * controlClockSkewMs;
    expect(at(later, header.replace(String(atMs), String(later)))).toBe(false);
  });

  it('contains the size and hash of the body, and neither can be changed', () => {
    const header = signControlRequest(key, { ...request, atMs });
    const at = { method: request.method, path: request.path, nowMs: atMs };
    expect(verifyControlHead(key, header, at)).toMatchObject({ sizeBytes: request.body.length });
    const [time, size, hash, given] = header.split('.');
    for (const other of [
      [time, `${Number(size) + 1}`, hash, given],
      [time, `0${size}`, hash, given],
      [time, size, '0'.repeat(64), given],
    ]) {
      expect(verifyControlHead(key, other.join('.'), at)).toBeNull();
    }
  });

  it('is refused when it is malformed', () => {
    checkProperty(
      fc.property(fc.string(), (header) => !verifyControlSignature(key, header, { ...request, nowMs: atMs })),
    );
    expect(
      verifyControlSignature(key, `NaN.1.${'0'.repeat(64)}.${'0'.repeat(64)}`, { ...request, nowMs: atMs }),
    ).toBe(false);
  });
});
