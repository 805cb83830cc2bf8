/** One session: what happens in it, what waits for the person, and what one can do. */
import { Button, Grid, Group, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session, SessionWithAncestors, ToolCall } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { usePeople } from '../../api/use-names.ts';
import { useRunAgain } from '../../api/use-run-again.ts';
import type { SessionEvents } from '../../api/use-session-events.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SessionChain } from '../../components/session-chain.tsx';
import { FailedState } from '../../components/state-views.tsx';
import { ArtifactsPanel } from './artifacts-panel.tsx';
import { BudgetNotice } from './budget-notice.tsx';
import { ConfigurationPanel } from './configuration-panel.tsx';
import { LaunchProgress } from './launch-progress.tsx';
import { type AskedQuestion, MessageForm } from './message-form.tsx';
import { ModelUsagePanel } from './model-usage-panel.tsx';
import { OpenCallsPanel } from './open-calls-panel.tsx';
import { openQuestions } from './open-questions.ts';
import { PermissionsPanel, useTreeRequests } from './permissions-panel.tsx';
import { PreviewsPanel } from './previews-panel.tsx';
import { RefusedCallsPanel } from './refused-calls-panel.tsx';
import { ServerAlert, ServersPanel } from './servers-panel.tsx';
import { SessionActions } from './session-actions.tsx';
import { SessionApprovals, useApprovalQueue } from './session-approvals.tsx';
import type { TranscriptEvent } from './session-event-type.ts';
import { SessionFacts } from './session-facts.tsx';
import { SessionTitle } from './session-title.tsx';
import { countRunningBelow, type RunningBelow } from './session-tree.ts';
import { SignInNotice } from './sign-in-notice.tsx';
import { StatusLine } from './status-line.tsx';
import { hasEnded, sessionStateLabel, stateOf } from './status-text.ts';
import { Transcript } from './transcript.tsx';
import { transcriptContext } from './transcript-context.ts';
import { leavesAnEvent } from './transcript-entries.ts';
import { TreePanel } from './tree-panel.tsx';
import { UndrivenNotice } from './undriven-notice.tsx';
import { type SessionTree, useSessionTree } from './use-session-tree.ts';
import { useTimeline } from './use-timeline.ts';
import { useWaitingRequests } from './use-waiting-requests.ts';

export default function SessionPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: keys.session(id, 'one'),
    queryFn: ({ signal }) =>
      call(api.GET('/api/sessions/{session_id}', { params: { path: { session_id: id } }, signal })),
  });
  return (
    <QueryState query={query} what="This session">
      {({ session }) => <Loaded key={id} session={session} />}
    </QueryState>
  );
}

function Loaded({ session }: { session: SessionWithAncestors }) {
  const { live, events, calls, entries } = useTimeline(session);
  const { state, failure } = live;
  const [wasGoingOn] = useState(!hasEnded(session.status));
  useBeginAtTop();
  const waiting = useWaitingRequests(session.id, events, live.hasOlder);
  const approvals = useApprovalQueue(waiting);
  const { nameOf, personOf } = useSessionNames(session);
  const { slug } = useWorkspace();
  const tree = useSessionTree(session);
  const again = useRunAgain(slug);
  const openRequest = (shown: string) => approvals.setQueue((queue) => ({ ...queue, shown }));
  return (
    <PageFrame
      title={session.title}
      heading={
        <span className="session-title" title={session.title}>
          <SessionTitle session={session} />
        </span>
      }
      parent={{ to: pathOf(slug, 'sessions'), label: 'Sessions' }}
      tabTitle={tabTitleOf(session)}
      actions={<SessionActions session={session} running={runningBelow(session, tree)} again={again} />}
      pinned={
        <>
          <StatusLine session={session} calls={shownCalls(calls)} />
          <FailureAlert error={again.error} takesFocus={false} />
          <SignInNotice session={session} />
          <SessionApprovals requests={waiting} approvals={approvals} />
        </>
      }
    >
      <AncestorsPath session={session} />
      <MuteNotice session={session} />
      <ServerAlert sessionId={session.id} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            {isLaunching(session) && !live.hasOlder ? (
              <LaunchProgress sessionId={session.id} events={events} />
            ) : null}
            <transcriptContext.Provider
              value={{
                sessionId: session.id,
                agentName: session.agent.name,
                operatorId: session.operator?.id ?? null,
                nameOf,
                personOf,
                sessionOf: tree.sessionOf,
                openRequest,
              }}
            >
              <Transcript
                session={session}
                entries={entries}
                live={live}
                follows={wasGoingOn || live.hasOlder}
              />
            </transcriptContext.Provider>
            {failure === null || state !== 'failed' ? null : (
              <FailedState error={failure} what="The transcript" />
            )}
            <Foot session={session} question={questionIn(session, live, events)} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Panels
            session={session}
            tree={tree}
            events={events}
            calls={calls.items ?? []}
            hasOlder={live.hasOlder}
          />
        </Grid.Col>
      </Grid>
    </PageFrame>
  );
}

function Foot({ session, question }: { session: Session; question: AskedQuestion }) {
  const goesOn = !hasEnded(session.status);
  return (
    <>
      {session.may_message ? (
        <MessageForm session={session} question={question} />
      ) : goesOn ? (
        <BudgetNotice session={session} />
      ) : null}
      {goesOn ? <UndrivenNotice session={session} /> : null}
    </>
  );
}

