import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import * as z from 'zod';
import { fieldProblemsOf } from '../../contract/errors.ts';
import { HttpRefusal, sendJson } from '../http/answer.ts';
import type { AgentHttpDependencies } from './dependencies.ts';
import { asHttpRefusal } from './http-refusal.ts';

const artifactQuery = z.strictObject({
  name: z.string().min(1).max(255),
  mime_type: z.string().min(1).max(255).default('application/octet-stream'),
  description: z.string().max(2000).nullable().default(null),
});

/** `POST /artifact?name=&mime_type=&description=`: the body is the file, streamed through. */
export async function takeArtifact(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { api, limits }: AgentHttpDependencies,
): Promise<void> {
  const query = artifactQuery.safeParse(Object.fromEntries(url.searchParams));
  if (!query.success) {
    throw new HttpRefusal('validation_failed', 'Some fields are not valid', fieldProblemsOf(query.error));
  }
  if (Number(request.headers['content-length'] ?? 0) > limits.artifactBytes) {
    throw tooLarge(limits.artifactBytes);
  }
  const capped = request.pipe(capBytes(limits.artifactBytes));
  request.once('close', () => {
    if (!request.complete) {
      capped.destroy(new Error('the agent went away'));
    }
  });
  let overflow: HttpRefusal | null = null;
  capped.once('error', (error) => {
    overflow = error instanceof HttpRefusal ? error : null;
  });
  try {
    sendJson(response, 200, await api.storeArtifact({ artifact_id: randomUUID(), ...query.data }, capped));
  } catch (error) {
    throw overflow ?? asHttpRefusal(error);
  }
}

/** Passes bytes through, and aborts after `maxBytes`, so that an incomplete file is never stored. */
function capBytes(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > maxBytes ? tooLarge(maxBytes) : null, chunk);
    },
  });
}

const tooLarge = (maxBytes: number) =>
  new HttpRefusal('too_large', `an artifact may have ${maxBytes} bytes at most`);
