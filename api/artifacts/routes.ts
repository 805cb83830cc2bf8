import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { artifact, listArtifacts, readArtifact } from '../../store/artifacts/artifacts.ts';
import { readBytes } from '../../store/artifacts/contents.ts';
import { notFound } from '../errors.ts';
import { sessionReaders } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { answerBytes } from './answer-bytes.ts';

const collection = '/sessions/{session_id}/artifacts';

export function artifactRoutes({ db }: Pick<SessionRouteDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: collection,
      summary: 'What the agent handed out, newest first',
      scope: 'session',
      access: sessionReaders,
      query: pageQuery,
      response: z.strictObject({ artifacts: z.array(artifact), next_cursor: nextCursor }),
      async handler({ query, ...visit }) {
        const { items, nextCursor } = await listArtifacts(db, visit.session.id, query);
        return { artifacts: items, next_cursor: nextCursor };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${collection}/{artifact_id}`,
      summary: 'The bytes of one artifact, always as a download',
      scope: 'session',
      access: sessionReaders,
      params: z.object({ artifact_id: uuid }),
      async handler({ params, ctx, ...visit }) {
        const found = await readArtifact(db, { sessionId: visit.session.id, id: params.artifact_id });
        if (found === null) {
          throw notFound('The artifact');
        }
        answerBytes(ctx, found.artifact, readBytes(db, found.contentId));
      },
    }),
  ];
}
