import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { Agent } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { AgentForm } from './agent-form.tsx';
import { type AgentDefinition, changesBetween, contentOf, valuesOf } from './agent-values.ts';
import { RevokesNote } from './revokes-note.tsx';
import { WithAgent } from './with-agent.tsx';

export default function EditAgentPage({ id }: { id: string }) {
  return (
    <WithAgent id={id} toEdit>
      {(agent) => <EditAgent agent={agent} />}
    </WithAgent>
  );
}

function EditAgent({ agent }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  // What the form began with: another person may save meanwhile.
  const [begun] = useState(agent);
  const page = pathOf(slug, 'agents', begun.id);
  const save = useApiMutation({
    done: 'Agent saved',
    send: (content: AgentDefinition) =>
      call(
        api.PATCH('/api/agents/{agent_id}', {
          params: { path: { agent_id: begun.id } },
          body: changesBetween(contentOf(valuesOf(begun)), content),
        }),
      ),
    invalidates: stale.agent(slug, begun.id),
    onRefetched: () => navigate(page),
  });
  return (
    <PageFrame
      width="form"
      title={`Edit ${begun.name}`}
      description="Running sessions keep the configuration they started with."
    >
      {agent.updated_at === begun.updated_at ? null : (
        <Banner tone="wait" role="alert" title="Someone else has saved this agent">
          If you save, your values replace theirs in fields that both of you changed.
        </Banner>
      )}
      <RevokesNote />
      <AgentForm
        agentId={begun.id}
        initial={valuesOf(begun)}
        draftName={`agent ${begun.id} ${begun.updated_at}`}
        save={save}
        submitLabel="Save"
        onCancel={() => navigate(page)}
      />
    </PageFrame>
  );
}
