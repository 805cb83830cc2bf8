/** Search or jump: pages, what one can begin, agents, servers and sessions, all that this person may see. */
import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useAllAgents, useAllServers } from '../api/use-all.ts';
import { Icon } from '../components/icon.tsx';
import { VisibleText } from '../components/visible-text.tsx';
import {
  beginnings,
  fittingGroups,
  mostOfGroup,
  type PaletteEntry,
  type PaletteGroup,
  stepped,
} from './palette-entries.ts';
import { pathOf } from './paths.ts';
import { sections } from './sections.ts';
import { useWorkspace } from './signed-in.tsx';

export default function Palette({
  onClose,
  onLegend,
  help,
}: {
  onClose: () => void;
  onLegend: () => void;
  /** The page of the documentation that fits the one in view. */
  help: string;
}) {
  const [typed, setTyped] = useState('');
  const [, navigate] = useLocation();
  const groups = useGroups(typed, { onLegend, help });
  const entries = groups.flatMap((group) => group.entries);
  const [chosenId, choose] = useState<string | null>(null);
  // What arrives later moves nothing that was chosen.
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  );
  const chosen = entries[at];
  const listId = useId();
  const run = ({ does }: PaletteEntry) => {
    onClose();
    if (typeof does === 'string') {
      navigate(does);
    } else {
      does();
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = entries[stepped(at, step, entries.length)];
      choose(next?.id ?? null);
      document.getElementById(`${listId}-${next?.id}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && chosen !== undefined) {
      event.preventDefault();
      run(chosen);
    }
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12dvh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search or jump" radius="lg">
        <div className="palette-field">
          <Icon name="search" />
          <input
            data-autofocus
            type="search"
            role="combobox"
            aria-label="Search or jump to"
            placeholder="Search or jump to"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={chosen === undefined ? undefined : `${listId}-${chosen.id}`}
            aria-autocomplete="list"
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              choose(null);
            }}
            onKeyDown={press}
          />
        </div>
        <PaletteList id={listId} groups={groups} chosen={chosen} onChoose={choose} onRun={run} />
        <div className="palette-none" role="status">
          {entries.length === 0 ? 'Nothing begins so.' : ''}
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The options of the field, which keeps the focus and takes the keys. */
function PaletteList({
  id,
  groups,
  chosen,
  onChoose,
  onRun,
}: {
  id: string;
  groups: readonly PaletteGroup[];
  chosen: PaletteEntry | undefined;
  onChoose: (entryId: string) => void;
  onRun: (entry: PaletteEntry) => void;
}) {
  return (
    <div className="palette-list" role="listbox" id={id} aria-label="What fits">
      {groups.map(({ label, entries }) => (
        // biome-ignore lint/a11y/useSemanticElements: options in a group, not fields.
        <div role="group" key={label} aria-label={label}>
          <div className="nav-label" aria-hidden="true">
            {label}
          </div>
          {entries.map((entry) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
            <div
              key={entry.id}
              id={`${id}-${entry.id}`}
              role="option"
              aria-selected={entry === chosen}
              className="palette-entry"
              onClick={() => onRun(entry)}
              onMouseMove={() => onChoose(entry.id)}
            >
              <Icon name={entry.icon} />
              <span className="cut">{entry.isName ? <VisibleText text={entry.label} /> : entry.label}</span>
              {entry.detail === undefined ? null : (
                <span className="palette-detail cut">
                  <VisibleText text={entry.detail} />
                </span>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function useGroups(typed: string, more: { onLegend: () => void; help: string }): PaletteGroup[] {
  const { slug, isAdmin } = useWorkspace();
  const agents = useAllAgents(slug).data ?? [];
  const servers = useAllServers(slug).data ?? [];
  const sessions = useFoundSessions(slug, typed.trim());
  const pages = sections
    .filter(({ adminOnly }) => isAdmin || !adminOnly)
    .map(({ path, label }): PaletteEntry => ({ id: path, label, icon: path, does: pathOf(slug, path) }));
  const begun = beginnings
    .filter(({ adminOnly }) => isAdmin || !adminOnly)
    .map(
      ({ label, section, rest }): PaletteEntry => ({
        ...{ id: `begin-${section}-${rest.join('-')}`, label, icon: 'plus' },
        does: pathOf(slug, section, ...rest),
      }),
    );
  const here: PaletteEntry[] = [
    {
      id: 'help',
      label: 'Help with this page',
      icon: 'help',
      does: () => window.open(more.help, '_blank', 'noopener'),
    },
    { id: 'legend', label: 'Keyboard shortcuts', icon: 'menu', does: more.onLegend },
  ];
  const named = [
    ...agents
      .filter(({ archived_at: at }) => at === null)
      .map(
        ({ id, name }): PaletteEntry => ({
          ...{ id, label: name, isName: true, detail: 'agent', icon: 'agents' },
          does: pathOf(slug, 'agents', id),
        }),
      ),
    ...servers.map(
      ({ id, name }): PaletteEntry => ({
        ...{ id, label: name, isName: true, detail: 'MCP server', icon: 'catalog' },
        does: pathOf(slug, 'catalog', name),
      }),
    ),
  ];
  const isTyped = typed.trim() !== '';
  return [
    ...fittingGroups(
      [
        { label: 'Go to', entries: pages },
        { label: 'Do', entries: [...begun, ...here] },
        { label: 'Agents and servers', entries: isTyped ? named : [] },
      ],
      typed,
    ),
    // The last: they come later, and move nothing above them.
    ...(sessions.length === 0 ? [] : [{ label: 'Sessions', entries: sessions }]),
  ];
}

/**
 * By the API, which finds for this person what their list of sessions has. Nothing until it was asked for
 * what is typed: Enter would open a session that somebody no longer looks for.
 */
function useFoundSessions(slug: string, typed: string): PaletteEntry[] {
  const wanted = typed.slice(0, 200);
  const [search] = useDebouncedValue(wanted, 150);
  const { data } = useQuery({
    queryKey: keys.sessions(slug, 'found', search),
    queryFn: ({ signal }) => {
      const query = { limit: mostOfGroup, ...(search === '' ? {} : { search }) };
      return call(api.GET('/api/workspaces/{slug}/sessions', { params: { path: { slug }, query }, signal }));
    },
  });
  return (search === wanted ? (data?.sessions ?? []) : []).map(({ id, title, agent }) => ({
    ...{ id, label: title, isName: true, detail: agent.name, icon: 'sessions' },
    does: pathOf(slug, 'sessions', id),
  }));
}
