import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ModelDialect, modelDialect } from '../../../contract/model-access.ts';
import { useModelEndpoints } from '../api/use-model-endpoints.ts';
import { dialectText } from '../text/dialect-text.ts';

/** One of the endpoints of language models that the operator lists for the workspace. */
export function EndpointSelect({
  value,
  onChange,
  error,
  dialects = modelDialect.options,
}: {
  value: string;
  onChange: (name: string) => void;
  error: ReactNode;
  /** What the agent speaks: an endpoint of another dialect cannot be chosen. */
  dialects?: readonly ModelDialect[];
}) {
  const offered = (useModelEndpoints() ?? []).map(({ name, dialect }) => {
    const isSpoken = dialects.includes(dialect);
    const label = `${name} (${dialectText[dialect]})`;
    return {
      ...{ value: name, disabled: !isSpoken },
      label: isSpoken ? label : `${label}: the agent does not speak it`,
    };
  });
  // One that is gone is shown as what it is, so that a save says what is wrong with it.
  const isKnown = offered.some((each) => each.value === value);
  return (
    <Select
      label="Endpoint"
      description="Where the key is sent. The agent has to speak its dialect."
      allowDeselect={false}
      data={isKnown ? offered : [...offered, { value, label: value }]}
      value={value}
      onChange={(name) => onChange(name ?? value)}
      error={error}
    />
  );
}
