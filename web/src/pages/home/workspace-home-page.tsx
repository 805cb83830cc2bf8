/** Where one begins in a workspace: what needs one, what runs, what failed, the last days, the next runs. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { WorkspaceHome } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { dayAndTimeText, todayText } from '../../text/time-text.ts';
import { FailedPart } from './failed-part.tsx';
import { HomeCard } from './home-card.tsx';
import { NeedsPart } from './needs-part.tsx';
import { RunningPart } from './running-part.tsx';
import { SetupPart } from './setup-part.tsx';
import { WeekPart } from './week-part.tsx';
import { Welcome } from './welcome.tsx';

export function WorkspaceHomePage() {
  const { slug, name } = useWorkspace();
  const query = useHome(slug);
  return query.data?.setup.session === false ? (
    <PageFrame
      title={`Welcome to ${name}`}
      tabTitle="Home"
      width="list"
      description="An agent asks, you decide, the trail remembers. See it happen first, then bring your own."
    >
      {query.data.needs.changed_tools.count === 0 ? null : <NeedsPart needs={query.data.needs} />}
      <Welcome home={query.data} />
    </PageFrame>
  ) : (
    <PageFrame
      title="Home"
      width="list"
      status={<span className="home-date">{todayText(new Date())}</span>}
      actions={
        <Button
          component={Link}
          href={pathOf(slug, 'sessions', 'new')}
          leftSection={<Icon name="plus" size={14} />}
        >
          Start session
        </Button>
      }
    >
      <QueryState query={query} what="Home">
        {(home) => <Parts home={home} />}
      </QueryState>
    </PageFrame>
  );
}

/** Read again when the stream says that sessions, requests or tools changed, and whenever it is opened. */
function useHome(slug: string) {
  return useQuery({
    queryKey: keys.home(slug),
    async queryFn({ signal }) {
      const query = { time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
      const params = { path: { slug }, query };
      return (await call(api.GET('/api/workspaces/{slug}/home', { params, signal }))).home;
    },
    staleTime: 0,
  });
}

function Parts({ home }: { home: WorkspaceHome }) {
  return (
    <div className="home">
      <div className="home-main">
        <NeedsPart needs={home.needs} />
        <RunningPart running={home.running} />
        <FailedPart failed={home.failed} />
      </div>
      <div className="home-rail">
        <WeekPart week={home.week} />
        <NextRunsPart runs={home.next_runs} />
        <SetupPart setup={home.setup} />
      </div>
    </div>
  );
}

/** When schedules run next, the soonest first. Nothing while none runs. */
function NextRunsPart({ runs }: { runs: WorkspaceHome['next_runs'] }) {
  const { slug } = useWorkspace();
  if (runs.length === 0) {
    return null;
  }
  return (
    <HomeCard title="Next runs" more={{ to: pathOf(slug, 'schedules'), label: 'Schedules' }}>
      <ul className="home-next">
        {runs.map(({ schedule: { id, name }, at }) => (
          <li key={id}>
            <Link href={pathOf(slug, 'schedules', id)} className="home-title cut" title={name}>
              <VisibleText text={name} />
            </Link>
            <span className="home-clock">{dayAndTimeText(at, new Date())}</span>
            <span className="home-at">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}
