import { Select, TextInput } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { valueProblem } from '../../../../contract/attachment-validation.ts';
import type { ManifestEnvField } from '../../api/types.ts';
import { SecretSelect } from '../../components/secret-select.tsx';
import { hasEngine, judgePattern, subscribeEngine } from '../../text/judge-pattern.ts';

/** One variable of a manifest: a secret that is picked, or a value that is checked on blur. */
export function AttachmentField({
  variable,
  field,
  value,
  onChange,
  error,
}: {
  variable: string;
  field: ManifestEnvField;
  value: string;
  onChange: (text: string) => void;
  /** The API's message. */
  error: string | undefined;
}) {
  const [left, setLeft] = useState(false);
  // Shown again once what is typed can be judged.
  useSyncExternalStore(subscribeEngine, hasEngine);
  const own = left && value !== '' ? valueProblem(field, value, judgePattern)?.message : undefined;
  const required = field.required === true && field.default === undefined;
  const common = {
    label: field.label === '' ? variable : `${field.label} (${variable})`,
    description: descriptionOf(field),
    required,
    error: own ?? error,
  };
  if (field.kind === 'secret') {
    return (
      <SecretSelect {...common} value={value} onChange={onChange} suggestedName={variable.toUpperCase()} />
    );
  }
  if (field.enum !== undefined) {
    return (
      <Select
        {...common}
        data={field.enum}
        value={value === '' ? null : value}
        onChange={(text) => onChange(text ?? '')}
        placeholder={placeholderOf(field)}
        clearable={!required}
        allowDeselect={!required}
      />
    );
  }
  return (
    <TextInput
      {...common}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => setLeft(true)}
      placeholder={placeholderOf(field)}
      spellCheck={false}
    />
  );
}

const placeholderOf = ({ default: fallback }: ManifestEnvField): string =>
  fallback === undefined ? '' : `Default: ${fallback}`;

function descriptionOf({
  kind,
  description,
  regex,
  default: fallback,
}: ManifestEnvField): string | undefined {
  const parts = [
    ...(description === undefined ? [] : [description]),
    ...(kind === 'secret' ? ['Only the server gets the value; the agent cannot read it.'] : []),
    ...(regex === undefined ? [] : [`Must match ${regex}`]),
    ...(fallback === undefined ? [] : [`Default: ${fallback}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}
