/** What one can do with a transcript: see a part of it, search it, keep it. */
import { ActionIcon, Switch, TextInput } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { exportTranscript } from './export-transcript.ts';
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