/** A message answers the oldest question, which may be further back than what was read. */
function questionIn(
  { waiting_for: wait }: Session,
  live: SessionEvents,
  events: readonly TranscriptEvent[],
): AskedQuestion {
  if (live.hasOlder) {
    return wait === 'answer' ? live : null;
  }
  return openQuestions(events)[0] ?? null;
}

const shownCalls = ({ items, hasMore }: { items: readonly ToolCall[] | undefined; hasMore: boolean }) => ({
  calls: (items ?? []).filter((call) => !leavesAnEvent(call)),
  isPart: hasMore,
});

const isLaunching = ({ status, started_at: at }: Session) => !hasEnded(status) && at === null;

/** What there is to know of the session beside what happened in it; what is not in view is not read. */
function Panels({
  session,
  tree,
  events,
  calls,
  hasOlder,
}: {
  session: Session;
  tree: SessionTree;
  events: readonly TranscriptEvent[];
  calls: readonly ToolCall[];
  /** Its beginning was not read. */
  hasOlder: boolean;
}) {
  return (
    <Tabs defaultValue="details" keepMounted={false}>
      <Tabs.List aria-label="About this session" mb="sm">
        <Tabs.Tab value="details">Details</Tabs.Tab>
        <Tabs.Tab value="servers">Servers</Tabs.Tab>
        <Tabs.Tab value="files">Files</Tabs.Tab>
        <Tabs.Tab value="setup">Setup</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="details" className="session-rail">
        <TreePanel currentId={session.id} tree={tree} />
        <SessionFacts session={session} />
        <PermissionsPanel sessionId={session.id} calls={calls} />
        <OpenCallsPanel session={session} />
        <RefusedCallsPanel session={session} />
        {isLaunching(session) || hasOlder ? null : <LaunchProgress sessionId={session.id} events={events} />}
        <ModelUsagePanel session={session} />
      </Tabs.Panel>
      <Tabs.Panel value="servers" className="session-rail">
        <ServersPanel sessionId={session.id} />
      </Tabs.Panel>
      <Tabs.Panel value="files" className="session-rail">
        <ArtifactsPanel session={session} />
        <PreviewsPanel sessionId={session.id} />
      </Tabs.Panel>
      <Tabs.Panel value="setup" className="session-rail">
        <ConfigurationPanel sessionId={session.id} />
      </Tabs.Panel>
    </Tabs>
  );
}

const runningBelow = ({ id }: Session, { below, hasMore }: SessionTree): RunningBelow => ({
  count: countRunningBelow(id, below),
  isPart: hasMore,
});

/**
 * Scrolls to the top when opened from further down a list; the transcript of a running session then scrolls
 * to its end.
 */
function useBeginAtTop(): void {
  useEffect(() => {
    // In braces: newer browsers return a promise, which is no cleanup function.
    window.scrollTo(0, 0);
  }, []);
}

function tabTitleOf(session: Session): string {
  const { title } = session;
  return session.waiting_for === null ? title : `${sessionStateLabel(stateOf(session))} · ${title}`;
}

/** Where a session comes from: those above it, each a link. Nothing for a root. */
function AncestorsPath({ session }: { session: SessionWithAncestors }) {
  const { slug } = useWorkspace();
  return session.ancestors.length === 0 ? null : (
    <nav aria-label="Where this session comes from">
      <SessionChain members={[...session.ancestors, session]} linkTo={(id) => pathOf(slug, 'sessions', id)} />
    </nav>
  );
}

/** Says that this session's permission requests are muted, and offers to unmute them. */
function MuteNotice({ session }: { session: Session }) {
  const unmute = useApiMutation({
    send() {
      const params = { path: { session_id: session.id } };
      return call(
        api.PATCH('/api/sessions/{session_id}', { params, body: { permission_requests_muted: false } }),
      );
    },
    invalidates: [keys.session(session.id)],
  });
  return session.permission_requests_muted ? (
    <Banner tone="wait" role="status">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          <b>Muted:</b> permission requests of this session are refused immediately.
        </Text>
        {session.may_mute ? (
          <Button size="xs" variant="default" loading={unmute.isPending} onClick={() => unmute.mutate()}>
            Unmute
          </Button>
        ) : null}
      </Group>
      <FailureAlert error={unmute.error} />
    </Banner>
  ) : null;
}

/**
 * Knows the person, the session's operators, those who answered its requests and those of sessions below it,
 * and the members of the workspace; nobody else's name.
 */
function useSessionNames({ id, operator, root_operator: root }: Session) {
  const me = useMe();
  const members = usePeople();
  const requests = useTreeRequests(id);
  const known = new Map<string, string>();
  const deciders = (requests.data?.permission_requests ?? []).map(({ decider }) => decider);
  for (const person of [operator, root, ...deciders]) {
    if (person !== null) {
      known.set(person.id, person.name);
    }
  }
  const stranger = members.isComplete ? 'A former member' : 'Someone';
  const personOf = (userId: string): string =>
    userId === me.user.id ? me.user.name : (known.get(userId) ?? members.nameOf(userId) ?? stranger);
  return { personOf, nameOf: (userId: string) => (userId === me.user.id ? 'You' : personOf(userId)) };
}
