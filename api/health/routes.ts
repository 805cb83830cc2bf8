import * as z from 'zod';
import { shareAnswer } from '../../lib/timing/share-answer.ts';
import { requireAnswer } from '../../store/server-state.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError } from '../errors.ts';
import { anybody } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';

/** Anybody asks this, and so do the probes that have this process restarted. */
const shared = { validMs: 1000, limitMs: 10_000 };

export function healthRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  const requireDatabase = shareAnswer(shared, () => requireAnswer(db));
  return [
    defineRoute({
      method: 'get',
      path: '/health',
      summary: 'Whether the API can serve: it answers and reaches its database',
      scope: 'public',
      access: anybody,
      isProbe: true,
      response: z.strictObject({ status: z.literal('ok') }),
      async handler() {
        await requireDatabase().catch((cause: unknown) => {
          throw new ApiError('unavailable', 'The database does not answer', { cause, retryAfterSeconds: 5 });
        });
        return { status: 'ok' } as const;
      },
    }),
  ];
}
