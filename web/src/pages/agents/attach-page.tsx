import type { Agent } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { FailedState, LoadingState } from '../../components/state-views.tsx';
import { UnavailableAlert } from '../../components/unavailable.tsx';
import { useEntry } from '../catalog/use-entry.ts';
import { AttachmentForm } from './attachment-form.tsx';
import { useAttachments } from './use-agent.ts';
import { WithAgent } from './with-agent.tsx';

/** Attaches an entry of the catalog to an agent, or changes what it is given. */
export function AttachPage({ id, name }: { id: string; name: string }) {
  return (
    <WithAgent id={id} toEdit>
      {(agent) => <Attach agent={agent} name={name} />}
    </WithAgent>
  );
}

function Attach({ agent, name }: { agent: Agent; name: string }) {
  const { slug } = useWorkspace();
  const entry = useEntry(slug, name);
  const attachments = useAttachments(agent.id);
  const error = entry.error ?? attachments.error;
  if (entry.data === undefined || attachments.data === undefined) {
    return error === null ? (
      <LoadingState />
    ) : (
      <FailedState
        error={error}
        retry={() => {
          void entry.refetch();
          void attachments.refetch();
        }}
        what="The MCP server"
      />
    );
  }
  const attached = attachments.data.find((attachment) => attachment.name === name);
  return (
    <PageFrame
      title={attached === undefined ? `Attach ${name}` : `Configure ${name}`}
      description={`For the agent ${agent.name}, from its next session on.`}
    >
      {entry.data.unavailable === null ? null : <UnavailableAlert reason={entry.data.unavailable.reason} />}
      <AttachmentForm agent={agent} entry={entry.data} attached={attached} />
    </PageFrame>
  );
}
