import { Checkbox, NumberInput, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { descriptionOr, isRuledOut } from '../../components/unavailable.tsx';
import type { EntryFormState } from './shape-fields.tsx';
import { ToolPolicyFields } from './tool-policy-fields.tsx';

const features = [
  { value: 'elicitation', label: 'Ask the agent questions (elicitation)' },
  { value: 'roots', label: 'See the list of the agent’s folders (roots)' },
  { value: 'sampling', label: 'Use the agent’s model (sampling)' },
];

/**
 * What the server may reach, which of its tools can be called, who approves the gated ones, and what
 * it may ask of the agent.
 */
export function AccessFields({ form }: { form: EntryFormState }) {
  return (
    <Stack>
      {form.values.shapeType === 'remote' ? (
        <Text size="sm">Network: the internet, for the address of the server only.</Text>
      ) : (
        <NetworkFields form={form} />
      )}
      <Radio.Group label="Who can grant its scopes" {...form.getInputProps('approvers')}>
        <Stack gap="xs" mt={4}>
          <Radio value="operator" label="The session's operator, and admins" />
          <Radio
            value="admin"
            label="Admins only"
            description="For tools that affect more than one person."
          />
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Require a passkey to approve its scopes"
        description="Whoever approves confirms it with a passkey of their own; so does whoever grants a secret to an agent. Applies from the next approval; grants that exist stay."
        {...form.getInputProps('requirePasskey', { type: 'checkbox' })}
      />
      <ToolPolicyFields form={form} />
      <NumberInput
        label="Limit for its start, in seconds"
        description="Until it answers its first request. Empty for the limit that the operator set. Raise it for a server that starts slowly."
        min={1}
        max={3600}
        allowDecimal={false}
        {...form.getInputProps('startSeconds')}
      />
      <Checkbox.Group
        label="What it can ask of the agent"
        description="Nothing unless selected. A server that uses the agent’s model or asks it questions can influence the agent."
        {...form.getInputProps('clientFeatures')}
      >
        <Stack gap="xs" mt="xs">
          {features.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}

function NetworkFields({ form }: { form: EntryFormState }) {
  const here = useAvailability();
  return (
    <>
      <Radio.Group label="Network" {...form.getInputProps('network')}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="none"
            label="None"
            description="The safest choice. For servers that only need local files."
          />
          <Radio
            value="internet"
            label="The internet"
            description={descriptionOr(
              'Not this machine, private networks or cloud metadata, unless allowed below.',
              here?.internet,
            )}
            disabled={isRuledOut(here?.internet)}
          />
        </Stack>
      </Radio.Group>
      <Textarea
        label="Allowed private destinations"
        description={descriptionOr(
          'host:port or cidr:port, one per line. Each is an exception to the rule above.',
          here?.private_destinations,
        )}
        // Existing destinations can still be removed.
        disabled={isRuledOut(here?.private_destinations) && form.values.egress === ''}
        placeholder="db.internal.example:5432"
        autosize
        minRows={2}
        spellCheck={false}
        {...form.getInputProps('egress')}
      />
    </>
  );
}
