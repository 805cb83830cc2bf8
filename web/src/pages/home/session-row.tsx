/** A session in a part of the page: its title, its agent, then what the part says of it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { SessionOfHome } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named } from '../../components/avatar.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

export function SessionRow({
  session: { id, title, agent },
  icon,
  fact,
  at,
  action,
}: {
  session: SessionOfHome;
  icon: ReactNode;
  fact: ReactNode;
  at: ReactNode;
  action?: ReactNode;
}) {
  const { slug } = useWorkspace();
  return (
    <li>
      {icon}
      <Link href={pathOf(slug, 'sessions', id)} className="home-title cut">
        <VisibleText text={title} />
      </Link>
      <span className="home-agent">
        <Named avatar={<AgentAvatar name={agent.name} />} title={agent.name}>
          <VisibleText text={agent.name} />
        </Named>
      </span>
      <span className="home-fact">{fact}</span>
      <span className="home-at">{at}</span>
      {action === undefined ? null : <span className="home-action">{action}</span>}
    </li>
  );
}
