/** Workspaces that the person was a member of while this page was open: nothing of them is kept. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '../api/keys.ts';
import type { WorkspaceOfMe } from '../api/types.ts';
import { forgetDrafts } from './drafts.ts';
import { useMe } from './signed-in.tsx';

/** Their names by slug. */
export function useFormerWorkspaces(): ReadonlyMap<string, string> {
  const { user, workspaces } = useMe();
  const queries = useQueryClient();
  const [seen, setSeen] = useState<readonly WorkspaceOfMe[]>(workspaces);
  const former = seen.filter(({ id }) => !workspaces.some((workspace) => workspace.id === id));
  const lostSlugs = former.map(({ slug }) => slug).join(' ');
  useEffect(() => {
    setSeen((before) => [
      ...before.filter(({ id }) => !workspaces.some((workspace) => workspace.id === id)),
      ...workspaces,
    ]);
  }, [workspaces]);
  useEffect(() => {
    for (const slug of lostSlugs.split(' ').filter((text) => text !== '')) {
      queries.removeQueries({ queryKey: keys.workspace(slug) });
      // These do not name their workspace.
      queries.removeQueries({ queryKey: ['session'] });
      queries.removeQueries({ queryKey: ['agent'] });
      // Shown outside of workspaces, perhaps now: what is left is read again.
      void queries.resetQueries({ queryKey: ['authorization'] });
      void queries.resetQueries({ queryKey: keys.connections });
      queries.getMutationCache().clear();
      forgetDrafts({ userId: user.id, slug });
    }
  }, [lostSlugs, queries, user.id]);
  return new Map(former.map(({ slug, name }) => [slug, name]));
}
