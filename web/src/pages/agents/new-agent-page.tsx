import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, Attachment } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { NotFoundState } from '../../components/state-views.tsx';
import { announce } from '../../components/toasts.tsx';
import { useEntry } from '../catalog/use-entry.ts';
import { AgentForm } from './agent-form.tsx';
import { type AgentTemplate, templateFor } from './agent-template.ts';
import { type AgentDefinition, copyOf, newAgent } from './agent-values.ts';
import { useAttachments } from './use-agent.ts';
import { WithAgent } from './with-agent.tsx';

/**
 * With a `server` in the address, one that begins with a template, attaches the server and is started. With a
 * `copy`, one like that agent, with the same servers.
 */
export default function NewAgentPage() {
  const [params] = useSearchParams();
  const server = params.get('server');
  const copied = params.get('copy');
  if (copied !== null) {
    return <WithAgent id={copied}>{(agent) => <CopyOfAgent agent={agent} />}</WithAgent>;
  }
  return server === null ? <NewAgent use={null} /> : <NewAgentWith server={server} />;
}

function NewAgentWith({ server }: { server: string }) {
  const { slug } = useWorkspace();
  return (
    <QueryState query={useEntry(slug, server)} what="The MCP server">
      {(entry) => {
        const template = templateFor(entry);
        return <NewAgent use={template === null ? null : { server, template }} />;
      }}
    </QueryState>
  );
}

/** An agent of another workspace of this person is none of this one: what it names is there. */
function CopyOfAgent({ agent }: { agent: Agent }) {
  const attachments = useAttachments(agent.id);
  if (agent.workspace_id !== useWorkspace().id) {
    return <NotFoundState what="The agent" />;
  }
  return (
    <QueryState query={attachments} what="Its MCP servers">
      {(attached) => <CopyForm agent={agent} attachments={attached} />}
    </QueryState>
  );
}

function CopyForm({ agent, attachments }: { agent: Agent; attachments: readonly Attachment[] }) {
  const { slug, isAdmin } = useWorkspace();
  const [, navigate] = useLocation();
  // What the form began with: the first one may be changed meanwhile.
  const [initial] = useState(copyOf(agent, { isAdmin }));
  const [attached] = useState(attachments);
  const save = useApiMutation({
    async send(body: AgentDefinition) {
      const params = { path: { slug } };
      const { agent: made } = await call(api.POST('/api/workspaces/{slug}/agents', { params, body }));
      await attachAll(made.id, attached);
      return made;
    },
    invalidates: [keys.agents(slug)],
    onRefetched: ({ id }) => navigate(pathOf(slug, 'agents', id)),
  });
  return (
    <PageFrame
      width="form"
      title={`Duplicate ${agent.name}`}
      description="You will be its owner. It gets the same MCP servers, and none of the grants."
    >
      <AgentForm
        agentId={null}
        initial={initial}
        draftName={`copy of ${agent.id}`}
        save={save}
        submitLabel="Create agent"
        onCancel={() => navigate(pathOf(slug, 'agents', agent.id))}
      />
    </PageFrame>
  );
}

/** The agent is there in any case: which server it did not get, and why, is said. */
async function attachAll(agentId: string, attachments: readonly Attachment[]): Promise<void> {
  for (const { name, env } of attachments) {
    try {
      const params = { path: { agent_id: agentId } };
      await call(api.PUT('/api/agents/{agent_id}/mcp-attachments', { params, body: { name, env } }));
    } catch (error) {
      announce(`Created without ${name}. ${failureMessage(error)}`, { tone: 'fail' });
    }
  }
}

function NewAgent({ use }: { use: { server: string; template: AgentTemplate } | null }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const begin = useBegin(slug);
  const save = useApiMutation({
    async send(body: AgentDefinition) {
      const params = { path: { slug } };
      const { agent } = await call(api.POST('/api/workspaces/{slug}/agents', { params, body }));
      const begun = use === null ? null : await begin(agent, use.server, use.template.prompt);
      return { agent, sessionId: begun };
    },
    invalidates: [keys.agents(slug), keys.sessions(slug)],
    onRefetched: ({ agent, sessionId }) =>
      navigate(sessionId === null ? pathOf(slug, 'agents', agent.id) : pathOf(slug, 'sessions', sessionId)),
  });
  return (
    <PageFrame
      width="form"
      title="New agent"
      description={
        use === null
          ? 'You will be its owner. You can attach MCP servers after you create it.'
          : `You will be its owner. It has steps that write with ${use.server}, which is attached to it.`
      }
    >
      <AgentForm
        agentId={null}
        initial={use?.template.initial ?? newAgent}
        draftName={use === null ? 'new agent' : `new agent for ${use.server}`}
        save={save}
        submitLabel={use === null ? 'Create agent' : 'Create and start'}
        onCancel={() => navigate(pathOf(slug, 'agents'))}
      />
    </PageFrame>
  );
}

/**
 * Attaches the server and starts a session; resolves to its id. The agent is there in any case: where one of
 * the two is refused, it says why and resolves to null.
 */
function useBegin(slug: string) {
  const keyFor = useIdempotencyKey();
  return async ({ id }: Pick<Agent, 'id'>, server: string, prompt: string): Promise<string | null> => {
    const of = { params: { path: { agent_id: id } }, body: { name: server, env: {} } };
    const body = { agent_id: id, prompt };
    const params = { path: { slug }, header: keyFor(body) };
    try {
      await call(api.PUT('/api/agents/{agent_id}/mcp-attachments', of));
      return (await call(api.POST('/api/workspaces/{slug}/sessions', { params, body }))).session.id;
    } catch (error) {
      announce(`Created, but not started. ${failureMessage(error)}`, { tone: 'fail' });
      return null;
    }
  };
}
