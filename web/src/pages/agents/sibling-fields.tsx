import { NumberInput, Select, TextInput } from '@mantine/core';
import { ArgumentsInput } from '../../components/arguments-input.tsx';
import { type AgentFormState, errorText } from './agent-form-type.ts';
import type { ReadyValues } from './sibling-values.ts';

const readyTypes: { value: ReadyValues['type']; label: string }[] = [
  { value: 'none', label: 'At once' },
  { value: 'port', label: 'When its port takes connections' },
  { value: 'command', label: 'When a command beside it succeeds' },
];

/**
 * Where the agent reaches a sibling, and whether it waits for it; `path` is the sibling's place in the form.
 */
export function SiblingFields({
  form,
  path,
  ready,
}: {
  form: AgentFormState;
  path: string;
  ready: ReadyValues;
}) {
  const key = `${path}.ready`;
  return (
    <>
      <NumberInput
        label="Port"
        description="Where it listens on its own loopback address, from 1024 to 65535. The agent reaches it by a socket, and at 127.0.0.1 on the same port where it has a network of its own. Leave empty when the agent does not reach it."
        allowDecimal={false}
        allowNegative={false}
        hideControls
        {...form.getInputProps(`${path}.port`)}
      />
      <Select
        label="The agent starts"
        data={readyTypes}
        allowDeselect={false}
        {...form.getInputProps(`${key}.type`)}
      />
      {ready.type === 'command' ? (
        <>
          <TextInput
            label="Command to ask with"
            description="Runs each second in the sibling’s own container, until it ends with 0."
            required
            spellCheck={false}
            {...form.getInputProps(`${key}.command`)}
          />
          <ArgumentsInput
            value={ready.args}
            onChange={(args) => {
              form.setFieldValue(`${key}.args`, args);
              for (const at of ready.args.keys()) {
                form.clearFieldError(`${key}.args.${at}`);
              }
            }}
            errors={Object.fromEntries(
              ready.args.map((_, at) => [at, errorText(form.errors[`${key}.args.${at}`])]),
            )}
          />
        </>
      ) : null}
      {ready.type === 'none' ? null : (
        <NumberInput
          label="Limit in seconds"
          description="A sibling that is not ready by then ends the session. At most 600."
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps(`${key}.timeoutSeconds`)}
        />
      )}
    </>
  );
}
