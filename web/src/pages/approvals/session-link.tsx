import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { begunName } from './request-text.ts';

/** It stands in a line with facts, which no prompt may push out of sight. */
const titleCharacters = 60;

/**
 * The session that asks, by what it is called; by its id for who may not read it. Where an agent may have
 * written the prompt it stands in a frame: its words must not pass for those around them.
 */
export function SessionLink({
  request: { session_id: id, session_title: title, operator },
}: {
  request: PermissionRequest;
}) {
  const { slug } = useWorkspace();
  return (
    <TextLink to={pathOf(slug, 'sessions', id)}>
      {title === null ? (
        `session ${id.slice(0, 8)}`
      ) : (
        <span className={operator === null ? 'session-label' : undefined} title={`Session ${id.slice(0, 8)}`}>
          <VisibleText text={begunName(title, titleCharacters)} />
        </span>
      )}
    </TextLink>
  );
}
