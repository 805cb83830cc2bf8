import { Checkbox, List, Select, Stack, TextInput } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { useModelEndpoints } from '../../api/use-model-endpoints.ts';
import { ArgumentsInput } from '../../components/arguments-input.tsx';
import { isRuledOut } from '../../components/unavailable.tsx';
import { type AgentFormState, errorText } from './agent-form-type.ts';
import { hasOwnTools, withOwnTools } from './env-values.ts';
import { presetOptions, presetText } from './preset-options.ts';
import type { RunValues } from './run-values.ts';

const allTypes: { value: RunValues['type']; label: string }[] = [
  { value: 'scripted', label: 'Scripted steps (built in)' },
  { value: 'command', label: 'Command' },
  { value: 'image', label: 'Container image' },
  { value: 'claude', label: 'Claude (built in)' },
  { value: 'acp', label: 'Coding agent of somebody else (ACP)' },
];

const help: Record<RunValues['type'], string> = {
  scripted: 'Follows the steps in its instructions, the same way each time. For demos and tests.',
  command: 'A program in /usr, Node, or a package installed in the runner. It starts in an empty /workspace.',
  image: 'An OCI image, started unmodified.',
  claude: 'A language model chooses its steps. It needs access to one, below.',
  acp: 'Claude Code, Codex, OpenCode, or another program that speaks the Agent Client Protocol.',
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
      {value.type === 'acp' ? <PresetField form={form} path={path} value={value} /> : null}
      {value.type === 'command' || (value.type === 'acp' && value.preset === 'custom') ? (
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

function PresetField({ form, path, value }: { form: AgentFormState; path: string; value: RunValues }) {
  const options = presetOptions({
    presets: useAvailability()?.acp_presets,
    endpoints: useModelEndpoints(),
  });
  const problems = options.flatMap((each) => each.problems.map((problem) => ({ ...each, problem })));
  return (
    <>
      <Select
        label="Agent"
        description={presetText(value.preset)}
        data={options.map(({ value: preset, label, disabled }) => ({ value: preset, label, disabled }))}
        allowDeselect={false}
        {...form.getInputProps(`${path}.preset`)}
      />
      {problems.length === 0 ? null : (
        <List size="xs" c="dimmed">
          {problems.map(({ name, problem }) => (
            <List.Item key={`${name} ${problem}`}>
              {name}: {problem}.
            </List.Item>
          ))}
        </List>
      )}
      <Checkbox
        label="Tools of its own"
        description="To read and change files and run programs in its container, with its network: nobody is asked, and no grant is needed. Sets ACP_TOOLS under Environment, which can also name a few."
        checked={hasOwnTools(form.values.env)}
        onChange={({ currentTarget: { checked } }) =>
          form.setFieldValue('env', withOwnTools(form.values.env, checked))
        }
      />
    </>
  );
}
