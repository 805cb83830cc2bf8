/** How people sign in to a remote server, where that stands, and what an admin can do about it. */
import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { api, call } from '../../../api/client.ts';
import { stale } from '../../../api/stale.ts';
import type { McpRegistration, McpServer, SignInParties } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { CodeText } from '../../../components/code-text.tsx';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { PersonName } from '../../../components/person-name.tsx';
import { Pill } from '../../../components/pill.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { VisibleText } from '../../../components/visible-text.tsx';
import type { Tone } from '../../../text/tone.ts';
import { ChangedParties } from './changed-parties.tsx';
import { OwnConnection } from './own-connection.tsx';
import { PartiesFacts } from './parties-facts.tsx';
import { RedirectUri } from './redirect-uri.tsx';
import { clientKindLabels, needsRedirectUri, signInText, statusLabels } from './registration-text.ts';

export function SignInPart({ entry, registration }: { entry: McpServer; registration: McpRegistration }) {
  const { slug, isAdmin } = useWorkspace();
  const { name } = entry;
  const retry = useRetry(slug, name);
  const accept = useAcceptParties(slug, name);
  const { status, parties, found } = registration;
  const failure = accept.error ?? retry.error;
  return (
    <Stack gap="sm">
      <Status registration={registration} />
      {failure === null ? null : <FailureAlert error={failure} />}
      {parties !== null && found !== null ? (
        <ChangedParties name={name} parties={parties} found={found} accept={accept} />
      ) : null}
      {registration.refused_sign_ins === null ? null : (
        <RefusedSignIns refused={registration.refused_sign_ins} />
      )}
      <SignInFacts entry={entry} registration={registration} />
      {registration.sign_in === 'oauth' ? <OwnConnection name={name} isReady={status === 'ready'} /> : null}
      {needsRedirectUri(entry) ? <RedirectUri name={name} registration={registration} /> : null}
      {isAdmin && status !== 'pending' ? (
        <Group>
          <Button
            variant="default"
            loading={retry.isPending}
            onClick={() => {
              accept.reset();
              retry.mutate();
            }}
          >
            {status === 'failed' ? 'Try again' : 'Discover again'}
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

const tones: Record<McpRegistration['status'], Tone> = { pending: 'run', ready: 'ok', failed: 'fail' };

/** Announced as it changes. That another issuer was found is shown with the way to accept it. */
function Status({
  registration: { status, reason, found, updated_at: at },
}: {
  registration: McpRegistration;
}) {
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Pill tone={tones[status]}>{statusLabels[status]}</Pill>
        {status === 'pending' ? (
          <>
            <Loader size="xs" aria-hidden />
            <Text size="sm">The platform is asking the server how people sign in to it.</Text>
          </>
        ) : (
          <Text size="sm" c="dimmed" component="div">
            <RelativeTime at={at} />
          </Text>
        )}
      </Group>
      {reason === null || found !== null ? null : (
        <Banner
          tone={status === 'failed' ? 'fail' : 'wait'}
          role="note"
          title={
            status === 'failed' ? 'Sessions that use this server cannot start' : 'The last try reached nobody'
          }
        >
          <VisibleText text={reason} />
        </Banner>
      )}
    </Stack>
  );
}

function SignInFacts({ entry, registration }: { entry: McpServer; registration: McpRegistration }) {
  const { parties, scopes, client } = registration;
  return (
    <FactList label={`Sign-in to ${entry.name}`}>
      <Fact name="Agents are signed in">
        <VisibleText text={signInText(entry)} />
      </Fact>
      {parties === null ? null : <PartiesFacts parties={parties} />}
      {parties === null ? null : (
        <Fact name="Scopes">{scopes.length === 0 ? 'none' : <CodeText text={scopes.join(' ')} />}</Fact>
      )}
      {client === null ? null : (
        <Fact name="Client">
          {clientKindLabels[client.kind]}: <CodeText text={client.client_id} />
        </Fact>
      )}
    </FactList>
  );
}

/**
 * Whose sign-ins the server refuses, and why the last one: only admins are told, who can do something about
 * it.
 */
function RefusedSignIns({
  refused: { people, latest },
}: {
  refused: NonNullable<McpRegistration['refused_sign_ins']>;
}) {
  return (
    <Banner
      tone="wait"
      role="note"
      title={
        people === 1
          ? 'The server refused the sign-in of one person'
          : `The server refused the sign-ins of ${people} people`
      }
    >
      <VisibleText text={latest.reason} />
      <Text size="sm" component="div">
        Last: <PersonName id={latest.user_id} />, <RelativeTime at={latest.refused_at} />
      </Text>
    </Banner>
  );
}

/** Has the server discovered again. */
function useRetry(slug: string, name: string) {
  const params = { path: { slug, name } };
  return useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/mcp-servers/{name}/registration/retry', { params })),
    invalidates: stale.entry(slug),
  });
}

/** Accepts exactly what was shown, or nothing: when something else waits by now, that is read. */
function useAcceptParties(slug: string, name: string) {
  const params = { path: { slug, name } };
  return useApiMutation({
    send: ({ issuer, resource }: SignInParties) =>
      call(
        api.POST('/api/workspaces/{slug}/mcp-servers/{name}/registration/accept', {
          params,
          body: { issuer, resource },
        }),
      ),
    invalidates: stale.entry(slug),
    invalidatesOnError: stale.entry(slug),
  });
}
