import * as z from 'zod';
import { createArtifact } from '../../commands/artifacts/create.ts';
import { chosenId } from '../../contract/names.ts';
import type { Session } from '../../contract/session.ts';
import { artifactAnswer } from '../../contract/sidecar.ts';
import { createSharedBytes } from '../../lib/limits/byte-budget.ts';
import { usedBytes } from '../../store/artifacts/artifacts.ts';
import { abandonContent } from '../../store/artifacts/contents.ts';
import { type ReceivedContent, receiveContent, tooLarge } from '../artifacts/receive-artifact.ts';
import { ApiError } from '../errors.ts';
import { createConcurrencyLimit } from '../middleware/concurrency-limit.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { requestState } from '../middleware/request-state.ts';
import { itsSidecar } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { listingReceiver } from './receive-listing.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'config' | 'log'>;

const metadata = z.object({
  artifact_id: chosenId,
  name: z.string().min(1).max(255),
  mime_type: z.string().min(1).max(255),
  description: z.string().max(2000).optional(),
});

/** The body is the bytes themselves, stored as they come and read up to the limit. */
export function artifactRoute({ db, config, log }: Dependencies): AnyRoute {
  const buffered = createSharedBytes({
    totalBytes: config.LIMIT_UPLOAD_BUFFER_BYTES,
    shareBytes: { workspace: config.LIMIT_UPLOAD_BUFFER_BYTES / 2 },
  });
  const handedOut = createRateLimiter({
    name: 'artifacts a minute of the agent of a session',
    perMinute: config.RATE_SESSION_ARTIFACTS_PER_MINUTE,
  });
  const enter = createConcurrencyLimit({
    name: 'uploads of artifacts of a session at a time',
    limit: config.LIMIT_SESSION_CONCURRENT_UPLOADS,
  });
  const receiveListing = listingReceiver({ db, keys: config.MASTER_KEYS });
  return defineRoute({
    method: 'post',
    path: '/sessions/{session_id}/artifacts',
    summary: 'Bytes that the agent hands out',
    scope: 'workload',
    access: itsSidecar,
    rawBody: true,
    query: metadata,
    response: artifactAnswer,
    async handler({ workload, query, ctx }) {
      if (workload.kind === 'check') {
        return receiveListing({ check: workload.check, query, ctx });
      }
      const { session } = workload;
      const limitBytes = config.LIMIT_ARTIFACT_BYTES;
      const sessionBytes = config.LIMIT_SESSION_ARTIFACT_BYTES;
      let leave = () => {};
      let begunId: string | null = null;
      try {
        leave = enter(session.id);
        handedOut.take(session.id);
        await requireRoom(db, session.id, {
          announcedBytes: Number(ctx.get('Content-Length')) || 0,
          sessionBytes,
        });
        const begun = (id: string) => {
          begunId = id;
        };
        const content = await receiveContent(db, ctx.req, {
          sessionId: session.id,
          limitBytes,
          budget: buffered({ workspace: session.workspace_id }),
          begun,
          countBody: requestState(ctx).countBody,
        });
        return await storeArtifact(db, { session, query, content, sessionBytes });
      } catch (error) {
        // The rest of the body is not read.
        ctx.set('Connection', 'close');
        ctx.req.resume();
        throw error;
      } finally {
        leave();
        if (begunId !== null) {
          // Removes nothing when it has become an artifact. What is left behind, the worker removes later.
          await abandonContent(db, begunId).catch((err: unknown) =>
            log.warn({ err, session_id: session.id }, 'the bytes of an upload are removed later'),
          );
        }
      }
    },
  });
}

/** Throws 413 when the session's artifacts would exceed their limit. */
async function requireRoom(
  db: Dependencies['db'],
  sessionId: string,
  { announcedBytes, sessionBytes }: { announcedBytes: number; sessionBytes: number },
): Promise<void> {
  if ((await usedBytes(db, sessionId)) + announcedBytes > sessionBytes) {
    throw tooLarge(sessionBytes, 'the artifacts of a session together');
  }
}

/**
 * Creates an artifact from the received content. Throws 413 beyond the session's limit,
 * 409 when the id is taken. The patch's id is derived, and no sidecar can name it.
 */
async function storeArtifact(
  db: Dependencies['db'],
  given: {
    session: Session;
    query: z.infer<typeof metadata>;
    content: ReceivedContent;
    sessionBytes: number;
  },
): Promise<z.infer<typeof artifactAnswer>> {
  const { session, query, content, sessionBytes } = given;
  const stored = await createArtifact(
    db,
    {
      ...content,
      id: query.artifact_id,
      sessionId: session.id,
      agentId: session.agent_id,
      name: query.name,
      mimeType: query.mime_type,
      description: query.description ?? null,
    },
    { sessionBytes },
  );
  if (stored.result === 'too_large') {
    throw tooLarge(sessionBytes, 'the artifacts of a session together');
  }
  if (stored.result === 'id_taken') {
    throw new ApiError('conflict', 'The artifact id is in use');
  }
  const { id, size_bytes, sha256 } = stored.artifact;
  return { artifact_id: id, size_bytes, sha256 };
}
