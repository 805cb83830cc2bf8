/** The words that the list of sessions is searched by, and the name of a filter. Pure. */
import { type ShownState, sessionStateLabel } from './status-text.ts';

/** As the API takes them. */
const mostCharacters = 200;

/** In the address; undefined where there are none. */
export function searchIn(params: URLSearchParams): string | undefined {
  const words = (params.get('q') ?? '').trim().slice(0, mostCharacters).trim();
  return words === '' ? undefined : words;
}

/** What the tab of a filter is called; `agent` is the name of the chosen one. */
export const filterName = ({
  state,
  agent,
  search,
  rootsOnly,
}: {
  state: ShownState | null;
  agent: string | null;
  search: string | undefined;
  rootsOnly: boolean;
}): string =>
  [
    ...(state === null ? [] : [sessionStateLabel(state)]),
    ...(agent === null ? [] : [agent]),
    ...(search === undefined ? [] : [`“${search}”`]),
    ...(rootsOnly ? ['started by people'] : []),
  ].join(' · ');
