import { Button, Group, List, Text } from '@mantine/core';
import { Link } from 'wouter';
import { connections, home } from '../../app/paths.ts';
import { PageFrame } from '../../components/page-frame.tsx';

/**
 * Where an answer ends that belongs to no sign-in of this browser. Which of the reasons it is, nobody but
 * the one who began is told.
 */
export function UnknownAnswerPage() {
  return (
    <PageFrame title="This sign-in could not be completed">
      <Text>The server sent you back, but not to a sign-in that waits in this browser. Perhaps it:</Text>
      <List>
        <List.Item>was completed or begun again already, in another tab or with the Back button;</List.Item>
        <List.Item>was begun more than 10 minutes ago, or its session has ended;</List.Item>
        <List.Item>
          was begun in another browser, by another person, or before you signed in again here.
        </List.Item>
      </List>
      <Text>Nobody was signed in by this. Open your session and follow its link to begin again.</Text>
      <Group gap="xs">
        <Button component={Link} href={home}>
          Go to home page
        </Button>
        <Button component={Link} href={connections} variant="default">
          Your connections
        </Button>
      </Group>
    </PageFrame>
  );
}
