/** Says for a moment what was decided, once the platform has it, with the way to take a grant back. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { grantQuery } from '../../api/grant-query.ts';
import { keys } from '../../api/keys.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { announce } from '../../components/toasts.tsx';
import { decidedText, revokedText } from './decided-text.ts';
import type { Decision } from './decision-state.ts';

/** `grantId`: what an approval made; null for a denial. */
export function useDecidedToast(request: PermissionRequest) {
  const { slug } = useWorkspace();
  const { user } = useMe();
  const queries = useQueryClient();
  return (decision: Decision, grantId: string | null) => {
    const text = decidedText(request, decision, { operatorIsMe: request.operator?.id === user.id });
    const revoke = (id: string) => ({ label: 'Revoke', run: () => void revokeGrant(queries, slug, id) });
    announce(text, { action: grantId === null ? null : revoke(grantId) });
  };
}

/** Asks afterwards what the grant was used for: what had passed by then stays done. */
async function revokeGrant(queries: QueryClient, slug: string, id: string): Promise<void> {
  try {
    const params = { path: { slug, grant_id: id } };
    await call(api.DELETE('/api/workspaces/{slug}/grants/{grant_id}', { params }));
    const { grant } = await queries.fetchQuery({ ...grantQuery(slug, id), staleTime: 0 });
    announce(revokedText(grant));
  } catch (error) {
    announce(`Not revoked. ${failureMessage(error)}`, { tone: 'fail' });
  }
  await queries.invalidateQueries({ queryKey: keys.grants(slug) });
}
