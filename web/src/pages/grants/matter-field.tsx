import { Select, Stack } from '@mantine/core';
import { useAllSecrets } from '../../api/use-all.ts';
import { useAuthority } from '../../api/use-authority.ts';
import { useNames } from '../../api/use-names.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AuthorityPart } from '../../components/agent-authority.tsx';
import { Banner } from '../../components/banner.tsx';
import { EndpointSelect } from '../../components/endpoint-select.tsx';
import type { FieldProps } from './field-props.ts';
import { OpenedTools } from './opened-tools.tsx';
import { useScopes } from './use-scopes.ts';

/** What is granted: by type, one of the scopes that the catalog names, of the agents, or of the secrets. */
export function MatterField(props: FieldProps) {
  const fields = {
    tool_scope: ScopeOfTools,
    spawn: AgentToStart,
    agent_env: SecretToHold,
    model_key: ModelKey,
  };
  const Field = fields[props.values.type];
  return <Field {...props} />;
}

function ScopeOfTools({ values, errors, change }: FieldProps) {
  const { isAdmin } = useWorkspace();
  const { data } = useScopes();
  const options = data?.map(({ scope, adminOnly }) => ({
    value: scope,
    label: adminOnly && !isAdmin ? `${scope} (admins only)` : scope,
    disabled: adminOnly && !isAdmin,
  }));
  return (
    <Stack gap={4}>
      <Choice
        label="Tool scope"
        description="Scopes that the catalog uses."
        none="The catalog has no scopes"
        options={options}
        field={{ values, errors, change }}
      />
      {values.matter === '' ? null : <OpenedTools scope={values.matter} />}
    </Stack>
  );
}

function AgentToStart(field: FieldProps) {
  const { agents } = useNames();
  const { holder, matter } = field.values;
  const authority = useAuthority(matter === '' ? null : matter);
  const options = agents
    .filter(({ archived_at: at }) => at === null)
    .map(({ id, name }) => ({ value: id, label: name }));
  const isWorkers = agents.find(({ id }) => holder === `agent:${id}`)?.kind === 'worker';
  return (
    <Stack gap="xs">
      <Choice label="Agent to start" none="There are no agents" options={options} field={field} />
      {matter === '' ? null : <AuthorityPart query={authority} />}
      {isWorkers ? (
        <Banner role="note" tone="wait">
          This has no effect while its holder is a worker: only orchestrators start other agents.
        </Banner>
      ) : null}
    </Stack>
  );
}

function SecretChoice({ label, field }: { label: string; field: FieldProps }) {
  const { slug } = useWorkspace();
  const { data } = useAllSecrets(slug);
  const options = data?.map(({ name, is_set: isSet }) => ({
    value: name,
    label: isSet ? name : `${name} (not set)`,
  }));
  return <Choice label={label} none="There are no secrets" options={options} field={field} />;
}

function ModelKey(field: FieldProps) {
  return (
    <Stack gap="xs">
      <SecretChoice label="Secret with the key" field={field} />
      <EndpointSelect
        value={field.values.endpoint}
        onChange={(endpoint) => field.change({ endpoint })}
        error={field.errors['endpoint']}
      />
      <Banner role="note" tone="wait" title="The agent spends what this key pays for">
        It takes effect once the agent’s model access references the secret. The agent cannot read the key;
        the limits of its model access say how much one session may use.
      </Banner>
    </Stack>
  );
}

function SecretToHold(field: FieldProps) {
  return (
    <Stack gap="xs">
      <SecretChoice label="Secret" field={field} />
      <Banner tone="fail" title="The agent can read this secret and send it anywhere it can reach">
        It takes effect once the agent’s environment references the secret. The platform cannot protect a
        secret that an agent can read: prefer giving it to an MCP server.
      </Banner>
    </Stack>
  );
}

function Choice({
  label,
  description,
  none,
  options,
  field: { values, errors, change },
}: {
  label: string;
  description?: string;
  none: string;
  options: { value: string; label: string; disabled?: boolean }[] | undefined;
  field: FieldProps;
}) {
  return (
    <Select
      label={label}
      description={description}
      placeholder={options?.length === 0 ? none : 'Choose'}
      required
      allowDeselect={false}
      searchable
      nothingFoundMessage="No matches"
      data={options ?? []}
      value={values.matter === '' ? null : values.matter}
      onChange={(matter) => change({ matter: matter ?? '' })}
      error={errors['matter']}
    />
  );
}
