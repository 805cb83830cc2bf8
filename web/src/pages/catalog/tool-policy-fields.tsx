import { Radio, Stack, Textarea } from '@mantine/core';
import type { EntryFormState } from './shape-fields.tsx';

/** What happens when the server changes its tools, and which of those without a scope can be called. */
export function ToolPolicyFields({ form }: { form: EntryFormState }) {
  const { unlistedTools, listedTools } = form.values;
  return (
    <>
      <Radio.Group label="When a tool is new or has changed" {...form.getInputProps('changedTools')}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="tell"
            label="Tell the people concerned"
            description="In the session that sees it, and in the approvals of admins. Its calls pass."
          />
          <Radio
            value="refuse"
            label="Refuse its calls until an admin accepts it"
            description="Agents can only call what an admin has accepted."
          />
        </Stack>
      </Radio.Group>
      <Radio.Group label="Other tools" {...form.getInputProps('unlistedTools')}>
        <Stack gap="xs" mt={4}>
          <Radio value="allow" label="Can be called" description="By any agent with this server attached." />
          <Radio
            value="refuse"
            label="Cannot be called, but for those listed"
            description="Neither can those that the server adds later."
          />
        </Stack>
      </Radio.Group>
      {unlistedTools === 'refuse' || listedTools !== '' ? (
        <Textarea
          label="Listed tools"
          description={
            unlistedTools === 'refuse'
              ? 'One name per line: tools that can be called without a grant.'
              : 'Without effect while all other tools can be called.'
          }
          placeholder="read_file"
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          {...form.getInputProps('listedTools')}
        />
      ) : null}
    </>
  );
}
