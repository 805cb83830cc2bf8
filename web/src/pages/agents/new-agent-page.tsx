import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { AgentForm } from './agent-form.tsx';
import { type AgentDefinition, newAgent } from './agent-values.ts';

export default function NewAgentPage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const save = useApiMutation({
    send: (body: AgentDefinition) =>
      call(api.POST('/api/workspaces/{slug}/agents', { params: { path: { slug } }, body })),
    invalidates: [keys.agents(slug)],
    onRefetched: ({ agent }) => navigate(pathOf(slug, 'agents', agent.id)),
  });
  return (
    <PageFrame
      width="form"
      title="New agent"
      description="You will be its owner. You can attach MCP servers after you create it."
    >
      <AgentForm
        agentId={null}
        initial={newAgent}
        draftName="new agent"
        save={save}
        submitLabel="Create agent"
        onCancel={() => navigate(pathOf(slug, 'agents'))}
      />
    </PageFrame>
  );
}
