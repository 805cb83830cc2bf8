/** The steps of a scripted agent, a card each: what it does, with what, and what it expects. */
import {
  ActionIcon,
  Autocomplete,
  Button,
  Card,
  CloseButton,
  Group,
  Input,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useId, useState } from 'react';
import { DurationInput } from '../../components/duration-input.tsx';
import { Icon } from '../../components/icon.tsx';
import { ServerField, ToolField } from './server-fields.tsx';
import { StepArguments } from './step-arguments.tsx';
import {
  isObject,
  kindOfStep,
  newStep,
  problemsOfStep,
  problemsOfSteps,
  type StepKind,
  type StepRow,
  savedBefore,
  stepKinds,
  textOfSteps,
  withMember,
} from './steps.ts';

const kindOptions = Object.entries(stepKinds).map(([value, label]) => ({ value, label }));

export function StepsFields({
  text,
  rows,
  onChange,
  isAsked,
}: {
  text: string;
  rows: readonly StepRow[];
  onChange: (text: string) => void;
  /** The form was sent without steps: the button that adds one is what is wrong. */
  isAsked: boolean;
}) {
  const problems = problemsOfSteps(text);
  const problemId = useId();
  const put = (next: readonly StepRow[]) => onChange(textOfSteps(next));
  // What each step was before its kind was changed, in the order of the steps.
  const [before, setBefore] = useState<readonly Earlier[]>([]);
  const earlier = rows.map((_, at) => before[at] ?? {});
  const move = (from: number, to: number) => {
    put(moved(rows, from, to));
    setBefore(moved(earlier, from, to));
  };
  const isMissing = isAsked && rows.length === 0;
  return (
    <Stack gap="xs">
      {rows.map((row, at) => {
        const key = `step ${at}`;
        return (
          <StepCard
            key={key}
            at={at}
            last={rows.length - 1}
            row={row}
            saved={savedBefore(rows, at)}
            problems={problemsOfStep(problems, at)}
            onChange={(changed) => put(rows.map((old, index) => (index === at ? changed : old)))}
            onKind={(chosen, kind) => {
              const kept = kind === null ? earlier[at] : { ...earlier[at], [kind]: row };
              setBefore(earlier.map((old, index) => (index === at ? (kept ?? {}) : old)));
              const next = kept?.[chosen] ?? newStep(chosen);
              put(rows.map((old, index) => (index === at ? next : old)));
            }}
            onMove={(by) => move(at, at + by)}
            onRemove={() => {
              put(rows.filter((_, index) => index !== at));
              setBefore(earlier.filter((_, index) => index !== at));
            }}
          />
        );
      })}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon name="plus" size={14} />}
          aria-describedby={isMissing ? problemId : undefined}
          aria-invalid={isMissing}
          onClick={() => put([...rows, newStep('call')])}
        >
          Add step
        </Button>
        {isMissing ? <Input.Error id={problemId}>has no steps yet</Input.Error> : null}
      </Group>
    </Stack>
  );
}

/** By kind, what a step was when it was one of that kind: choosing it again brings it back. */
type Earlier = Partial<Record<StepKind, StepRow>>;

function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const others = items.filter((_, at) => at !== from);
  return [...others.slice(0, to), ...items.slice(from, from + 1), ...others.slice(to)];
}

interface StepProps {
  row: StepRow;
  saved: readonly string[];
  problems: Readonly<Record<string, string>>;
  onChange: (row: StepRow) => void;
}

function StepCard({
  at,
  last,
  onKind,
  onMove,
  onRemove,
  ...step
}: StepProps & {
  at: number;
  last: number;
  onKind: (chosen: StepKind, before: StepKind | null) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}) {
  const { row, problems } = step;
  const kind = kindOfStep(row);
  const name = `Step ${at + 1}`;
  const shown = kind === null ? [] : shownMembers[kind];
  const others = Object.entries(problems).filter(
    ([path]) => !shown.some((member) => path === member || path.startsWith(`${member}.`)),
  );
  return (
    <Card withBorder padding="sm" role="group" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-end">
          <Select
            label={name}
            w={200}
            data={kindOptions}
            value={kind}
            placeholder="Choose"
            allowDeselect={false}
            onChange={(chosen) => (chosen === null ? undefined : onKind(chosen as StepKind, kind))}
          />
          <Group gap={4} wrap="nowrap">
            <MoveButton
              label={`Move step ${at + 1} up`}
              icon="arrowUp"
              isOff={at === 0}
              onClick={() => onMove(-1)}
            />
            <MoveButton
              label={`Move step ${at + 1} down`}
              icon="arrowDown"
              isOff={at === last}
              onClick={() => onMove(1)}
            />
            <CloseButton aria-label={`Remove step ${at + 1}`} onClick={onRemove} />
          </Group>
        </Group>
        {kind === null ? (
          <Text size="sm">This step is of no known kind: choose one, or change it as JSON.</Text>
        ) : (
          <StepFields kind={kind} {...step} />
        )}
        {others.map(([path, message]) => (
          <Input.Error key={path}>{path === '' ? message : `${path}: ${message}`}</Input.Error>
        ))}
      </Stack>
    </Card>
  );
}

