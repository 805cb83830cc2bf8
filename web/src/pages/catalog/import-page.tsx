import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { McpServer } from '../../api/types.ts';
import { useAllServers } from '../../api/use-all.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CodeTextarea } from '../../components/code-textarea.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { isRuledOut } from '../../components/unavailable.tsx';
import { useAskBeforeLeaving } from '../../components/use-ask-before-leaving.ts';
import { leadToProblem } from '../../components/use-lead-to-problem.ts';
import { type PlannedServer, planImport } from './import-plan.ts';
import { ImportedSecrets } from './imported-secrets.tsx';
import { PlannedServerCard } from './planned-server-card.tsx';
import type { KindChoices } from './planned-variable.ts';
import { useDryRuns } from './use-dry-runs.ts';
import { type RegisteredServer, useRegisterPlan } from './use-register-plan.ts';

const example = `{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": { "GITHUB_TOKEN": "…" }
    }
  }
}`;

/**
 * Paste, review what would be registered, register. The pasted text stays in this page and is dropped at the
 * end, unless something of it is left.
 */
export default function ImportPage() {
  const query = useAllServers(useWorkspace().slug);
  return (
    <QueryState query={query} what="The catalog">
      {(servers) => <Import servers={servers} />}
    </QueryState>
  );
}

function Import({ servers }: { servers: readonly McpServer[] }) {
  const { slug } = useWorkspace();
  const [text, setText] = useState('');
  const [choices, setChoices] = useState<KindChoices>({});
  const register = useRegisterPlan(slug);
  const { here, withoutNetwork, onWithoutNetwork } = useWithoutNetwork();
  const planned = useRef<HTMLDivElement>(null);
  useAskBeforeLeaving(text.trim() !== '' && !register.isFinished);
  const done = new Set(register.registered.map(({ key }) => key));
  const names = new Set(register.registered.map(({ name }) => name));
  const taken = servers.map(({ name }) => name).filter((name) => !names.has(name));
  const plan = planImport(text, { taken, kinds: choices, withoutNetwork, here });
  const open = plan.servers.filter(({ key }) => !done.has(key));
  const plausible = open.filter(({ problems }) => problems.length === 0);
  const { refusalOf, stop } = useDryRuns(slug, register.isPending ? [] : plausible);
  const ready = plausible.filter((server) => refusalOf(server) === undefined);
  const failureOf = (server: PlannedServer) => register.failureOf(server) ?? refusalOf(server);
  if (register.isFinished) {
    return <Done register={register} left={open} failureOf={failureOf} />;
  }
  const finish = async () => {
    await stop();
    const count = await register.run(ready);
    if (count > 0) {
      // It may hold credentials.
      setText(count === open.length ? '' : text);
      register.finish();
    } else {
      requestAnimationFrame(() => leadToProblem(planned.current));
    }
  };
  return (
    <PageFrame
      title="Import configuration"
      description="Paste the mcpServers section of a desktop client, or a server.json of the MCP registry. Values that look like secrets are not sent or stored: you set them as secrets afterwards."
    >
      <CodeTextarea
        label="Configuration"
        description="JSON, as in claude_desktop_config.json, mcp.json, server.json or a server’s README."
        placeholder={example}
        value={text}
        onChange={setText}
      />
      {text.trim() === '' ? null : plan.problem === null ? (
        <div ref={planned}>
          <Planned
            servers={open}
            registered={register.registered}
            failureOf={failureOf}
            onChoose={(choice) => setChoices({ ...choices, ...choice })}
            onWithoutNetwork={onWithoutNetwork}
          />
        </div>
      ) : (
        <Banner tone="fail" role="status">
          {plan.problem}
        </Banner>
      )}
      <Group>
        <Button disabled={ready.length === 0} loading={register.isPending} onClick={() => void finish()}>
          {ready.length < 2 ? 'Register' : `Register ${ready.length} servers`}
        </Button>
        <Button component={Link} href={pathOf(slug, 'catalog')} variant="default">
          Cancel
        </Button>
        {ready.length < open.length ? (
          <Text size="sm">
            {open.length - ready.length} of {open.length} cannot be registered.
          </Text>
        ) : null}
      </Group>
    </PageFrame>
  );
}

function Planned({
  servers,
  registered,
  failureOf,
  onChoose,
  onWithoutNetwork,
}: {
  servers: readonly PlannedServer[];
  registered: readonly RegisteredServer[];
  failureOf: (server: PlannedServer) => unknown;
  onChoose: (choice: KindChoices) => void;
  onWithoutNetwork: ((key: string, without: boolean) => void) | null;
}) {
  return (
    <Stack component="section" aria-label="Servers to register">
      <Title order={2} size="h4">
        Servers to register
      </Title>
      {servers.map((server) => (
        <PlannedServerCard
          key={server.key}
          server={server}
          failure={failureOf(server)}
          onChoose={onChoose}
          onWithoutNetwork={onWithoutNetwork}
        />
      ))}
      {registered.length === 0 ? null : (
        <>
          <Banner tone="ok" role="status">
            Registered: {registered.map(({ name }) => name).join(', ')}
          </Banner>
          <ImportedSecrets names={secretsOf(registered)} />
        </>
      )}
    </Stack>
  );
}

/**
 * The servers that are registered without a network, by key, and how to choose that where the
 * internet is unavailable.
 */
function useWithoutNetwork() {
  const here = useAvailability();
  const [withoutNetwork, setWithoutNetwork] = useState<ReadonlySet<string>>(new Set());
  const choose = (key: string, without: boolean) => {
    const others = [...withoutNetwork].filter((one) => one !== key);
    setWithoutNetwork(new Set(without ? [...others, key] : others));
  };
  return { here, withoutNetwork, onWithoutNetwork: isRuledOut(here?.internet) ? choose : null };
}

const secretsOf = (registered: readonly RegisteredServer[]): string[] => [
  ...new Set(registered.flatMap(({ secrets }) => secrets)),
];

/**
 * Where an import ends, also when something of it was not registered: that is named with its reason, and
 * the text is still there.
 */
function Done({
  register: { registered, reopen },
  left,
  failureOf,
}: {
  register: ReturnType<typeof useRegisterPlan>;
  left: readonly PlannedServer[];
  failureOf: (server: PlannedServer) => unknown;
}) {
  const { slug } = useWorkspace();
  return (
    <PageFrame title={left.length === 0 ? 'Import complete' : 'Import ended'}>
      <Card withBorder>
        <Stack>
          <Text>
            {registered.map(({ name }) => name).join(', ')} {registered.length === 1 ? 'is' : 'are'} in the
            catalog. All of their tools are open until you gate some: check each server to see its tools, and
            choose.
          </Text>
          <ImportedSecrets names={secretsOf(registered)} />
          <Group>
            {registered.map(({ name }) => (
              <Button
                key={name}
                component={Link}
                href={pathOf(slug, 'catalog', name, 'check')}
                variant="default"
              >
                Gate tools of {name}
              </Button>
            ))}
            <Button component={Link} href={pathOf(slug, 'catalog')}>
              Go to catalog
            </Button>
          </Group>
        </Stack>
      </Card>
      {left.length === 0 ? null : (
        <Stack component="section" aria-label="Not registered">
          <Title order={2} size="h4">
            Not registered
          </Title>
          {left.map((server) => (
            <PlannedServerCard key={server.key} server={server} failure={failureOf(server)} />
          ))}
          <Group>
            <Button variant="default" onClick={reopen}>
              Change the configuration
            </Button>
          </Group>
        </Stack>
      )}
    </PageFrame>
  );
}
