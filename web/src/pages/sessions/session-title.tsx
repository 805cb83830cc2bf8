import type { Session } from '../../api/types.ts';
import { VisibleText } from '../../components/visible-text.tsx';

/** What a session is called; in a frame where another agent wrote the prompt that it is called by. */
export function SessionTitle({ session: { title, parent_agent: parent } }: { session: Session }) {
  return (
    <span className={parent === null ? undefined : 'agents-title'}>
      <VisibleText text={title} />
    </span>
  );
}
