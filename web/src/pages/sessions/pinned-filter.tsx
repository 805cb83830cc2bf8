/**
 * The views of the list: all sessions, and one filter that the person keeps at hand, in this browser. Words
 * that they searched for are not kept.
 */
import { CloseButton } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useAllAgents } from '../../api/use-all.ts';
import { usePersonalChoice } from '../../app/kept-choice.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { filterName, searchIn } from './session-search.ts';
import { sessionStates } from './status-text.ts';

export function PinnedFilter() {
  const { user } = useMe();
  const { slug } = useWorkspace();
  const [params] = useSearchParams();
  const [pinned, pin] = usePersonalChoice({ userId: user.id, slug }, 'filter of sessions');
  const nameOf = useFilterName();
  const here = sorted(params);
  const toPin = withoutWords(params);
  const all = pathOf(slug, 'sessions');
  const name = pinned === null ? '' : nameOf(new URLSearchParams(pinned));
  return (
    <nav className="views" aria-label="Views">
      <Link href={all} aria-current={here === '' ? 'page' : undefined}>
        All
      </Link>
      {pinned === null || name === '' ? null : (
        <span className="view">
          <Link href={`${all}?${pinned}`} aria-current={here === pinned ? 'page' : undefined} title={name}>
            <span className="cut">
              <VisibleText text={name} />
            </span>
          </Link>
          <CloseButton
            size="xs"
            aria-label="Unpin this filter"
            title="Unpin this filter"
            onClick={() => pin(null)}
          />
        </span>
      )}
      {sorted(toPin) === pinned || nameOf(toPin) === '' ? null : (
        <button type="button" className="view-pin" onClick={() => pin(sorted(toPin))}>
          <Icon name="plus" size={14} />
          {pinned === null ? 'Pin filter' : 'Pin this one instead'}
        </button>
      )}
    </nav>
  );
}

/** The same filter is the same text, in whichever order it was chosen. */
function sorted(params: URLSearchParams): string {
  const ordered = new URLSearchParams(params);
  ordered.sort();
  return ordered.toString();
}

function withoutWords(params: URLSearchParams): URLSearchParams {
  const others = new URLSearchParams(params);
  others.delete('q');
  return others;
}

function useFilterName(): (params: URLSearchParams) => string {
  const agents = useAllAgents(useWorkspace().slug).data ?? [];
  return (params) => {
    const agentId = params.get('agent');
    return filterName({
      state: sessionStates.find((candidate) => candidate === params.get('status')) ?? null,
      agent: agentId === null ? null : (agents.find(({ id }) => id === agentId)?.name ?? 'one agent'),
      search: searchIn(params),
      rootsOnly: params.get('children') === 'exclude',
    });
  };
}
