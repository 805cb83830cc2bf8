/** Says for a moment what was decided, once the platform has it, with the way to take a grant back. */
import { useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { grantQuery } from '../../api/grant-query.ts';
import { keys } from '../../api/keys.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { announce } from '../../components/toasts.tsx';
import { decidedText, revokedTogetherText, revokeEach } from './decided-text.ts';
import type { Decision } from './decision-state.ts';
import { begunName, subjectOf } from './request-text.ts';

/** `grantId`: what an approval made; null for a denial. */
export function useDecidedToast(request: PermissionRequest) {
  const { user } = useMe();
  const revoke = useRevoke();
  return (decision: Decision, grantId: string | null) => {
    const text = decidedText(request, decision, { operatorIsMe: request.operator?.id === user.id });
    if (grantId === null) {
      announce(text);
      return;
    }
    // Another request may be in view by now: what would be revoked is named.
    announce(text, {
      about: begunName(subjectOf(request).name),
      action: { label: 'Revoke', run: () => revoke.mutate([grantId]) },
    });
  };
}

/** Says that several calls were allowed, with the way to take all of it back. */
export function useAllowedToast() {
  const revoke = useRevoke();
  return (text: string, grantIds: readonly string[]) =>
    announce(text, { action: { label: 'Revoke', run: () => revoke.mutate(grantIds) } });
}

/**
 * Reads each grant afterwards: what had passed on it by then stays done, and is said. One that cannot be
 * revoked keeps none of the others from it, and may be tried again.
 */
function useRevoke() {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const revoke = useApiMutation({
    async send(ids: readonly string[]) {
      const { revoked, ...rest } = await revokeEach(ids, (id) => {
        const params = { path: { slug, grant_id: id } };
        return call(api.DELETE('/api/workspaces/{slug}/grants/{grant_id}', { params }));
      });
      // They are revoked by now, also when they cannot be read again.
      const read = (id: string) => queries.fetchQuery({ ...grantQuery(slug, id), staleTime: 0 });
      return { ...rest, answers: await Promise.all(revoked.map((id) => read(id).catch(() => null))) };
    },
    invalidates: [keys.grants(slug)],
    onSuccess({ answers, failed, firstError }) {
      const after = answers.map((answer) => answer?.grant ?? null);
      const text = revokedTogetherText(after, failed.length);
      if (failed.length === 0) {
        announce(text);
        return;
      }
      announce(`${text} ${failureMessage(firstError)}`, {
        tone: 'fail',
        action: { label: 'Revoke', run: () => revoke.mutate(failed) },
      });
    },
  });
  return revoke;
}
