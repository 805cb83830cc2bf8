import type { ReactNode } from 'react';
import type { McpRegistration } from '../../../api/types.ts';
import { CodeText } from '../../../components/code-text.tsx';
import { Fact } from '../../../components/fact-list.tsx';
import { Pill } from '../../../components/pill.tsx';
import { otherHosts } from './registration-text.ts';

/** Where people sign in to a remote server, and for what, within a list of facts. */
export function PartiesFacts({ parties }: { parties: NonNullable<McpRegistration['parties']> }) {
  const others = otherHosts(parties);
  return (
    <>
      <Fact name="Resource">
        <CodeText text={parties.resource} />
      </Fact>
      <Fact name="Issuer">
        <CodeText text={parties.issuer} />
        {others.issuer ? <OtherHost>another host than the server</OtherHost> : null}
      </Fact>
      <Fact name="Sign-in page">
        <CodeText text={parties.authorization_host} />
        {others.page ? <OtherHost>another host than the issuer</OtherHost> : null}
      </Fact>
    </>
  );
}

/** Common with a sign-in service of many servers: nothing wrong by itself, but to be known. */
const OtherHost = ({ children }: { children: ReactNode }) => (
  <>
    {' '}
    <Pill tone="wait">{children}</Pill>
  </>
);
