import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { budgetText } from './model-usage-text.ts';
import { useModelUsage } from './use-model-usage.ts';

/** Beside the message field: that the agent gets no more of its model, and who can change that. */
export function BudgetNotice({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const usage = useModelUsage(session).data?.model_usage ?? null;
  const text = usage === null ? null : budgetText(usage);
  return text === null ? null : (
    <Banner role="status" tone="wait">
      <Text size="sm">
        {text} A workspace admin can raise it for later sessions. The agent’s owner can, too, and then needs
        the key granted again.
      </Text>
      <Button
        component={Link}
        href={pathOf(slug, 'agents', session.agent_id)}
        variant="default"
        size="compact-xs"
        mt={4}
      >
        Open the agent
      </Button>
    </Banner>
  );
}
