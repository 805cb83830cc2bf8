/** What one can do with a transcript: see a part of it, search it, keep it. */
import { ActionIcon, Switch, TextInput } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import type { Session, SessionEvent, ToolCall } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { views, type Wanted } from './transcript-entries.ts';

const labels: Record<Wanted['view'], string> = {
  everything: 'Everything',
  messages: 'Messages',
  calls: 'Calls',
  decisions: 'Decisions',
};

export function TranscriptTools({
  session,
  wanted,
  onWanted,
}: {
  session: Session;
  wanted: Wanted;
  onWanted: (wanted: Wanted) => void;
}) {
  const save = useApiMutation({ send: () => exportTranscript(session.id) });
  return (
    <>
      <div className="transcript-tools">
        <fieldset className="choice-buttons" aria-label="What is shown">
          {views.map((view) => (
            <button
              key={view}
              type="button"
              aria-pressed={wanted.view === view}
              onClick={() => onWanted({ ...wanted, view })}
            >
              {labels[view]}
            </button>
          ))}
        </fieldset>
        <Switch
          size="xs"
          label="Hide steps"
          labelPosition="left"
          checked={wanted.hidesSteps}
          onChange={(event) => onWanted({ ...wanted, hidesSteps: event.currentTarget.checked })}
        />
        <TextInput
          className="transcript-search"
          size="xs"
          aria-label="Search the transcript"
          placeholder="Search"
          leftSection={<Icon name="search" size={14} />}
          value={wanted.search}
          onChange={(event) => onWanted({ ...wanted, search: event.currentTarget.value })}
        />
        <ActionIcon
          variant="subtle"
          size={30}
          aria-label="Export the transcript"
          title="Export the transcript as JSON"
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          <Icon name="download" />
        </ActionIcon>
      </div>
      <FailureAlert error={save.error} takesFocus={false} />
    </>
  );
}

const pageSize = 200;

/** Saves all events and calls of a session, each oldest first, as a JSON file. Rejects with an ApiFailure. */
async function exportTranscript(sessionId: string): Promise<void> {
  const events: SessionEvent[] = [];
  const path = { session_id: sessionId };
  // A page may be shorter than asked for where its events are large: only an empty one is the end.
  for (;;) {
    const query = { after: events.at(-1)?.seq ?? 0, limit: pageSize };
    const page = await call(api.GET('/api/sessions/{session_id}/events', { params: { path, query } }));
    if (page.events.length === 0) {
      break;
    }
    events.push(...page.events);
  }
  const calls: ToolCall[] = await fetchAll(async (query) => {
    const page = await call(api.GET('/api/sessions/{session_id}/tool-calls', { params: { path, query } }));
    return { items: page.tool_calls, next_cursor: page.next_cursor };
  });
  const content = { session_id: sessionId, events, tool_calls: calls.toReversed() };
  const file = new Blob([JSON.stringify(content, null, 2)], {
    type: 'application/json',
  });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `session-${sessionId}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
