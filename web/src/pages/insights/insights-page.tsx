/** How the gate is used: what was held and decided, how calls ended, and what models took, day by day. */
import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { homeBounds } from '../../../../contract/home-bounds.ts';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { WorkspaceInsights } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { inOrder, requestParts, sumsOf } from '../../text/day-counts.ts';
import { zoneName } from '../../text/local-time.ts';
import { numberText } from '../../text/number-text.ts';
import { dayAndClockText } from '../../text/time-text.ts';
import { DayChart } from './day-chart.tsx';
import { CallsCard, TokenCards } from './insight-bars.tsx';
import { InsightCard, Legend } from './insight-card.tsx';
import { InsightFacts } from './insight-facts.tsx';
import { groupedCalls, otherCallParts, outcomeSums, passedParts, requestSums } from './numbers.ts';
import { rowLinks } from './row-links.ts';

const choices = [7, 30, 90] as const;
type Days = (typeof choices)[number];
const usual: Days = 30;

export function InsightsPage() {
  const { slug } = useWorkspace();
  const [params] = useSearchParams();
  const days = choices.find((choice) => `${choice}` === params.get('days')) ?? usual;
  const query = useInsights(slug, days);
  return (
    <PageFrame
      title="Insights"
      width="list"
      description="Of the sessions that you may read."
      actions={<DaysChoice days={days} />}
    >
      <QueryState query={query} what="Insights">
        {(insights) => (isEmpty(insights) ? <Nothing days={days} /> : <Numbers insights={insights} />)}
      </QueryState>
    </PageFrame>
  );
}

function useInsights(slug: string, days: Days) {
  return useQuery({
    queryKey: keys.insights(slug, days),
    async queryFn({ signal }) {
      const params = { path: { slug }, query: { days, time_zone: zoneName() } };
      return (await call(api.GET('/api/workspaces/{slug}/insights', { params, signal }))).insights;
    },
    placeholderData: keepPreviousData,
  });
}

function DaysChoice({ days }: { days: Days }) {
  const { slug } = useWorkspace();
  const path = pathOf(slug, 'insights');
  return (
    <nav className="insight-days" aria-label="Which days">
      {choices.map((choice) => (
        <Link
          key={choice}
          href={choice === usual ? path : `${path}?days=${choice}`}
          replace
          aria-current={choice === days ? 'page' : undefined}
        >
          {choice} days
        </Link>
      ))}
    </nav>
  );
}

const isEmpty = ({ requests, calls, model_tokens: tokens }: WorkspaceInsights) =>
  tokens.total === 0 && requestSums(requests).held === 0 && outcomeSums(calls).length === 0;

function Nothing({ days }: { days: Days }) {
  const { slug } = useWorkspace();
  return (
    <EmptyState
      title={`No calls in the last ${days} days`}
      text="How often agents ask, what people decide and how calls end is counted here."
    >
      <Button component={Link} href={pathOf(slug, 'sessions', 'new')}>
        Start session
      </Button>
    </EmptyState>
  );
}

function Numbers({ insights }: { insights: WorkspaceInsights }) {
  const links = rowLinks(useWorkspace(), insights.from);
  const calls = groupedCalls(insights.calls);
  const callParts = [...passedParts, ...otherCallParts];
  return (
    <div className="insights">
      <InsightFacts insights={insights} links={links} />
      <div className="insight-row">
        <InsightCard
          title="Held calls by decision"
          aside={
            <Legend
              parts={sumsOf(requestParts, insights.requests).map((part) => ({
                ...part,
                to: links.requests(part.name),
              }))}
            />
          }
        >
          <DayChart
            label="Held calls by day and decision"
            panels={[{ parts: requestParts, height: 168 }]}
            days={inOrder(requestParts, insights.requests)}
          />
        </InsightCard>
        <InsightCard
          title="Tool calls by outcome"
          aside={
            <Legend
              parts={sumsOf(callParts, calls).map((part) => ({ ...part, to: links.callsOf(part.name) }))}
            />
          }
        >
          <DayChart
            label="Tool calls by day and outcome"
            panels={[
              { parts: passedParts, height: 77 },
              { parts: otherCallParts, height: 77 },
            ]}
            days={inOrder(callParts, calls)}
          />
        </InsightCard>
      </div>
      <div className="insight-row insight-row-three">
        <CallsCard calls={insights.calls} links={links} />
        <TokenCards tokens={insights.model_tokens} />
      </div>
      {insights.calls_kept_from === null ? null : (
        <p className="insight-none">
          Calls since {dayAndClockText(insights.calls_kept_from)}: this workspace removes older records of
          calls.
        </p>
      )}
      {insights.is_partial ? (
        <p className="insight-none">
          There were more: the newest {numberText(homeBounds.requests)} requests and{' '}
          {numberText(homeBounds.callEntries)} calls are counted.
        </p>
      ) : null}
    </div>
  );
}
