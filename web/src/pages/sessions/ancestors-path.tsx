import type { SessionWithAncestors } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { SessionChain } from '../../components/session-chain.tsx';

/** Where a session comes from: those above it, each a link. Nothing for a root. */
export function AncestorsPath({ session }: { session: SessionWithAncestors }) {
  const { slug } = useWorkspace();
  return session.ancestors.length === 0 ? null : (
    <nav aria-label="Where this session comes from">
      <SessionChain members={[...session.ancestors, session]} linkTo={(id) => pathOf(slug, 'sessions', id)} />
    </nav>
  );
}
