import { Anchor, Button, Card, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { documentProblem } from '../../../../contract/server-document.ts';
import type { McpServer } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { UnavailableAlert } from '../../components/unavailable.tsx';
import { hasTemplate } from '../agents/agent-template.ts';
import { EntryFacts } from './entry-facts.tsx';
import { EntryHistory } from './entry-history.tsx';
import { EntryTools } from './entry-tools.tsx';
import { EntryUses } from './entry-uses.tsx';
import { ImageCheck } from './image-check.tsx';
import { ManifestPreview } from './manifest-preview.tsx';
import { SignInPart } from './registration/sign-in-part.tsx';
import { RemoveDialog } from './remove-dialog.tsx';
import { UncountedGrants } from './uncounted-grants.tsx';
import { useEntry } from './use-entry.ts';

/** One entry of the catalog: what runs, what it needs, what it may, and who uses it. */
export default function EntryPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const query = useEntry(slug, name);
  return (
    <QueryState query={query} what="The MCP server">
      {(entry) => <Entry entry={entry} />}
    </QueryState>
  );
}

function Entry({ entry }: { entry: McpServer }) {
  const { slug, isAdmin } = useWorkspace();
  const [removing, removeDialog] = useDisclosure();
  const { name } = entry;
  const useIt =
    entry.unavailable === null && hasTemplate(entry) ? (
      <Button component={Link} href={`${pathOf(slug, 'agents', 'new')}?server=${name}`} variant="default">
        New agent with it
      </Button>
    ) : null;
  const actions = isAdmin ? (
    <>
      {useIt}
      <Button component={Link} href={pathOf(slug, 'catalog', name, 'edit')}>
        Edit
      </Button>
      <Button component={Link} variant="default" href={pathOf(slug, 'catalog', name, 'check')}>
        Check
      </Button>
      <Button variant="danger" onClick={removeDialog.open}>
        Remove
      </Button>
    </>
  ) : (
    useIt
  );
  return (
    <PageFrame
      parent={{ to: pathOf(slug, 'catalog'), label: 'All MCP servers' }}
      title={name}
      description={
        <>
          Version {entry.version}, updated <RelativeTime at={entry.updated_at} /> by{' '}
          <PersonName id={entry.updated_by} />
        </>
      }
      actions={actions}
    >
      {entry.unavailable === null ? null : <UnavailableAlert reason={entry.unavailable.reason} />}
      {isAdmin && entry.approvers === 'admin' ? (
        <UncountedGrants entryName={name} scopes={[]} when="saved" />
      ) : null}
      {isAdmin ? null : <Text c="dimmed">Only workspace admins can edit it.</Text>}
      <Part title="Configuration">
        <EntryFacts entry={entry} />
        <ExportLink entry={entry} />
        {isAdmin && entry.shape.type === 'image' ? <ImageCheck entry={entry} /> : null}
      </Part>
      {entry.registration === null ? null : (
        <Part title="Sign-in">
          <SignInPart entry={entry} registration={entry.registration} />
        </Part>
      )}
      <Part title="Tools and variables">
        {entry.manifest_source === 'none' ? <Text c="dimmed">It names no tool and no variable.</Text> : null}
        {isAdmin && Object.keys(entry.manifest.tool_scopes).length === 0 ? <CheckFirst name={name} /> : null}
        <ManifestPreview manifest={entry.manifest} unlistedTools={entry.unlisted_tools} />
      </Part>
      <Part title="Tools">
        <EntryTools entry={entry} />
      </Part>
      <Part title="Used by">
        <EntryUses name={name} />
      </Part>
      {isAdmin ? (
        <Part title="Versions">
          <EntryHistory id={entry.id} />
        </Part>
      ) : null}
      <RemoveDialog name={name} opened={removing} onClose={removeDialog.close} />
    </PageFrame>
  );
}

/** The entry for other clients; nothing where the format cannot describe what it runs. */
function ExportLink({ entry: { name, shape } }: { entry: McpServer }) {
  const { slug } = useWorkspace();
  return documentProblem(shape) === null ? (
    <Anchor
      size="sm"
      href={`/api/workspaces/${slug}/mcp-servers/${name}/server.json`}
      download={`${name}.server.json`}
    >
      Download as server.json
    </Anchor>
  ) : null;
}

/** For an entry that gates nothing: a check lists the tools that could be gated. */
function CheckFirst({ name }: { name: string }) {
  const { slug } = useWorkspace();
  return (
    <Text>
      <TextLink to={pathOf(slug, 'catalog', name, 'check')}>Check the server</TextLink> to see its tools.
    </Text>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}
