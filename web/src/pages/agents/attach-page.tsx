import type { Agent, Attachment, McpServer } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { NotReadyAlert, UnavailableAlert } from '../../components/unavailable.tsx';
import { useEntry } from '../catalog/use-entry.ts';
import { kindProblem } from './attach-option.ts';
import { AttachmentForm } from './attachment-form.tsx';
import { useAttachments } from './use-agent.ts';
import { WithAgent } from './with-agent.tsx';

/** Attaches an entry of the catalog to an agent, or changes what it is given. */
export default function AttachPage({ id, name }: { id: string; name: string }) {
  return (
    <WithAgent id={id} toEdit>
      {(agent) => <Attach agent={agent} name={name} />}
    </WithAgent>
  );
}

function Attach({ agent, name }: { agent: Agent; name: string }) {
  const { slug } = useWorkspace();
  const server = useEntry(slug, name);
  const attachments = useAttachments(agent.id);
  return (
    <QueryState query={server} what="The MCP server">
      {(entry) => (
        <QueryState query={attachments} what="The MCP server">
          {(attached) => (
            <AttachEntry agent={agent} entry={entry} attached={attached.find((one) => one.name === name)} />
          )}
        </QueryState>
      )}
    </QueryState>
  );
}

function AttachEntry(props: { agent: Agent; entry: McpServer; attached: Attachment | undefined }) {
  const { agent, entry, attached } = props;
  return (
    <PageFrame
      width="form"
      title={attached === undefined ? `Attach ${entry.name}` : `Configure ${entry.name}`}
      description={`Applies to the agent ${agent.name} from its next session.`}
    >
      {entry.unavailable === null ? null : <UnavailableAlert reason={entry.unavailable.reason} />}
      <NotReadyAlert entry={entry} />
      {kindProblem(entry, agent) === null ? null : (
        <Banner role="note" tone="fail" title="This agent cannot attach it">
          {entry.name} {kindProblem(entry, agent)}; the kind of this agent is “{agent.kind}”.
        </Banner>
      )}
      <AttachmentForm {...props} />
    </PageFrame>
  );
}
