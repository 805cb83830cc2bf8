import './steps.css';
import { Button, CloseButton, Group, Input, Menu, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Pill } from '../../components/pill.tsx';
import {
  freeName,
  renamed,
  type StepRow,
  savedName,
  textOfValue,
  typeOfValue,
  valueOfText,
  withMember,
} from './steps.ts';

/** Names with values: text as it is, numbers and the like as JSON, what an earlier step saved as a chip. */
export function StepArguments({
  label,
  nameLabel,
  valueLabel = 'Value',
  saved,
  members,
  problems,
  path,
  onChange,
}: {
  label: string;
  nameLabel: string;
  valueLabel?: string;
  /** Variables that a value can refer to. */
  saved: readonly string[];
  members: StepRow;
  problems: Readonly<Record<string, string>>;
  /** Of the members within the step. */
  path: string;
  onChange: (members: StepRow) => void;
}) {
  const names = Object.keys(members);
  return (
    <Stack gap={6} role="group" aria-label={label}>
      <Input.Label component="div">{label}</Input.Label>
      {problems[path] === undefined ? null : <Input.Error>{problems[path]}</Input.Error>}
      {names.map((name, at) => {
        const key = `member ${at}`;
        const problem = Object.entries(problems).find(
          ([place]) => place === `${path}.${name}` || place.startsWith(`${path}.${name}.`),
        );
        return (
          <Group key={key} gap="xs" wrap="nowrap" align="flex-start" role="group" aria-label={name}>
            <NameInput
              label={`${nameLabel} ${at + 1}`}
              name={name}
              others={names.filter((other) => other !== name)}
              onChange={(next) => onChange(renamed(members, name, next))}
            />
            <ValueInput
              label={`${valueLabel} of ${name}`}
              value={members[name]}
              saved={saved}
              error={problem?.[1]}
              onChange={(value) => onChange(withMember(members, name, value))}
            />
            <CloseButton
              mt={2}
              aria-label={`Remove ${name}`}
              onClick={() => onChange(withMember(members, name, undefined))}
            />
          </Group>
        );
      })}
      <Group>
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onChange(withMember(members, freeName(names), ''))}
        >
          Add {nameLabel.toLowerCase()}
        </Button>
      </Group>
    </Stack>
  );
}

/** A name that is empty or there already is not taken over: two arguments of one name would be one. */
function NameInput({
  label,
  name,
  others,
  onChange,
}: {
  label: string;
  name: string;
  others: readonly string[];
  onChange: (name: string) => void;
}) {
  const [refused, setRefused] = useState<string | null>(null);
  return (
    <TextInput
      w={160}
      aria-label={label}
      spellCheck={false}
      value={refused ?? name}
      error={refused === null ? undefined : refused === '' ? 'is required' : 'is there already'}
      onBlur={() => setRefused(null)}
      onChange={({ currentTarget: { value } }) => {
        const isTaken = value === '' || others.includes(value);
        setRefused(isTaken ? value : null);
        if (!isTaken) {
          onChange(value);
        }
      }}
    />
  );
}

function ValueInput({
  label,
  value,
  saved,
  error,
  onChange,
}: {
  label: string;
  value: unknown;
  saved: readonly string[];
  error: string | undefined;
  onChange: (value: unknown) => void;
}) {
  const [typed, setTyped] = useState('');
  const reference = savedName(value);
  if (reference !== null) {
    return (
      <div className="step-value">
        <span className="reference-chip">
          saved: {reference}
          <CloseButton
            size="xs"
            aria-label={`Use a value of its own for ${label}`}
            onClick={() => onChange('')}
          />
        </span>
        {error === undefined ? null : <Input.Error>{error}</Input.Error>}
      </div>
    );
  }
  // What is being typed stays as it is as long as it means the value.
  const isTyped = JSON.stringify(valueOfText(typed)) === JSON.stringify(value);
  const type = typeOfValue(value);
  return (
    <div className="step-value">
      <Group gap={4} wrap="nowrap" align="flex-start">
        <Textarea
          flex={1}
          autosize
          minRows={1}
          maxRows={10}
          aria-label={label}
          spellCheck={false}
          value={isTyped ? typed : textOfValue(value)}
          error={error}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange(valueOfText(currentTarget.value));
          }}
        />
        {type === 'text' ? null : <Pill tone="idle">{type}</Pill>}
        {saved.length === 0 ? null : (
          <Menu>
            <Menu.Target>
              <Button variant="default" size="compact-sm" aria-label={`Saved value for ${label}`}>
                Saved
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {saved.map((variable) => (
                <Menu.Item key={variable} onClick={() => onChange({ $saved: variable })}>
                  {variable}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </div>
  );
}
