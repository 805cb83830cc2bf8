/** Counts beside each other: calls by how they ended, and tokens by who took them and from where. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { WorkspaceInsights } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named } from '../../components/avatar.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import type { BarPart } from '../../text/day-counts.ts';
import { numberText, shortNumberText } from '../../text/number-text.ts';
import { callOutcomeText } from '../sessions/call-text.ts';
import { InsightCard } from './insight-card.tsx';
import {
  groupOf,
  otherCallParts,
  outcomeSums,
  passedParts,
  tokensByAgent,
  tokensByEndpoint,
} from './numbers.ts';
import type { RowLinks } from './use-row-links.ts';

/** Of the parts that the number of all tokens leads to. */
export const modelTokensId = 'model-tokens';

/** So many agents and endpoints are shown; each agent's page has its own. */
const mostShown = 8;

export function CallsCard({ calls, links }: { calls: WorkspaceInsights['calls']; links: RowLinks }) {
  const sums = outcomeSums(calls);
  return (
    <InsightCard title="Calls by outcome">
      {sums.length === 0 ? <p className="insight-none">No calls.</p> : null}
      <BarList
        rows={sums.map(({ outcome, count }) => ({
          key: outcome,
          name: <Link href={links.callsWith(outcome)}>{callOutcomeText[outcome].label}</Link>,
          ...{ count, text: numberText(count), fill: fillOf(groupOf(outcome)) },
        }))}
      />
    </InsightCard>
  );
}

const fillOf = (group: string): BarPart['fill'] =>
  [...passedParts, ...otherCallParts].find(({ name }) => name === group)?.fill ?? 'idle';

export function TokenCards({ tokens: { uses } }: { tokens: WorkspaceInsights['model_tokens'] }) {
  const { slug } = useWorkspace();
  const none = uses.length === 0 ? <p className="insight-none">No model was used.</p> : null;
  return (
    <>
      <InsightCard
        id={modelTokensId}
        title="Model tokens by agent"
        aside={<span className="insight-quiet">days of UTC</span>}
      >
        {none}
        <BarList
          rows={tokensByAgent(uses)
            .slice(0, mostShown)
            .map(({ agent: { id, name }, tokens }) => ({
              key: id,
              name: (
                <Link href={pathOf(slug, 'agents', id)}>
                  <Named avatar={<AgentAvatar name={name} />} title={name}>
                    <VisibleText text={name} />
                  </Named>
                </Link>
              ),
              ...{ count: tokens, text: shortNumberText(tokens), fill: 'plain' },
            }))}
        />
      </InsightCard>
      <InsightCard
        title="Model tokens by endpoint"
        aside={<span className="insight-quiet">days of UTC</span>}
      >
        {none}
        <BarList
          rows={tokensByEndpoint(uses)
            .slice(0, mostShown)
            .map(({ endpoint, tokens }) => ({
              key: endpoint,
              name: <VisibleText text={endpoint} />,
              ...{ count: tokens, text: shortNumberText(tokens), fill: 'plain' },
            }))}
        />
      </InsightCard>
    </>
  );
}

interface Row {
  key: string;
  name: ReactNode;
  count: number;
  text: string;
  fill: BarPart['fill'];
}

/** `rows`: the largest first. */
function BarList({ rows }: { rows: readonly Row[] }) {
  const most = Math.max(1, rows[0]?.count ?? 1);
  return (
    <ol className="insight-bars">
      {rows.map(({ key, name, count, text, fill }) => (
        <li key={key} className="insight-bar">
          {name}
          <svg width="100%" height={8} aria-hidden="true">
            <rect className="insight-track" width="100%" height={8} rx={2} />
            <rect className={`bar-${fill}`} width={`${(count / most) * 100}%`} height={8} rx={2} />
          </svg>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
