import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { Agent } from '../../api/types.ts';
import { useAllAgents } from '../../api/use-all.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { UnavailableAlert } from '../../components/unavailable.tsx';
import { hasHidden, visiblePieces } from '../../text/visible-text.ts';
import { ReachNotice } from './reach-notice.tsx';

export default function NewSessionPage() {
  const { slug } = useWorkspace();
  const query = useAllAgents(slug);
  return (
    <PageFrame
      width="form"
      title="Start session"
      description="Runs an agent as it is set up now. It works for you: you answer what it asks."
    >
      <QueryState query={query} what="The agents">
        {(all) => {
          const agents = all.filter(({ archived_at: at }) => at === null);
          return agents.length === 0 ? (
            <EmptyState title="No agents yet" text="Create an agent first.">
              <Button component={Link} href={pathOf(slug, 'agents')}>
                Go to agents
              </Button>
            </EmptyState>
          ) : (
            <StartAs agents={agents.map(optionOf)} />
          );
        }}
      </QueryState>
    </PageFrame>
  );
}

/** With `from` in the address, as that session was started, to be changed. */
function StartAs({ agents }: { agents: AgentOption[] }) {
  const [params] = useSearchParams();
  const from = params.get('from');
  const query = useQuery({
    queryKey: keys.session(from ?? '', 'one'),
    queryFn: ({ signal }) =>
      call(api.GET('/api/sessions/{session_id}', { params: { path: { session_id: from ?? '' } }, signal })),
    enabled: from !== null,
  });
  return from === null ? (
    <StartForm agents={agents} agentId={params.get('agent')} />
  ) : (
    <QueryState query={query} what="The session to duplicate">
      {({ session: { agent_id: agentId, prompt } }) =>
        // One of another workspace would bring its prompt here.
        agents.some(({ value }) => value === agentId) ? (
          <StartForm agents={agents} agentId={agentId} from={{ id: from, prompt }} />
        ) : (
          <StartForm agents={agents} agentId={null} />
        )
      }
    </QueryState>
  );
}

interface AgentOption {
  value: string;
  label: string;
  disabled: boolean;
  reason: string | null;
}

function optionOf({ id, name, unavailable }: Agent): AgentOption {
  const reason = unavailable?.reason ?? null;
  const label = reason === null ? name : `${name}: cannot run here, ${reason}`;
  return { value: id, label, disabled: reason !== null, reason };
}

function submitByKeys({ key, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>): void {
  if (key === 'Enter' && (ctrlKey || metaKey)) {
    currentTarget.form?.requestSubmit();
  }
}

interface StartFormProps {
  agents: AgentOption[];
  agentId: string | null;
  from?: { id: string; prompt: string };
}

function StartForm({ agents, agentId: given, from }: StartFormProps) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const keyFor = useIdempotencyKey();
  const named = agents.find(({ value }) => value === given);
  const wanted = named ?? (agents.length === 1 && agents[0]?.disabled === false ? agents[0] : undefined);
  const form = useForm({
    initialValues: { agent_id: wanted?.value ?? null, prompt: from?.prompt ?? '' },
    validate: {
      agent_id: (value) => (value === null ? 'Choose an agent' : null),
      prompt: (value) => (value.trim() === '' ? 'Say what the agent should do' : null),
    },
  });
  const start = useApiMutation({
    send: (body: { agent_id: string; prompt: string }) =>
      call(
        api.POST('/api/workspaces/{slug}/sessions', {
          params: { path: { slug }, header: keyFor(body) },
          body,
        }),
      ),
    invalidates: [keys.sessions(slug)],
    onSuccess: ({ session }) => navigate(pathOf(slug, 'sessions', session.id)),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const submit = ({ agent_id, prompt }: typeof form.values) => {
    if (agent_id !== null && !start.isPending) {
      start.mutate({ agent_id, prompt });
    }
  };
  const { agent_id: agentId } = form.values;
  const reason = agents.find(({ value }) => value === agentId)?.reason ?? null;
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <FormDraft
          form={form}
          slug={slug}
          name={from === undefined ? 'new session' : `new session as ${from.id}`}
          save={start}
          {...(named === undefined ? {} : { fixed: { agent_id: named.value } })}
        />
        <Select
          label="Agent"
          data={agents}
          searchable
          required
          allowDeselect={false}
          {...form.getInputProps('agent_id')}
        />
        {reason === null ? null : <UnavailableAlert reason={reason} />}
        {agentId === null ? null : <ReachNotice agentId={agentId} />}
        <Textarea
          label="Prompt"
          description="What the agent should do. You can send more messages while it runs. Press Ctrl+Enter to start."
          required
          autosize
          minRows={4}
          maxRows={16}
          onKeyDown={submitByKeys}
          {...form.getInputProps('prompt')}
        />
        <HiddenCharacters text={form.values.prompt} remove={(shown) => form.setFieldValue('prompt', shown)} />
        <FailureAlert error={start.error} shownAtFields={['agent_id', 'prompt']} values={form.values} />
        <Group>
          <Button type="submit" loading={start.isPending} disabled={reason !== null}>
            Start
          </Button>
          <Button variant="default" component={Link} href={pathOf(slug, 'sessions')}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Says which characters a field holds and does not show: a prompt that another agent wrote may hide words to
 * the agent from who sends it again.
 */
function HiddenCharacters({ text, remove }: { text: string; remove: (shown: string) => void }) {
  if (!hasHidden(text)) {
    return null;
  }
  const pieces = visiblePieces(text);
  const names = new Set(pieces.flatMap(({ hidden }) => (hidden === null ? [] : [hidden])));
  const count = pieces.reduce((sum, piece) => sum + (piece.hidden === null ? 0 : piece.count), 0);
  const shown = pieces.map((piece) => (piece.hidden === null ? piece.text : '')).join('');
  return (
    <Alert color="yellow" title={`${count} characters of the prompt cannot be seen here`} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{[...names].slice(0, mostNames).join(', ')}. The agent reads them.</Text>
        <Button variant="default" size="xs" onClick={() => remove(shown)}>
          Remove them
        </Button>
      </Stack>
    </Alert>
  );
}

const mostNames = 5;
