/**
 * Sessions from the first one down to one that it led to, each by its agent and by what
 * the agent above called it.
 */
import { TextLink } from './text-link.tsx';
import { VisibleText } from './visible-text.tsx';

export interface ChainMember {
  id: string;
  agent: { name: string };
  label: string | null;
}

/** With `linkTo`, all but the last lead to their pages: the last is where one is. */
export function SessionChain({
  members,
  linkTo,
}: {
  members: readonly ChainMember[];
  linkTo?: (id: string) => string;
}) {
  const last = members.at(-1);
  return (
    <ol className="session-chain">
      {members.map((member) => {
        const name = <VisibleText text={member.agent.name} />;
        const isHere = linkTo !== undefined && member === last;
        return (
          <li key={member.id} aria-current={isHere ? 'page' : undefined}>
            {linkTo === undefined || isHere ? name : <TextLink to={linkTo(member.id)}>{name}</TextLink>}
            <SessionLabel label={member.label} />
          </li>
        );
      })}
    </ol>
  );
}

/**
 * What an agent called a session that it started, in a frame: its words must not pass for those around them.
 */
export function SessionLabel({ label }: { label: string | null }) {
  return label === null ? null : (
    <>
      {' '}
      <span className="session-label" title={label}>
        <VisibleText text={label} />
      </span>
    </>
  );
}
