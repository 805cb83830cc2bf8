import { Code } from '@mantine/core';
import type { McpServer } from '../../api/types.ts';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { shapeLabels, shapeText } from '../../text/shape-text.ts';

/** What an entry runs and may, in words. */
export function EntryFacts({ entry }: { entry: McpServer }) {
  const { shape, network, egress_allow, approvers, client_features } = entry;
  const { image_digest, image_command, image_volumes } = entry;
  return (
    <FactList label={`What ${entry.name} runs and may`}>
      <Fact name={shapeLabels[shape.type]}>
        <Code>
          <VisibleText text={shapeText(shape)} />
        </Code>
      </Fact>
      {image_digest === null ? null : (
        <Fact name="Digest">
          <Code>{image_digest}</Code>
        </Fact>
      )}
      {image_command === null ? null : (
        <Fact name="It runs">
          <Code>
            <VisibleText text={image_command.join(' ')} />
          </Code>
        </Fact>
      )}
      {image_volumes === null || image_volumes.length === 0 ? null : (
        <Fact name="Empty at each start">
          <Code>
            <VisibleText text={image_volumes.join(' ')} />
          </Code>
        </Fact>
      )}
      <Fact name="Network">{network === 'none' ? 'none' : 'the internet, without private networks'}</Fact>
      {egress_allow.length === 0 ? null : <Fact name="Private destinations">{egress_allow.join(', ')}</Fact>}
      <Fact name="Who may grant its scopes">
        {approvers === 'admin' ? 'admins only' : 'whoever drives the session, and admins'}
      </Fact>
      <Fact name="May ask of the agent">
        {client_features.length === 0 ? 'nothing' : client_features.join(', ')}
      </Fact>
    </FactList>
  );
}
