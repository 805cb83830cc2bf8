import { Button, Code, CopyButton, Group, Text } from '@mantine/core';
import type { McpRegistration } from '../../../api/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { TextLink } from '../../../components/text-link.tsx';

/** What an admin enters at the authorization server to register the platform there by hand. */
export function RedirectUri({
  name,
  registration: { redirect_uri: uri, client },
}: {
  name: string;
  registration: McpRegistration;
}) {
  const { slug, isAdmin } = useWorkspace();
  return (
    <Banner role="note" title="Redirect URI">
      <Group gap="xs">
        <Code className="whole-id">{uri}</Code>
        <CopyButton value={uri}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="compact-xs"
              onClick={copy}
              aria-label={copied ? 'Copied' : 'Copy redirect URI'}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" mt={4}>
        {client?.kind === 'pre_registered'
          ? 'The client that was registered by hand has to have exactly this redirect URI.'
          : 'If the authorization server registers no clients by itself, register one there by hand, with exactly this redirect URI.'}
        {isAdmin && client === null ? (
          <>
            {' '}
            Then enter its client ID:{' '}
            <TextLink to={pathOf(slug, 'catalog', name, 'edit')}>Edit {name}</TextLink>.
          </>
        ) : null}
      </Text>
    </Banner>
  );
}
