import { Button, Group, Stack, Text } from '@mantine/core';
import type { Authorization } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { otherHosts } from '../catalog/registration/registration-text.ts';
import { problemOf } from './authorization-text.ts';
import { WaysOn } from './outcomes.tsx';
import { useBegin } from './use-authorization.ts';

/** Names the host to which the button leads, and leads there, to no other. */
export function BeginPart({ authorization, host }: { authorization: Authorization; host: string }) {
  const { problem, parties } = authorization;
  const { begin, error, isBusy, isAnother } = useBegin(authorization);
  return (
    <Stack gap="sm">
      {isAnother ? (
        <Banner tone="fail" role="alert" title="The sign-in is another one by now">
          The server asked for more, or its catalog entry was changed, while this page was open. Read again
          where you would sign in and for what; if you did not expect the change, ask an admin first.
        </Banner>
      ) : null}
      <div>
        <Text>You will leave the platform, and sign in at</Text>
        <Text size="xl" fw={700} component="div">
          <VisibleText text={host} />
        </Text>
        <Text size="sm" c="dimmed">
          Check that your browser shows this host before you enter a password there. The agent never sees your
          password, nor the tokens that the platform receives.
        </Text>
      </div>
      {parties !== null && otherHosts(parties).page ? (
        <Banner tone="wait" role="note" title="The sign-in page is on another host than its issuer">
          The issuer is <CodeText text={parties.issuer} />. That is usual for some large services, but go on
          only if you know that both belong together.
        </Banner>
      ) : null}
      <FailureAlert error={error} />
      <Group>
        <Button
          loading={isBusy}
          onClick={begin}
          h="auto"
          mih={36}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
        >
          {problem === null ? 'Sign in' : 'Try again'} at {host}
        </Button>
      </Group>
    </Stack>
  );
}

/** Why the last try failed, and the way back for who meant it. */
export function LastProblem({ authorization }: { authorization: Authorization }) {
  const problem = problemOf(authorization);
  return problem === null ? null : (
    <Banner tone="fail" role="alert" title={<VisibleText text={problem.title} />}>
      <Text size="sm" mb="xs" component="div">
        <VisibleText text={problem.text} />
      </Text>
      <WaysOn authorization={authorization} />
    </Banner>
  );
}