function MoveButton({
  label,
  icon,
  isOff,
  onClick,
}: {
  label: string;
  icon: 'arrowUp' | 'arrowDown';
  isOff: boolean;
  onClick: () => void;
}) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={isOff} onClick={onClick}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}

/** Members whose problems stand at a field. */
const shownMembers: Record<StepKind, readonly string[]> = {
  call: ['call', 'arguments', 'expect', 'save'],
  write: ['write', 'seconds'],
  wait_for_message: ['wait_for_message.contains', 'wait_for_message.timeout_seconds'],
  sleep_seconds: ['sleep_seconds'],
  list_tools: ['list_tools', 'artifact'],
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | '' => (typeof value === 'number' ? value : '');
/** What is not there is left out of the step; NaN is kept as null, which is refused at its field. */
const orLeftOut = (value: number | string): unknown => (value === '' ? undefined : value);

function StepFields({ kind, ...step }: StepProps & { kind: StepKind }) {
  const { row, problems, onChange } = step;
  const set = (name: string, value: unknown) => onChange(withMember(row, name, value));
  switch (kind) {
    case 'call':
      return <CallFields {...step} />;
    case 'write':
      return (
        <>
          <Textarea
            label="Message"
            required
            autosize
            minRows={1}
            maxRows={8}
            value={textOf(row['write'])}
            error={problems['write']}
            onChange={({ currentTarget }) => set('write', currentTarget.value)}
          />
          <NumberInput
            label="Written over"
            suffix=" s"
            w={160}
            placeholder="2 s"
            value={numberOf(row['seconds'])}
            error={problems['seconds']}
            onChange={(seconds) => set('seconds', orLeftOut(seconds))}
          />
        </>
      );
    case 'wait_for_message':
      return <WaitFields {...step} />;
    case 'sleep_seconds':
      return (
        <DurationInput
          label="For"
          required
          choices={[5, 60, 600]}
          value={row['sleep_seconds'] === null ? Number.NaN : numberOf(row['sleep_seconds'])}
          error={problems['sleep_seconds']}
          onChange={(seconds) => set('sleep_seconds', seconds)}
        />
      );
    case 'list_tools':
      return (
        <Group grow align="flex-start">
          <ServerField
            value={textOf(row['list_tools'])}
            error={problems['list_tools']}
            onChange={(server) => set('list_tools', server)}
          />
          <TextInput
            label="Into the artifact"
            required
            value={textOf(row['artifact'])}
            error={problems['artifact']}
            onChange={({ currentTarget }) => set('artifact', currentTarget.value)}
          />
        </Group>
      );
  }
}

function WaitFields({ row, problems, onChange }: StepProps) {
  const wanted = isObject(row['wait_for_message']) ? row['wait_for_message'] : {};
  const set = (name: string, value: unknown) =>
    onChange(withMember(row, 'wait_for_message', withMember(wanted, name, value)));
  return (
    <>
      <TextInput
        label="That contains"
        description="Empty: any message."
        value={textOf(wanted['contains'])}
        error={problems['wait_for_message.contains']}
        onChange={({ currentTarget }) => set('contains', orLeftOut(currentTarget.value))}
      />
      <DurationInput
        label="For at most"
        placeholder="1 min"
        choices={[60, 600, 3600]}
        value={wanted['timeout_seconds'] === null ? Number.NaN : numberOf(wanted['timeout_seconds'])}
        error={problems['wait_for_message.timeout_seconds']}
        onChange={(seconds) => set('timeout_seconds', orLeftOut(seconds))}
      />
    </>
  );
}

const expectations = ['ok', 'error', 'permission_required'];

function CallFields({ row, saved, problems, onChange }: StepProps) {
  const set = (name: string, value: unknown) => onChange(withMember(row, name, value));
  const [isMore, setMore] = useState(false);
  const hasMore = row['expect'] !== undefined || row['save'] !== undefined || isMore;
  const repeats = ['repeat_on', 'repeat_until'].filter((name) => Object.hasOwn(row, name));
  return (
    <>
      <ToolField
        value={textOf(row['call'])}
        error={problems['call']}
        onChange={(call) => set('call', call)}
      />
      <StepArguments
        label="Arguments"
        nameLabel="Argument"
        saved={saved}
        members={isObject(row['arguments']) ? row['arguments'] : {}}
        problems={problems}
        path="arguments"
        onChange={(members) => set('arguments', members)}
      />
      {hasMore ? (
        <>
          <Autocomplete
            label="Expects"
            description="ok, error for any failure, or the code of the one that is expected."
            data={expectations}
            value={textOf(row['expect'])}
            placeholder="ok"
            error={problems['expect']}
            onChange={(expect) => set('expect', orLeftOut(expect))}
          />
          <StepArguments
            label="Keeps of the result"
            nameLabel="Variable"
            valueLabel="Where in the result"
            saved={[]}
            members={isObject(row['save']) ? row['save'] : {}}
            problems={problems}
            path="save"
            onChange={(members) => set('save', Object.keys(members).length === 0 ? undefined : members)}
          />
        </>
      ) : (
        <Group>
          <Button variant="subtle" size="compact-xs" onClick={() => setMore(true)}>
            Expect or keep something
          </Button>
        </Group>
      )}
      {repeats.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          It is made again under conditions of its own ({repeats.join(', ')}), which the JSON shows.
        </Text>
      )}
    </>
  );
}
