/** The six numbers at the head of the page, each leading to its rows. */
import { Link } from 'wouter';
import type { WorkspaceInsights } from '../../api/types.ts';
import { numberText, shortNumberText } from '../../text/number-text.ts';
import { modelTokensId } from './insight-bars.tsx';
import { decisionTimeText, groupOf, outcomeSums, requestSums, tokensByAgent } from './numbers.ts';
import type { RowLinks } from './use-row-links.ts';

export function InsightFacts({ insights, links }: { insights: WorkspaceInsights; links: RowLinks }) {
  const { held, approvedPercent, ended, decided, expired, open } = requestSums(insights.requests);
  const { median_decision_seconds: median, model_tokens: tokens } = insights;
  const outcomes = outcomeSums(insights.calls);
  const calls = outcomes.reduce((sum, { count }) => sum + count, 0);
  const refused = outcomes.reduce(
    (sum, { outcome, count }) => sum + (groupOf(outcome) === 'refused' ? count : 0),
    0,
  );
  const agents = tokensByAgent(tokens.uses).length;
  return (
    <ul className="insight-facts" aria-label="In short">
      <Fact
        name="Calls held for a human"
        value={numberText(held)}
        more={open === 0 ? 'none waits' : `${numberText(open)} not decided yet`}
        to={links.requests('all')}
      />
      <Fact
        name="Approved"
        value={approvedPercent === null ? '–' : `${approvedPercent}%`}
        more={`of ${numberText(ended)} decided or expired`}
        to={links.requests('approved')}
      />
      <Fact
        name="Median time to decide"
        value={median === null ? '–' : decisionTimeText(median)}
        more={decided === 1 ? 'of 1 decision' : `of ${numberText(decided)} decisions`}
        to={links.requests('all')}
      />
      <Fact
        name="Expired unanswered"
        value={numberText(expired)}
        more="nobody decided in time"
        to={links.requests('expired')}
      />
      <Fact
        name="Refused at the gate"
        value={numberText(refused)}
        more={`of ${numberText(calls)} tool calls`}
        to={links.callsOf('refused')}
      />
      <Fact
        name="Model tokens"
        value={shortNumberText(tokens.total)}
        more={agents === 1 ? 'of 1 agent' : `of ${numberText(agents)} agents`}
        to={`#${modelTokensId}`}
      />
    </ul>
  );
}

function Fact({ name, value, more, to }: { name: string; value: string; more: string; to: string }) {
  const content = (
    <>
      <span>{name}</span>
      <b>{value}</b>
      <span>{more}</span>
    </>
  );
  return <li>{to.startsWith('#') ? <a href={to}>{content}</a> : <Link href={to}>{content}</Link>}</li>;
}
