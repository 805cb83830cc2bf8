/** What the operator tells the agent, or answers it. What was typed stays until the platform has taken it. */
import { Button, Card, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import type { Question } from './open-questions.ts';

export function MessageForm({ session, question }: { session: Session; question: Question | undefined }) {
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const params = { path: { session_id: session.id } };
  const send = useMutation({
    mutationFn: (message: string) =>
      call(api.POST('/api/sessions/{session_id}/messages', { params, body: { text: message } })),
    onSuccess: (_, sent) => setText((typed) => (typed === sent ? '' : typed)),
    onError: () => void queries.invalidateQueries({ queryKey: keys.session(session.id) }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') {
      send.mutate(text);
    }
  };
  return (
    <Card withBorder padding="sm" component="section" aria-label="Message to the agent">
      <form onSubmit={submit}>
        <Stack gap="xs">
          {question === undefined ? null : (
            <AnswerChoices
              question={question}
              pending={send.isPending}
              answer={(option) => send.mutate(option)}
            />
          )}
          <Textarea
            label={question === undefined ? 'Message to the agent' : 'Your answer'}
            autosize
            minRows={2}
            maxRows={10}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <FailureAlert error={send.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={send.isPending} disabled={text.trim() === ''}>
              Send
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function AnswerChoices({
  question,
  pending,
  answer,
}: {
  question: Question;
  pending: boolean;
  answer: (option: string) => void;
}) {
  const options = [...new Set(question.options)].filter((option) => option !== '');
  return (
    <Stack gap="xs">
      <Text size="sm" component="div">
        The agent asks: <VisibleText text={question.prompt} />
      </Text>
      <Group gap="xs">
        {options.map((option) => (
          <Button
            key={option}
            variant="default"
            size="xs"
            h="auto"
            mih={30}
            disabled={pending}
            onClick={() => answer(option)}
            styles={{ label: { whiteSpace: 'normal' } }}
          >
            <VisibleText text={option} />
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
