import { Button, Group, Input, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { durationWords, parseDuration } from '../text/duration-words.ts';

const usualChoices = [900, 3600, 8 * 3600, 86_400];

/**
 * A length of time in words. `value` is in seconds: empty where nothing is typed, NaN for what cannot be
 * read, which the form has to refuse (`durationProblem`).
 */
export function DurationInput({
  label,
  description,
  required = false,
  value,
  onChange,
  error,
  choices = usualChoices,
  placeholder,
}: {
  label: string;
  description?: ReactNode;
  required?: boolean;
  value: number | '';
  onChange: (seconds: number | '') => void;
  error?: ReactNode;
  /** In seconds, for one click. */
  choices?: readonly number[];
  placeholder?: string;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = value === '' || Number.isNaN(value) ? '' : durationWords(value);
  // What is being typed stays as it is; what another field or a draft changed is shown instead.
  const isTyped = typed !== null && Object.is(secondsOf(typed), value);
  return (
    <Input.Wrapper>
      <TextInput
        label={label}
        description={description}
        required={required}
        value={isTyped ? typed : shown}
        placeholder={placeholder ?? 'such as 2 h 30 min'}
        error={error}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          onChange(secondsOf(text));
        }}
        onBlur={() => setTyped(Number.isNaN(value) ? typed : null)}
      />
      <Group gap={4} mt={4} role="group" aria-label={`${label}: usual choices`}>
        {choices.map((seconds) => (
          <Button
            key={seconds}
            size="compact-xs"
            variant={value === seconds ? 'light' : 'default'}
            aria-pressed={value === seconds}
            onClick={() => {
              setTyped(null);
              onChange(seconds);
            }}
          >
            {durationWords(seconds)}
          </Button>
        ))}
      </Group>
    </Input.Wrapper>
  );
}

const secondsOf = (text: string): number | '' =>
  text.trim() === '' ? '' : (parseDuration(text) ?? Number.NaN);
