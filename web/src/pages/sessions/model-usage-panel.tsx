import { Card, Progress, Stack, Title } from '@mantine/core';
import type { ModelUsage, Session } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { reachedText, requestsText, tokenParts, tokensText, usedPercent } from './model-usage-text.ts';
import { useModelUsage } from './use-model-usage.ts';

/** What the session's agent has used of its language model; nothing for an agent without one. */
export function ModelUsagePanel({ session }: { session: Session }) {
  const { data } = useModelUsage(session);
  const usage = data?.model_usage ?? null;
  return usage === null ? null : (
    <Card withBorder padding="sm" component="section" aria-label="Model usage">
      <Title order={2} size="h5" mb="xs">
        Model usage
      </Title>
      <Usage usage={usage} />
    </Card>
  );
}

function Usage({ usage }: { usage: ModelUsage }) {
  const parts = tokenParts(usage);
  const reached = reachedText(usage);
  const percent = usedPercent(usage);
  return (
    <Stack gap="xs">
      {reached === null ? null : (
        <Banner role="status" tone="wait">
          {reached}
        </Banner>
      )}
      <Progress
        value={percent}
        color={reached === null ? 'blue' : 'orange'}
        aria-label={`${percent} % used`}
      />
      <FactList label="Model usage">
        <Fact name="Requests">{requestsText(usage)}</Fact>
        <Fact name="Tokens">{tokensText(usage)}</Fact>
        {parts === '' ? null : <Fact name="Of these">{parts}</Fact>}
      </FactList>
    </Stack>
  );
}
