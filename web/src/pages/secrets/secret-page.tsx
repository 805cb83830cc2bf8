import { Button, Card, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Secret } from '../../api/types.ts';
import { useAllSecrets } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { NotFoundState } from '../../components/state-views.tsx';
import { ClearDialog } from './clear-dialog.tsx';
import { RestrictionForm } from './restriction-form.tsx';
import { type Uses, useSecretUses } from './secret-uses.ts';
import { SetBadge } from './secrets-page.tsx';
import { UsesList } from './uses-list.tsx';

/** One secret: whether it is set, what refers to it, and which MCP servers may be given it. */
export function SecretPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const secrets = useAllSecrets(slug);
  const uses = useSecretUses(slug, name);
  return (
    <QueryState query={secrets} what="The secret">
      {(all) => {
        const secret = all.find((candidate) => candidate.name === name);
        return secret === undefined ? (
          <NotFoundState what="This secret" />
        ) : (
          <Frame secret={secret} uses={uses.data}>
            <Card withBorder component="section" aria-labelledby="uses">
              <Title order={2} size="h4" id="uses" mb="xs">
                Used by
              </Title>
              <QueryState query={uses} what="What uses the secret">
                {(known) => <UsedBy uses={known.uses} />}
              </QueryState>
            </Card>
            <Restriction name={name} known={uses.data} />
          </Frame>
        );
      }}
    </QueryState>
  );
}

function Frame({ secret, uses, children }: { secret: Secret; uses: Uses | undefined; children: ReactNode }) {
  const { slug, isAdmin } = useWorkspace();
  const [setting, setDialog] = useDisclosure();
  const [clearing, clearDialog] = useDisclosure();
  const { name, is_set, created_at, updated_at, updated_by } = secret;
  const actions = isAdmin ? (
    <>
      <Button onClick={setDialog.open}>{is_set ? 'Replace value' : 'Set value'}</Button>
      {is_set ? (
        <Button variant="danger" onClick={clearDialog.open}>
          Clear value
        </Button>
      ) : null}
    </>
  ) : null;
  return (
    <PageFrame
      title={name}
      parent={{ to: pathOf(slug, 'secrets'), label: 'All secrets' }}
      status={<SetBadge isSet={is_set} />}
      description={
        <>
          Updated <RelativeTime at={updated_at} /> by <PersonName id={updated_by} />, created{' '}
          <RelativeTime at={created_at} />
        </>
      }
      actions={actions}
    >
      {isAdmin ? null : <Text c="dimmed">Only workspace admins can change it.</Text>}
      {children}
      <SecretDialog opened={setting} onClose={setDialog.close} fixedName={name} />
      <ClearDialog name={name} uses={uses?.uses} opened={clearing} onClose={clearDialog.close} />
    </PageFrame>
  );
}

function UsedBy({ uses }: { uses: Uses['uses'] }) {
  return uses.length === 0 ? <Text c="dimmed">Not used.</Text> : <UsesList uses={uses} />;
}

function Restriction({ name, known }: { name: string; known: Uses | undefined }) {
  const { isAdmin } = useWorkspace();
  if (known === undefined) {
    return null;
  }
  const { allowedServers } = known;
  return (
    <Card withBorder component="section" aria-labelledby="restriction">
      <Stack gap="xs">
        <Title order={2} size="h4" id="restriction">
          Allowed servers
        </Title>
        {isAdmin ? (
          <RestrictionForm name={name} known={known} />
        ) : (
          <Text>
            {allowedServers === null
              ? 'Any MCP server can use it.'
              : `Allowed: ${allowedServers.join(', ') || 'no MCP server'}.`}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
