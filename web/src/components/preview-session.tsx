import type { Preview } from '../api/types.ts';
import { pathOf } from '../app/paths.ts';
import { useWorkspace } from '../app/signed-in.tsx';
import { TextLink } from './text-link.tsx';

/** The session that deployed the preview; without a link for those who may open the preview alone. */
export function PreviewSession({ preview: { session_id: id, may_read_session } }: { preview: Preview }) {
  const { slug } = useWorkspace();
  const name = id.slice(0, 8);
  return may_read_session ? <TextLink to={pathOf(slug, 'sessions', id)}>{name}</TextLink> : name;
}
