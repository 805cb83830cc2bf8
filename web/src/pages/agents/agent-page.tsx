import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import type { Agent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { UnavailableAlert } from '../../components/unavailable.tsx';
import { GrantsPart, SessionsPart } from './agent-activity.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { ArchiveButton } from './archive-button.tsx';
import { AttachmentsPart } from './attachments-part.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { EnvironmentPart } from './environment-part.tsx';
import { Part } from './form-part.tsx';
import { ModelAccessPart } from './model-access-part.tsx';
import { SpawnPart } from './spawn-part.tsx';
import { useMayEdit } from './use-agent.ts';
import { WithAgent } from './with-agent.tsx';

/** One agent: what it runs, its MCP servers, what it may read and start. */
export default function AgentPage({ id }: { id: string }) {
  return <WithAgent id={id}>{(agent) => <AgentView agent={agent} />}</WithAgent>;
}

function AgentView({ agent }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const mayEdit = useMayEdit(agent);
  const { id, name, owner_id, updated_at, unavailable, archived_at } = agent;
  return (
    <PageFrame
      title={name}
      parent={{ to: pathOf(slug, 'agents'), label: 'All agents' }}
      description={
        <>
          Owned by <PersonName id={owner_id} />, updated <RelativeTime at={updated_at} />, ID{' '}
          <CopyableId id={id} />
        </>
      }
      actions={<Actions agent={agent} mayEdit={mayEdit} />}
    >
      {archived_at === null ? null : (
        <Banner role="note" tone="wait" title="This agent is archived">
          Nobody can start it, and it holds no grants (archived <RelativeTime at={archived_at} />
          ). What it did stays to be read.
        </Banner>
      )}
      {mayEdit || archived_at !== null ? null : (
        <Banner role="note" tone="idle">
          You can start this agent, but only its owner and workspace admins can edit it.
        </Banner>
      )}
      {unavailable === null ? null : <UnavailableAlert reason={unavailable.reason} />}
      <Part title="Configuration">
        <AgentFacts agent={agent} />
      </Part>
      <AttachmentsPart agent={agent} mayEdit={mayEdit} />
      <GrantsPart agent={agent} />
      <SessionsPart agent={agent} />
      <EnvironmentPart agent={agent} />
      <ModelAccessPart agent={agent} />
      <SpawnPart agent={agent} />
    </PageFrame>
  );
}

function Actions({ agent, mayEdit }: { agent: Agent; mayEdit: boolean }) {
  const { slug, isAdmin } = useWorkspace();
  const [deleting, dialog] = useDisclosure();
  const start = `${pathOf(slug, 'sessions', 'new')}?${new URLSearchParams({ agent: agent.id })}`;
  return (
    <>
      {agent.unavailable === null && agent.archived_at === null ? (
        <Button component={Link} href={start}>
          Start session
        </Button>
      ) : (
        <Button disabled>Start session</Button>
      )}
      <Button
        component={Link}
        href={`${pathOf(slug, 'schedules')}?${new URLSearchParams({ agent: agent.id })}`}
        variant="default"
      >
        Schedules
      </Button>
      <Button
        component={Link}
        href={`${pathOf(slug, 'agents', 'new')}?${new URLSearchParams({ copy: agent.id })}`}
        variant="default"
      >
        Duplicate
      </Button>
      {mayEdit ? (
        <>
          <Button component={Link} href={pathOf(slug, 'agents', agent.id, 'edit')} variant="default">
            Edit
          </Button>
          <ArchiveButton agent={agent} />
        </>
      ) : null}
      {isAdmin ? (
        <>
          <Button variant="danger" onClick={dialog.open}>
            Delete
          </Button>
          <DeleteDialog agent={agent} opened={deleting} onClose={dialog.close} />
        </>
      ) : null}
    </>
  );
}
