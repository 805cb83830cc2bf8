/**
 * The operator's messages and answers to the agent. What was typed stays until the platform has accepted it.
 */
import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type KeyboardEvent, type SyntheticEvent, useRef } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import type { SessionEvents } from '../../api/use-session-events.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { Icon } from '../../components/icon.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { afterDialog } from '../approvals/use-focus-after.ts';
import { BudgetNotice } from './budget-notice.tsx';
import type { Question } from './open-questions.ts';

/**
 * What a message would answer: a question, one that was not read yet, with how to read it, or nothing.
 */
export type AskedQuestion = Question | Pick<SessionEvents, 'olderFailed' | 'loadOlder'> | null;

export function MessageForm({ session, question: asked }: { session: Session; question: AskedQuestion }) {
  const unread = asked !== null && 'loadOlder' in asked ? asked : null;
  const question = asked !== null && 'prompt' in asked ? asked : undefined;
  const [text, setText] = useDraft(`message to ${session.id}`, '');
  const field = useRef<HTMLTextAreaElement>(null);
  const params = { path: { session_id: session.id } };
  const send = useApiMutation({
    send: (message: string) =>
      call(api.POST('/api/sessions/{session_id}/messages', { params, body: { text: message } })),
    onSuccess: (_, sent) => setText((typed) => (typed === sent ? '' : typed)),
    invalidatesOnError: [keys.session(session.id)],
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (text.trim() !== '' && !send.isPending && unread === null) {
      send.mutate(text);
      // The button is disabled for a moment; the person continues to type.
      field.current?.focus({ preventScroll: true });
    }
  };
  const sendByKeys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      submit(event);
    }
  };
  return (
    <section aria-label="Message to the agent" className="pinned-foot">
      <form onSubmit={submit}>
        <Stack gap="xs">
          <BudgetNotice session={session} />
          {unread === null ? null : <UnreadQuestion {...unread} />}
          {question === undefined ? null : (
            <AnswerChoices
              question={question}
              pending={send.isPending}
              answer={(option) => send.mutate(option)}
            />
          )}
          <div className="composer">
            <Textarea
              className="composer-field"
              variant="unstyled"
              aria-label={question === undefined ? 'Message to the agent' : 'Your answer'}
              placeholder={question === undefined ? 'Message to the agent' : 'Your answer'}
              autosize
              minRows={1}
              maxRows={6}
              ref={field}
              {...afterDialog}
              aria-busy={send.isPending && send.variables === text}
              onKeyDown={sendByKeys}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <span className="composer-keys wide-only">Ctrl+Enter</span>
            <ActionIcon
              type="submit"
              size={32}
              aria-label="Send"
              loading={send.isPending}
              disabled={text.trim() === '' || unread !== null}
            >
              <Icon name="arrowUp" />
            </ActionIcon>
          </div>
          <FailureAlert error={send.error} values={text} takesFocus={false} />
        </Stack>
      </form>
    </section>
  );
}

function UnreadQuestion({ olderFailed, loadOlder }: Pick<SessionEvents, 'olderFailed' | 'loadOlder'>) {
  return (
    <Text size="sm" component="div" role="status">
      The agent asked something earlier, which your message would answer.{' '}
      {olderFailed ? (
        <button type="button" className="text-button" onClick={loadOlder}>
          Load the question again
        </button>
      ) : (
        'It is being loaded.'
      )}
    </Text>
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
            <span>
              Answer “
              <VisibleText text={option} />”
            </span>
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
