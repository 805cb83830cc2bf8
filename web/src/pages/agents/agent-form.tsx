import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { ApiFailure } from '../../api/failure.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import type { AgentFormState } from './agent-form-type.ts';
import {
  type AgentDefinition,
  type AgentValues,
  contentOf,
  fieldOf,
  hasField,
  problemsOf,
} from './agent-values.ts';
import { CompanionFields } from './companion-fields.tsx';
import { EnvFields } from './env-fields.tsx';
import { Part } from './form-part.tsx';
import { InstructionsField } from './instructions-field.tsx';
import { LimitsFields } from './limits-fields.tsx';
import { ModelAccessFields } from './model-access-fields.tsx';
import { RepositoryFields } from './repository-fields.tsx';
import { RunFields } from './run-fields.tsx';

/** Everything of an agent but its MCP servers and grants. `save` is what sends it. */
export function AgentForm({
  agentId,
  initial,
  draftName,
  save,
  submitLabel,
  onCancel,
}: {
  /** Null for a new agent. */
  agentId: string | null;
  initial: AgentValues;
  /** What is typed is kept under this name until it is sent. */
  draftName: string;
  save: UseMutationResult<unknown, Error, AgentDefinition>;
  submitLabel: string;
  onCancel: () => void;
}) {
  const { slug } = useWorkspace();
  const form = useForm<AgentValues>({ initialValues: initial, validate: problemsOf });
  const send = (values: AgentValues) =>
    save.mutate(contentOf(values), {
      onError: (error) => form.setErrors(fieldErrors(error, (path) => fieldOf(values, path))),
    });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name={draftName} save={save} />
        <BasicFields form={form} />
        <Part
          title="Environment"
          description="Variables of the agent’s own process. Give credentials to MCP servers instead: the agent cannot read those."
        >
          <EnvFields
            form={form}
            path="env"
            rows={form.values.env}
            warning="The agent can read this secret and send it anywhere it can reach. Sessions do not start until an admin grants this on the agent’s page. Prefer giving the secret to an MCP server."
          />
        </Part>
        <Part title="Network and limits">
          <LimitsFields form={form} />
        </Part>
        <Part
          title="Model access"
          description="A language model that the agent asks through the platform, which keeps the key and counts."
        >
          <ModelAccessFields form={form} agentId={agentId} />
        </Part>
        <RepositoryPart form={form} />
        <Part
          title="Runs beside it"
          description="Programs that start with each session, such as a database or a browser. Each has a network of its own; the agent reaches one with a port by a socket."
        >
          <CompanionFields form={form} path="siblings" what="sibling" companions={form.values.siblings} />
        </Part>
        <Part
          title="Services"
          description="Web servers that run for one preview each, when the agent asks for it. They listen on the loopback address, on the port that PORT says: 8080 unless it is set here."
        >
          <CompanionFields form={form} path="services" what="service" companions={form.values.services} />
        </Part>
        <FailureAlert
          error={save.error}
          shownAtFields={shownPaths(form.values, save.error)}
          values={form.values}
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {submitLabel}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <span role="status">{attentionText(Object.keys(form.errors).length)}</span>
        </Group>
      </Stack>
    </form>
  );
}

const attentionText = (problems: number): string =>
  problems === 0 ? '' : problems === 1 ? '1 field needs attention.' : `${problems} fields need attention.`;

function BasicFields({ form }: { form: AgentFormState }) {
  return (
    <Part title="Agent">
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <RunFields form={form} path="run" value={form.values.run} />
      <InstructionsField form={form} />
      <TextInput
        label="Model"
        description="Passed to the agent. Leave empty for the agent’s default."
        {...form.getInputProps('model')}
      />
      <Radio.Group label="Kind" {...form.getInputProps('kind')}>
        <Stack gap="xs" mt={4}>
          <Radio value="worker" label="Worker" description="Does one job for who started it." />
          <Radio
            value="orchestrator"
            label="Orchestrator"
            description="Starts other agents. Cannot use remote MCP servers, which act on behalf of a person."
          />
        </Stack>
      </Radio.Group>
    </Part>
  );
}

function RepositoryPart({ form }: { form: AgentFormState }) {
  return (
    <Part
      title="Repository"
      description="Files that each session begins with, in /workspace/repository. What the agent changed there becomes a patch at the session’s end."
    >
      <RepositoryFields form={form} />
    </Part>
  );
}

/** What a field shows; the rest is listed above the buttons. */
function shownPaths(values: AgentValues, error: unknown): string[] {
  const paths = error instanceof ApiFailure ? error.fields.map(({ path }) => path) : [];
  return paths.filter((path) => hasField(fieldOf(values, path)));
}
