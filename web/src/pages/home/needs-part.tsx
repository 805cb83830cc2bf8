/** What only this person can do, or what they may decide: the first of each kind. */
import { Button, Code } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import type { SessionOfHome, WorkspaceHome } from '../../api/types.ts';
import { authorizationOf, pathOf, toolsPathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { HomeCard, QuietLine } from './home-card.tsx';

type Needs = WorkspaceHome['needs'];
type Decision = Needs['decisions']['first'][number];

export function NeedsPart({ needs }: { needs: Needs }) {
  const { slug } = useWorkspace();
  const { decisions, sign_ins: signIns, answers, changed_tools: changed } = needs;
  const count = decisions.count + signIns.count + answers.count + changed.count;
  if (count === 0) {
    return (
      <HomeCard title="Needs you">
        <QuietLine>Nothing waits for you.</QuietLine>
      </HomeCard>
    );
  }
  return (
    <HomeCard
      title="Needs you"
      count={count}
      {...(decisions.count + changed.count === 0
        ? {}
        : { more: { to: pathOf(slug, 'approvals'), label: 'Open queue' } })}
      isUrgent
    >
      <ol className="home-needs">
        {decisions.first.map((decision) => (
          <NeededDecision key={decision.id} slug={slug} decision={decision} />
        ))}
        {signIns.first.map((signIn) => (
          <NeededSignIn key={signIn.id} signIn={signIn} />
        ))}
        {answers.first.map((answer) => (
          <NeededAnswer key={answer.session.id} slug={slug} answer={answer} />
        ))}
        {changed.first.map((server) => (
          <ChangedTools key={server.mcp_server} slug={slug} server={server} />
        ))}
      </ol>
    </HomeCard>
  );
}

function NeededDecision({ slug, decision }: { slug: string; decision: Decision }) {
  const { id, session, created_at: askedAt, expires_at: endsAt } = decision;
  return (
    <Need
      icon="gate"
      what={<Wanted decision={decision} />}
      about={
        <>
          <Title session={session} /> · asked <RelativeTime at={askedAt} />
        </>
      }
      until={
        <>
          expires <RelativeTime at={endsAt} />
        </>
      }
      action="Review"
      to={pathOf(slug, 'approvals', id)}
    />
  );
}

function NeededSignIn({ signIn }: { signIn: Needs['sign_ins']['first'][number] }) {
  const { id, mcp_server: server, session, is_for_more: isForMore, created_at: at } = signIn;
  return (
    <Need
      icon="signIn"
      what={
        <>
          {isForMore ? 'Allow more at ' : 'Sign in to '}
          <b>{server}</b> so that a session can go on
        </>
      }
      about={
        <>
          <VisibleText text={session.agent.name} /> · <Title session={session} /> · asked{' '}
          <RelativeTime at={at} />
        </>
      }
      action={isForMore ? 'Allow' : 'Sign in'}
      to={authorizationOf(id)}
    />
  );
}

function NeededAnswer({ slug, answer }: { slug: string; answer: Needs['answers']['first'][number] }) {
  const { session, asked_at: at } = answer;
  return (
    <Need
      icon="question"
      what={
        <>
          <Agent session={session} /> asked you a question
        </>
      }
      about={
        <>
          <Title session={session} /> · asked <RelativeTime at={at} />
        </>
      }
      action="Answer"
      to={pathOf(slug, 'sessions', session.id)}
    />
  );
}

function ChangedTools({ slug, server }: { slug: string; server: Needs['changed_tools']['first'][number] }) {
  const { mcp_server: name, version, waiting, first_seen_at: at } = server;
  return (
    <Need
      icon="catalog"
      what={
        <>
          Tools of <b>{name}</b> are not what was accepted
        </>
      }
      about={
        <>
          {waiting === 1 ? '1 definition' : `${waiting} definitions`} · first seen <RelativeTime at={at} />
        </>
      }
      action="Review"
      to={toolsPathOf(slug, name, version)}
    />
  );
}

function Wanted({ decision: { session, grant_type: type, matter, tool } }: { decision: Decision }) {
  if (type === 'spawn') {
    return (
      <>
        <Agent session={session} /> wants to start sessions of{' '}
        <b>
          <VisibleText text={matter} />
        </b>
      </>
    );
  }
  return (
    <>
      <Agent session={session} /> wants to {tool === null ? 'use tools that need' : 'call'}{' '}
      <Code>
        <VisibleText text={tool === null ? matter : `${tool.server}.${tool.name}`} />
      </Code>
    </>
  );
}

const Agent = ({ session: { agent } }: { session: SessionOfHome }) => (
  <b>
    <VisibleText text={agent.name} />
  </b>
);

const Title = ({ session: { title } }: { session: SessionOfHome }) => <VisibleText text={title} />;

/** On a phone the whole row leads there. */
function Need({
  icon,
  what,
  about,
  until,
  action,
  to,
}: {
  icon: IconName;
  what: ReactNode;
  about: ReactNode;
  until?: ReactNode;
  action: string;
  to: string;
}) {
  const whatId = useId();
  return (
    <li>
      <span className="home-tile">
        <Icon name={icon} size={18} />
      </span>
      <div className="home-need-text">
        <div className="home-need-what" id={whatId}>
          {what}
        </div>
        <div className="home-need-about">{about}</div>
      </div>
      <span className="home-until">{until}</span>
      <Button
        component={Link}
        href={to}
        size="xs"
        variant="default"
        className="home-go"
        aria-describedby={whatId}
      >
        {action}
      </Button>
      <span className="home-chevron">
        <Icon name="chevronRight" />
      </span>
    </li>
  );
}
