import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { uuid } from '../../../contract/names.ts';
import { artifactAnswer } from '../../../contract/sidecar.ts';
import { insertArtifact } from '../../../store/artifacts/artifacts.ts';
import { touchActivity } from '../../../store/sessions/activity.ts';
import { ApiError } from '../../errors.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config'>;

/** The body is the bytes themselves, read up to the limit and no further. */
export function artifactRoute({ db, config }: Dependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/artifacts',
    summary: 'Bytes that the agent hands out',
    scope: 'internal',
    rawBody: true,
    query: z.object({
      artifact_id: uuid,
      name: z.string().min(1).max(255),
      mime_type: z.string().min(1).max(255),
      description: z.string().max(2000).optional(),
    }),
    response: artifactAnswer,
    async handler({ session, query, ctx }) {
      await touchActivity(db, session.id);
      const content = await readUpTo(ctx.req, config.LIMIT_ARTIFACT_BYTES).catch((error: unknown) => {
        ctx.set('Connection', 'close');
        ctx.req.resume();
        throw error;
      });
      const stored = await insertArtifact(
        db,
        {
          id: query.artifact_id,
          sessionId: session.id,
          agentId: session.agent_id,
          name: query.name,
          mimeType: query.mime_type,
          description: query.description ?? null,
          sha256: createHash('sha256').update(content).digest('hex'),
          content,
        },
        { sessionBytes: config.LIMIT_SESSION_ARTIFACT_BYTES },
      );
      if (stored.result === 'too_large') {
        throw tooLarge(config.LIMIT_SESSION_ARTIFACT_BYTES, 'the artifacts of a session together');
      }
      if (stored.result === 'id_taken') {
        throw new ApiError('conflict', 'The artifact id is in use');
      }
      const { id, size_bytes, sha256 } = stored.artifact;
      return { artifact_id: id, size_bytes, sha256 };
    },
  });
}

const tooLarge = (limit: number, what: string) =>
  new ApiError('too_large', `The limit is ${limit} bytes for ${what}`);

async function readUpTo(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) {
        break;
      }
      chunks.push(chunk);
    }
  } catch {
    throw new ApiError('malformed_request', 'The connection ended before the body did');
  }
  if (size > limit) {
    throw tooLarge(limit, 'an artifact');
  }
  return Buffer.concat(chunks);
}
