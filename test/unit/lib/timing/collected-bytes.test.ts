/**
 * Bodies whose senders choose the size of each chunk: what is collected of them, and that no chunk is kept.
 */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Context } from 'koa';
import { readChunks } from '../../../../api/artifacts/read-chunks.ts';
import { readJsonBody } from '../../../../api/middleware/json-body.ts';
import { beginRequest } from '../../../../api/middleware/request-state.ts';
import { createByteBudget } from '../../../../lib/limits/byte-budget.ts';
import { readResponseBody } from '../../../../lib/outbound/send.ts';
import { CollectedBytes } from '../../../../lib/timing/collected-bytes.ts';
import { readRequestBody } from '../../../../sidecar/http/read-body.ts';
import { checkProperty } from '../../../support/property.ts';

const text = JSON.stringify({ text: 'one by one'.repeat(250) });

/** A request whose chunks all use the same memory: whoever kept one would find the last byte in it. */
function bytesOfOneMemory(): never {
  async function* chunks() {
    const memory = Buffer.alloc(1);
    for (const byte of Buffer.from(text)) {
      memory[0] = byte;
      yield memory;
    }
  }
  return Object.assign(new PassThrough(), {
    headers: {},
    iterator: chunks,
    [Symbol.asyncIterator]: chunks,
  }) as never;
}

async function readByApi(): Promise<string> {
  const req: never = bytesOfOneMemory();
  const ctx: Context = { req, request: { is: () => 'application/json' }, get: () => '' } as never;
  beginRequest(ctx, 'request');
  return JSON.stringify(await readJsonBody(ctx, { maxBytes: 100_000, deadlineMs: 60_000 }));
}

async function readUpload(): Promise<string> {
  const limits = { chunkBytes: 1000, maxAgeMs: 60_000, deadlineMs: performance.now() + 60_000 };
  let read = '';
  for await (const chunk of readChunks(bytesOfOneMemory(), { ...limits, budget: createByteBudget(10_000) })) {
    read += chunk.toString();
  }
  return read;
}

describe('a body whose bytes come one by one', () => {
  it.each([
    ['the API', readByApi],
    ['an upload', readUpload],
    ['the sidecar', async () => String(await readRequestBody(bytesOfOneMemory(), 100_000))],
    [
      'an answer from outside',
      async () => String(await readResponseBody(bytesOfOneMemory(), 100_000, 'the answer')),
    ],
  ])('is read by %s without keeping them as chunks', async (_who, read) => {
    expect(await read()).toBe(text);
  });
});

describe('collected bytes', () => {
  it('are those of all chunks, in memory of at most twice their size', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 10_000 }), { maxLength: 50 });
    checkProperty(
      fc.property(chunks, (parts) => {
        const collected = new CollectedBytes();
        for (const part of parts) {
          collected.push(part);
        }
        const whole = Buffer.concat(parts);
        expect(collected.bytes.equals(whole)).toBe(true);
        expect(collected.sizeBytes).toBe(whole.length);
        expect(collected.bytes.buffer.byteLength).toBeLessThanOrEqual(Math.max(4096, 2 * whole.length));
      }),
    );
  });
});
