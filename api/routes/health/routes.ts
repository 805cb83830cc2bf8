import * as z from 'zod';
import { requireAnswer } from '../../../store/server-state.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { ApiError } from '../../errors.ts';
import { anybody } from '../../policies/access.ts';
import { type AnyRoute, defineRoute } from '../../route.ts';

export function healthRoutes({ db }: Pick<ApiDependencies, 'db'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'get',
      path: '/health',
      summary: 'Whether the API can serve: it answers and reaches its database',
      scope: 'public',
      access: anybody,
      response: z.strictObject({ status: z.literal('ok') }),
      async handler() {
        await requireAnswer(db).catch((cause: unknown) => {
          throw new ApiError('unavailable', 'The database does not answer', { cause, retryAfterSeconds: 5 });
        });
        return { status: 'ok' } as const;
      },
    }),
  ];
}
