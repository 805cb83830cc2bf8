import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { readArtifact } from '../../store/artifacts/artifacts.ts';
import { readBytes } from '../../store/artifacts/contents.ts';
import { readShareAsMember, type Share, share } from '../../store/shares/shares.ts';
import { answerBytes } from '../artifacts/answer-bytes.ts';
import { notFound } from '../errors.ts';
import { anySignedIn } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

const path = '/shares/{share_id}';
const params = z.object({ share_id: uuid });

/** Shared with a workspace: its members read it, also those who may not read the session. */
export function shareRoutes({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute[] {
  const read = async (id: string, userId: string): Promise<Share> => {
    const found = await readShareAsMember(db, { id, userId });
    if (found === null) {
      throw notFound('The share');
    }
    return found;
  };
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'One text or artifact that an agent shared with the workspace',
      scope: 'user',
      access: anySignedIn,
      params,
      response: z.strictObject({ share }),
      handler: async ({ params, user }) => ({ share: await read(params.share_id, user.id) }),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/content`,
      summary: 'The bytes of a shared artifact, always as a download',
      scope: 'user',
      access: anySignedIn,
      params,
      async handler({ params, user, ctx }) {
        const { session_id: sessionId, artifact_id: id } = await read(params.share_id, user.id);
        const found = id === null ? null : await readArtifact(db, { sessionId, id });
        if (found === null) {
          throw notFound('The shared artifact');
        }
        answerBytes(ctx, found.artifact, readBytes(db, found.contentId));
      },
    }),
  ];
}
