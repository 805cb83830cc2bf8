import { List, Select, Stack, TextInput } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { ArgumentsInput } from '../../components/arguments-input.tsx';
import { isRuledOut } from '../../components/unavailable.tsx';
import { type AgentFormState, errorText } from './agent-form-type.ts';
import type { AcpPreset, RunValues } from './run-values.ts';

const allTypes: { value: RunValues['type']; label: string }[] = [
  { value: 'scripted', label: 'Scripted steps (built in)' },
  { value: 'command', label: 'Command' },
  { value: 'image', label: 'Container image' },
  { value: 'claude', label: 'Claude (built in)' },
  { value: 'acp', label: 'An agent that speaks ACP (built in)' },
];

const help: Record<RunValues['type'], string> = {
  scripted: 'Follows the steps in its instructions, the same way each time. For demos and tests.',
  command: 'A program in /usr, Node, or a package installed in the runner. It starts in an empty /workspace.',
  image: 'An OCI image, started unmodified.',
  claude: 'A language model chooses its steps. It needs access to one, below.',
  acp: 'A coding agent of somebody else, by the Agent Client Protocol.',
};

const isModelAgent = (type: RunValues['type']) => type === 'claude' || type === 'acp';

const isBuiltIn = (type: RunValues['type']) => type === 'scripted' || isModelAgent(type);

/** These are the agent itself and nothing beside one. */
const isOffered = (type: RunValues['type'], path: string, isService: boolean) =>
  isService ? !isBuiltIn(type) : !isModelAgent(type) || path === 'run';

/**
 * What runs; `path` is its place in the form, such as `run` or `siblings.0.run`. A service is no built-in
 * agent: one that was saved as such is still shown, with its problem.
 */
export function RunFields({
  form,
  path,
  value,
  isService = false,
}: {
  form: AgentFormState;
  path: string;
  value: RunValues;
  isService?: boolean;
}) {
  const here = useAvailability();
  const types = allTypes.filter(({ value: type }) => type === value.type || isOffered(type, path, isService));
  const data = types.map(({ value: type, label }) => ({
    value: type,
    label: isRuledOut(here?.runs[type]) ? `${label}: not available here` : label,
    disabled: isRuledOut(here?.runs[type]),
  }));
  const ruledOut = types.filter(({ value: type }) => isRuledOut(here?.runs[type]));
  return (
    <Stack gap="sm">
      <Select
        label="Program type"
        description={help[value.type]}
        data={data}
        allowDeselect={false}
        {...form.getInputProps(`${path}.type`)}
      />
      {ruledOut.length === 0 ? null : (
        <List size="xs" c="dimmed">
          {ruledOut.map(({ value: type, label }) => (
            <List.Item key={type}>
              {label} is not available here: {here?.runs[type]}.
            </List.Item>
          ))}
        </List>
      )}
      {value.type === 'command' ? (
        <>
          <TextInput label="Command" required spellCheck={false} {...form.getInputProps(`${path}.command`)} />
          <ArgumentsInput
            value={value.args}
            onChange={(args) => {
              form.setFieldValue(`${path}.args`, args);
              for (const at of value.args.keys()) {
                form.clearFieldError(`${path}.args.${at}`);
              }
            }}
            errors={Object.fromEntries(
              value.args.map((_, at) => [at, errorText(form.errors[`${path}.args.${at}`])]),
            )}
          />
        </>
      ) : null}
      {value.type === 'acp' ? <PresetField form={form} path={path} value={value} /> : null}
      {value.type === 'image' ? (
        <TextInput
          label="Image"
          description="Including the registry and a tag or digest."
          required
          spellCheck={false}
          {...form.getInputProps(`${path}.image`)}
        />
      ) : null}
    </Stack>
  );
}

const presets: { value: AcpPreset; label: string }[] = [
  { value: 'claude', label: 'Claude Code' },
  { value: 'codex', label: 'Codex' },
  { value: 'opencode', label: 'OpenCode' },
  { value: 'custom', label: 'Another one, which the variable ACP_COMMAND names' },
];

/** One that was saved without a choice keeps that. */
function PresetField({ form, path, value }: { form: AgentFormState; path: string; value: RunValues }) {
  const here = useAvailability()?.acp_presets;
  const missing = presets.filter(({ value: preset }) => isRuledOut(here?.[preset]));
  return (
    <>
      <Select
        label="Agent"
        data={[
          ...(value.preset === '' ? [{ value: '', label: 'As its variable ACP_PRESET says' }] : []),
          ...presets.map(({ value: preset, label }) => ({
            value: preset,
            label: isRuledOut(here?.[preset]) ? `${label}: not installed` : label,
            disabled: isRuledOut(here?.[preset]),
          })),
        ]}
        allowDeselect={false}
        {...form.getInputProps(`${path}.preset`)}
      />
      {missing.length === 0 ? null : (
        <List size="xs" c="dimmed">
          {missing.map(({ value: preset, label }) => (
            <List.Item key={preset}>
              {label}: {here?.[preset]}.
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
