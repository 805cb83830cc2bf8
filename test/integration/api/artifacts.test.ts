/** Bytes of artifacts: stored as they arrive, within limits, and without affecting other sessions. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { patchId, readArtifactById } from '../../../store/artifacts/artifacts.ts';
import { appendChunk, beginContent, removeAbandonedContents } from '../../../store/artifacts/contents.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const mebibyte = 1024 * 1024;
const api = useSessionApi({
  LIMIT_UPLOAD_BUFFER_BYTES: String(mebibyte),
  LIMIT_SESSION_CONCURRENT_UPLOADS: '4',
});
let member: Person;
let base: string;
let id: string;

beforeAll(async () => {
  ({ member, base } = await api.workspace());
});
beforeEach(async () => {
  id = (await api.runningSession(member, base)).session.id;
});

interface Upload {
  sent: ClientRequest;
  artifactId: string;
  answered: Promise<{ status: number; body: { error?: { message: string }; sha256?: string } }>;
}

/** An upload whose bytes the test sends itself. */
function begin(sessionId = id, artifactId: string = randomUUID()): Upload {
  const query = new URLSearchParams({ artifact_id: artifactId, name: 'a.bin', mime_type: 'x/y' });
  const sent = request(`${api.url}/internal/sessions/${sessionId}/artifacts?${query}`, {
    method: 'POST',
    agent: false,
    headers: { [internalTokenHeader]: api.token(sessionId), 'content-type': 'application/octet-stream' },
  });
  const answered = new Promise<Awaited<Upload['answered']>>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
  });
  answered.catch(() => undefined);
  return { sent, artifactId, answered };
}
const contents = () => api.db('artifact_contents').where({ session_id: id });

describe('an upload', () => {
  it('is downloaded unchanged, whatever the size of its chunks', async () => {
    const bytes = randomBytes(3 * mebibyte + 17);
    const { sent, artifactId, answered } = begin();
    for (let from = 0, size = 1; from < bytes.length; from += size, size = (size * 7) % 200_003) {
      sent.write(bytes.subarray(from, from + size));
    }
    sent.end();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await answered).toMatchObject({ status: 200, body: { sha256, size_bytes: bytes.length } });
    const response = await fetch(`${api.url}/api/sessions/${id}/artifacts/${artifactId}`, {
      headers: { cookie: member.cookie },
    });
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    const stored = await api.db('artifact_chunks').whereIn('content_id', contents().select('id'));
    expect(stored.every((chunk) => chunk.bytes.length <= 512 * 1024)).toBe(true);
  });

  it('may be empty', async () => {
    const { sent, artifactId, answered } = begin();
    sent.end();
    expect(await answered).toMatchObject({ status: 200, body: { size_bytes: 0 } });
    const { status, text } = await member.send('GET', `/api/sessions/${id}/artifacts/${artifactId}`);
    expect({ status, text }).toEqual({ status: 200, text: '' });
  });

  it("is the agent's, and never the patch that the platform makes", async () => {
    const { sent, artifactId, answered } = begin();
    sent.end('x');
    expect((await answered).status).toBe(200);
    expect(await readArtifactById(api.db, artifactId)).toMatchObject({ made_by: 'agent' });
    const posing = begin(id, patchId(id));
    posing.sent.end('x');
    expect((await posing.answered).status).toBe(422);
  });

  it('leaves no data when it is cut off or too large', async () => {
    const cut = begin();
    cut.sent.write(randomBytes(mebibyte));
    await eventually(async () => expect(await contents()).toHaveLength(1));
    cut.sent.destroy();
    await eventually(async () => expect(await contents()).toEqual([]));
    const large = begin();
    large.sent.end(Buffer.alloc(10 * mebibyte + 1));
    expect(await large.answered).toMatchObject({ status: 413, body: { error: { code: 'too_large' } } });
    await eventually(async () => expect(await contents()).toEqual([]));
  });

  it('releases its memory when it cannot be stored', async () => {
    // Each holds a quarter of the budget when its chunk fails.
    for (let failed = 0; failed < 6; failed += 1) {
      const { sent, answered } = begin();
      sent.write('x');
      await eventually(async () => expect(await contents()).toHaveLength(1));
      await contents().delete();
      sent.end(Buffer.alloc(256 * 1024));
      expect(await answered).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    }
    const { sent, answered } = begin();
    sent.end(Buffer.alloc(2 * mebibyte));
    expect(await answered).toMatchObject({ status: 200 });
  });
});

describe('stalled uploads', () => {
  it('hold no connection of the pool, nor the memory of others', async () => {
    const sessions = [id];
    for (let count = 0; count < 3; count += 1) {
      sessions.push((await api.runningSession(member, base)).session.id);
    }
    // Sixteen that stall after half a chunk: more than the pool has connections, and
    // more than the whole budget.
    const stalled = sessions.flatMap((session) => [1, 2, 3, 4].map(() => begin(session)));
    for (const { sent } of stalled) {
      sent.write(randomBytes(128 * 1024));
    }
    await eventually(async () =>
      expect(await api.db('artifact_contents').whereNull('completed_at')).toHaveLength(16),
    );
    const { session: other } = await api.runningSession(member, base);
    const { sent, answered } = begin(other.id);
    sent.end(randomBytes(2 * mebibyte));
    expect(await answered).toMatchObject({ status: 200 });
    for (const upload of stalled) {
      upload.sent.end();
    }
    const statuses = await Promise.all(stalled.map(async (upload) => (await upload.answered).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('are limited for one session: one more is refused, naming the limit, and other sessions continue', async () => {
    const stalled = [1, 2, 3, 4].map(() => begin());
    for (const { sent } of stalled) {
      sent.write('x');
    }
    await eventually(async () => expect(await contents()).toHaveLength(4));
    const more = begin();
    more.sent.end('x');
    const { status, body } = await more.answered;
    expect({ status, message: body.error?.message }).toEqual({
      status: 429,
      message: 'The limit is 4 uploads of artifacts of a session at a time',
    });
    const { session: other } = await api.runningSession(member, base);
    const elsewhere = begin(other.id);
    elsewhere.sent.end('x');
    expect(await elsewhere.answered).toMatchObject({ status: 200 });
    for (const { sent } of stalled) {
      sent.end();
    }
    await Promise.all(stalled.map(({ answered }) => answered));
    const after = begin();
    after.sent.end('x');
    expect(await after.answered).toMatchObject({ status: 200 });
  });

  it('are removed in batches when their API was killed, and accept no more bytes', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => beginContent(api.db, id)));
    for (const contentId of ids) {
      await appendChunk(api.db, { contentId, position: 0, bytes: Buffer.alloc(10) });
    }
    const live = await beginContent(api.db, id);
    await api
      .db('artifact_contents')
      .whereIn('id', ids)
      .update({ touched_at: api.db.raw(`now() - interval '1 hour'`) });
    const remove = () => removeAbandonedContents(api.db, { untouchedSeconds: 600, limit: 2 });
    expect([await remove(), await remove(), await remove()]).toEqual([2, 1, 0]);
    expect((await contents()).map((content) => content.id)).toEqual([live]);
    await expect(
      appendChunk(api.db, { contentId: ids[0] ?? '', position: 1, bytes: Buffer.alloc(1) }),
    ).rejects.toThrow('takes no more bytes');
  });
});
