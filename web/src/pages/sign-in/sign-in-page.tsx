import { Card, Center, Stack, Text, Title } from '@mantine/core';
import { productName } from '../../../../contract/product-name.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { SignInChoices } from './sign-in-choices.tsx';

/**
 * Shown in place of any page until the user signs in. The address stays, so that the page they
 * asked for opens afterwards.
 */
export function SignInPage() {
  usePageTitle('Sign in');
  return (
    <Center component="main" mih="100vh" p="md">
      <Card withBorder w="100%" maw={420} p="xl">
        <Stack>
          <div>
            <Text fw={700}>{productName}</Text>
            <Title order={1} size="h2">
              Sign in
            </Title>
            <Text c="dimmed">Agents ask, people decide.</Text>
          </div>
          <SignInChoices />
        </Stack>
      </Card>
    </Center>
  );
}
